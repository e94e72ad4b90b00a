/**
 * What a change leaves behind, as steps of its own transaction: its place in the ordered log, the record before and after
 * (for the audit log and the event's payload), and, for the kinds others can subscribe to, an event.
 */
import type { Step, Value } from '../db/db.ts';
import { newBody } from '../lib/id.ts';
import { stringifyOrdered } from '../lib/json.ts';
import type { Author, Change } from './changes.ts';
import { KINDS } from './kinds.ts';

const CHANGE_SQL = `insert into changes (id, at, kind, object_id, key_id, request_id, address, owner_id, object_no)
  values ($1, $2, $3, $4, $5, $6, $7, $8, (select no from content where id = $4))`;
const CHANGE_OF_NO_SQL = `insert into changes (id, at, kind, object_id, key_id, request_id, address, owner_id, object_no)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const DATA_SQL = 'insert into change_data (id, object, previous) values ($1, $2, $3)';

/** Columns of an event, in the order of their values. `object_no`: the item of an access event, null for the others. */
export const EVENT_COLUMNS = ['id', 'at', 'kind', 'object_id', 'object_no'] as const;
const EVENT_SQL = `insert into events (${EVENT_COLUMNS.join(', ')}) values ($1, $2, $3, $4, $5)`;

export function changeSteps(change: Change, author: Author, at: number): Step[] {
  const { kind, id: objectId, no, ownerId, object, before, body: id = newBody(at) } = change;
  const params = [id, at, kind, objectId, author.caller.keyId, author.id, author.source(), ownerId ?? null];
  const previous = before === undefined ? null : stringifyOrdered(previousOf(before, object));
  const steps: Step[] = [
    no === undefined ? { sql: CHANGE_SQL, params } : { sql: CHANGE_OF_NO_SQL, params: [...params, no] },
    { sql: DATA_SQL, params: [id, stringifyOrdered(object), previous] },
  ];
  if (KINDS[kind].event !== false) steps.push({ sql: EVENT_SQL, params: [id, at, kind, objectId, null] as Value[] });
  return steps;
}

/** What the fields that changed were before; null for one that was not there. */
function previousOf(before: object, after: object): Record<string, unknown> {
  const [old, now] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  const previous: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (JSON.stringify(old[name]) !== JSON.stringify(now[name])) previous[name] = old[name] ?? null;
  }
  return previous;
}
