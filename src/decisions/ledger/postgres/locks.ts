/** Locks the limits of a flush in two trips, on PostgreSQL. */
import type { Row, Step } from '../../../db/db.ts';
import { toArray } from '../../../db/postgres/db.ts';
import type { LimitState } from '../../../rules/limit.ts';
import { toStates } from '../open.ts';

/** The longest wait for one held limit before the next has its turn. */
export const HELD_TURN_MS = 250;

/** Locks the limits that no other transaction holds. `state` is null for the others: `held`, or not existing yet. */
const LOCK_FREE_LIMITS = `with mine as materialized (
    select key, state from limits where key = any($1::text[]) order by key for update skip locked
  )
  select wanted.key, mine.state, mine.key is null and exists (select 1 from limits where limits.key = wanted.key) as held
  from unnest($1::text[]) as wanted (key) left join mine on mine.key = wanted.key`;
const AWAIT_LIMIT: readonly string[] = [
  `select set_config('lock_timeout', '${HELD_TURN_MS}', true)`,
  'select 1 from limits where key = $1 for update',
];
/** `keys`: stored ones. */
export const lockStep = (keys: Iterable<string>): Step => ({
  sql: LOCK_FREE_LIMITS,
  params: [toArray([...keys].toSorted())],
});

export const awaitLimit = (key: string): Step[] =>
  AWAIT_LIMIT.map((sql) => ({ sql, ...(sql.includes('$1') ? { params: [key] } : {}) }));

/** The limits of a flush by stored key: locked by it, or held by another transaction. The rest do not exist yet. */
export interface Locked {
  states: ReadonlyMap<string, LimitState>;
  held: ReadonlySet<string>;
}
export const NO_LIMITS: Locked = { states: new Map(), held: new Set() };

export const toLocked = (rows: readonly Row[]): Locked => ({
  states: toStates(rows.filter(({ state }) => state !== null)),
  held: new Set(rows.filter(({ held }) => held === 1).map(({ key }) => key as string)),
});
