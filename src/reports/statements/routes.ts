/** Statements: list, read in four formats, make final; the usage of a license. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import type { Changes } from '../../api/changes/changes.ts';
import type { App } from '../../api/http/app.ts';
import { CSV_TYPE, JSON_OR_CSV } from '../../api/http/csv.ts';
import { toList } from '../../api/http/list.ts';
import { chosenMedia } from '../../api/http/negotiate.ts';
import { sendText } from '../../api/http/reply.ts';
import { edit, route } from '../../api/http/route.ts';
import { RECEIPT, RECEIPT_TYPE, StatementReceiptQuery } from '../../decisions/history/sealed/routes.ts';
import { toIso } from '../../lib/clock.ts';
import { type ComputeDeps, computeOutside, computeStatements, type Outside } from './compute.ts';
import { statementCsv, statementsCsv } from './csv.ts';
import { planFinalize } from './edits.ts';
import { evidenceOf } from './evidence.ts';
import { getBilled } from './find.ts';
import { firstBill } from './first-bill.ts';
import { statementHtml } from './html.ts';
import { readAllStatements, readStatements } from './list.ts';
import { type StatementReceiptDeps, statementReceipt } from './receipt.ts';
import { reconcile } from './reconcile.ts';
import { PartnerCounts, ReconciliationAnswer } from './reconcile-schema.ts';
import {
  FirstBill,
  FirstBillRequest,
  LicenseUsage,
  ListStatementsQuery,
  StatementAnswer,
  StatementPage,
} from './schema.ts';
import { type Billed, monthIn } from './statement.ts';
import { findFinals } from './store.ts';
import { licenseUsage } from './usage.ts';

export interface StatementDeps extends StatementReceiptDeps {
  changes: Changes;
  /** Lines of the sender on printed statements: its name, then its address. */
  publisher: readonly string[];
}

const NDJSON = 'application/x-ndjson';
// Prices are no matter for keys that browsers hold.
const reading = { tag: 'Statements', permission: 'requesters:read', secretKey: true } as const;
const writing = { tag: 'Statements', permission: 'requesters:write' } as const;
/** Media of operations that call `sendStatement`. */
export const STATEMENT_MEDIA = ['application/json', 'text/csv', 'text/html', NDJSON] as const;
const MEDIA_TYPE_OF_EVIDENCE = `${NDJSON}; charset=utf-8`;

export function statementRoutes(app: App, deps: StatementDeps): void {
  readRoutes(app, deps);
  const { changes, db, now } = deps;

  const proof = {
    ...RECEIPT,
    query: StatementReceiptQuery,
    tag: 'Statements',
    // A receipt has the whole statement.
    permission: ['analytics:read', 'requesters:read'],
    secretKey: true,
    id: 'getStatementProof',
    is: 'Get the receipt of a final statement',
  } as const;
  route(app, 'GET /v1/statements/:id/proof', proof, async ({ params, query }, reply) => {
    reply.header('cache-control', 'no-store');
    return sendReceipt(deps, reply, { ...query, billed: await getBilled(db, params.id, now()) });
  });

  const compare = {
    ...reading,
    id: 'reconcileStatement',
    is: "Compare a statement with a partner's counts",
    csv: true,
    bulk: true,
    body: PartnerCounts,
    answer: ReconciliationAnswer,
  } as const;
  route(app, 'POST /v1/statements/:id/reconcile', compare, async ({ params, body }) =>
    reconcile(deps, params.id, body),
  );

  const preview = {
    ...reading,
    id: 'previewStatement',
    is: 'Compute the first bill of a license that you may create',
    body: FirstBillRequest,
    answer: FirstBill,
  } as const;
  route(app, 'POST /v1/statements/preview', preview, async ({ body }) => firstBill(body, now()));

  const finalize = {
    ...writing,
    id: 'finalizeStatement',
    is: 'Make a statement final; it never changes again',
    answer: StatementAnswer,
  };
  edit(app, 'POST /v1/statements/:id/finalize', finalize, async (request) =>
    changes.commit(request, request.params.id, () => planFinalize(deps, request.params.id)),
  );

  const usage = {
    ...reading,
    id: 'getLicenseUsage',
    is: 'Report the running period of a license',
    answer: LicenseUsage,
  };
  route(app, 'GET /v1/licenses/:id/usage', usage, async ({ params }) => licenseUsage(deps, params.id));
}

/** Sends the receipt of a final statement. */
export async function sendReceipt(
  deps: StatementReceiptDeps,
  reply: FastifyReply,
  { billed, ...ask }: Static<typeof StatementReceiptQuery> & { billed: Billed },
): Promise<FastifyReply> {
  return sendText(reply, `${RECEIPT_TYPE}; charset=utf-8`, await statementReceipt(deps, billed, ask));
}

/** The sender is printed on statements. */
type SendDeps = ComputeDeps & Pick<StatementDeps, 'publisher'>;

/** Sends a statement in the preferred format: JSON, CSV, a page, or its decisions as NDJSON. */
export async function sendStatement(deps: SendDeps, reply: FastifyReply, billed: Billed) {
  const type = chosenMedia(reply.request);
  if (type === NDJSON) return sendEvidence(deps, reply, billed);
  const [computed] = await computeStatements(deps, [billed]);
  const { statement } = computed as NonNullable<typeof computed>;
  if (type === 'text/csv') return sendText(reply, CSV_TYPE, statementCsv(statement));
  if (type === 'application/json') return reply.send(statement);
  // The page has styles of its own and nothing else.
  reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  return sendText(reply, 'text/html; charset=utf-8', statementHtml(statement, deps.publisher));
}

async function sendEvidence(deps: ComputeDeps, reply: FastifyReply, billed: Billed): Promise<FastifyReply> {
  const final = (await findFinals(deps.db, [billed.id])).get(billed.id);
  const lines = evidenceOf(deps, billed, final);
  // A failure at the beginning is answered as one.
  const first = await lines.next();
  return sendText(reply, MEDIA_TYPE_OF_EVIDENCE, first.done === true ? '' : following(first.value, lines));
}

async function* following(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

function readRoutes(app: App, deps: StatementDeps): void {
  const list = {
    ...reading,
    id: 'listStatements',
    is: 'List the statements of a month, quarter or year',
    query: ListStatementsQuery,
    answer: StatementPage,
    media: JSON_OR_CSV,
  };
  route(app, 'GET /v1/statements', list, async (request, reply) => {
    const { query } = request;
    if (chosenMedia(request) === 'text/csv') return sendStatements(reply, deps, query);
    const { requesterId, licenseId, timezone = 'UTC' } = query;
    const { period, contracts, page } = await readStatements(deps, query);
    const isAll = requesterId === undefined && licenseId === undefined;
    const span = { from: monthIn(timezone, period.first), to: monthIn(timezone, period.last + 1) };
    const outside = isAll ? toOutside(span, await computeOutside(deps, contracts, span)) : null;
    return { ...toList(page), outside };
  });

  const read = {
    ...reading,
    id: 'getStatement',
    is: 'Read a statement',
    answer: StatementAnswer,
    media: STATEMENT_MEDIA,
  };
  route(app, 'GET /v1/statements/:id', read, async ({ params }, reply) =>
    sendStatement(deps, reply, await getBilled(deps.db, params.id, deps.now())),
  );
}

/** Sends all statements of a period as CSV. What is refused is refused before the first row. */
export async function sendStatements(
  reply: FastifyReply,
  deps: ComputeDeps,
  { cursor: _cursor, limit: _limit, timezone: _timezone, ...query }: ListStatementsQuery,
): Promise<FastifyReply> {
  const rows = statementsCsv(readAllStatements(deps, query));
  return reply.type(CSV_TYPE).serializer(String).send(Readable.from(rows));
}

const toOutside = ({ from, to }: { from: number; to: number }, outside: Outside) => ({
  from: toIso(from),
  to: toIso(to),
  ...outside,
});
