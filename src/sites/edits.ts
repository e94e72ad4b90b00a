/** Plans the edits of sites: what each one writes, announces and answers. Every edit adds a version. */
import type { Edit } from '../changes/change.ts';
import { editOf } from '../changes/edit.ts';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import { type PutSite, siteAnswer, siteEtag } from './schema.ts';
import { FIRST_SIGNALS, FIRST_VALUES, type Site } from './site.ts';
import { countSites, deleteSite, findLastVersion, insertSite, updateSite } from './store.ts';

/** A bound of what is kept in memory. */
const SITES_MAX = 1_000;

export const siteNotFound = (host: string) =>
  fail('site_not_found', `There is no site ${host.slice(0, 260)}. Make one with PUT.`);

/** Throws invalid_request. */
export async function planPut(
  db: Db,
  before: Site | undefined,
  { host, body, at }: { host: string; body: PutSite; at: number },
): Promise<Edit> {
  const { signals, ...fields } = body;
  const values = { ...FIRST_VALUES, ...fields, signals: { ...FIRST_SIGNALS, ...signals } };
  if (before === undefined) {
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
      body: answer,
      etag: siteEtag(site),
    };
  }
  const after = {
    ...before,
    ...values,
    version: before.version + 1,
    updatedAt: Math.max(at, before.updatedAt + 1),
  };
  return editOf(before, after, {
    steps: updateSite(after),
    changes: [{ kind: 'site.updated', id: host, object: siteAnswer(after), before: siteAnswer(before) }],
    answer: (site) => ({ body: siteAnswer(site), etag: siteEtag(site) }),
  });
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
