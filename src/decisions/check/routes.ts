/** Answers "May this requester have this item?": one check, or a batch. */

import { Failure } from '../../api/errors.ts';
import type { App } from '../../api/http/app.ts';
import { requireKeepable } from '../../api/http/idempotency.ts';
import { asJson } from '../../api/http/reply.ts';
import { route } from '../../api/http/route.ts';
import { onlyOf } from '../../api/http/validate.ts';
import type { Caller } from '../../api/permissions.ts';
import type { Idempotency } from '../../db/receipt.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { openExplainer } from '../explain/explain.ts';
import type { Decision, Draft } from '../ledger/decision.ts';
import type { Grounds, LedgerReceipt } from '../ledger/ledger.ts';
import { limitFields } from '../ledger/limit-fields.ts';
import { type PublicIds, withPublicId } from '../ledger/public-ids.ts';
import { type Ask, accept, acceptOne } from './ask.ts';
import { decideFresh, KeptDecisions } from './attempts.ts';
import { type CheckAttempt, type CheckDeps, check, checkAll } from './check.ts';
import type { SignalsOf } from './draft.ts';
import { BatchAnswer, BatchRequest, CheckRequest, DecisionAnswer } from './schema.ts';
import { type WhoDeps, withVisitors } from './who.ts';

const checking = { tag: 'Access', permission: 'access:check' } as const;

export type AccessRouteDeps = CheckDeps &
  WhoDeps & {
    ids: PublicIds;
    /** Never throws: an answer without signals is better than none. */
    openSignalsOf(): SignalsOf | Promise<SignalsOf>;
  };

export function accessRoutes(app: App, deps: AccessRouteDeps): void {
  const one = {
    ...checking,
    id: 'checkAccess',
    is: 'Ask for a decision',
    body: CheckRequest,
    answer: DecisionAnswer,
    repeat: (asked: unknown, kept: string) => repeatOne(deps.ids, asked, kept),
  };
  route(app, 'POST /v1/access/check', one, (request, reply) =>
    decideFresh(request, (grounds) => decideOne(deps, request, grounds)).then((decision) => {
      if (decision.rateLimit !== null || decision.quota !== null) reply.headers(limitFields(decision));
      return asJson(reply, JSON.stringify(decision));
    }),
  );

  const batch = {
    ...checking,
    bulk: true,
    id: 'checkAccessBatch',
    is: 'Ask for up to 1,000 decisions',
    body: BatchRequest,
    answer: BatchAnswer,
    repeat: (asked: unknown, kept: string) => repeatBatch(deps.ids, asked, kept),
  } as const;
  route(app, 'POST /v1/access/check/batch', batch, async (request, reply) => {
    const frame = toListFrame(request.body.checks.length);
    const kept = new KeptDecisions();
    const answers = await decideFresh(request, (grounds) => decideBatch(deps, request, { grounds, frame, kept }));
    const texts = await mapInSlices(splitAnswers(answers), toTexts);
    return asJson(reply, inFrame(frame, texts));
  });
}

interface OneRequested {
  body: CheckRequest;
  caller: Caller;
  idempotency: Idempotency | null;
}

/** Makes one attempt to decide a check. Throws Stale and what `check` throws. */
function decideOne(deps: AccessRouteDeps, { body, caller, idempotency }: OneRequested, grounds: Grounds) {
  const ask = accept({ caller, now: deps.ledger.now, dry: false }, body);
  const decide = async (found: Ask): Promise<Decision> => {
    const explainer = found.explain === true ? openExplainer(caller, 'explain', deps, await deps.offers.read()) : null;
    const signalsOf = found.page !== undefined ? await deps.openSignalsOf() : undefined;
    const decision = await keeping(idempotency, ONE, (toReceipt) =>
      check(deps, found, { caller, grounds, explainer, signalsOf, toReceipt }),
    );
    return isForVisitor(found) ? withPublicId(deps.ids, decision) : decision;
  };
  if (ask.sent !== undefined) return withVisitors(deps, [ask]).then(onlyOf).then(decide);
  // A check that wants no more than its decision has no promise to spare.
  const wantsMore = idempotency !== null || ask.explain === true || ask.page !== undefined;
  return wantsMore ? decide(ask) : check(deps, ask, { caller, grounds, explainer: null });
}

interface BatchRequested {
  body: { checks: readonly unknown[] };
  caller: Caller;
  idempotency: Idempotency | null;
}

interface BatchTerms {
  grounds: Grounds;
  frame: Frame;
  kept: KeptDecisions;
}

/** Makes one attempt to decide a batch. Throws Stale and what `checkAll` throws. */
async function decideBatch(
  deps: AccessRouteDeps,
  { body, caller, idempotency }: BatchRequested,
  { grounds, frame, kept }: BatchTerms,
): Promise<(Decision | Failure)[]> {
  const terms = { caller, now: deps.ledger.now, dry: false };
  const accepted = await mapInSlices(body.checks, (entry) => acceptOne(terms, entry));
  const asks = await withVisitors(deps, accepted);
  const has = (test: (ask: Ask) => boolean): boolean => asks.some((ask) => !(ask instanceof Failure) && test(ask));
  const offers = has(({ explain }) => explain === true) ? await deps.offers.read() : null;
  const explainer = offers === null ? null : openExplainer(caller, 'checks', deps, offers);
  const signalsOf = has(({ page }) => page !== undefined) ? await deps.openSignalsOf() : undefined;
  const answers = await keeping(idempotency, frame, (toReceipt) =>
    checkAll(deps, asks, { caller, grounds, explainer, signalsOf, toReceipt, kept: kept.under({ caller, offers }) }),
  );
  if (signalsOf === undefined) return answers;
  return mapInSlices(answers, (answer, i) =>
    'object' in answer && isForVisitor(asks[i] as Ask) ? withPublicId(deps.ids, answer) : answer,
  );
}

/** A guard shows the visitor of a page the id. */
const isForVisitor = ({ page }: Pick<Ask, 'page'>): boolean => page !== undefined;

/** The ledger keeps answers, and has no public ids: a repetition gets them here, as the first answer did. */
function repeatOne(ids: PublicIds, asked: unknown, kept: string): string {
  return isForVisitor(asked as CheckRequest) ? JSON.stringify(withPublicId(ids, JSON.parse(kept))) : kept;
}

function repeatBatch(ids: PublicIds, asked: unknown, kept: string): string {
  const { checks } = asked as { checks: readonly (Partial<CheckRequest> | null)[] };
  const isShown = checks.map((sent) => sent?.page !== undefined);
  if (!isShown.includes(true)) return kept;
  const list = JSON.parse(kept) as { data: (Decision | { error: object })[] };
  const data = list.data.map((one, i) => (isShown[i] && 'object' in one ? withPublicId(ids, one) : one));
  return JSON.stringify({ ...list, data });
}

type Answer = Decision | Failure;

/** Answers written at once: one call for each of them takes half as long again. */
const TOGETHER = 20;

const splitAnswers = (answers: readonly Answer[]): Answer[][] =>
  Array.from({ length: Math.ceil(answers.length / TOGETHER) }, (_, i) =>
    answers.slice(i * TOGETHER, (i + 1) * TOGETHER),
  );

/** Written once: each joined text would be another copy of the whole answer, and the server joins it to the head. */
function inFrame({ before, after }: Frame, texts: readonly string[]): Buffer {
  const pieces = [before, ...texts.flatMap((text, i) => (i === 0 ? text : [',', text])), after];
  const bytes = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0));
  let end = 0;
  for (const piece of pieces) end += bytes.write(piece, end);
  return bytes;
}

/** Returns the texts of a list's entries, with commas between them. */
const toTexts = (answers: readonly Answer[]): string => JSON.stringify(answers.map(toShown)).slice(1, -1);

const toText = (answer: Answer): string => JSON.stringify(toShown(answer));

const toShown = (answer: Answer) => ('object' in answer ? answer : { error: answer.toError() });

/** The JSON text around the answers. */
interface Frame {
  before: string;
  after: string;
}

const ONE: Frame = { before: '', after: '' };

const toListFrame = (count: number): Frame => ({
  before: '{"object":"list","data":[',
  after: `],"hasMore":false,"totalCount":${count},"nextCursor":null}`,
});

/**
 * Hands `work` what makes the receipt for the request's `Idempotency-Key`, if it has one, and marks the answer as
 * kept.
 */
function keeping<T>(
  idempotency: Idempotency | null,
  frame: Frame,
  work: (toReceipt: CheckAttempt['toReceipt']) => Promise<T>,
): Promise<T> {
  return idempotency === null ? work(undefined) : keepAnswer(idempotency, frame, work);
}

async function keepAnswer<T>(
  idempotency: Idempotency,
  frame: Frame,
  work: (toReceipt: CheckAttempt['toReceipt']) => Promise<T>,
): Promise<T> {
  let isRecorded = false;
  const answer = await work((answers) => {
    isRecorded = true;
    return makeReceipt(idempotency, frame, answers);
  });
  idempotency.stored = isRecorded;
  return answer;
}

/**
 * Returns the answer with drafts in place of the decisions to be recorded. Throws invalid_request when it is too long.
 */
async function makeReceipt(
  { scope, bodyHash }: Idempotency,
  frame: Frame,
  answers: readonly (Decision | Draft | Failure)[],
): Promise<LedgerReceipt> {
  let entry = 0;
  const shown = await mapInSlices(
    answers,
    (answer): Part => ('decision' in answer ? { ...answer, entry: entry++ } : toText(answer)),
  );
  const parts = [frame.before, ...shown.flatMap((part, i) => (i === 0 ? [part] : [',', part])), frame.after];
  // One decision without an explanation is short: measuring it would cost every check.
  const [only] = answers.length === 1 ? answers : [];
  const isShort = only !== undefined && 'decision' in only && only.decision.explanation == null;
  if (!isShort) requireKeepable((await mapInSlices(parts, measure)).reduce((sum, bytes) => sum + bytes, 0));
  return { scope, bodyHash, status: 200, parts };
}

type Part = LedgerReceipt['parts'][number];

/** The id, the time, the limit and the quota that the ledger adds to a draft. */
const SETTLED_BYTES = 700;

const measure = (part: Part): number =>
  typeof part === 'string' ? Buffer.byteLength(part) : Buffer.byteLength(JSON.stringify(part.decision)) + SETTLED_BYTES;
