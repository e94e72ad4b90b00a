/**
 * Numbers of requesters in moved decisions. PostgreSQL gives them, for good, before ClickHouse has a decision with one.
 */
import type { Db, Step } from '../../../db/db.ts';
import { toList } from '../../../db/query.ts';
import type { Replacement } from '../retention/erase.ts';

const AT_ONCE = 2_000;

/** While a requester is being erased, none is numbered: its pseudonym takes the place of its id. */
export const NO_ERASURE = `not exists (select 1 from erasures where status <> 'done')`;

const ERASURES = '(select count(*) from erasures)';

/** Differs once another requester is erased. */
export async function countErasures(db: Db): Promise<number> {
  const [row] = await db.read<{ n: number }>(`select ${ERASURES} as n`);
  return Number(row?.n);
}

/** Since this many were counted, none was erased. `param` has the count. */
export const isNoneErased = (param: string): string => `${NO_ERASURE} and ${ERASURES} = ${param}`;

/** Returns the numbers of those that have one. */
export async function findNumbers(db: Db, ids: Iterable<string>): Promise<Map<string, number>> {
  const all = [...ids];
  const found = new Map<string, number>();
  for (let i = 0; i < all.length; i += AT_ONCE) {
    const sql = `select id, number from record_names
      where md5(id) = any(array(select md5(value) from json_array_elements_text($1::json)))`;
    const rows = await db.read<{ id: string; number: number }>(sql, [toList(all.slice(i, i + AT_ONCE))]);
    for (const { id, number } of rows) found.set(id, number);
  }
  return found;
}

/**
 * Numbers those that have no number, unless one was erased since `erasures` were counted: an id that was read before
 * may be forgotten now.
 */
export async function numberRequesters(db: Db, ids: Iterable<string>, erasures: number): Promise<Map<string, number>> {
  const all = [...ids];
  const known = await findNumbers(db, all);
  const fresh = all.filter((id) => !known.has(id));
  for (let i = 0; i < fresh.length; i += AT_ONCE) {
    const sql = `insert into record_names (id, erased) select value, 0 from json_array_elements_text($1::json) as fresh(value)
      where ${isNoneErased('$2')} on conflict do nothing`;
    await db.atomic([{ sql, params: [toList(fresh.slice(i, i + AT_ONCE)), erasures] }]);
  }
  return fresh.length === 0 ? known : new Map([...known, ...(await findNumbers(db, fresh))]);
}

/** Erases an id: moved decisions have the pseudonym from then on, and none of its inputs is in an answer. */
export const eraseName = (db: Db, { requesterId, pseudonym }: Replacement): Step[] =>
  db.engine === 'sqlite'
    ? []
    : [
        {
          sql: 'update record_names set id = $2, erased = 1 where md5(id) = md5($1) and id = $1',
          params: [requesterId, pseudonym],
        },
      ];
