/**
 * What a change leaves behind, as steps of its own transaction: its place in the ordered log, the record before and after
 * (for the audit log and the event's payload), and, for the kinds others can subscribe to, an event.
 */
import type { Step, Value } from '../db/db.ts';
import { newBody } from '../lib/id.ts';
import { stringifyOrdered } from '../lib/json.ts';
import type { Author, Change } from './changes.ts';
import { KINDS } from './kinds.ts';

/** Columns of an event, in the order of their values. `object_no`: the item of an access event, null for the others. */
export const EVENT_COLUMNS = ['id', 'at', 'kind', 'object_id', 'object_no'] as const;

/** A bulk edit has thousands of rows: statements with this many at once take a third of the time. */
const ROWS_AT_ONCE = 10;

interface Table {
  insert: string;
  /** One row; `$n` is its n-th value. */
  row: string;
  width: number;
}

const CHANGES: Table = {
  insert: 'insert into changes (id, at, kind, object_id, key_id, request_id, address, owner_id, object_no) values ',
  row: '($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, (select no from content where id = $4)))',
  width: 9,
};
const DATA: Table = { insert: 'insert into change_data (id, object, previous) values ', row: '($1, $2, $3)', width: 3 };
const EVENTS: Table = {
  insert: `insert into events (${EVENT_COLUMNS.join(', ')}) values `,
  row: '($1, $2, $3, $4, $5)',
  width: EVENT_COLUMNS.length,
};

const sqlOf = ({ insert, row, width }: Table, rows: number): string =>
  insert +
  Array.from({ length: rows }, (_, i) => row.replaceAll(/\$(\d)/g, (_all, n) => `$${i * width + Number(n)}`)).join(
    ', ',
  );
const SQL = new Map([CHANGES, DATA, EVENTS].map((table) => [table, [sqlOf(table, 1), sqlOf(table, ROWS_AT_ONCE)]]));

function insertSteps(table: Table, rows: readonly Value[][]): Step[] {
  const [one = '', many = ''] = SQL.get(table) ?? [];
  const steps: Step[] = [];
  let i = 0;
  for (; i + ROWS_AT_ONCE <= rows.length; i += ROWS_AT_ONCE) {
    steps.push({ sql: many, params: rows.slice(i, i + ROWS_AT_ONCE).flat() });
  }
  for (const params of rows.slice(i)) steps.push({ sql: one, params });
  return steps;
}

export function changeSteps(changes: readonly Change[], author: Author, at: number): Step[] {
  const rows: Value[][] = [];
  const data: Value[][] = [];
  const events: Value[][] = [];
  const address = author.source();
  for (const { kind, id: objectId, no, ownerId, object, before, body: id = newBody(at) } of changes) {
    rows.push([id, at, kind, objectId, author.caller.keyId, author.id, address, ownerId ?? null, no ?? null]);
    const previous = before === undefined ? null : stringifyOrdered(previousOf(before, object));
    data.push([id, stringifyOrdered(object), previous]);
    if (KINDS[kind].event !== false) events.push([id, at, kind, objectId, null]);
  }
  return [...insertSteps(CHANGES, rows), ...insertSteps(DATA, data), ...insertSteps(EVENTS, events)];
}

/** What the fields that changed were before; null for one that was not there. */
function previousOf(before: object, after: object): Record<string, unknown> {
  const [old, now] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  const previous: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (old[name] !== now[name] && JSON.stringify(old[name]) !== JSON.stringify(now[name]))
      previous[name] = old[name] ?? null;
  }
  return previous;
}
