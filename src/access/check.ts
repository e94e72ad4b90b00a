/**
 * Checks, in a straight line: find the item and its policy, gather the facts, decide, record, answer. Promise: a decision
 * that says `recorded: true` is on disk with what it used of a limit; one that cannot be recorded is not given.
 */
import { contentNotFound } from '../content/edits.ts';
import { Conflict, Unavailable } from '../db/db.ts';
import { Failure, unavailable } from '../errors.ts';
import type { Caller } from '../http/auth.ts';
import { parseMoment } from '../http/formats.ts';
import { type Idempotency, inUse } from '../http/idempotency.ts';
import { type Decision, type Draft, settle } from '../ledger/decision.ts';
import type { Claim, Entry, Ledger, Receipt, Recorded } from '../ledger/ledger.ts';
import { ALLOWED_MESSAGE, REASONS, reasonCode } from '../ledger/reason.ts';
import type { CompiledPolicy } from '../policies/compile.ts';
import { type ContentFacts, Facts } from '../policies/facts.ts';
import { decide, type Verdict } from './decide.ts';
import { explain } from './explain.ts';
import type { CheckRequest } from './schema.ts';
import type { KnownRequester, Snapshot } from './snapshot.ts';

export interface CheckDeps {
  snapshot: Snapshot;
  ledger: Ledger;
}

/** A check that is decided but for its limit and its place in the ledger. */
interface Decided {
  draft: Draft;
  entry: Entry;
  recorded: boolean;
}

/** The JSON text around the answers. */
interface Frame {
  before: string;
  after: string;
}

/** What is decided on: what is asked for, by what rules, and who asks. */
interface Subject {
  content: ContentFacts;
  policy: CompiledPolicy;
  requester: KnownRequester;
}

/** One check as JSON text. Throws content_not_found, Unavailable. */
export async function check(
  deps: CheckDeps,
  caller: Caller,
  request: CheckRequest,
  idempotency: Idempotency | null,
): Promise<string> {
  const { snapshot, ledger } = deps;
  const subject = remembered(snapshot, request) ?? (await load(snapshot, [request])).get(request);
  if (subject === undefined) throw contentNotFound(request.contentId);
  const decided = decideOne(subject, request, caller, ledger.now());
  if (decided.recorded && idempotency === null) {
    // What nearly every check is: `answer` for one, without its lists.
    const [place] = await record(ledger, [decided.entry]);
    return JSON.stringify(settle(decided.draft, place as Recorded));
  }
  return answer(ledger, [decided], { before: '', after: '' }, idempotency);
}

/** Many checks in order as a JSON list; one that fails is its `{error}`. Throws Unavailable: then none is recorded. */
export async function checkBatch(
  deps: CheckDeps,
  caller: Caller,
  requests: readonly (CheckRequest | Failure)[],
  idempotency: Idempotency | null,
): Promise<string> {
  const { snapshot, ledger } = deps;
  const unknown = requests.filter(
    (request): request is CheckRequest => !(request instanceof Failure) && remembered(snapshot, request) === undefined,
  );
  const loaded = unknown.length === 0 ? undefined : await load(snapshot, unknown);
  const at = ledger.now();
  const decided = requests.map((request) => {
    if (request instanceof Failure) return request;
    const subject = loaded?.get(request) ?? remembered(snapshot, request);
    return subject === undefined ? contentNotFound(request.contentId) : decideOne(subject, request, caller, at);
  });
  const frame = {
    before: '{"object":"list","data":[',
    after: `],"hasMore":false,"totalCount":${requests.length},"nextCursor":null}`,
  };
  return answer(ledger, decided, frame, idempotency);
}

const NOBODY: KnownRequester = { facts: null, licenses: [] };

/** Item and policy from memory, or undefined. */
function subjectOf(snapshot: Snapshot, ref: string): Omit<Subject, 'requester'> | undefined {
  const content = snapshot.content(ref);
  const policy = content && snapshot.policy(content.policyId);
  if (content === undefined || policy === undefined) return undefined;
  // Read when no rule asked for its metadata, and one does now.
  return policy.asksMetadata && content.metadata === null ? undefined : { content, policy };
}

/** All of it from memory, or undefined. */
function remembered(snapshot: Snapshot, { contentId, requesterId }: CheckRequest): Subject | undefined {
  const subject = subjectOf(snapshot, contentId);
  const requester = requesterId === undefined ? NOBODY : snapshot.requester(requesterId);
  return subject && requester && { content: subject.content, policy: subject.policy, requester };
}

/** What is not in memory is read; a request whose content does not exist is left out. */
async function load(snapshot: Snapshot, requests: readonly CheckRequest[]): Promise<Map<CheckRequest, Subject>> {
  const missing = requests.filter((request) => subjectOf(snapshot, request.contentId) === undefined);
  const contents = await snapshot.loadContent(missing.map((request) => request.contentId));
  const requesters = new Map<string, KnownRequester>();
  const subjects = new Map<CheckRequest, Subject>();
  for (const request of requests) {
    const { contentId, requesterId } = request;
    let content = contents.get(contentId) ?? snapshot.content(contentId);
    let policy = content && (snapshot.policy(content.policyId) ?? (await snapshot.loadPolicy(content.policyId)));
    if (content !== undefined && policy === undefined) {
      // Its policy went while it was given another one: read it as it is now.
      content = (await snapshot.loadContent([contentId])).get(contentId);
      policy = content && (await snapshot.loadPolicy(content.policyId));
    }
    if (content === undefined || policy === undefined) continue;
    let requester: KnownRequester | undefined = NOBODY;
    if (requesterId !== undefined) {
      requester = requesters.get(requesterId) ?? snapshot.requester(requesterId);
      requester ??= await snapshot.loadRequester(requesterId);
      requesters.set(requesterId, requester);
    }
    subjects.set(request, { content, policy, requester });
  }
  return subjects;
}

function decideOne(
  { content, policy, requester }: Subject,
  request: CheckRequest,
  caller: Caller,
  at: number,
): Decided {
  const facts = new Facts({
    at,
    content,
    requesterId: request.requesterId ?? null,
    requester: requester.facts,
    permission: request.permission ?? null,
    purpose: request.purpose ?? null,
    country: request.context?.country ?? null,
    ip: request.context?.ip ?? null,
    userAgent: request.context?.userAgent ?? null,
    licenses: request.license === undefined ? requester.licenses : [...requester.licenses, vouched(request.license)],
  });
  const verdict = decide(policy, facts);
  const recorded = request.dryRun !== true && !caller.readOnly;
  const licenseId = verdict.rule?.licenseOf?.(facts)?.id ?? null;
  const draft = toDraft(policy, facts, verdict, licenseId, recorded);
  if (request.explain === true) draft.decision.explanation = explain(policy, facts, verdict);
  return { draft, entry: toEntry(policy, facts, verdict, licenseId, request), recorded };
}

const vouched = (license: NonNullable<CheckRequest['license']>) => ({
  id: null,
  type: license.type,
  features: license.features ?? [],
  startsAt: null,
  expiresAt: license.expiresAt == null ? null : (parseMoment(license.expiresAt) ?? null),
  active: true,
  scope: null,
});

function toDraft(
  policy: CompiledPolicy,
  facts: Facts,
  { rule, reason, permissions }: Verdict,
  licenseId: string | null,
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
    licenseId,
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
      texts[one.index] = JSON.stringify(settle(one.decided.draft, places[i] as (typeof places)[number]));
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

/** Dry runs and public keys: the limit is asked, nothing is used. */
async function answerDry(ledger: Ledger, decided: readonly (Decided | Failure)[], texts: string[]): Promise<void> {
  const at = ledger.now();
  for (const [index, one] of decided.entries()) {
    if (one instanceof Failure || one.recorded) continue;
    const [granted = null] = one.entry.claim === null ? [] : await ledger.peek([one.entry.claim]);
    texts[index] = JSON.stringify(settle(one.draft, { id: null, at, granted }));
  }
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
