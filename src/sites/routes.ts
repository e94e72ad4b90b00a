/** Put, list, read and delete sites. */
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import type { App } from '../http/app.ts';
import { isUnchanged, NotModified, requireMatch, requireNoMatch } from '../http/etag.ts';
import { requireHost, requireServable } from '../http/host.ts';
import { toList } from '../http/list.ts';
import { edit, route } from '../http/route.ts';
import type { Clock } from '../lib/clock.ts';
import { planDelete, planPut, siteNotFound } from './edits.ts';
import { ListSitesQuery, PutSite, SiteAnswer, SiteDeleted, SitePage, siteAnswer, siteEtag } from './schema.ts';
import { findSite, listSites } from './store.ts';

export interface SiteDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
}

const reading = { tag: 'Sites', permission: 'policies:read' } as const;
const writing = { tag: 'Sites', permission: 'policies:write', ifMatch: true } as const;

export function siteRoutes(app: App, { db, changes, clock }: SiteDeps): void {
  const list = { ...reading, id: 'listSites', is: 'List sites', query: ListSitesQuery, answer: SitePage };
  route(app, 'GET /v1/sites', list, async ({ query }) => toList(await listSites(db, query), siteAnswer));

  const read = {
    ...reading,
    id: 'getSite',
    is: 'Read a site',
    answers: { 200: SiteAnswer, 304: NotModified },
  };
  route(app, 'GET /v1/sites/:host', read, async (request, reply) => {
    const host = requireHost(request.params.host);
    const site = await findSite(db, host);
    if (site === undefined) throw siteNotFound(host);
    return isUnchanged(request, reply, siteEtag(site)) ? reply.send() : siteAnswer(site);
  });

  const put = {
    ...writing,
    id: 'putSite',
    is: 'Make a site, or replace its settings',
    body: PutSite,
    answers: { 200: SiteAnswer, 201: SiteAnswer },
  };
  edit(app, 'PUT /v1/sites/:host', put, (request) => {
    const host = requireHost(request.params.host);
    return changes.commit(request, host, async () => {
      const before = await findSite(db, host);
      if (before === undefined) {
        requireServable(host);
        requireNoMatch(request);
      } else requireMatch(request, siteEtag(before));
      return planPut(db, before, { host, body: request.body, at: clock.now() });
    });
  });

  const remove = { ...writing, id: 'deleteSite', is: 'Delete a site', answer: SiteDeleted };
  edit(app, 'DELETE /v1/sites/:host', remove, (request) => {
    const host = requireHost(request.params.host);
    return changes.commit(request, host, async () => {
      const site = await findSite(db, host);
      if (site === undefined) throw siteNotFound(host);
      requireMatch(request, siteEtag(site));
      return planDelete(site, clock.now());
    });
  });
}
