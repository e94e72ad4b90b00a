/** SQL over the columns: selections of decisions, and values as literals. */
import { OTHER_PROGRAMS } from '../../../rules/crawlers/program.ts';
import type { RuleFilter } from '../filter.ts';
import type { DictionaryName } from './dictionary.ts';
import type { SqlReader } from './reader.ts';

export interface ColumnsFilter {
  contentNo?: number | undefined;
  requesterId?: string | undefined;
  policyNo?: number | undefined;
  allowed?: boolean | undefined;
  /** A code of rules/reason; 0 = allowed. */
  reason?: number | undefined;
  collectionId?: string | undefined;
  /** A prefix of host and path. */
  url?: string | undefined;
  crawler?: string | undefined;
  /** A program with a name, or `other` for all without one. */
  program?: string | undefined;
  /** A code of decisions/ledger/codes, or whether there is one. */
  verified?: number | boolean | undefined;
  rule?: RuleFilter | undefined;
  spoofed?: boolean | undefined;
  /** Requests of crawlers of the directory. */
  ofCrawlers?: boolean | undefined;
  licenseId?: string | undefined;
  purpose?: string | undefined;
  permission?: string | undefined;
  /** Host and path in the canonical spelling. */
  page?: string | undefined;
  /** The same of a folder, without a slash at its end: the page and all below it. */
  pagePrefix?: string | undefined;
  enforced?: boolean | undefined;
  /** Only sequence numbers above it. */
  after?: number | undefined;
  /** Epoch ms, inclusive and exclusive. */
  from?: number | undefined;
  to?: number | undefined;
}

export interface Selection extends ColumnsFilter {
  /** The current type of the item. */
  type?: string | undefined;
}

/** Since 1972 zone offsets are multiples of this, so boundaries of every calendar are, too. */
export const QUARTER_HOUR_MS = 900_000;

/** Returns the quarter of an hour since 1970, as each decision carries it. */
export const quarterAt = (at: number): number => Math.floor(at / QUARTER_HOUR_MS);

/** Filters by a text that has a number: its column and its table. */
const NUMBERED = {
  requesterId: ['requester', 'requesters'],
  collectionId: ['collection', 'collections'],
  crawler: ['crawler', 'crawlers'],
  program: ['program', 'programs'],
  licenseId: ['license', 'licenses'],
  purpose: ['purpose', 'purposes'],
  permission: ['permission', 'permissions'],
  page: ['page', 'pages'],
} as const satisfies Partial<Record<keyof Selection, readonly [column: string, table: DictionaryName | 'programs']>>;

/** The index of the default action in the columns. */
const DEFAULT_ACTION = -1;

/** `own` returns a column as the filter may see it. */
type Terms = {
  [Key in keyof Selection]-?: (value: NonNullable<Selection[Key]>, own: (column: string) => string) => string;
};

/** A time has a second condition on the quarter of its hour: a small number, whose span then is known to the query. */
const TERMS: Omit<Terms, keyof typeof NUMBERED | 'type' | 'url' | 'pagePrefix'> = {
  contentNo: (no, own) => `${own('content')} = ${integer(no)}`,
  policyNo: (no) => `policy = ${integer(no)}`,
  allowed: (allowed) => (allowed ? 'reason = 0' : 'reason <> 0'),
  reason: (reason) => `reason = ${integer(reason)}`,
  rule: ({ policyNo, version, index }) =>
    `policy = ${integer(policyNo)} and version = ${integer(version)} and rule = ${integer(index ?? DEFAULT_ACTION)}`,
  verified: (code) =>
    typeof code === 'number' ? `verified = ${integer(code)}` : code ? 'verified <> 0' : 'verified = 0',
  spoofed: (spoofed) => (spoofed ? 'claimed <> 0' : 'claimed = 0'),
  ofCrawlers: (are) => (are ? 'crawler <> 0' : 'crawler = 0'),
  enforced: (enforced) => `enforced = ${enforced ? 1 : 0}`,
  after: (seq) => `seq > ${integer(seq)}`,
  from: (at) => `decided_at >= ${integer(at)} and quarter >= ${integer(quarterAt(at))}`,
  to: (at) => `decided_at < ${integer(at)} and quarter < ${integer(Math.ceil(at / QUARTER_HOUR_MS))}`,
};

/** The number of a text that no decision has. */
const NOWHERE = -1;

/**
 * Returns `from … where …` of the decisions of a selection; further conditions may follow. Beside a requester, a filter
 * takes as long for what only others' decisions have as for what none has: partners must not learn it. So it sees a
 * column only where the requester is the one, and no statistics of the column let blocks be skipped.
 */
export const select = (reader: SqlReader, selection: Selection): Promise<string> =>
  selectFrom(reader, 'decisions', selection);

/** The same of a table that has decisions of a selection: see SqlReader.narrow. */
export async function selectFrom(reader: SqlReader, table: string, selection: Selection): Promise<string> {
  const { requesterId, type, url, pagePrefix } = selection;
  const requester = requesterId === undefined ? undefined : await findNumber(reader, 'requesterId', requesterId);
  const terms = requesterId === undefined ? ['true'] : [`requester = ${integer(requester ?? NOWHERE)}`];
  const own = (column: string): string =>
    requester === undefined ? column : `case when requester = ${integer(requester)} then ${column} end`;
  for (const [key, toTerm] of Object.entries(TERMS)) {
    const value = selection[key as keyof Selection];
    if (value !== undefined) terms.push(toTerm(value as never, own));
  }
  if (url !== undefined) terms.push(`startsWith(${own('url')}, ${await reader.give(url)})`);
  for (const key of Object.keys(NUMBERED) as (keyof typeof NUMBERED)[]) {
    const id = selection[key];
    if (id === undefined || key === 'requesterId') continue;
    terms.push(await numberedTerm(reader, { key, id, column: own(NUMBERED[key][0]) }));
  }
  // Joins: a third of the time of `in`.
  const ofType =
    type === undefined
      ? ''
      : ` join (select number as typed from content where type = ${text(type)}) as items on items.typed = content`;
  const below =
    pagePrefix === undefined ? '' : ` join (${await pagesBelow(reader, pagePrefix)}) as folder on folder.below = page`;
  return `from ${table}${ofType}${below} where ${terms.join(' and ')}`;
}

async function numberedTerm(
  reader: SqlReader,
  { key, id, column }: { key: keyof typeof NUMBERED; id: string; column: string },
): Promise<string> {
  if (key === 'program' && id === OTHER_PROGRAMS) return isUnnamed(column);
  return `${column} = ${integer((await findNumber(reader, key, id)) ?? NOWHERE)}`;
}

/** 0: the user agent was not kept. */
const isUnnamed = (program: string): string =>
  `${program} <> 0 and ${program} not in (select number from programs where id <> ${text(OTHER_PROGRAMS)})`;

const pagesBelow = async (reader: SqlReader, prefix: string): Promise<string> =>
  `select number as below from pages
   where id = ${await reader.give(prefix)} or startsWith(id, ${await reader.give(`${prefix}/`)})`;

const findNumber = (reader: SqlReader, key: keyof typeof NUMBERED, id: string): Promise<number | undefined> =>
  reader.findNumber(NUMBERED[key][1], id);

/** Writes a number as a literal: a bound parameter arrives as a double, and DuckDB would then cast the whole column. */
export function integer(value: number): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`not an integer: ${value}`);
  return String(value);
}

/** Writes a text as a literal. A backslash means itself to DuckDB and an escape to ClickHouse. */
export function text(value: string): string {
  const [first, ...rest] = value.split('\\').map((part) => `'${part.replaceAll("'", "''")}'`) as [string, ...string[]];
  return rest.length === 0 ? first : `(${[first, ...rest].join(` || ${BACKSLASH} || `)})`;
}

const BACKSLASH = `base64Decode('XA==')`;

/** A table of one column. ClickHouse takes large numbers for unsigned ones. */
export const listSql = (numbers: readonly number[]): string =>
  `select arrayJoin([${numbers.map(integer).join(', ')}])${numbers.some((one) => one > INT32_MAX) ? '::bigint' : ''}`;

const INT32_MAX = 2_147_483_647;
