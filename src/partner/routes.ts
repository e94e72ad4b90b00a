/** The operations of a requester on its own data, with its token. */
import type { App } from '../http/app.ts';
import { CSV_TYPE } from '../http/csv.ts';
import { PageQuerySchema, pageOf, spanOf, toList } from '../http/list.ts';
import { preferred } from '../http/negotiate.ts';
import { sendText } from '../http/reply.ts';
import { sendStatement } from '../statements/routes.ts';
import { LicenseUsage, StatementAnswer } from '../statements/schema.ts';
import { reportCsv } from '../usage/report-csv.ts';
import { getOwnDecision, listOwnDecisions } from './decisions.ts';
import { openGate } from './gate.ts';
import { getOwnLicenseUsage, getOwnStatement, listOwnLicenses, listOwnStatements, type MeDeps, readMe } from './me.ts';
import { type PartnerApp, partnerRoute } from './route.ts';
import {
  ListOwnDecisionsQuery,
  ListOwnStatementsQuery,
  PartnerAnswer,
  PartnerDecision,
  PartnerDecisionPage,
  PartnerLicensePage,
} from './schema.ts';
import { OwnUsage, OwnUsageQuery, ownUsage } from './usage.ts';

export function partnerRoutes(app: App, deps: MeDeps): void {
  const partners = { app, gate: openGate() };
  const me = { id: 'getMe', is: 'Read who you are, your licenses and limits', answer: PartnerAnswer };
  partnerRoute(partners, 'GET /v1/me', me, (requesterId, request) => readMe(deps, requesterId, request.partner.keyId));
  licenseRoutes(partners, deps);
  statementRoutes(partners, deps);
  decisionRoutes(partners, deps);
  usageRoute(partners, deps);
}

function licenseRoutes(partners: PartnerApp, deps: MeDeps): void {
  const list = {
    id: 'listOwnLicenses',
    is: 'List your licenses',
    query: PageQuerySchema,
    answer: PartnerLicensePage,
  };
  partnerRoute(partners, 'GET /v1/me/licenses', list, async (requesterId, { query }) =>
    toList(await listOwnLicenses(deps, requesterId, query)),
  );

  const usage = { id: 'getOwnLicenseUsage', is: 'Report the running period of your license', answer: LicenseUsage };
  partnerRoute(partners, 'GET /v1/me/licenses/:id/usage', usage, (requesterId, { params }) =>
    getOwnLicenseUsage(deps, requesterId, params.id),
  );
}

function statementRoutes(partners: PartnerApp, deps: MeDeps): void {
  const list = {
    id: 'listOwnStatements',
    is: 'List your statements of a month, quarter or year',
    query: ListOwnStatementsQuery,
    answer: pageOf(StatementAnswer, 'PartnerStatementList'),
  };
  partnerRoute(partners, 'GET /v1/me/statements', list, async (requesterId, { query }) =>
    toList(await listOwnStatements(deps, requesterId, query)),
  );

  const read = { id: 'getOwnStatement', is: 'Read your statement', answer: StatementAnswer };
  partnerRoute(partners, 'GET /v1/me/statements/:id', read, async (requesterId, { params, headers }, reply) =>
    sendStatement(reply, headers.accept, await getOwnStatement(deps, requesterId, params.id)),
  );
}

function decisionRoutes(partners: PartnerApp, deps: MeDeps): void {
  const list = {
    id: 'listOwnDecisions',
    is: 'List the decisions about you',
    query: ListOwnDecisionsQuery,
    answer: PartnerDecisionPage,
  };
  partnerRoute(partners, 'GET /v1/me/decisions', list, async (requesterId, { query }) =>
    toList(await listOwnDecisions(deps, requesterId, query, spanOf(query))),
  );

  const read = { id: 'getOwnDecision', is: 'Read a decision about you', answer: PartnerDecision };
  partnerRoute(partners, 'GET /v1/me/decisions/:id', read, (requesterId, { params }) =>
    getOwnDecision(deps, requesterId, params.id),
  );
}

function usageRoute(partners: PartnerApp, deps: MeDeps): void {
  const usage = { id: 'getOwnUsage', is: 'Report your usage', query: OwnUsageQuery, answer: OwnUsage };
  partnerRoute(partners, 'GET /v1/me/usage', usage, async (requesterId, { query, headers }, reply) => {
    const report = await ownUsage(deps, requesterId, query);
    if (preferred(headers.accept, ['application/json', 'text/csv']) === 'text/csv') {
      return sendText(reply, CSV_TYPE, reportCsv(report));
    }
    return report;
  });
}
