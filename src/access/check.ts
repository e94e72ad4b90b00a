/**
 * Checks, in a straight line: find the item and its policy, gather the facts, decide, record, answer. Promise: a decision
 * that says `recorded: true` is on disk with what it used of a limit; one that cannot be recorded is not given.
 */
import { contentNotFound } from '../content/edits.ts';
import { Conflict, type Db, Unavailable } from '../db/db.ts';
import { Failure, unavailable } from '../errors.ts';
import type { Caller } from '../http/auth.ts';
import { type Idempotency, inUse } from '../http/idempotency.ts';
import { type Decision, type Draft, type Granted, settle } from '../ledger/decision.ts';
import type { Claim, Entry, Ledger, PeekedClaim, Receipt, Recorded } from '../ledger/ledger.ts';
import { ALLOWED_MESSAGE, REASONS, reasonCode } from '../ledger/reason.ts';
import { stringifyOrdered } from '../lib/json.ts';
import type { CompiledPolicy } from '../policies/compile.ts';
import type { ContentFacts, Facts } from '../policies/facts.ts';
import { decide, type Verdict } from './decide.ts';
import { explain } from './explain.ts';
import { maxAgeOf } from './max-age.ts';
import { asOfMoment, subjectsOfPast } from './past.ts';
import { remediesFor } from './remedies.ts';
import type { CheckRequest } from './schema.ts';
import type { KnownRequester, Snapshot } from './snapshot.ts';
import { ANONYMOUS, factsOf, type Subject } from './subject.ts';

export interface CheckDeps {
  db: Db;
  snapshot: Snapshot;
  ledger: Ledger;
  /** The longest that an answer may be used again, in seconds. */
  maxAge: number;
}

/** A check that is decided but for its limit and its place in the ledger. */
interface Decided {
  draft: Draft;
  entry: Entry;
  recorded: boolean;
  /** The moment it is decided as of, when that is not now. */
  at?: number;
}

/** The JSON text around the answers. */
interface Frame {
  before: string;
  after: string;
}

/** One check as JSON text. Throws content_not_found, Unavailable. */
export async function check(
  deps: CheckDeps,
  caller: Caller,
  request: CheckRequest,
  idempotency: Idempotency | null,
): Promise<string> {
  if (idempotency === null) return stringifyOrdered(await checkOnce(deps, caller, request));
  const subject = remembered(deps.snapshot, request) ?? (await loadOne(deps, request));
  const decided = decideOne(deps, subject, request, caller, deps.ledger.now());
  return answer(deps.ledger, [decided], { before: '', after: '' }, idempotency);
}

/** One check whose answer nobody asked to be kept. Throws content_not_found, Unavailable. */
export async function checkOnce(deps: CheckDeps, caller: Caller, request: CheckRequest): Promise<Decision> {
  const { ledger } = deps;
  const subject = remembered(deps.snapshot, request) ?? (await loadOne(deps, request));
  const decided = decideOne(deps, subject, request, caller, ledger.now());
  if (!decided.recorded) return settleDry(ledger, decided, ledger.now());
  const [place] = await record(ledger, [decided.entry]);
  return settle(decided.draft, place as Recorded);
}

async function loadOne(deps: CheckDeps, request: CheckRequest): Promise<Subject> {
  const subject = (await load(deps, [request])).get(request);
  if (subject === undefined) throw contentNotFound(request.contentId);
  if (subject instanceof Failure) throw subject;
  return subject;
}

/** Many checks in order as a JSON list; one that fails is its `{error}`. Throws Unavailable: then none is recorded. */
export async function checkBatch(
  deps: CheckDeps,
  caller: Caller,
  requests: readonly (CheckRequest | Failure)[],
  idempotency: Idempotency | null,
): Promise<string> {
  const { ledger } = deps;
  // Taken out of memory once: an edit while the others are read may let go of it.
  const known = requests.map((request) => (request instanceof Failure ? request : remembered(deps.snapshot, request)));
  const unknown = requests.filter((_, i) => known[i] === undefined) as CheckRequest[];
  const loaded = unknown.length === 0 ? undefined : await load(deps, unknown);
  const at = ledger.now();
  const decided = requests.map((request, i) => {
    if (request instanceof Failure) return request;
    const subject = known[i] ?? loaded?.get(request);
    if (subject === undefined) return contentNotFound(request.contentId);
    return subject instanceof Failure ? subject : decideOne(deps, subject, request, caller, at);
  });
  const frame = {
    before: '{"object":"list","data":[',
    after: `],"hasMore":false,"totalCount":${requests.length},"nextCursor":null}`,
  };
  return answer(ledger, decided, frame, idempotency);
}

/** Item and policy from memory, or undefined. */
function subjectOf(snapshot: Snapshot, ref: string): Omit<Subject, 'requester'> | undefined {
  const content = snapshot.content(ref);
  const policy = content && snapshot.policy(content.policyId);
  if (content === undefined || policy === undefined) return undefined;
  // Read when no rule asked for its metadata, and one does now.
  return policy.asksMetadata && content.metadata === null ? undefined : { content, policy };
}

/** All of it from memory, or undefined. */
function remembered(snapshot: Snapshot, { contentId, requesterId, asOf }: CheckRequest): Subject | undefined {
  if (asOf !== undefined) return undefined;
  const subject = subjectOf(snapshot, contentId);
  const requester = requesterId === undefined ? ANONYMOUS : snapshot.requester(requesterId);
  return subject && requester && { content: subject.content, policy: subject.policy, requester };
}

/** What is not in memory is read; a request whose content does not exist is left out. */
async function load(
  { db, snapshot }: CheckDeps,
  requests: readonly CheckRequest[],
): Promise<Map<CheckRequest, Subject | Failure>> {
  const subjects = await subjectsOfPast(db, requests);
  const present = subjects.size === 0 ? requests : requests.filter((request) => !subjects.has(request));
  // As in checkBatch: what is in memory now need not be when the rest has been read.
  const known = new Map(present.map(({ contentId }) => [contentId, subjectOf(snapshot, contentId)]));
  const missing = [...known].flatMap(([ref, subject]) => (subject === undefined ? [ref] : []));
  const contents = missing.length === 0 ? new Map<string, ContentFacts>() : await snapshot.loadContent(missing);
  const requesters = new Map<string, KnownRequester>();
  for (const request of present) {
    const { contentId, requesterId } = request;
    const subject = known.get(contentId);
    let content = subject?.content ?? contents.get(contentId);
    let policy =
      subject?.policy ??
      (content && (snapshot.policy(content.policyId) ?? (await snapshot.loadPolicy(content.policyId))));
    if (content !== undefined && policy === undefined) {
      // Its policy went while it was given another one: read it as it is now.
      content = (await snapshot.loadContent([contentId])).get(contentId);
      policy = content && (await snapshot.loadPolicy(content.policyId));
    }
    if (content === undefined || policy === undefined) continue;
    let requester: KnownRequester | undefined = ANONYMOUS;
    if (requesterId !== undefined) {
      requester = requesters.get(requesterId) ?? snapshot.requester(requesterId);
      requester ??= await snapshot.loadRequester(requesterId);
      requesters.set(requesterId, requester);
    }
    subjects.set(request, { content, policy, requester });
  }
  return subjects;
}

function decideOne(deps: CheckDeps, subject: Subject, request: CheckRequest, caller: Caller, now: number): Decided {
  const asOf = asOfMoment(request);
  const recorded = request.dryRun !== true && !caller.readOnly;
  const { draft, facts, verdict } = draftOf(subject, request, asOf ?? now, recorded);
  const entry = toEntry(subject.policy, facts, verdict, draft.decision.licenseId, request);
  if (asOf === undefined) {
    const maxAge = request.dryRun === true ? 0 : maxAgeOf(subject.policy, facts, verdict, deps.maxAge);
    if (maxAge > 0) draft.decision.maxAge = maxAge;
    return { draft, entry, recorded };
  }
  // What was left of a limit at a moment of the past is not known.
  return { draft: { ...draft, limit: null }, entry: { ...entry, claim: null }, recorded: false, at: asOf };
}

/** A decision on these facts, without a place in the ledger and without a word of the rule's limit. */
export function draftOf(
  subject: Subject,
  request: CheckRequest,
  at: number,
  recorded: boolean,
): { draft: Draft; facts: Facts; verdict: Verdict } {
  const { policy } = subject;
  const facts = factsOf(subject, request.requesterId, request, at);
  const verdict = decide(policy, facts);
  const draft = toDraft(policy, facts, verdict, recorded);
  if (request.explain === true) {
    draft.decision.explanation = explain(policy, facts, verdict);
    draft.decision.remedies = remediesFor(policy, facts, verdict);
  }
  return { draft, facts, verdict };
}

function toDraft(
  policy: CompiledPolicy,
  facts: Facts,
  { rule, reason, permissions }: Verdict,
  recorded: boolean,
): Draft {
  const decision: Decision = {
    id: null,
    object: 'access_decision',
    allowed: reason === null,
    action: reason === null ? 'allow' : 'deny',
    reason,
    message: rule?.message ?? (reason === null ? ALLOWED_MESSAGE : REASONS[reason].message),
    permissions,
    contentId: facts.content.id,
    externalId: facts.content.externalId,
    requesterId: facts.requesterId,
    policyId: policy.id,
    policyVersion: policy.version,
    matchedRule: rule === null ? null : { index: rule.index, priority: rule.priority },
    licenseId: rule?.licenseOf?.(facts)?.id ?? null,
    rateLimit: null,
    recorded,
    created: '',
  };
  return { decision, limit: reason === null ? (rule?.limit ?? null) : null, message: rule?.message ?? null };
}

function toEntry(
  policy: CompiledPolicy,
  facts: Facts,
  { rule, reason }: Verdict,
  licenseId: string | null,
  request: CheckRequest,
): Entry {
  return {
    contentNo: facts.content.no,
    requesterId: facts.requesterId,
    policyNo: policy.no,
    policyVersion: policy.version,
    reason: reasonCode(reason),
    ruleIndex: rule?.index ?? null,
    rulePriority: rule?.priority ?? null,
    licenseId,
    inputs: inputsOf(request),
    claim: reason === null && rule !== null && rule.limit !== null ? claimOf(rule.limit, facts) : null,
  };
}

/** What cannot be found again through the ids: kept with the decision, so that it can be made again. */
function inputsOf({ permission, purpose, context, license }: CheckRequest): string | null {
  if (permission === undefined && purpose === undefined && context === undefined && license === undefined) return null;
  return JSON.stringify({ permission, purpose, context, license });
}

function claimOf(limit: NonNullable<NonNullable<Verdict['rule']>['limit']>, facts: Facts): Claim {
  let whose = 'g';
  if (limit.scope === 'content') whose = `c${facts.content.no}`;
  // Anonymous checks share one allowance; no requester's id can be taken for it.
  else if (limit.scope === 'requester') whose = facts.requesterId === null ? 'a' : `r${facts.requesterId}`;
  return { key: `${limit.id}.${whose}`, limit };
}

async function answer(
  ledger: Ledger,
  decided: readonly (Decided | Failure)[],
  frame: Frame,
  idempotency: Idempotency | null,
): Promise<string> {
  const texts = decided.map((one) => (one instanceof Failure ? JSON.stringify({ error: one.toError() }) : ''));
  await answerDry(ledger, decided, texts);
  const kept: { index: number; decided: Decided }[] = [];
  for (const [index, one] of decided.entries()) {
    if (!(one instanceof Failure) && one.recorded) kept.push({ index, decided: one });
  }
  if (kept.length > 0) {
    const receipt = idempotency === null ? undefined : toReceipt(idempotency, frame, texts, kept);
    const entries = kept.map((one) => one.decided.entry);
    const places = await record(ledger, entries, receipt);
    if (idempotency !== null) idempotency.stored = true;
    for (const [i, one] of kept.entries()) {
      texts[one.index] = stringifyOrdered(settle(one.decided.draft, places[i] as (typeof places)[number]));
    }
  }
  return frame.before + texts.join(',') + frame.after;
}

/** A check that cannot be recorded is not given, whatever it is that stands in the way. */
async function record(ledger: Ledger, entries: readonly Entry[], receipt?: Receipt): Promise<Recorded[]> {
  try {
    return await ledger.record(entries, receipt);
  } catch (error) {
    if (error instanceof Conflict) throw inUse();
    if (error instanceof Unavailable) {
      throw unavailable('The decision cannot be recorded at the moment, so it is not given; try again.', error);
    }
    throw error;
  }
}

/** Dry runs and public keys: the limit is asked as it is at their place among the others, and nothing is used. */
async function answerDry(ledger: Ledger, decided: readonly (Decided | Failure)[], texts: string[]): Promise<void> {
  if (decided.every((one) => one instanceof Failure || one.recorded)) return;
  const claims: PeekedClaim[] = [];
  for (const one of decided) {
    if (!(one instanceof Failure) && one.entry.claim !== null) claims.push({ ...one.entry.claim, uses: one.recorded });
  }
  const granted = (claims.length === 0 ? [] : await ledger.peek(claims)).values();
  const now = ledger.now();
  for (const [index, one] of decided.entries()) {
    if (one instanceof Failure) continue;
    const answered = one.entry.claim === null ? null : (granted.next().value as Granted);
    if (!one.recorded)
      texts[index] = stringifyOrdered(settle(one.draft, { id: null, at: one.at ?? now, granted: answered }));
  }
}

async function settleDry(ledger: Ledger, { draft, entry, at }: Decided, now: number): Promise<Decision> {
  const [granted = null] = entry.claim === null ? [] : await ledger.peek([entry.claim]);
  return settle(draft, { id: null, at: at ?? now, granted });
}

/** The answer with a draft in the place of each decision that is still to be recorded. */
function toReceipt(
  { scope, bodyHash }: Idempotency,
  frame: Frame,
  texts: readonly string[],
  kept: readonly { index: number; decided: Decided }[],
): Receipt {
  const entryAt = new Map(kept.map((one, entry) => [one.index, { ...one.decided.draft, entry }]));
  const parts: Receipt['parts'][number][] = [frame.before];
  for (const [index, text] of texts.entries()) {
    if (index > 0) parts.push(',');
    parts.push(entryAt.get(index) ?? text);
  }
  return { scope, bodyHash, status: 200, parts: [...parts, frame.after] };
}
