/** The decision log: list, read one, stream a whole selection as NDJSON or CSV. */
import { Readable } from 'node:stream';
import { type Static, type TSchema, Type } from 'typebox';
import { findContent } from '../content/store.ts';
import type { Db } from '../db/db.ts';
import { fromCursor, PAGE_DEFAULT, toCursor } from '../db/page.ts';
import { fail } from '../errors.ts';
import { preferred } from '../http/accept.ts';
import { pageOf, pageProperties, spanOf, spanProperties } from '../http/list.ts';
import type { App } from '../http/server.ts';
import { findPolicyNo } from '../policies/store.ts';
import type { Ledger } from './ledger.ts';
import { type DecisionFilter, type DecisionFinder, findDecision, type LoggedDecision, readDecisions } from './log.ts';
import { REASONS, type Reason, reasonCode } from './reason.ts';

export interface LogDeps {
  db: Db;
  ledger: Ledger;
  finder: DecisionFinder;
}

const config = { permission: 'analytics:read' } as const;
const tags = ['Access'];

const ListQuery = Type.Object(
  {
    ...pageProperties,
    contentId: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Id or externalId' })),
    requesterId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    policyId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    allowed: Type.Optional(Type.Boolean()),
    reason: Type.Optional(Type.Enum(Object.keys(REASONS) as Reason[])),
    ...spanProperties,
  },
  { additionalProperties: false },
);
type ListQuery = Static<typeof ListQuery>;

/** Decisions fetched at once while streaming. */
const STREAM_CHUNK = 5000;

export function decisionRoutes(app: App, deps: LogDeps, decisionSchema: TSchema): void {
  const { db, ledger, finder } = deps;

  app.get(
    '/v1/access/decisions',
    {
      config,
      schema: {
        tags,
        operationId: 'listDecisions',
        summary: 'List decisions',
        querystring: ListQuery,
        response: { 200: pageOf(decisionSchema) },
      },
    },
    async (request, reply) => {
      const filter = await toFilter(db, request.query);
      const format = FORMATS[preferred(request.headers.accept, MEDIA_TYPES)];
      if (format !== undefined) {
        const body = filter === undefined ? format.head : Readable.from(stream(deps, filter, format));
        return reply
          .type(format.type)
          .serializer((text) => text as string)
          .send(body as never);
      }
      const { limit = PAGE_DEFAULT, cursor } = request.query;
      const before = cursor === undefined ? null : Number(fromCursor(cursor, /^\d{1,16}$/));
      const found = filter === undefined ? NOTHING : await finder.find(filter, { before, limit: limit + 1 });
      const shown = found.seqs.slice(0, limit);
      const hasMore = found.seqs.length > limit;
      return reply.send({
        object: 'list',
        data: await readDecisions(db, ledger.ledgerNo, shown),
        hasMore,
        totalCount: found.totalCount,
        nextCursor: hasMore ? toCursor(String(shown.at(-1))) : null,
      });
    },
  );

  app.get<{ Params: { id: string } }>(
    '/v1/access/decisions/:id',
    {
      config,
      schema: { tags, operationId: 'getDecision', summary: 'Read a decision', response: { 200: decisionSchema } },
    },
    async (request) => {
      const decision = await findDecision(db, ledger.ledgerNo, request.params.id);
      if (decision !== undefined) return decision;
      throw fail('decision_not_found', `There is no decision ${request.params.id.slice(0, 100)}.`);
    },
  );
}

const NOTHING = { seqs: [], totalCount: 0 };

/** undefined when the filter names something that never was, and so selects nothing. Throws invalid_request. */
async function toFilter(db: Db, query: ListQuery): Promise<DecisionFilter | undefined> {
  const filter: DecisionFilter = spanOf(query);
  if (query.requesterId !== undefined) filter.requesterId = query.requesterId;
  if (query.allowed !== undefined) filter.allowed = query.allowed;
  if (query.reason !== undefined) filter.reason = reasonCode(query.reason);
  if (query.contentId !== undefined) {
    const content = await findContent(db, query.contentId);
    if (content === undefined) return undefined;
    filter.contentNo = content.no;
  }
  if (query.policyId !== undefined) {
    const policyNo = await findPolicyNo(db, query.policyId);
    if (policyNo === undefined) return undefined;
    filter.policyNo = policyNo;
  }
  return filter;
}

interface StreamFormat {
  type: string;
  head: string;
  line(decision: LoggedDecision): string;
}

const NDJSON: StreamFormat = {
  type: 'application/x-ndjson; charset=utf-8',
  head: '',
  line: (decision) => `${JSON.stringify(decision)}\n`,
};

const CSV_COLUMNS: readonly [string, (decision: LoggedDecision) => Parameters<typeof csvCell>[0]][] = [
  ['id', (one) => one.id],
  ['created', (one) => one.created],
  ['allowed', (one) => one.allowed],
  ['reason', (one) => one.reason],
  ['contentId', (one) => one.contentId],
  ['externalId', (one) => one.externalId],
  ['requesterId', (one) => one.requesterId],
  ['policyId', (one) => one.policyId],
  ['policyVersion', (one) => one.policyVersion],
  ['ruleIndex', (one) => one.matchedRule?.index],
  ['permissions', (one) => one.permissions.join(' ')],
  ['licenseId', (one) => one.licenseId],
  ['permission', (one) => one.permission],
  ['purpose', (one) => one.purpose],
  ['country', (one) => one.context?.country],
  ['ip', (one) => one.context?.ip],
  ['userAgent', (one) => one.context?.userAgent],
];

const CSV: StreamFormat = {
  type: 'text/csv; charset=utf-8; header=present',
  head: `${CSV_COLUMNS.map(([name]) => name).join(',')}\r\n`,
  line: (decision) => `${CSV_COLUMNS.map(([, read]) => csvCell(read(decision))).join(',')}\r\n`,
};

const MEDIA_TYPES = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
const FORMATS: Record<(typeof MEDIA_TYPES)[number], StreamFormat | undefined> = {
  'application/json': undefined,
  'application/x-ndjson': NDJSON,
  'text/csv': CSV,
};

/** RFC 4180; a cell that a spreadsheet would run as a formula is made text by an apostrophe. */
function csvCell(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The whole selection, newest first, as it was when the stream began, a chunk in memory at a time. */
async function* stream({ db, ledger, finder }: LogDeps, filter: DecisionFilter, format: StreamFormat) {
  if (format.head !== '') yield format.head;
  let before: number | null = null;
  for (;;) {
    const { seqs }: { seqs: number[] } = await finder.find(filter, { before, limit: STREAM_CHUNK });
    if (seqs.length === 0) return;
    const decisions = await readDecisions(db, ledger.ledgerNo, seqs);
    yield decisions.map(format.line).join('');
    before = seqs.at(-1) as number;
  }
}
