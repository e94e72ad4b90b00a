/** Programs that the directory of crawlers does not name, by their requests without a requester. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { estimate } from '../../../lib/sketch.ts';
import type { ProgramSort } from './dimensions.ts';
import { FIXED_MAX } from './programs.ts';
import { type After, readPage, readUpTo, type SeenPage, searchTerm, upToTerm } from './seen.ts';
import { type ColumnsFilter, inSnapshot, integer, readRows, select, text } from './sql.ts';

export interface ProgramsQuery {
  filter: Pick<ColumnsFilter, 'from' | 'to' | 'enforced'>;
  /** Part of a name; case is ignored. */
  q?: string | undefined;
  /** Names that the directory has now. */
  named: readonly string[];
  sort: ProgramSort;
  after: After | null;
  limit: number;
}

export interface SeenProgram {
  id: string;
  requests: number;
  allowed: number;
  /** With items. */
  pages: number;
  /** About the most addresses on one day; null: none was kept. */
  addresses: number | null;
  /** Epoch ms. */
  firstSeen: number;
  lastSeen: number;
  /** A decision was about a robots.txt. */
  readsRobots: boolean;
  /** The sort value. */
  value: number;
}

const VALUES: Record<ProgramSort, string> = {
  requests: 'requests',
  pages: 'pages',
  lastSeen: '"lastSeen"',
  firstSeen: '"firstSeen"',
};

const DAY_MS = 86_400_000;

export function answerPrograms(connection: DuckDBConnection, query: ProgramsQuery): Promise<SeenPage<SeenProgram>> {
  return inSnapshot(connection, async () => {
    const upTo = await readUpTo(connection, query.after);
    const { totalCount, rows } = await readPage<SeenProgram & { number: number }>(
      connection,
      `with named(id) as (select unnest([${query.named.map(text).join(', ')}]::varchar[])), seen as (
         select program, count(*)::double as requests, (count(*) filter (reason = 0))::double as allowed,
           (count(distinct nullif(content, 0)) + count(distinct nullif(page, 0)))::double as pages,
           min(decided_at)::double as "firstSeen", max(decided_at)::double as "lastSeen",
           coalesce(bool_or(ends_with(url, '/robots.txt')), false) as "readsRobots"
         ${await select(connection, query.filter)}${upToTerm(query.after)} and requester = 0 and crawler = 0
           and program > ${FIXED_MAX} and program in (select number from programs) group by program
       ), picked as materialized (
         select id, program::double as number, requests, allowed, pages, "firstSeen", "lastSeen", "readsRobots",
           ${VALUES[query.sort]} as value, null as name
         from seen join programs on number = program anti join named using (id) where ${searchTerm(query.q)}
       )`,
      query,
    );
    const addresses = await readAddresses(connection, query.filter, rows);
    return { upTo, totalCount, rows: rows.map((row) => ({ ...row, addresses: addresses.get(row.number) ?? null })) };
  });
}

/** Returns the most addresses on one day of the span, by the number of the program. */
async function readAddresses(
  connection: DuckDBConnection,
  { from, to }: ProgramsQuery['filter'],
  rows: readonly { number: number }[],
): Promise<Map<number, number>> {
  const most = new Map<number, number>();
  if (rows.length === 0) return most;
  const terms = [`number in (${rows.map(({ number }) => integer(number)).join(', ')})`];
  if (from !== undefined) terms.push(`day >= ${integer(Math.floor(from / DAY_MS))}`);
  if (to !== undefined) terms.push(`day <= ${integer(Math.floor((to - 1) / DAY_MS))}`);
  const sketches = await readRows<{ number: number; sketch: string }>(
    connection,
    `select number::double as number, sketch from program_addresses where ${terms.join(' and ')}`,
  );
  for (const { number, sketch } of sketches) most.set(number, Math.max(most.get(number) ?? 0, estimate(sketch)));
  return most;
}
