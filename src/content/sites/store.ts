/** The tables `sites` and `site_versions`; rows never leave this file. */
import type { Db, Row, Step } from '../../db/db.ts';
import { type Page, type PageQuery, readPage, SEQ_FORM } from '../../db/page.ts';
import { Where } from '../../db/query.ts';
import { columns } from '../../db/record.ts';
import { sameJson } from '../../lib/json.ts';
import { type UrlRules, USUAL_URLS } from '../../lib/urls/spellings.ts';
import { FIRST_SIGNALS, type Site } from './site.ts';

const SITE = columns<Site>({
  no: 'generated',
  host: 'fixed',
  signals: 'json',
  contact: 'plain',
  licensingUrl: 'plain',
  purposes: 'json',
  sitemaps: 'json',
  urls: 'json',
  version: 'plain',
  createdAt: 'fixed',
  updatedAt: 'plain',
});

/** Sites of before a setting was there have its first value. */
function toSite(row: Row): Site {
  const site = SITE.toRecord(row);
  return { ...site, signals: { ...FIRST_SIGNALS, ...site.signals }, urls: site.urls ?? USUAL_URLS };
}

type Urls = ReadonlyMap<string, UrlRules>;

/** Returns what hosts treat as one file, where that is not usual. */
export async function findOwnUrls(db: Db): Promise<Urls> {
  const rows = await db.read<{ host: string; urls: string }>(
    'select host, urls from sites where urls is not null order by no',
  );
  return toUrls(rows.map(({ host, urls }) => [host, JSON.parse(urls) as UrlRules]));
}

/** Returns the same as of a past time, epoch ms. */
export async function findOwnUrlsAt(db: Db, at: number): Promise<Urls> {
  const rows = await db.read<{ host: string; record: string }>(
    `select host, record from site_versions as v where at <= $1 and record is not null and version =
       (select max(version) from site_versions where host = v.host and at <= $1)`,
    [at],
  );
  return toUrls(rows.map(({ host, record }) => [host, (JSON.parse(record) as Partial<Site>).urls ?? USUAL_URLS]));
}

/** Returns a function that says what a host treated as one file at a past time, epoch ms; undefined: what is usual. */
export async function findOwnUrlsHistory(
  db: Pick<Db, 'read'>,
): Promise<(host: string, at: number) => UrlRules | undefined> {
  const rows = await db.read<{ host: string; at: number; record: string | null }>(
    'select host, at, record from site_versions order by host, version',
  );
  const states = rows.map(({ host, at, record }) => {
    const urls = record === null ? USUAL_URLS : ((JSON.parse(record) as Partial<Site>).urls ?? USUAL_URLS);
    return { host, at, urls: sameJson(urls, USUAL_URLS) ? undefined : urls };
  });
  const byHost = Map.groupBy(states, ({ host }) => host);
  return (host, at) => byHost.get(host)?.findLast((state) => state.at <= at)?.urls;
}

const toUrls = (all: readonly [string, UrlRules][]): Urls =>
  new Map(all.filter(([, rules]) => !sameJson(rules, USUAL_URLS)));

export async function findSite(db: Db, host: string): Promise<Site | undefined> {
  const [row] = await db.read(`select ${SITE.list} from sites where host = $1`, [host]);
  return row && toSite(row);
}

export async function findSites(db: Db): Promise<Site[]> {
  return (await db.read(`select ${SITE.list} from sites order by no`)).map(toSite);
}

export const listSites = (db: Db, query: PageQuery): Promise<Page<Site>> =>
  readPage(
    db,
    { select: SITE.list, from: 'sites', where: new Where(), order: 'no', form: SEQ_FORM, toRecord: toSite },
    query,
  );

export async function countSites(db: Db): Promise<number> {
  const [row] = await db.read<{ n: number }>('select count(*) as n from sites');
  return Number(row?.n ?? 0);
}

/** Returns the last version of a host, also of a site that was deleted; 0 without one. */
export async function findLastVersion(db: Db, host: string): Promise<number> {
  const [row] = await db.read<{ version: number }>(
    'select coalesce(max(version), 0) as version from site_versions where host = $1',
    [host],
  );
  return Number(row?.version ?? 0);
}

const insertRow = SITE.step('insert into sites ({columns}) values ({values})', 1);
const updateRow = SITE.step('update sites set {changes} where host = :host and version = :version - 1', 1);

const versionStep = (host: string, version: number, at: number, record: Site | null): Step => ({
  sql: 'insert into site_versions (host, version, at, record) values ($1, $2, $3, $4)',
  params: [host, version, at, record === null ? null : JSON.stringify(record)],
});

const currentVersion = (site: Site): Step => versionStep(site.host, site.version, site.updatedAt, site);

const placingFrom = (before: UrlRules, after: UrlRules): Step[] => (sameJson(before, after) ? [] : placeAgain('all'));

export const insertSite = (site: Site): Step[] => [
  insertRow(site),
  currentVersion(site),
  ...placingFrom(USUAL_URLS, site.urls),
];

/** A Conflict unless the stored version is the one before. */
export const updateSite = (site: Site, before: Site): Step[] => [
  updateRow(site),
  currentVersion(site),
  ...placingFrom(before.urls, site.urls),
];

/** A Conflict when it was edited since it was read. */
export const deleteSite = ({ host, version, updatedAt, urls }: Site, at: number): Step[] => [
  { sql: 'delete from sites where host = $1 and version = $2', params: [host, version], expect: 1 },
  versionStep(host, version + 1, Math.max(at, updatedAt), null),
  ...placingFrom(urls, USUAL_URLS),
];

/** The number of the last edit of a site, in a statement. */
export const LAST_SITE_EDIT = 'coalesce((select max(seq) from site_versions), 0)';

export async function findLastSiteEdit(db: Db): Promise<number> {
  const [row] = await db.read<{ seq: number }>(`select ${LAST_SITE_EDIT} as seq`);
  return Number(row?.seq ?? 0);
}

const fromTheFirst = (name: string): Step => ({
  sql: `insert into settings (name, value) values ($1, '0') on conflict (name) do update set value = excluded.value`,
  params: [name],
});

/**
 * Steps of edits after which items may be in other collections: a background run places them again, for lists.
 * `edited`: the items that collections have which were edited since the last run; `all`: all under all
 * collections.
 */
export const placeAgain = (items: 'edited' | 'all'): Step[] => [
  fromTheFirst('items_placed_to'),
  ...(items === 'all' ? [fromTheFirst('items_placed_at')] : []),
];
