/**
 * Counts decisions by what they have in common: the SQL of every list. Promise: exact. Groups are of small numbers, and
 * texts are looked up for the groups alone.
 */
import { namedSql } from './programs.ts';
import type { SqlReader } from './reader.ts';
import { integer } from './sql.ts';
import { EACH_WHO, foldWho, WHO, WHO_TEXTS } from './who.ts';

interface GroupColumn {
  /** SQL over a decision. */
  sql: string;
  /** Finer groups that are counted first, and the SQL that makes the number of such a group one of `sql`. */
  finer?: { sql: string; fold: (number: string) => string };
  /** The table of its texts, by `number` and `id`; absent: the value itself. */
  table?: string;
  order?: 'desc';
}

/** The values that decisions can be grouped by. */
const COLUMNS = {
  who: { sql: WHO, finer: { sql: EACH_WHO, fold: foldWho }, table: WHO_TEXTS },
  requester: { sql: 'requester', table: 'requesters' },
  crawler: { sql: 'crawler', table: 'crawlers' },
  program: { sql: namedSql('program'), finer: { sql: 'program', fold: namedSql }, table: 'programs' },
  claimed: { sql: 'claimed', table: 'claims' },
  collection: { sql: 'collection', table: 'collections' },
  content: { sql: 'content', table: 'content' },
  license: { sql: 'license', table: 'licenses' },
  licenseType: { sql: 'wanted', table: 'wanted' },
  purpose: { sql: 'purpose', table: 'purposes' },
  permission: { sql: 'permission', table: 'permissions' },
  verified: { sql: 'verified' },
  enforced: { sql: 'enforced' },
  policy: { sql: 'policy' },
  // The newest first.
  version: { sql: 'version', order: 'desc' },
  rule: { sql: 'rule' },
  page: { sql: 'page', table: 'pages' },
  url: { sql: 'case when content = 0 then url end' },
} as const satisfies Record<string, GroupColumn>;

export type Grouped = keyof typeof COLUMNS;

export const groupColumn = (by: Grouped): GroupColumn => COLUMNS[by];

export interface Grouping<Count extends string> {
  /** `from … where …` of the decisions. */
  from: string;
  by: readonly Grouped[];
  /** The counts of a group, as SQL; the first one sorts. */
  counts: Readonly<Record<Count, string>>;
  /** A condition on the counts, and on `n0` and further: the numbers of the group. */
  where?: string;
  /** There are so few decisions that counting them again takes less than another query. */
  isSmall?: boolean;
}

/** Counts of any decisions. */
export const OUTCOMES = { requests: 'count(*)', allowed: 'count(*) filter (where reason = 0)' };

/** Its ids are in the order of `by`; null: none. */
export type Group<Count extends string> = Record<Count, number> & { ids: (string | null)[]; numbers: number[] };

/** Returns the SQL of the groups, by number. */
export function groupsSql({ from, by, counts, where = 'true' }: Grouping<string>): string {
  const numbers = by.map((one, i) => `${COLUMNS[one].sql} as n${i}`);
  return `select * from (select ${[...numbers, ...countsSql(counts)].join(', ')} ${from} group by ${keysSql(by)}) where ${where}`;
}

/** The same for counts that add up: where there are finer groups, these are counted first. */
function summedSql(grouping: Grouping<string>): string {
  const { from, by, counts, where = 'true' } = grouping;
  const columns = by.map(groupColumn);
  if (columns.every(({ finer }) => finer === undefined)) return groupsSql(grouping);
  const finer = columns.map(({ sql, finer: own }, i) => `${own?.sql ?? sql} as n${i}`);
  const folded = columns.map(({ finer: own }, i) => `${own?.fold(`n${i}`) ?? `n${i}`} as n${i}`);
  const sums = Object.keys(counts).map((name) => `sum("${name}") as "${name}"`);
  return `select * from (select ${[...folded, ...sums].join(', ')} from
    (select ${[...finer, ...countsSql(counts)].join(', ')} ${from} group by ${keysSql(by)})
    group by ${keysSql(by)}) where ${where}`;
}

const countsSql = (counts: Readonly<Record<string, string>>): string[] =>
  Object.entries(counts).map(([name, sql]) => `(${sql})::double as "${name}"`);

const keysSql = (by: readonly Grouped[]): string => by.map((_, i) => i + 1).join(', ');

/** Returns the joins of the texts, and the text of each number. */
export function namesSql(by: readonly Grouped[], groups: string): { joins: string; texts: string[] } {
  const tables = by.map((one) => groupColumn(one).table);
  const ofGroups = (table: string, i: number): string =>
    `select number, id from ${table} where number in (select n${i} from ${groups})`;
  return {
    joins: tables
      .map((table, i) =>
        table === undefined ? '' : `left join (${ofGroups(table, i)}) as t${i} on t${i}.number = ${groups}.n${i}`,
      )
      .join(' '),
    texts: tables.map((table, i) => (table === undefined ? `${groups}.n${i}::varchar` : `t${i}.id`)),
  };
}

/** Returns the number of groups, and those with the greatest counts, then by their ids. The counts add up. */
export async function readMost<Count extends string>(
  reader: SqlReader,
  grouping: Grouping<Count>,
  limit: number,
): Promise<{ unique: number; groups: Group<Count>[] }> {
  const { by, counts } = grouping;
  const names = Object.keys(counts) as Count[];
  const numbers = by.map((one, i) => {
    return groupColumn(one).table === undefined ? `most.n${i}` : `most.n${i}::double as n${i}`;
  });
  const shown = [...numbers, ...names.map((name) => `most."${name}"`)];
  const [value] = names;
  const { joins, texts } = namesSql(by, 'most');
  const orders = by.map((one, i) => {
    const { table, order = '' } = groupColumn(one);
    return table === undefined ? `most.n${i} ${order}` : `k${i} nulls first`;
  });
  // Looks up the texts of possible first groups only: with a million requesters, that is most of the work.
  const counted = summedSql(grouping);
  if (grouping.isSmall !== true) await reader.keep('counted', counted);
  const own = grouping.isSmall === true ? `counted as (${counted}), ` : '';
  const rows = await reader.rows<Record<string, number> & Record<`k${number}`, string | null>>(`with ${own}most as (
       select * from counted where "${value}" >=
         (select min(least) from (select "${value}" as least from counted order by least desc limit ${integer(limit)}))
     )
     select (select count(*) from counted)::double as "unique", ${shown.join(', ')}, ${texts.map((text, i) => `${text} as k${i}`).join(', ')}
     from most ${joins} order by most."${value}" desc, ${orders.join(', ')} limit ${integer(limit)}`);
  const groups = rows.map((row) => ({
    ...(Object.fromEntries(names.map((name) => [name, row[name]])) as Record<Count, number>),
    ids: by.map((_, i) => row[`k${i}`] as string | null),
    numbers: by.map((_, i) => row[`n${i}`] as number),
  }));
  return { unique: rows[0]?.unique ?? 0, groups };
}
