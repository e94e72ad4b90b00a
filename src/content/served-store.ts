/**
 * Finds items by many addresses at once in the table `content`. Active items come before archived ones; several active
 * ones are `many`. Of items at one path that differ by their query, one is meant if the URL has all of its parameters,
 * in any order and among others. A query of which no item has the parameters finds the item without a query, or `many`
 * if other items of this path have one.
 */
import type { Db, Row } from '../db/db.ts';
import { isText } from '../lib/text.ts';
import { parseLocator } from '../lib/urls/locator.ts';
import { splitQuery } from '../lib/urls/query-pattern.ts';
import { toTarget } from '../lib/urls/url-pattern.ts';

/** The paths at which the file of one address may be registered. */
export interface Sought {
  /** The digest of the path as it is. */
  readonly own: string;
  /** Digests, see `keysOf`. */
  readonly paths: readonly string[];
  /** A digest; empty without a query. */
  readonly query: string;
  /** The query itself. */
  readonly text: string;
  /** The paths are in lowercase and stand for any case. */
  readonly folded: boolean;
}

/** undefined: none is at the path; `unmet`: only items with other parameters are. */
export type ServedItem = string | 'many' | 'unmet' | undefined;

interface ServedRow extends Row {
  n: number;
  p: string;
  first: string | null;
  second: string | null;
  others: number | null;
  bare_first: string | null;
  bare_second: string | null;
}

/** An item's status and id, as one text. */
type Candidate = string;

const AT_PATH = '(select id, status, source_query, source from content where source_path = k.p)';
/** See `columnsOf`. */
const AT_FOLDED = `(select id, status, source_query, source from content where source_path = k.p
  union all select id, status, source_query, source from content where source_folded = k.p)`;

/** Status and id of the first or second item at an address: active ones come before archived ones. */
const itemAt = (from: string, query: string, offset: 0 | 1): string =>
  `(select status || ' ' || id from ${from} as c where source_query = ${query}
    order by status limit 1 offset ${offset})`;

/** Most spellings of an address have no item: one look in the index says so. */
const select = (db: Db, from: string): string => `
  with k as materialized (
    select cast(value ->> 'n' as integer) as n, value ->> 'p' as p, value ->> 'q' as q from ${fromList(db)}
  )
  select n, p, ${itemAt(from, 'k.q', 0)} as first, ${itemAt(from, 'k.q', 1)} as second,
    (select 1 from ${from} as c where source_query > '' limit 1) as others,
    ${itemAt(from, "''", 0)} as bare_first, ${itemAt(from, "''", 1)} as bare_second
  from k where exists (select 1 from ${from} as c)`;

const fromList = (db: Db): string =>
  db.engine === 'sqlite' ? 'json_each($1) as k' : 'json_array_elements($1::json) as k(value)';

export async function findServedAtAll(db: Db, all: readonly (Sought | undefined)[]): Promise<ServedItem[]> {
  const found: ServedItem[] = all.map(() => undefined);
  for (const folded of [false, true]) {
    const list = toList(all, folded);
    if (list.length === 0) continue;
    const rows = await db.read<ServedRow>(select(db, folded ? AT_FOLDED : AT_PATH), [JSON.stringify(list)]);
    for (const [n, some] of Map.groupBy(rows, (row) => row.n)) {
      found[n] = await toServed(db, all[n] as Sought, some);
    }
  }
  return found;
}

async function toServed(db: Db, sought: Sought, rows: readonly ServedRow[]): Promise<ServedItem> {
  const exact = only(rows.flatMap(({ first, second }) => [first, second]));
  if (exact !== undefined || sought.query === '') return exact;
  const others = rows.filter((row) => row.others !== null).map(({ p }) => p);
  if (others.length === 0) return only(rows.flatMap((row) => [row.bare_first, row.bare_second]));
  return byParameters(sought.text, await findByQuery(db, others, sought.folded));
}

function only(items: readonly (Candidate | null)[]): ServedItem {
  const found = items.filter((item) => item !== null);
  const active = found.filter((item) => item.startsWith('active '));
  if (active.length > 1) return 'many';
  const [one = found[0]] = active;
  return one === undefined ? undefined : one.slice(one.indexOf(' ') + 1);
}

/** Returns the ids of the active items at an address, up to `limit`. */
export async function findActiveAt(db: Db, { paths, query, folded }: Sought, limit: number): Promise<string[]> {
  const sql = columnsOf(folded).map(
    (column) => `select c.id as id from ${fromList(db)} join content as c on c.${column} = k.value ->> 'p'
      where c.source_query = $2 and c.status = 'active'`,
  );
  const list = JSON.stringify(paths.filter(isText).map((p) => ({ p })));
  const rows = await db.read<{ id: string }>(`select id from (${sql.join(' union ')}) as a limit ${limit}`, [
    list,
    query,
  ]);
  return rows.map(({ id }) => id);
}

/** An active item at an address. */
export interface ActiveAt {
  readonly id: string;
  readonly externalId: string;
}

/** Items that are named for one address. */
const NAMED_MAX = 3;

/** Returns the active items that another spelling of an address is the `source` of; a few of each. */
export async function findOtherSpellings(db: Db, all: readonly (Sought | undefined)[]): Promise<ActiveAt[][]> {
  const found: ActiveAt[][] = all.map(() => []);
  for (const folded of [false, true]) {
    const list = toList(all, folded).map((one) => ({ ...one, o: all[one.n]?.own }));
    if (list.length === 0) continue;
    const sql = columnsOf(folded).map(
      (column) => `select k.value ->> 'n' as n, c.id as id, c.external_id as "externalId" from ${fromList(db)}
        join content as c on c.${column} = k.value ->> 'p' and c.source_query = k.value ->> 'q'
        where c.status = 'active' and c.source_path <> k.value ->> 'o'`,
    );
    const limited = `select * from (${sql.join(' union all ')}) as a limit ${(NAMED_MAX + 1) * list.length}`;
    for (const { n, id, externalId } of await db.read<Row & ActiveAt & { n: string }>(limited, [
      JSON.stringify(list),
    ])) {
      const own = found[Number(n)] as ActiveAt[];
      if (own.length <= NAMED_MAX) own.push({ id, externalId });
    }
  }
  return found;
}

/** Folded paths are kept where they differ from the path. */
const columnsOf = (folded: boolean): string[] => (folded ? ['source_path', 'source_folded'] : ['source_path']);

const toList = (all: readonly (Sought | undefined)[], folded: boolean): { n: number; p: string; q: string }[] =>
  all.flatMap((sought, n) =>
    sought === undefined || sought.folded !== folded
      ? []
      : sought.paths.flatMap((p) => (isText(p) ? [{ n, p, q: sought.query }] : [])),
  );

/** Items at one path with a query that are compared with that of a URL; where there are more, none is chosen. */
const QUERIES_MAX = 500;

interface Queried extends Row {
  id: string;
  status: string;
  source: string;
}

async function findByQuery(db: Db, paths: readonly string[], folded: boolean): Promise<Queried[]> {
  const found: Queried[] = [];
  for (const p of paths) {
    const at = folded ? AT_FOLDED : AT_PATH;
    const sql = `select id, status, source from ${at.replaceAll('k.p', '$1')} as c
      where source_query > '' limit ${QUERIES_MAX + 1}`;
    found.push(...(await db.read<Queried>(sql, [p])));
  }
  return found;
}

/** Returns the item whose parameters the query has; of several, the one that has the parameters of all others. */
function byParameters(query: string, items: readonly Queried[]): ServedItem {
  if (items.length > QUERIES_MAX) return 'many';
  const asked = new Set(toParameters(query));
  const met = items.flatMap(({ id, status, source }) => {
    const own = toParameters(parseLocator(source)?.query ?? '');
    return own.every((one) => asked.has(one)) ? [{ id, status, own }] : [];
  });
  if (met.length === 0) return 'unmet';
  const counted = met.filter(({ status, own }) => status === 'active' || !met.some((other) => replaces(other, own)));
  const best = counted.filter(({ own }) => counted.every((other) => hasAll(own, other.own)));
  return best.length === 1 ? best[0]?.id : 'many';
}

const hasAll = (own: readonly string[], others: readonly string[]): boolean => others.every((one) => own.includes(one));

/** An active item comes before an archived one of the same parameters alone: other parameters are another page. */
const replaces = (item: { status: string; own: string[] }, own: readonly string[]): boolean =>
  item.status === 'active' && hasAll(item.own, own) && hasAll(own, item.own);

/** Returns the parameters of a query, each once and in one spelling. */
const toParameters = (query: string): string[] => [...new Set(splitQuery(toTarget({ path: '/', query }).query))];
