/** The tables `sites` and `site_versions`; rows never leave this file. */
import type { Db, Step } from '../db/db.ts';
import { type Page, type PageQuery, readPage, SEQ_FORM } from '../db/page.ts';
import { Where } from '../db/query.ts';
import { columns } from '../db/record.ts';
import type { Site } from './site.ts';

const SITE = columns<Site>({
  no: 'generated',
  host: 'fixed',
  signals: 'json',
  contact: 'plain',
  licensingUrl: 'plain',
  purposes: 'json',
  sitemaps: 'json',
  version: 'plain',
  createdAt: 'fixed',
  updatedAt: 'plain',
});

export async function findSite(db: Db, host: string): Promise<Site | undefined> {
  const [row] = await db.read(`select ${SITE.list} from sites where host = $1`, [host]);
  return row && SITE.toRecord(row);
}

export async function findSites(db: Db): Promise<Site[]> {
  return (await db.read(`select ${SITE.list} from sites order by no`)).map(SITE.toRecord);
}

export const listSites = (db: Db, query: PageQuery): Promise<Page<Site>> =>
  readPage(
    db,
    { select: SITE.list, from: 'sites', where: new Where(), order: 'no', form: SEQ_FORM, toRecord: SITE.toRecord },
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

export const insertSite = (site: Site): Step[] => [insertRow(site), currentVersion(site)];

/** A Conflict unless the stored version is the one before. */
export const updateSite = (site: Site): Step[] => [updateRow(site), currentVersion(site)];

/** A Conflict when it was edited since it was read. */
export const deleteSite = ({ host, version, updatedAt }: Site, at: number): Step[] => [
  { sql: 'delete from sites where host = $1 and version = $2', params: [host, version], expect: 1 },
  versionStep(host, version + 1, Math.max(at, updatedAt), null),
];
