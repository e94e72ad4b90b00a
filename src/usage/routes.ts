/** The usage report. */
import { sendJson } from '../http/reply.ts';
import type { App } from '../http/server.ts';
import { type ReportDeps, usageReport } from './report.ts';
import { UsageQuery, UsageReport } from './schema.ts';

export function usageRoutes(app: App, deps: ReportDeps): void {
  app.get(
    '/v1/analytics/usage',
    {
      config: { permission: 'analytics:read' },
      schema: {
        tags: ['Analytics'],
        operationId: 'getUsage',
        summary: 'Report usage',
        querystring: UsageQuery,
        response: { 200: UsageReport },
      },
    },
    async (request, reply) => sendJson(reply, 200, JSON.stringify(await usageReport(deps, request.query))),
  );
}
