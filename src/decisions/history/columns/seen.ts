/** Requesters by their checks. */
import type { SeenSort } from './dimensions.ts';
import { type After, type RowPage, readPage, readUpTo, searchTerm, upToTerm } from './list-page.ts';
import type { SqlReader } from './reader.ts';
import { type ColumnsFilter, select, text } from './sql.ts';

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

const SEEN_VALUES: Record<SeenSort, string> = {
  requests: 'requests',
  denied: 'requests - allowed',
  lastSeen: 'coalesce(last, -1)',
};

type SeenRow = Omit<Seen, 'registered'> & { name: string | null; type: string | null; status: string; tags: string };

/** Lists every requester that is registered or was seen in the span. */
export function answerSeen(reader: SqlReader, query: SeenQuery): Promise<RowPage<Seen>> {
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
