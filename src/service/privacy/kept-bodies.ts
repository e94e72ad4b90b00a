/** Bodies that are kept for the events of deleted decisions: they have the inputs of a decision, too. */
import { replacePayload } from '../../api/changes/rows.ts';
import type { Db } from '../../db/db.ts';
import type { LoggedDecision } from '../../decisions/log/log.ts';

const BODIES_AT_ONCE = 100;

/** Erases the inputs in some bodies of events before a time. Returns whether there were any. */
export async function eraseKeptBodies(db: Db, before: number): Promise<boolean> {
  const rows = await db.read<{ id: string; object: string }>(
    `select d.id, d.object from events as e join change_data as d on d.id = e.id
     where e.kind like 'access.%' and e.at < $1
       and (replace(d.object, '"context":{', '') <> d.object or replace(d.object, '"license":{', '') <> d.object)
     limit ${BODIES_AT_ONCE}`,
    [before],
  );
  if (rows.length === 0) return false;
  await db.atomic(
    rows.map(({ id, object }) => replacePayload(id, withoutInputs(JSON.parse(object) as LoggedDecision))),
  );
  return true;
}

export function withoutInputs(decision: LoggedDecision): LoggedDecision {
  const reduced = (['context', 'license'] as const).filter((field) => decision[field] != null);
  return reduced.length === 0 ? decision : { ...decision, context: null, license: null, reduced };
}
