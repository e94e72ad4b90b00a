/**
 * Changes of the table of decisions. Promise: each is one transaction, copies no row, and reads no row while it locks
 * out others. A change waits 200 ms at most for the table, and then fails, so that no check waits longer.
 */
import type { Step } from '../../../db/db.ts';
import { integer } from '../columns/sql.ts';
import { BORDER, type Inheritance, LEFT, type Piece } from './table.ts';

/** Checks queue behind a change that waits for a reader. Shorter than PostgreSQL waits before it detects deadlocks. */
const LOCK_WITHIN_MS = 200;
/** Changes take milliseconds. */
const DONE_WITHIN_MS = 3_000;
const OLDEST = 'decisions_from_0';
const nameFrom = (border: number): string => `decisions_from_${integer(border)}`;

/** Makes one statement of all lines, so that all are done or none is. LOCK TABLE is allowed within it. */
const change = (lines: readonly string[]): Step[] => [
  {
    sql: `select set_config('lock_timeout', '${LOCK_WITHIN_MS}', true),
      set_config('statement_timeout', '${DONE_WITHIN_MS}', true)`,
  },
  { sql: `do $change$ begin\n${lines.map((line) => `${line};`).join('\n')}\nend $change$` },
];

const LOCK_PARENT = 'lock table only decisions in access exclusive mode';

/** Refuses new rows from the border on, without reading those that are there. */
export const addBorder = ({ name, from }: Piece, at: number): Step[] => {
  const isAbove = from === null ? '' : `seq >= ${integer(from)} and `;
  return change([`alter table ${name} add constraint ${BORDER} check (${isAbove}seq < ${integer(at)}) not valid`]);
};

export const dropBorder = ({ name }: Piece): Step[] => change([`alter table ${name} drop constraint ${BORDER}`]);

/** Refuses all new rows, without reading those that are there. */
export const addLeft = ({ name }: Piece): Step[] =>
  change([`alter table ${name} add constraint ${LEFT} check (false) not valid`]);

export const dropLeft = ({ name }: Piece): Step[] => change([`alter table ${name} drop constraint ${LEFT}`]);

/** Reads all rows while others read and write, which may take hours. Throws where a row breaks the constraint. */
export const validate = ({ name }: Piece, constraint: string): Step[] => [
  { sql: `alter table ${name} validate constraint ${constraint}` },
];

const addTail = (border: number, options: string | null): string =>
  `create table ${nameFrom(border)} partition of decisions for values from (${integer(border)}) to (maxvalue)${
    options === null ? '' : ` with (${options})`
  }`;

/** More than transactions in flight draw, and fewer than an erasure expects below the newest number. */
const SKIPPED = 5_000;

/**
 * Draws numbers from a new sequence with the same name, which outlives the identity of the column. Transactions in
 * flight may draw from the old one once more, so the new one skips some numbers.
 */
export const freeSequence = (grants: readonly string[]): Step[] =>
  change([
    'alter sequence decisions_seq_seq rename to decisions_seq_was',
    'create sequence decisions_seq_seq',
    `perform setval('decisions_seq_seq', last_value + ${SKIPPED}) from decisions_seq_was`,
    ...grants,
  ]);

/**
 * Makes the plain table the first partition of a new one with its name, triggers and grants. The identity goes, since
 * PostgreSQL 17 attaches no table with one; nothing may draw from its sequence by then.
 */
export function turn(border: number, { triggers, grants, options, tablespace }: Inheritance): Step[] {
  const names = triggers.map((sql) => /^CREATE (?:CONSTRAINT )?TRIGGER (\S+)/.exec(sql)?.[1] as string);
  return change([
    'lock table decisions in access exclusive mode',
    must(`pg_get_serial_sequence('decisions', 'seq')::regclass <> 'decisions_seq_seq'::regclass`),
    'alter table decisions alter column seq drop identity',
    ...names.map((name) => `drop trigger ${name} on decisions`),
    `alter table decisions rename to ${OLDEST}`,
    `alter table ${OLDEST} rename constraint decisions_pkey to ${OLDEST}_pkey`,
    `create table decisions (like ${OLDEST} including defaults including comments including storage including compression,
      primary key (seq)) partition by range (seq)${tablespace === null ? '' : ` tablespace ${tablespace}`}`,
    `alter table decisions alter column seq set default nextval('decisions_seq_seq')`,
    `alter table decisions attach partition ${OLDEST} for values from (minvalue) to (${integer(border)})`,
    `alter table ${OLDEST} drop constraint ${BORDER}`,
    addTail(border, options),
    ...triggers,
    ...grants,
  ]);
}

/**
 * Ends the last partition at a border, where the next one begins. Throws Conflict where the partition has rows, unless
 * its border was enforced and validated before.
 */
export function cut({ name, from, border: known }: Piece, border: number, options: string | null): Step[] {
  return change([
    LOCK_PARENT,
    `lock table ${name} in access exclusive mode`,
    ...(known === null ? [must(`not exists (select 1 from ${name})`)] : []),
    `alter table decisions detach partition ${name}`,
    `alter table decisions attach partition ${name} for values from (${from === null ? 'minvalue' : integer(from)})
      to (${integer(border)})`,
    ...(known === null ? [] : [`alter table ${name} drop constraint ${BORDER}`]),
    addTail(border, options),
  ]);
}

/** Drops a partition with its files. Throws Conflict unless the database validated that the partition is empty. */
export const drop = ({ name }: Piece): Step[] =>
  change([
    LOCK_PARENT,
    `lock table ${name} in access exclusive mode`,
    must(
      `exists (select 1 from pg_constraint where conrelid = '${name}'::regclass and conname = '${LEFT}' and convalidated)`,
    ),
    `drop table ${name}`,
  ]);

/** Divides by zero unless the condition is true, as expectations do. */
const must = (condition: string): string => `perform 1 / (${condition})::int`;
