/** Removes what endpoints answered to events: an answer may repeat what was sent, such as names and inputs. */

import { EVENT_PREFIX } from '../../api/events/event.ts';
import type { Attempt } from '../../api/webhooks/delivery.ts';
import type { Db, Step } from '../../db/db.ts';
import { findTheirs, type Replacement } from '../../decisions/history/retention/erase.ts';
import { parseDecisionId } from '../../decisions/ledger/decision.ts';
import { toBase32 } from '../../lib/id.ts';

const REMOVE = `update deliveries set attempts = '[]' where id`;

const AT_ONCE = 100;

/** Removes some answers to decisions before a time. Returns whether there were any. */
export async function eraseAnswers(db: Db, before: number): Promise<boolean> {
  const rows = await db.read<{ id: string; attempts: string }>(
    `select id, attempts from deliveries where kind like 'access.%' and event_id < $1
       and replace(attempts, '"responseBody":"', '') <> attempts
     limit ${AT_ONCE}`,
    [EVENT_PREFIX + toBase32(before, 10)],
  );
  if (rows.length === 0) return false;
  await db.atomic(rows.map(withoutAnswers));
  return true;
}

/** An attempt that ends meanwhile stores its own answer; the next walk finds it. */
const withoutAnswers = ({ id, attempts }: { id: string; attempts: string }): Step => ({
  sql: 'update deliveries set attempts = $2 where id = $1 and attempts = $3',
  params: [
    id,
    JSON.stringify((JSON.parse(attempts) as Attempt[]).map((one) => ({ ...one, responseBody: null }))),
    attempts,
  ],
});

/** Must run after the requester was replaced in decisions and in changes: those say whom an event is about. */
export async function scrubDeliveries(db: Db, span: string, { requesterId, pseudonym }: Replacement): Promise<void> {
  const rows = await db.read<{ id: string; event_id: string; kind: string; names: number }>(
    `select id, event_id, kind, case when replace(attempts, $1, '') <> attempts
       or exists (select 1 from change_data as d where d.id = substr(event_id, 5)
         and replace(d.object, $2, '') <> d.object) then 1 else 0 end as names
     from deliveries where ${span} and attempts <> '[]'`,
    [requesterId, JSON.stringify(pseudonym)],
  );
  const findDecisionSeq = (row: { event_id: string; kind: string }) =>
    row.kind.startsWith('access.') ? parseDecisionId(`dec_${row.event_id.slice(4)}`)?.seq : undefined;
  const seqs = rows.flatMap((row) => (row.names === 1 ? [] : (findDecisionSeq(row) ?? [])));
  const theirs = new Set(await findTheirs(db, seqs, pseudonym));
  const steps = rows
    .filter((row) => row.names === 1 || theirs.has(findDecisionSeq(row) ?? 0))
    .map(({ id }) => ({ sql: `${REMOVE} = $1`, params: [id] }));
  if (steps.length > 0) await db.atomic(steps);
}
