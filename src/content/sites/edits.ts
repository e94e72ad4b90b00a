/** Plans the edits of sites: what each one writes, announces and answers. Every edit adds a version. */
import type { Edit } from '../../api/changes/change.ts';
import { toEdit } from '../../api/changes/edit.ts';
import { fail } from '../../api/errors.ts';
import type { Db } from '../../db/db.ts';
import { sameJson } from '../../lib/json.ts';
import { type UrlRules, USUAL_URLS } from '../../lib/urls/spellings.ts';
import { type PutSite, type SiteWarning, siteAnswer, siteEtag } from './schema.ts';
import { FIRST_SIGNALS, FIRST_VALUES, type Site } from './site.ts';
import { countSites, deleteSite, findLastVersion, insertSite, updateSite } from './store.ts';

/** A bound of what is kept in memory. */
const SITES_MAX = 1_000;

export const siteNotFound = (host: string) =>
  fail('site_not_found', `There is no site ${host.slice(0, 260)}. Make one with PUT.`);

/** Items of a host, as the rules of its URLs concern them. */
export interface HostItems {
  /** Returns the ids of items that become one file, a list for each file, and whether all items were looked at. */
  merged(
    host: string,
    rules: { before: UrlRules; after: UrlRules },
  ): Promise<{ files: readonly (readonly string[])[]; isComplete: boolean }>;
}

export interface Put {
  host: string;
  body: PutSite;
  at: number;
  /** Writes nothing. */
  dryRun: boolean;
  items: HostItems;
  /** The address of the license server; null: there is none. */
  server: string | null;
}

/** Returns the values of a site after a PUT. */
export function toSiteValues({ signals, urls, ...fields }: PutSite) {
  return {
    ...FIRST_VALUES,
    ...fields,
    signals: { ...FIRST_SIGNALS, ...signals },
    urls: { ...FIRST_VALUES.urls, ...urls },
  };
}

/** Throws invalid_request. */
export async function planPut(
  db: Db,
  before: Site | undefined,
  { host, body, at, dryRun, items, server }: Put,
): Promise<Edit> {
  const values = toSiteValues(body);
  requireServer(values.signals, server);
  const warnings = await findWarnings(host, { before: before?.urls ?? USUAL_URLS, after: values.urls }, items);
  const edit =
    before === undefined
      ? await planNew(db, { host, values, at, warnings })
      : planEdit(before, { values, at, warnings });
  return dryRun ? { ...edit, steps: [], changes: [] } : edit;
}

/** Throws invalid_request: a client that cannot get a token would take everything for denied. */
function requireServer({ license, licenseServer }: Site['signals'], server: string | null): void {
  if (!licenseServer) return;
  const param = 'signals.licenseServer';
  if (!license)
    throw fail('invalid_request', 'The license server is named in license.xml: set `signals.license`, too.', { param });
  if (server !== null) return;
  const message = 'Clients must reach the license server: set POSTERN_PUBLIC_URL to the address of this service first.';
  throw fail('invalid_request', message, { param });
}

interface Planned {
  values: ReturnType<typeof toSiteValues>;
  at: number;
  warnings: SiteWarning[];
}

async function planNew(db: Db, { host, values, at, warnings }: Planned & { host: string }): Promise<Edit> {
  if ((await countSites(db)) >= SITES_MAX) {
    throw fail('invalid_request', `There are ${SITES_MAX} sites, which is the most; delete one first.`);
  }
  const version = (await findLastVersion(db, host)) + 1;
  const site: Site = { no: 0, host, ...values, version, createdAt: at, updatedAt: at };
  const answer = siteAnswer(site);
  return {
    steps: insertSite(site),
    changes: [{ kind: 'site.created', id: host, object: answer }],
    status: 201,
    body: withWarnings(answer, warnings),
    etag: siteEtag(site),
  };
}

function planEdit(before: Site, { values, at, warnings }: Planned): Edit {
  const after = {
    ...before,
    ...values,
    version: before.version + 1,
    updatedAt: Math.max(at, before.updatedAt + 1),
  };
  return toEdit(before, after, {
    steps: updateSite(after, before),
    changes: [{ kind: 'site.updated', id: before.host, object: siteAnswer(after), before: siteAnswer(before) }],
    answer: (site) => ({ body: withWarnings(siteAnswer(site), warnings), etag: siteEtag(site) }),
  });
}

const withWarnings = (answer: ReturnType<typeof siteAnswer>, warnings: readonly SiteWarning[]) =>
  warnings.length === 0 ? answer : { ...answer, warnings };

async function findWarnings(
  host: string,
  rules: { before: UrlRules; after: UrlRules },
  items: HostItems,
): Promise<SiteWarning[]> {
  if (sameJson(rules.before, rules.after)) return [];
  const { files, isComplete } = await items.merged(host, rules);
  const warnings = files.map(
    (contentIds): SiteWarning => ({
      code: 'ambiguous_content',
      message: `These items become one file, so checks of their URL are refused. Archive all but one, or keep the rules.`,
      param: 'urls',
      contentIds: [...contentIds],
    }),
  );
  if (isComplete) return warnings;
  const message = 'The host has more items than are looked at; there may be more that become one file.';
  return [...warnings, { code: 'ambiguous_content', message, param: 'urls', contentIds: [] }];
}

export function planDelete(site: Site, at: number): Edit {
  const { host } = site;
  return {
    steps: deleteSite(site, at),
    changes: [{ kind: 'site.deleted', id: host, object: siteAnswer(site) }],
    status: 200,
    body: { id: host, host, object: 'site', deleted: true },
  };
}
