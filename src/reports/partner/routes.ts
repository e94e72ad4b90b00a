/** The operations of a requester on its own data, with its token. */
import { finished } from 'node:stream/promises';
import type { App } from '../../api/http/app.ts';
import { CSV_TYPE, JSON_OR_CSV } from '../../api/http/csv.ts';
import { openGate } from '../../api/http/gate.ts';
import { listSchema, PageQuerySchema, readSpan, toList } from '../../api/http/list.ts';
import { chosenMedia } from '../../api/http/negotiate.ts';
import { sendText } from '../../api/http/reply.ts';
import type { CheckDeps } from '../../decisions/check/check.ts';
import { makeReceipt, type ReceiptDeps } from '../../decisions/history/sealed/proof.ts';
import { RECEIPT, RECEIPT_TYPE, StatementReceiptQuery } from '../../decisions/history/sealed/routes.ts';
import { type Offered, toOffered } from '../../requesters/offers/offer.ts';
import { type RequestDeps, requestRoutes } from '../../requesters/requests/routes.ts';
import { STATEMENT_MEDIA, sendReceipt, sendStatement, sendStatements } from '../statements/routes.ts';
import { LicenseUsage, StatementAnswer } from '../statements/schema.ts';
import { reportCsv } from '../usage/report-csv.ts';
import { AccessPage, checkOwnAccess, OwnAccess } from './access.ts';
import { listOwnContent, OwnContentPage, OwnContentQuery } from './content.ts';
import { getOwnDecision, listOwnDecisions } from './decisions.ts';
import { getOwnBilled, getOwnLicenseUsage, listOwnLicenses, listOwnStatements, type MeDeps, readMe } from './me.ts';
import { ownRequestRoutes } from './own-requests.ts';
import { type PartnerApp, partnerRoute } from './route.ts';
import {
  ListOwnDecisionsQuery,
  ListOwnStatementsQuery,
  PartnerAnswer,
  PartnerDecision,
  PartnerDecisionPage,
  PartnerLicensePage,
  type PublisherShown,
} from './schema.ts';
import { OwnUsage, OwnUsageQuery, ownUsage } from './usage.ts';

export interface PartnerDeps extends MeDeps, RequestDeps, Pick<ReceiptDeps, 'signing'> {
  /** For dry runs. */
  checks: CheckDeps;
  /** Lines of the sender on printed statements. */
  publisher: readonly string[];
  publisherShown: PublisherShown;
}

export function partnerRoutes(app: App, deps: PartnerDeps): void {
  const partners = { app, gate: openGate() };
  const me = { id: 'getMe', is: 'Read who you are, your licenses and limits', answer: PartnerAnswer };
  partnerRoute(partners, 'GET /v1/me', me, async (requesterId, request) => ({
    ...(await readMe(deps, requesterId, request.partner.keyId)),
    publisher: deps.publisherShown,
    receipts: deps.signing !== null,
    offers: await readOffers(deps),
  }));
  licenseRoutes(partners, deps);
  statementRoutes(partners, deps);
  statementProofRoute(partners, deps);
  decisionRoutes(partners, deps);
  usageRoute(partners, deps);
  accessRoutes(partners, deps);
  ownRequestRoutes(partners, deps);
  requestRoutes(app, deps);
}

const OFFERS_SHOWN = 100;

/** Offers for everywhere: those of a collection are shown to a partner that was denied there. */
async function readOffers({ checks, now }: PartnerDeps): Promise<Offered[]> {
  const everywhere = (await checks.offers.read()).at(null, now());
  const types = everywhere.types().toSorted().slice(0, OFFERS_SHOWN);
  return types.flatMap((type) => everywhere.find(type) ?? []).map(toOffered);
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

function statementRoutes(partners: PartnerApp, deps: PartnerDeps): void {
  const list = {
    id: 'listOwnStatements',
    is: 'List your statements of a month, quarter or year',
    query: ListOwnStatementsQuery,
    answer: listSchema(StatementAnswer, 'PartnerStatementList'),
    media: JSON_OR_CSV,
  };
  partnerRoute(partners, 'GET /v1/me/statements', list, async (requesterId, request, reply) => {
    const { query } = request;
    if (chosenMedia(request) === 'application/json') return toList(await listOwnStatements(deps, requesterId, query));
    const sent = await sendStatements(reply, deps, { ...query, requesterId });
    await finished(reply.raw).catch(() => {});
    return sent;
  });

  const read = { id: 'getOwnStatement', is: 'Read your statement', answer: StatementAnswer, media: STATEMENT_MEDIA };
  partnerRoute(partners, 'GET /v1/me/statements/:id', read, async (requesterId, { params }, reply) => {
    const billed = await getOwnBilled(deps, requesterId, params.id);
    const sent = await sendStatement(deps, reply, billed);
    // A stream of decisions is in progress until it ends.
    await finished(reply.raw).catch(() => {});
    return sent;
  });
}

function statementProofRoute(partners: PartnerApp, deps: PartnerDeps): void {
  const proof = {
    ...RECEIPT,
    query: StatementReceiptQuery,
    id: 'getOwnStatementProof',
    is: 'Get the receipt of your final statement',
  };
  partnerRoute(partners, 'GET /v1/me/statements/:id/proof', proof, async (requesterId, { params, query }, reply) =>
    sendReceipt(deps, reply, { ...query, billed: await getOwnBilled(deps, requesterId, params.id) }),
  );
}

function decisionRoutes(partners: PartnerApp, deps: PartnerDeps): void {
  const list = {
    id: 'listOwnDecisions',
    is: 'List the decisions about you',
    query: ListOwnDecisionsQuery,
    answer: PartnerDecisionPage,
  };
  partnerRoute(partners, 'GET /v1/me/decisions', list, async (requesterId, { query }) =>
    toList(await listOwnDecisions(deps, requesterId, query, readSpan(query))),
  );

  const read = { id: 'getOwnDecision', is: 'Read a decision about you', answer: PartnerDecision };
  partnerRoute(partners, 'GET /v1/me/decisions/:id', read, (requesterId, { params }) =>
    getOwnDecision(deps, requesterId, params.id),
  );

  const proof = { ...RECEIPT, id: 'getOwnDecisionProof', is: 'Get the receipt of a decision about you' };
  partnerRoute(partners, 'GET /v1/me/decisions/:id/proof', proof, async (requesterId, { params, query }, reply) =>
    sendText(reply, `${RECEIPT_TYPE}; charset=utf-8`, await makeReceipt(deps, { ...params, ...query, requesterId })),
  );
}

function usageRoute(partners: PartnerApp, deps: MeDeps): void {
  const usage = {
    id: 'getOwnUsage',
    is: 'Report your usage',
    query: OwnUsageQuery,
    answer: OwnUsage,
    media: JSON_OR_CSV,
  };
  partnerRoute(partners, 'GET /v1/me/usage', usage, async (requesterId, request, reply) => {
    const isFile = chosenMedia(request) === 'text/csv';
    const report = await ownUsage(deps, requesterId, request.query, isFile);
    return isFile ? sendText(reply, CSV_TYPE, reportCsv(report)) : report;
  });
}

function accessRoutes(partners: PartnerApp, { db, now, checks, cursors }: PartnerDeps): void {
  const access = {
    id: 'checkOwnAccess',
    is: 'Ask what you may have',
    body: OwnAccess,
    answer: AccessPage,
    bulk: true,
  } as const;
  partnerRoute(partners, 'POST /v1/me/access', access, async (_requesterId, { partner, body }) => {
    const data = await checkOwnAccess(checks, partner, body.checks);
    return toList({ data, hasMore: false, totalCount: data.length, nextCursor: null });
  });

  const contents = { db, now, snapshot: checks.snapshot, cursors };
  const content = {
    id: 'listOwnContent',
    is: 'List what you may have now',
    query: OwnContentQuery,
    answer: OwnContentPage,
  };
  partnerRoute(partners, 'GET /v1/me/content', content, (requesterId, { query }) =>
    listOwnContent(contents, requesterId, query),
  );
}
