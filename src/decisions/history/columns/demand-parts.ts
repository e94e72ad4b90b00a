/** Breaks down the denials of the rows of a page. */
import type { DemandParts, DemandQuery, DemandWanted } from './demand-query.ts';
import { TREND_PARTS } from './dimensions.ts';
import { groupColumn } from './groups.ts';
import type { SqlReader } from './reader.ts';
import { integer } from './sql.ts';

const PURPOSES_MAX = 10;
const TOP_MAX = 3;
const LICENSES_MAX = 10;
/** Terms can list so many purposes. */
const PRICED_PURPOSES_MAX = 50;

interface Shown {
  /** `from … where …` of the span and the one before it. */
  denials: string;
  /** The same of all times. */
  ever: string;
  /** The condition of the span. */
  now: string;
  /** The numbers of each row, in the order of `by`. */
  keys: readonly (readonly number[])[];
}

type Grouped<Part> = Map<number, Part>;
type Read = <Row, Part>(sql: string, toPart: (rows: Row[]) => Part) => Promise<Grouped<Part>>;

/** Returns the parts of each row. */
export async function readParts(
  reader: SqlReader,
  shown: Shown,
  query: Pick<DemandQuery, 'by' | 'from' | 'to'>,
): Promise<DemandParts[]> {
  const { denials, ever, now, keys } = shown;
  if (keys.length === 0) return [];
  const columns = query.by.map((dimension) => groupColumn(dimension).sql);
  // A join: every value of a list would be compared with every decision.
  const lines = keys.map((key, line) =>
    [`${line} as line`, ...key.map((number, i) => `${integer(number)}::bigint as k${i}`)].join(', '),
  );
  await reader.keep('shown', lines.map((line) => `select ${line}`).join(' union all '));
  const ofShown = (from: string): string =>
    `(select ${columns.map((column, i) => `(${column})::bigint as c${i}`).join(', ')}, crawler, collection, purpose, wanted,
       reason, content, coalesce(file, url) as place, decided_at ${from}) as d
     join shown
       on ${columns.map((_, i) => `shown.k${i} = d.c${i}`).join(' and ')}`;
  // Found once and counted several times.
  await reader.keep(
    'denials',
    `select line, content as item, case when content = 0 then place end as page, purpose,
       crawler, collection, wanted, reason, decided_at from ${ofShown(`${denials} and ${now}`)}`,
  );
  const read: Read = async (sql, toPart) => {
    const rows = await reader.rows<{ line: number }>(sql);
    return new Map([...Map.groupBy(rows, ({ line }) => line)].map(([line, own]) => [line, toPart(own as never)]));
  };
  const since = await read<{ since: number }, number>(
    `select line, min(decided_at)::double as since from ${ofShown(ever)} group by line`,
    ([row]) => row?.since ?? 0,
  );
  const urls = await read<{ n: number }, number>(
    'select line, count(distinct page)::double as n from denials group by line',
    ([row]) => row?.n ?? 0,
  );
  const lists = await readLists(read);
  const wanted = await readWanted(read);
  const trend = await readTrend(read, query);
  return keys.map((_, line) => ({
    since: since.get(line) ?? 0,
    uniqueUrls: urls.get(line) ?? 0,
    reasons: lists.reasons.get(line) ?? [],
    purposes: lists.purposes.get(line) ?? [],
    content: lists.content.get(line) ?? [],
    crawlers: lists.crawlers.get(line) ?? [],
    collections: lists.collections.get(line) ?? [],
    wanted: wanted.get(line) ?? [],
    trend: trend.get(line) ?? [],
  }));
}

const most = (by: string, max: number): string =>
  `qualify row_number() over (partition by line order by n desc, ${by}) <= ${max} order by line, n desc, ${by}`;

type Named = { id: string; n: number };

/** Reads the most frequent texts of a column. */
const named = <Part>(read: Read, column: 'crawler' | 'collection', toPart: (row: Named) => Part) =>
  read<Named, Part[]>(
    `select line, ${column}s.id, n from (select line, ${column}, count(*)::double as n from denials group by line, ${column})
     join ${column}s on ${column}s.number = ${column} ${most(`${column}s.id`, TOP_MAX)}`,
    (rows) => rows.map(toPart),
  );

const readLists = async (read: Read) => ({
  reasons: await read<{ reason: number; n: number }, DemandParts['reasons']>(
    `select line, reason, count(*)::double as n from denials group by line, reason order by line, n desc, reason`,
    (rows) => rows.map(({ reason, n }) => ({ reason, count: n })),
  ),
  purposes: await read<{ id: string | null; n: number }, DemandParts['purposes']>(
    `select line, purposes.id, n from
       (select line, purpose, count(*)::double as n from denials group by line, purpose)
     left join purposes on purposes.number = purpose ${most('purposes.id nulls first', PURPOSES_MAX)}`,
    (rows) => rows.map(({ id, n }) => ({ purpose: id, denied: n })),
  ),
  content: await read<{ no: number; id: string; n: number }, DemandParts['content']>(
    `select line, content.number as no, content.id, n from
       (select line, item, count(*)::double as n from denials group by line, item)
     join content on content.number = item ${most('content.id', TOP_MAX)}`,
    (rows) => rows.map(({ no, id, n }) => ({ no, id, denied: n })),
  ),
  crawlers: await named(read, 'crawler', ({ id, n }) => ({ crawler: id, denied: n })),
  collections: await named(read, 'collection', ({ id, n }) => ({ collectionId: id, denied: n })),
});

/** By the license that was lacking, and within it by purpose. */
async function readWanted(read: Read): Promise<Grouped<DemandWanted[]>> {
  const purposes = await read<{ lacking: number; id: string | null; n: number }, Map<number, DemandWanted['purposes']>>(
    `select line, lacking, purposes.id, n from
       (select line, wanted as lacking, purpose, count(*)::double as n from denials group by line, wanted, purpose)
     left join purposes on purposes.number = purpose
     qualify row_number() over (partition by line, lacking order by n desc, purposes.id nulls first) <= ${PRICED_PURPOSES_MAX}
     order by line, lacking, n desc, purposes.id nulls first`,
    (rows) =>
      new Map(
        [...Map.groupBy(rows, ({ lacking }) => lacking)].map(([lacking, own]) => [
          lacking,
          own.map(({ id, n }) => ({ purpose: id, denied: n })),
        ]),
      ),
  );
  return read<{ line: number; lacking: number; id: string | null; n: number; items: number }, DemandWanted[]>(
    `select line, lacking, wanted.id, n, items from
       (select line, wanted as lacking, count(*)::double as n,
          (count(distinct item) filter (where item <> 0) + count(distinct page))::double as items
        from denials group by line, wanted)
     left join wanted on wanted.number = lacking ${most('wanted.id nulls first', LICENSES_MAX)}`,
    (rows) =>
      rows.map(({ line, lacking, id, n, items }) => ({
        wanted: id,
        denied: n,
        distinct: items,
        purposes: purposes.get(line)?.get(lacking) ?? [],
      })),
  );
}

async function readTrend(read: Read, { from, to }: Pick<DemandQuery, 'from' | 'to'>): Promise<Grouped<number[]>> {
  return read<{ part: number; n: number }, number[]>(
    `select line, intDiv((decided_at - ${integer(from)}) * ${TREND_PARTS}, ${integer(to - from)})::double as part,
       count(*)::double as n
     from denials group by line, part`,
    (rows) => {
      const trend = Array.from({ length: TREND_PARTS }, () => 0);
      for (const { part, n } of rows) trend[part] = n;
      return trend;
    },
  );
}
