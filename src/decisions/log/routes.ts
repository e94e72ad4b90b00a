/** The decision log: list, read one, stream a whole selection as NDJSON or CSV. */

import { fail } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { CSV_TYPE, type CsvColumns, csvHead, csvLine } from '../../api/http/csv.ts';
import { readSpan, toList } from '../../api/http/list.ts';
import { requireSecret } from '../../api/http/needs.ts';
import { chosenMedia } from '../../api/http/negotiate.ts';
import { sendText } from '../../api/http/reply.ts';
import { route } from '../../api/http/route.ts';
import { type Caller, holdsPermission, isPublicKey, type Mode } from '../../api/permissions.ts';
import { findContent } from '../../content/store.ts';
import type { Db } from '../../db/db.ts';
import { cutPage, fromCursor, PAGE_DEFAULT, SEQ_FORM } from '../../db/page.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { toLowerLetters } from '../../lib/text.ts';
import { findPolicyNo } from '../../policies/store.ts';
import { reasonCode } from '../../rules/reason.ts';
import type { Parquet } from '../history/archive/parquet.ts';
import type { DecisionFilter, DecisionFinder } from '../history/filter.ts';
import { type DecisionLog, findDecision, readDecisions } from '../history/find.ts';
import type { LoggedDecision, RobotsJudge } from '../history/logged.ts';
import { asTest } from '../history/test-log.ts';
import { parseDecisionId } from '../ledger/decision.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PublicIds } from '../ledger/public-ids.ts';
import { findBroken, keepBroken } from './broken.ts';
import { toGroundsFilter, toUrlPrefix } from './grounds.ts';
import { type NamedDecision, withNames } from './names.ts';
import { toPageFilter } from './page-filter.ts';
import { findRule } from './rule-filter.ts';
import {
  DecisionPage,
  ListDecisionsQuery,
  LoggedDecision as LoggedDecisionSchema,
  ReadDecisionQuery,
} from './schema.ts';

export interface LogDeps {
  db: Db;
  ledger: Ledger;
  ids: PublicIds;
  finder: DecisionFinder;
  tests: DecisionLog;
  robots: RobotsJudge;
  parquet: Parquet;
}

const reading = { tag: 'Access', permission: 'analytics:read' } as const;

/** Decisions fetched at once while streaming. */
const STREAM_CHUNK = 5000;

export function decisionRoutes(app: App, deps: LogDeps): void {
  const { db, ledger, ids, finder, tests, parquet } = deps;
  const logs: Record<Mode, Log> = {
    live: { db, ledgerNo: ledger.ledgerNo, finder, parquet, mode: 'live' },
    test: { ...tests, mode: 'test' },
  };
  const named = (decisions: LoggedDecision[], asked: Asked) => toNamed(deps, decisions, asked);

  const list = {
    ...reading,
    id: 'listDecisions',
    is: 'List decisions',
    query: ListDecisionsQuery,
    answer: DecisionPage,
    media: MEDIA_TYPES,
  };
  route(app, 'GET /v1/access/decisions', list, async (request, reply) => {
    const { limit = PAGE_DEFAULT, cursor, expand, requesterId, program } = request.query;
    requireSecret(request.caller, { requesterId, program });
    const before = cursor === undefined ? null : Number(fromCursor(cursor, SEQ_FORM));
    const log = logs[request.query.mode ?? request.caller.mode];
    const filter = await toFilter(log, request.query);
    const { robots: wanted } = request.query;
    const keep = wanted === undefined ? undefined : keepBroken(deps.robots, wanted);
    const format = FORMATS[chosenMedia(request)]?.(expand !== undefined);
    if (format !== undefined) {
      const lines = filter && stream(log, filter, format, async (some) => named((await keep?.(some)) ?? some, request));
      return sendText(reply, format.type, lines ?? format.head);
    }
    if (filter !== undefined && keep !== undefined) {
      const page = await findBroken({ finder: log.finder, read: (seqs) => readFrom(log, seqs), keep }, filter, {
        before,
        limit,
      });
      return reply.send(toList({ ...page, data: await named(page.data, request) }));
    }
    const found = filter === undefined ? NOTHING : await log.finder.find(filter, { before, limit: limit + 1 });
    const page = cutPage(found.seqs, limit, found.totalCount, String);
    const data = await named(await readFrom(log, page.data), request);
    return reply.send(toList({ ...page, data }));
  });

  const read = {
    ...reading,
    id: 'getDecision',
    is: 'Read a decision',
    query: ReadDecisionQuery,
    answer: LoggedDecisionSchema,
  };
  route(app, 'GET /v1/access/decisions/:id', read, async (request, reply) => {
    const id = ids.toPlain(request.params.id);
    const log = parseDecisionId(id)?.ledgerNo === tests.ledgerNo ? logs.test : logs.live;
    const found = await findDecision(log, { id });
    if (found === undefined)
      throw fail('decision_not_found', `There is no decision ${request.params.id.slice(0, 100)}.`);
    return reply.send((await named([shownFrom(log, found)], request))[0]);
  });
}

interface Asked {
  query: { expand?: 'names' };
  caller: Caller;
}

/** Adds the ids that visitors see, and names; leaves out what the key may not read. */
async function toNamed(
  { db, ids }: LogDeps,
  decisions: LoggedDecision[],
  { query, caller }: Asked,
): Promise<NamedDecision[]> {
  const publicIds = ids.toPublicAll(decisions.map(({ id }) => id as string));
  const both = await mapInSlices(decisions, (one, i) => ({ ...one, publicId: publicIds[i] as string }));
  const may = { policies: holdsPermission(caller.permissions, 'policies:read') };
  const hidden = [
    ...(isPublicKey(caller) ? [withoutVisitor] : []),
    ...(caller.readOnly || !holdsPermission(caller.permissions, 'requesters:read') ? [withoutQuota] : []),
    ...(caller.readOnly || !may.policies ? [withoutCandidate] : []),
  ];
  const shown = hidden.reduce((all, without) => all.map(without), both);
  return query.expand === undefined ? shown : withNames(db, shown, may);
}

interface Log extends DecisionLog {
  mode: Mode;
}

const shownFrom = ({ mode }: Log, decision: LoggedDecision): LoggedDecision =>
  mode === 'test' ? asTest(decision) : decision;

const readFrom = async (log: Log, seqs: readonly number[]): Promise<LoggedDecision[]> => {
  const decisions = await readDecisions(log.db, log.ledgerNo, seqs);
  return log.mode === 'test' ? decisions.map(asTest) : decisions;
};

/** Throws invalid_request. */
function toProgram(mode: Mode, { program }: ListDecisionsQuery): Pick<DecisionFilter, 'program'> {
  if (program === undefined) return {};
  if (mode === 'live') return { program: toLowerLetters(program) };
  const message = 'The log of test keys has no filter `program`. Leave it out, and read `context.userAgent`.';
  throw fail('invalid_request', message, { param: 'program' });
}

const NOTHING = { seqs: [], totalCount: 0 };

/** Returns undefined when the query names an item or a policy that never existed. Throws invalid_request. */
async function toFilter({ db, mode }: Log, query: ListDecisionsQuery): Promise<DecisionFilter | undefined> {
  const filter: DecisionFilter = { ...readSpan(query), ...toGroundsFilter(query), ...toProgram(mode, query) };
  if (query.url !== undefined) filter.url = toUrlPrefix(query.url);
  Object.assign(filter, await toPageFilter(db, query));
  if (query.spoofed !== undefined) filter.spoofed = query.spoofed;
  // A false name proves nothing about the crawler that has it.
  if (query.robots !== undefined) Object.assign(filter, { ofCrawlers: true, spoofed: query.spoofed ?? false });
  if (query.requesterId !== undefined) filter.requesterId = query.requesterId;
  if (query.allowed !== undefined) filter.allowed = query.allowed;
  if (query.reason !== undefined) filter.reason = reasonCode(query.reason);
  const numbers = await toNumbers(db, query);
  return numbers && { ...filter, ...numbers };
}

async function toNumbers(
  db: Db,
  query: ListDecisionsQuery,
): Promise<Pick<DecisionFilter, 'contentNo' | 'policyNo' | 'rule'> | undefined> {
  const filter: DecisionFilter = {};
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
  if (query.rule !== undefined) {
    const rule = await findRule(db, query.rule);
    if (rule === undefined) return undefined;
    filter.rule = rule;
  }
  return filter;
}

interface StreamFormat {
  type: string;
  head: string;
  line(decision: NamedDecision): string;
}

const CSV_COLUMNS: CsvColumns<NamedDecision> = [
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
  ['url', (one) => one.url],
  ['collectionId', (one) => one.collectionId],
  ['crawler', (one) => one.crawler],
  ['verified', (one) => one.verified],
  ['claimed', (one) => one.claimed],
  ['enforced', (one) => one.enforced],
  ['method', (one) => one.context?.method],
  ['publicId', (one) => one.publicId],
];

const NAME_COLUMNS: CsvColumns<NamedDecision> = [
  ['title', (one) => one.names?.content],
  ['requesterName', (one) => one.names?.requester],
  ['policyName', (one) => one.names?.policy],
  ['collectionName', (one) => one.names?.collection],
];

const MEDIA_TYPES = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
const FORMATS: Readonly<Record<string, (named: boolean) => StreamFormat>> = {
  'application/x-ndjson': () => ({
    type: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (decision) => `${JSON.stringify(decision)}\n`,
  }),
  'text/csv': (named) => {
    const columns = named ? [...CSV_COLUMNS, ...NAME_COLUMNS] : CSV_COLUMNS;
    return { type: CSV_TYPE, head: csvHead(columns), line: (decision) => csvLine(columns, decision) };
  },
};

/** Yields the whole selection, newest first, as it was when the stream began, with one chunk in memory at a time. */
async function* stream(
  log: Log,
  filter: DecisionFilter,
  format: StreamFormat,
  named: (decisions: LoggedDecision[]) => NamedDecision[] | Promise<NamedDecision[]>,
) {
  if (format.head !== '') yield format.head;
  let before: number | null = null;
  for (;;) {
    const { seqs }: { seqs: number[] } = await log.finder.find(filter, { before, limit: STREAM_CHUNK });
    if (seqs.length === 0) return;
    const decisions = await named(await readFrom(log, seqs));
    yield decisions.map(format.line).join('');
    before = seqs.at(-1) as number;
  }
}

/**
 * Removes the requester and the inputs: public keys, which anybody may have, see nothing of visitors and no names of
 * partners. The crawler stays: its name is no partner's.
 */
function withoutVisitor<D extends LoggedDecision>(decision: D): D {
  const { claimed: _, reduced: __, ...shown } = decision;
  return { ...shown, requesterId: null, context: null, license: null } as D;
}

/** Removes what the usage of a license's running period says: it is read where that is. */
const withoutQuota = <D extends LoggedDecision>(decision: D): D => ({ ...decision, quota: null });

/** Removes what is planned: it is read where the candidate is. */
function withoutCandidate<D extends LoggedDecision>(decision: D): D {
  const { candidate: _, ...shown } = decision;
  return shown as D;
}
