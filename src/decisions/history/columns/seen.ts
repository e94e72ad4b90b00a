/**
 * Requesters by their checks. Promise: a walk through the pages counts the same decisions on each page, however many
 * are made meanwhile: the first page fixes the last decision that counts.
 */
import type { SeenSort } from './dimensions.ts';
import type { SqlReader } from './reader.ts';
import { type ColumnsFilter, integer, select, text } from './sql.ts';

/** A page starts after the row with this value and id. */
export interface After {
  /** The last decision that counts. */
  upTo: number;
  value: number;
  id: string;
}

export interface SeenQuery {
  filter: Pick<ColumnsFilter, 'from' | 'to' | 'enforced'>;
  /** Part of an id or a name; case is ignored. */
  q?: string | undefined;
  registered?: boolean | undefined;
  status?: string | undefined;
  sort: SeenSort;
  after: After | null;
  limit: number;
}

export interface Seen {
  id: string;
  /** null: not registered. */
  registered: { name: string; type: string | null; status: string; tags: string } | null;
  requests: number;
  allowed: number;
  verified: number;
  /** Epoch ms; null: not seen in this span. */
  lastSeen: number | null;
  /** The sort value. */
  value: number;
}

export interface SeenPage<R> {
  rows: R[];
  /** The whole selection, not the page. */
  totalCount: number;
  upTo: number;
}

const SEEN_VALUES: Record<SeenSort, string> = {
  requests: 'requests',
  denied: 'requests - allowed',
  lastSeen: 'coalesce(last, -1)',
};

type SeenRow = Omit<Seen, 'registered'> & { name: string | null; type: string | null; status: string; tags: string };

/** Lists every requester that is registered or was seen in the span. */
export function answerSeen(reader: SqlReader, query: SeenQuery): Promise<SeenPage<Seen>> {
  return reader.inSnapshot(async () => {
    const upTo = await readUpTo(reader, query.after);
    const terms = [await searchTerm(reader, query.q)];
    if (query.registered !== undefined) terms.push(query.registered ? 'name is not null' : 'name is null');
    if (query.status !== undefined) terms.push(`status = ${text(query.status)}`);
    const { totalCount, rows } = await readPage<SeenRow>(
      reader,
      `with seen as (
         select requester as number, count(*)::double as requests, (count(*) filter (where reason = 0))::double as allowed,
           (count(*) filter (where verified <> 0))::double as verified, max(decided_at)::double as last
         ${await select(reader, query.filter)} and requester <> 0${upToTerm(query.after)}
         group by requester
       ), everybody as (
         select coalesce(named.id, registered.id) as id, name, type, status, tags, coalesce(requests, 0) as requests,
           coalesce(allowed, 0) as allowed,
           coalesce(verified, 0) as verified, last
         from (select requesters.id, seen.* from seen join requesters using (number)) as named
         full join registered on registered.id = named.id
       )
       select *, last as "lastSeen", ${SEEN_VALUES[query.sort]} as value from everybody where ${terms.join(' and ')}`,
      query,
    );
    return {
      upTo,
      totalCount,
      rows: rows.map(({ id, name, type, status, tags, requests, allowed, verified, lastSeen, value }) => ({
        id,
        registered: name === null ? null : { name, type, status, tags },
        requests,
        allowed,
        verified,
        lastSeen,
        value,
      })),
    };
  });
}

/** A first page counts all of its snapshot. */
export const upToTerm = (after: After | null): string => (after === null ? '' : ` and seq <= ${integer(after.upTo)}`);

/** Returns the last decision that counts. */
export async function readUpTo(reader: SqlReader, after: After | null): Promise<number> {
  if (after !== null) return after.upTo;
  const [newest] = await reader.columns('select coalesce(max(seq), 0)::double from decisions');
  return newest?.[0] as number;
}

export async function searchTerm(reader: SqlReader, q: string | undefined, id = 'id'): Promise<string> {
  if (q === undefined) return 'true';
  const sought = `lowerUTF8(${await reader.give(q)})`;
  return `(position(${sought} in lowerUTF8(${id})) > 0 or position(${sought} in lowerUTF8(coalesce(name, ''))) > 0)`;
}

/** Reads a page of the rows that `sql` selects, by value (descending unless `ascending`) and id, and counts all. */
export async function readPage<Row extends { id: string }>(
  reader: SqlReader,
  sql: string,
  { after, limit, ascending = false }: { after: After | null; limit: number; ascending?: boolean },
): Promise<{ totalCount: number; rows: Row[] }> {
  const [beyond, order] = ascending ? ['>', 'value'] : ['<', 'value desc'];
  const rest =
    after === null
      ? 'true'
      : `value ${beyond} ${integer(after.value)} or value = ${integer(after.value)} and id > ${await reader.give(after.id)}`;
  await reader.keep('picked', sql);
  const [count] = await reader.columns('select count(*)::double from picked');
  const rows = await reader.rows<Row>(
    `select * from picked where ${rest} order by ${order}, id limit ${integer(limit)}`,
  );
  return { totalCount: count?.[0] as number, rows };
}
