/** Put, list, read and delete sites. */
import type { Changes } from '../../api/changes/changes.ts';
import { fail } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { isUnchanged, NotModified, requireMatch, requireNoMatch } from '../../api/http/etag.ts';
import { toList } from '../../api/http/list.ts';
import { edit, route } from '../../api/http/route.ts';
import { requireHost, requireServable } from '../../api/http/target.ts';
import { type Caller, holdsPermission } from '../../api/permissions.ts';
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { sameJson } from '../../lib/json.ts';
import { type UrlRules, USUAL_URLS } from '../../lib/urls/spellings.ts';
import { type HostItems, planDelete, planPut, siteNotFound, toSiteValues } from './edits.ts';
import {
  ListSitesQuery,
  PutSite,
  PutSiteQuery,
  SiteAnswer,
  SiteDeleted,
  SitePage,
  siteAnswer,
  siteEtag,
} from './schema.ts';
import { findSite, listSites } from './store.ts';

export interface SiteDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  items: HostItems;
  /** The address of the license server; null: there is none. */
  server: string | null;
}

const reading = { tag: 'Sites', permission: 'policies:read' } as const;
const writing = { tag: 'Sites', permission: 'policies:write', ifMatch: true } as const;

export function siteRoutes(app: App, { db, changes, clock, items, server }: SiteDeps): void {
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
    query: PutSiteQuery,
    body: PutSite,
    answers: { 200: SiteAnswer, 201: SiteAnswer },
  };
  edit(app, 'PUT /v1/sites/:host', put, (request) => {
    const host = requireHost(request.params.host);
    const { body, query, caller } = request;
    return changes.commit(request, host, async () => {
      const before = await findSite(db, host);
      requireContent(caller, before?.urls ?? USUAL_URLS, toSiteValues(body).urls);
      if (before === undefined) {
        requireServable(host);
        requireNoMatch(request);
      } else requireMatch(request, siteEtag(before));
      return planPut(db, before, { host, body, at: clock.now(), dryRun: query.dryRun === true, items, server });
    });
  });

  const remove = { ...writing, id: 'deleteSite', is: 'Delete a site', answer: SiteDeleted };
  edit(app, 'DELETE /v1/sites/:host', remove, (request) => {
    const host = requireHost(request.params.host);
    return changes.commit(request, host, async () => {
      const site = await findSite(db, host);
      if (site === undefined) throw siteNotFound(host);
      requireContent(request.caller, site.urls, USUAL_URLS);
      requireMatch(request, siteEtag(site));
      return planDelete(site, clock.now());
    });
  });
}

/** Which URLs are one file decides which policy they reach. Throws insufficient_permissions. */
function requireContent({ permissions }: Caller, before: UrlRules, after: UrlRules): void {
  if (sameJson(before, after) || holdsPermission(permissions, 'content:write')) return;
  const message =
    'This changes `urls` of the site, which needs content:write, too. Send `urls` as they are to keep them.';
  throw fail('insufficient_permissions', message, { param: 'urls' });
}
