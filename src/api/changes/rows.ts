/**
 * Writes a change in its own transaction: a row of the ordered log, the record before and after (for the audit log and
 * the event's payload), and an event for kinds with subscribers. Also keeps the payloads of events whose decision is
 * deleted.
 */
import type { Step, Value } from '../../db/db.ts';
import { insertColumns, insertRows } from '../../db/query.ts';
import { newBody } from '../../lib/id.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { Author, Change } from './change.ts';
import { KINDS } from './kinds.ts';

/** Columns of an event, in the order of their values. `object_no`: the item of an access event, null for the others. */
export const EVENT_COLUMNS = ['id', 'at', 'kind', 'object_id', 'object_no'] as const;

const insertChanges = insertRows({
  into: 'changes (id, at, kind, object_id, key_id, request_id, address, owner_id, object_no)',
  row: '($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, (select no from content where id = $4)))',
  width: 9,
});
const insertPayloads = insertRows(insertColumns('change_data', ['id', 'object', 'previous']));
const insertEvents = insertRows(insertColumns('events', EVENT_COLUMNS));

/** A change with its payloads as JSON text. */
export interface WrittenChange extends Change {
  text: string;
  previousText: string | null;
}

/** Serializes payloads in slices: a bulk edit has thousands. */
export const writeChanges = (changes: readonly Change[]): WrittenChange[] | Promise<WrittenChange[]> =>
  mapInSlices(changes, (change) => ({
    ...change,
    text: JSON.stringify(change.object),
    previousText: change.before === undefined ? null : JSON.stringify(pickPreviousValues(change.before, change.object)),
  }));

/**
 * Returns the steps of an edit's changes. Commit them in the turn that makes them: the ids of events are assigned here,
 * so their order on one node is the order of the commits.
 */
export function changeSteps(changes: readonly WrittenChange[], author: Author, at: number): Step[] {
  const rows: Value[][] = [];
  const data: Value[][] = [];
  const events: Value[][] = [];
  const address = author.source();
  for (const { kind, id: objectId, no, ownerId, text, previousText, body: id = newBody(at) } of changes) {
    rows.push([id, at, kind, objectId, author.caller.keyId, author.id, address, ownerId ?? null, no ?? null]);
    data.push([id, text, previousText]);
    if (KINDS[kind].event !== false) events.push([id, at, kind, objectId, null]);
  }
  return [...insertChanges(rows), ...insertPayloads(data), ...insertEvents(events)];
}

/** Keeps a payload, as JSON text, under an id. The first one stays. */
export const keepPayload = (id: string, object: object): Step => ({
  sql: 'insert into change_data (id, object) values ($1, $2) on conflict (id) do nothing',
  params: [id, JSON.stringify(object)],
});

/** Replaces a payload, also that of a change. */
export const replacePayload = (id: string, object: object): Step => ({
  sql: 'update change_data set object = $2 where id = $1',
  params: [id, JSON.stringify(object)],
});

export const dropPayload = (id: string): Step => ({ sql: 'delete from change_data where id = $1', params: [id] });

/** Deletes the payloads kept for events of decisions and quotas up to a `seq`. */
export const dropAccessPayloads = (seq: number): Step => ({
  sql: `delete from change_data where id in (select id from events where seq <= $1 and (kind like 'access.%' or kind in ('license.threshold_reached', 'license.quota_exceeded')))`,
  params: [seq],
});

/** Returns the previous values of the changed fields; null for an absent one. */
function pickPreviousValues(before: object, after: object): Record<string, unknown> {
  const [old, now] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  const previous: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (old[name] !== now[name] && JSON.stringify(old[name]) !== JSON.stringify(now[name]))
      previous[name] = old[name] ?? null;
  }
  return previous;
}
