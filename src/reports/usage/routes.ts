/** Usage: the report, the requesters by their checks, and the demand that was denied for want of a license. */

import { fail } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { CSV_TYPE, JSON_OR_CSV } from '../../api/http/csv.ts';
import { readSpan } from '../../api/http/list.ts';
import { requireSecret } from '../../api/http/needs.ts';
import { chosenMedia } from '../../api/http/negotiate.ts';
import { sendJson, sendText } from '../../api/http/reply.ts';
import { route } from '../../api/http/route.ts';
import { holdsPermission, isPublicKey } from '../../api/permissions.ts';
import { PAGE_DEFAULT } from '../../db/page.ts';
import { DEMAND_CSV, NO_DEMAND, readDimensions, toDemandQuery, toDemandRows } from './demand-list.ts';
import { DemandListQuery, DemandPage } from './demand-schema.ts';
import { parsePosition, SEEN_CSV, sendList, toSeenRow } from './lists.ts';
import { type ProgramDeps, programsRoute } from './program-routes.ts';
import { type ReportDeps, usageReport } from './report.ts';
import { reportCsv, visitorsCsv } from './report-csv.ts';
import { UsageQuery, UsageReport } from './schema.ts';
import { SeenListQuery, SeenPage } from './seen-schema.ts';
import { visitorsReport } from './visitors.ts';
import { VisitorsQuery, VisitorsReport } from './visitors-schema.ts';

const ANALYTICS = { permission: 'analytics:read', tag: 'Analytics', media: JSON_OR_CSV } as const;

export function usageRoutes(app: App, deps: ProgramDeps): void {
  reportRoute(app, deps);
  visitorsRoute(app, deps);
  seenRoute(app, deps);
  programsRoute(app, deps);
  demandRoute(app, deps);
}

function reportRoute(app: App, deps: ReportDeps): void {
  route(
    app,
    'GET /v1/analytics/usage',
    { ...ANALYTICS, id: 'getUsage', is: 'Report usage', query: UsageQuery, answer: UsageReport },
    async (request, reply) => {
      const { query, caller } = request;
      const { requesterId, groupBy } = query;
      // A program may be called like its partner.
      requireSecret(caller, { requesterId, groupBy: groupBy === 'program' ? groupBy : undefined });
      const isFile = chosenMedia(request) === 'text/csv';
      const read = await usageReport(deps, query, isFile);
      const report = isPublicKey(caller) ? { ...read, topRequesters: [] } : read;
      if (isFile) return sendText(reply, CSV_TYPE, reportCsv(report));
      return sendJson(reply, 200, JSON.stringify(report));
    },
  );
}

function visitorsRoute(app: App, deps: ReportDeps): void {
  route(
    app,
    'GET /v1/analytics/visitors',
    {
      ...ANALYTICS,
      // Rows are partners, too.
      secretKey: true,
      id: 'getVisitors',
      is: 'Report visitors by page and by time',
      query: VisitorsQuery,
      answer: VisitorsReport,
    },
    async (request, reply) => {
      const report = await visitorsReport(deps, request.query);
      if (chosenMedia(request) === 'text/csv') {
        return sendText(reply, CSV_TYPE, visitorsCsv(report));
      }
      return sendJson(reply, 200, JSON.stringify(report));
    },
  );
}

function seenRoute(app: App, deps: ReportDeps): void {
  route(
    app,
    'GET /v1/analytics/requesters',
    {
      ...ANALYTICS,
      // Anybody may have a public key, and each row is a partner.
      secretKey: true,
      id: 'listSeenRequesters',
      is: 'List requesters by their checks, registered or not',
      query: SeenListQuery,
      answer: SeenPage,
    },
    async ({ query, caller }, reply) => {
      const { limit = PAGE_DEFAULT, cursor, from: _from, to: _to, sort = 'requests', enforced = true, ...rest } = query;
      const mayReadRecords = holdsPermission(caller.permissions, 'policies:read');
      if (rest.status !== undefined && !mayReadRecords) {
        throw fail('insufficient_permissions', 'The filter `status` needs an API key that holds policies:read, too.');
      }
      const filter = { ...readSpan(query), enforced };
      return sendList(
        reply,
        {
          read: (after, some) => deps.columns.seen({ ...rest, filter, sort, after, limit: some }),
          toRows: (found) => found.map((one) => toSeenRow(one, mayReadRecords)),
          csv: SEEN_CSV,
        },
        limit,
        parsePosition(cursor, deps.now()),
      );
    },
  );
}

function demandRoute(app: App, deps: ReportDeps): void {
  route(
    app,
    'GET /v1/analytics/demand',
    {
      ...ANALYTICS,
      id: 'listDemand',
      is: 'List denials for want of a license, by requester, crawler, collection, purpose or license',
      query: DemandListQuery,
      answer: DemandPage,
    },
    async ({ query, caller }, reply) => {
      const { requesterId, groupBy, q } = query;
      const isPublic = isPublicKey(caller);
      requireSecret(caller, {
        requesterId,
        q,
        groupBy: readDimensions({ groupBy }).some((by) => by === 'requester' || by === 'who') ? groupBy : undefined,
      });
      const asked: DemandListQuery = isPublic ? { groupBy: 'crawler', ...query } : query;
      const withPrices = !caller.readOnly && holdsPermission(caller.permissions, 'requesters:read');
      const position = parsePosition(query.cursor, deps.now());
      const demand = await toDemandQuery(deps, asked, position.now);
      return sendList(
        reply,
        {
          read: async (after, limit) =>
            demand === undefined ? NO_DEMAND : deps.columns.demand({ ...demand, after, limit }),
          toRows: (found) => toDemandRows(deps, found, { by: readDimensions(asked), requesterId, withPrices }),
          csv: DEMAND_CSV,
        },
        query.limit ?? PAGE_DEFAULT,
        position,
      );
    },
  );
}
