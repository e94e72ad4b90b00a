/** The link that the first start prints. */

import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { SYSTEM } from '../changes/change.ts';
import type { Changes } from '../changes/changes.ts';
import { planLink } from './links.ts';

/** The user of links without a name. */
export const OPERATOR = 'Operator';

/** Returns the path to open in a browser. It signs the operator in, once, as an admin. */
export async function makeFirstLink({
  db,
  changes,
  clock,
}: {
  db: Db;
  changes: Changes;
  clock: Clock;
}): Promise<string> {
  const made = await changes.commit(SYSTEM, 'sign-in', () =>
    planLink({ db, now: clock.now(), holder: null }, { name: OPERATOR, role: 'admin' }),
  );
  return (JSON.parse(made.text) as { path: string }).path;
}
