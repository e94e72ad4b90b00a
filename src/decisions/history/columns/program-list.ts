/** Programs that the directory of crawlers does not name, by their requests without a requester. */
import { estimate } from '../../../lib/sketch.ts';
import type { ProgramSort } from './dimensions.ts';
import { type After, type RowPage, readPage, readUpTo, searchTerm, upToTerm } from './list-page.ts';
import { FIXED_MAX } from './programs.ts';
import type { SqlReader } from './reader.ts';
import { type ColumnsFilter, integer, select, text } from './sql.ts';

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

export function answerPrograms(reader: SqlReader, query: ProgramsQuery): Promise<RowPage<SeenProgram>> {
  return reader.inSnapshot(async () => {
    const upTo = await readUpTo(reader, query.after);
    const { totalCount, rows } = await readPage<
      Omit<SeenProgram, 'readsRobots'> & { number: number; readsRobots: number }
    >(
      reader,
      `with seen as (
         select program, count(*)::double as requests, (count(*) filter (where reason = 0))::double as allowed,
           (count(distinct nullif(content, 0)) + count(distinct nullif(page, 0)))::double as pages,
           min(decided_at)::double as "firstSeen", max(decided_at)::double as "lastSeen",
           max(case when endsWith(url, '/robots.txt') then 1 else 0 end)::double as "readsRobots"
         ${await select(reader, query.filter)}${upToTerm(query.after)} and requester = 0 and crawler = 0
           and program > ${FIXED_MAX} and program in (select number from programs) group by program
       )
       select id, program::double as number, requests, allowed, pages, "firstSeen", "lastSeen", "readsRobots",
         ${VALUES[query.sort]} as value, '' as name
       from seen join programs on programs.number = seen.program
       where ${await searchTerm(reader, query.q)}${query.named.length === 0 ? '' : ` and id not in (${query.named.map(text).join(', ')})`}`,
      query,
    );
    const addresses = await readAddresses(reader, query.filter, rows);
    return {
      upTo,
      totalCount,
      rows: rows.map((row) => {
        return { ...row, readsRobots: row.readsRobots === 1, addresses: addresses.get(row.number) ?? null };
      }),
    };
  });
}

/** Returns the most addresses on one day of the span, by the number of the program. */
async function readAddresses(
  reader: SqlReader,
  { from, to }: ProgramsQuery['filter'],
  rows: readonly { number: number }[],
): Promise<Map<number, number>> {
  const most = new Map<number, number>();
  if (rows.length === 0) return most;
  const terms = [`number in (${rows.map(({ number }) => integer(number)).join(', ')})`];
  if (from !== undefined) terms.push(`day >= ${integer(Math.floor(from / DAY_MS))}`);
  if (to !== undefined) terms.push(`day <= ${integer(Math.floor((to - 1) / DAY_MS))}`);
  const sketches = await reader.rows<{ number: number; sketch: string }>(
    `select number::double as number, sketch from program_addresses where ${terms.join(' and ')}`,
  );
  for (const { number, sketch } of sketches) most.set(number, Math.max(most.get(number) ?? 0, estimate(sketch)));
  return most;
}
