/**
 * Decides one check: makes the draft of its answer and the entry for the ledger. Only the answer of its limit and its
 * position in the ledger are missing.
 */

import type { Caller } from '../../api/permissions.ts';
import { URL_MAX } from '../../content/address.ts';
import { UndecidedUrl } from '../../content/undecided.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import { canonicalPath, USUAL_URLS } from '../../lib/urls/spellings.ts';
import { toTarget } from '../../lib/urls/url-pattern.ts';
import { standsBeside } from '../../requesters/licenses/free.ts';
import { areAlike, decidingSpelling } from '../../rules/alike.ts';
import { toClaim } from '../../rules/claim.ts';
import type { CompiledRule } from '../../rules/compile.ts';
import { decide, type Evaluation, toMatchedRule, type Verdict } from '../../rules/decide.ts';
import type { Facts, LicenseFacts } from '../../rules/facts.ts';
import { ALLOWED_MESSAGE, REASONS, reasonCode } from '../../rules/reason.ts';
import type { QuotaSpan } from '../../rules/terms/quota.ts';
import type { Explainer } from '../explain/explain.ts';
import { wantedLicense } from '../explain/remedies.ts';
import { verifiedCode } from '../ledger/codes.ts';
import type { Decision, Draft, PageSignals } from '../ledger/decision.ts';
import { toInputs } from '../ledger/inputs.ts';
import type { Entry } from '../ledger/ledger.ts';
import { contentKey, type QuotaClaim, type QuotaOffer } from '../ledger/quota/quota.ts';
import { digestUrl } from '../ledger/quota/store.ts';
import type { Precision } from '../precision.ts';
import type { PlacedSubject, Subject } from '../snapshot/subject.ts';
import type { Ask } from './ask.ts';
import { decideByCandidate } from './candidate.ts';
import { toFacts } from './facts.ts';

/** Returns the signals of the page at a URL, for the answer with a decision. */
export type SignalsOf = (page: string, decision: Decision) => PageSignals;

/** The terms on which a list of checks is decided. */
export interface DecideTerms {
  caller: Caller;
  /** null: none of the checks wants an explanation. */
  explainer: Explainer | null;
  /** Absent: none of the checks has a page. */
  signalsOf?: SignalsOf | undefined;
  /** Epoch ms. */
  now: number;
  /** The longest that an answer may be used again, in seconds. */
  maxAge: number;
  /** Limits what is written of the inputs; the decision sees all of them. */
  precision: Precision;
}

export interface Decided {
  draft: Draft;
  entry: Entry;
  recorded: boolean;
  /** The time it is decided as of, epoch ms; absent for now. */
  at?: number;
}

export function decideAsk(
  subject: Subject,
  ask: Ask,
  { caller, explainer, signalsOf, now, maxAge, precision }: DecideTerms,
): Decided {
  const { asOf } = ask;
  const recorded = ask.dryRun !== true && !caller.readOnly;
  const evaluation = evaluate(subject, ask, asOf ?? now);
  const draft = toDraft(evaluation, explainerFor(ask, explainer), recorded);
  if (ask.claimed !== undefined) Object.assign(draft.decision, { spoofed: true, claimed: ask.claimed });
  if (caller.mode === 'test') draft.decision.mode = 'test';
  const { candidate: beside } = evaluation.policy;
  const candidate = beside === null || !recorded ? null : decideByCandidate(beside, evaluation, subject, ask);
  const entry = toEntry(evaluation, draft, toInputs(ask, precision), candidate);
  if (asOf === undefined) {
    const reusable = ask.dryRun === true ? 0 : toMaxAge(evaluation, maxAge);
    if (reusable > 0) draft.decision.maxAge = reusable;
    if (ask.page !== undefined && signalsOf !== undefined) draft.decision.signals = signalsOf(ask.page, draft.decision);
    return { draft, entry, recorded };
  }
  // Past states of limits and quotas are not kept.
  return { draft: { ...draft, limit: null }, entry: { ...entry, claim: null, quota: null }, recorded: false, at: asOf };
}

export function explainerFor({ explain, asOf }: Ask, explainer: Explainer | null): Explaining {
  if (explain !== true || explainer === null) return null;
  return asOf === undefined ? explainer : explainer.ofPast;
}

type Explaining = Pick<Explainer, 'explain'> | null;

export function evaluate(subject: Subject, ask: Ask, at: number): Evaluation {
  const { policy } = subject;
  const facts = toFacts(subject, ask.requesterId, ask, at);
  return { policy, facts, verdict: decide(policy, facts) };
}

/**
 * Returns the subject that a check is decided on. A URL that servers may read in several ways is decided under each
 * reading. Promise: where the readings do not all allow the same, nothing is allowed; where they do, it is one decision
 * with one use of its limit. A URL that the caller's router reads more loosely than the host says is decided by looser
 * rules, too. Promise: what is denied by either of them is denied, as that decision.
 */
export function decidingReading(subject: Subject, ask: Ask, at: number): Subject | UndecidedUrl {
  const { others, missing, requester, spelled } = subject;
  if (others === undefined) return subject;
  const first = evaluate(subject, ask, at);
  const rest = others.map((other) => evaluate({ ...other, requester }, ask, at));
  if (spelled === true) {
    const deciding = decidingSpelling([first, ...rest]);
    if (deciding !== undefined) return withFirst(subject, others, deciding);
    return new UndecidedUrl(ask.locator as Locator, 'ambiguous_content');
  }
  return areAlike(first, rest, missing === true)
    ? subject
    : new UndecidedUrl(ask.locator as Locator, 'ambiguous_readings');
}

/** Puts the subject that decides first. */
function withFirst(subject: Subject, others: readonly PlacedSubject[], i: number): Subject {
  if (i === 0) return subject;
  const { requester, missing, spelled, others: _, ...first } = subject;
  const deciding = others[i - 1] as PlacedSubject;
  return { ...deciding, requester, missing, spelled, others: [first, ...others.filter((one) => one !== deciding)] };
}

const NO_ITEM = { id: null, externalId: null };
function findLicenseId({ rule, reason }: Verdict, facts: Facts): string | null {
  const id = rule?.licenseOf?.(facts)?.id ?? null;
  return id === null && reason === null && facts.verified === 'license' ? findFree(facts) : id;
}

/** Returns the free license of the check's token: no rule asks for it, and the log is to know it. */
function findFree({ licenses: [license, ...others] }: Facts): string | null {
  return license !== undefined && others.length === 0 && standsBeside(license) ? license.id : null;
}

/** A draft that is still being filled. */
type OpenDraft = Draft & { decision: Decision; limit: CompiledRule['limit'] };

/** Makes the decision without its id, its time and its rate limit; with an explainer, with its explanation. */
export function toDraft(evaluation: Evaluation, explainer: Explaining, recorded: boolean): OpenDraft {
  const { policy, facts, verdict } = evaluation;
  const { rule, reason } = verdict;
  const allowed = reason === null;
  const { id: contentId, externalId } = facts.content ?? NO_ITEM;
  const decision: Decision = {
    id: null,
    object: 'access_decision',
    allowed,
    action: allowed ? 'allow' : 'deny',
    reason,
    message: rule?.message ?? (reason === null ? ALLOWED_MESSAGE : REASONS[reason].message),
    permissions: verdict.permissions,
    contentId,
    externalId,
    url: toRecordedUrl(evaluation),
    collectionId: facts.place.collectionId,
    requesterId: facts.requesterId,
    crawler: facts.crawler?.name ?? null,
    verified: facts.verified,
    policyId: policy.id,
    policyVersion: policy.version,
    matchedRule: toMatchedRule(rule),
    licenseId: findLicenseId(verdict, facts),
    rateLimit: null,
    quota: null,
    enforced: !facts.place.observed,
    recorded,
    created: '',
  };
  if (explainer !== null) Object.assign(decision, explainer.explain(evaluation));
  if (rule === null) return { decision, limit: null, message: null };
  return { decision, limit: allowed ? rule.limit : null, message: rule.message };
}

/**
 * Returns the URL that was asked for as it is recorded. Its query is the visitor's own word: it is recorded only where
 * a pattern names one, of the collection or of a rule, and there it is enough to decide again.
 */
function toRecordedUrl({ policy, facts }: Evaluation): string | null {
  const { page } = facts;
  const target = page && facts.target;
  if (page === null || target === null) return null;
  const { asked } = page;
  // In one piece, which JSON.stringify writes faster.
  const url =
    asked === undefined ? [page.locator.host, target.path].join('') : [asked.host, toTarget(asked).path].join('');
  if (target.query === '' || target.query.length > URL_MAX) return url;
  return page.namesQuery || policy.namesQuery(target) ? [url, target.query].join('?') : url;
}

function toEntry(evaluation: Evaluation, draft: OpenDraft, inputs: string | null, candidate: string | null): Entry {
  const { decision, limit } = draft;
  const { policy, facts, verdict } = evaluation;
  const { rule, reason } = verdict;
  const file = decision.url === null ? null : toFileUrl(decision, facts);
  return {
    contentNo: facts.content?.no ?? 0,
    url: decision.url,
    file: file === decision.url ? null : file,
    collectionId: decision.collectionId,
    requesterId: facts.requesterId,
    policyNo: policy.no,
    policyVersion: policy.version,
    reason: reasonCode(reason),
    ruleIndex: rule?.index ?? null,
    rulePriority: rule?.priority ?? null,
    licenseId: decision.licenseId,
    permission: facts.permission,
    purpose: facts.purpose,
    inputs,
    crawler: decision.crawler,
    verified: verifiedCode(decision.verified),
    claimed: decision.claimed ?? null,
    wanted: decision.allowed ? null : wantedLicense(evaluation, decision.recorded),
    enforced: Number(decision.enforced),
    candidate,
    claim: limit === null ? null : toClaim(limit, file, facts),
    quota: toQuotaClaim(evaluation, decision),
  };
}

const toQuota = ({ licenseOf }: NonNullable<Verdict['rule']>, facts: Facts): QuotaSpan | null =>
  licenseOf?.(facts)?.quotas?.at(facts.at, facts.purpose) ?? null;

/** Returns null unless the check is allowed by a license that has a quota for it. */
export function toQuotaClaim({ facts, verdict }: Evaluation, decision: Decision): QuotaClaim | null {
  const { rule, reason } = verdict;
  if (reason !== null || rule === null || rule.licensesOf === null || toQuota(rule, facts) === null) return null;
  const offers = toOffers(rule.licensesOf(facts), facts);
  const isDistinct = offers.some(({ quota }) => quota?.unit === 'distinct_content');
  const key = isDistinct ? contentKey(facts.content?.no ?? 0, () => digestUrl(toFileUrl(decision, facts) ?? '')) : null;
  return { offers, content: key, spends: decision.enforced };
}

function toOffers(licenses: readonly LicenseFacts[], { at, purpose }: Facts): QuotaOffer[] {
  const offers: QuotaOffer[] = [];
  for (const { id: licenseId, quotas } of licenses) {
    const quota = quotas?.at(at, purpose) ?? null;
    offers.push({ licenseId, quota });
    // It serves in any case.
    if (quota === null || !quota.denies) break;
  }
  return offers;
}

/** Returns the URL of a page's file: its spellings share an allowance, and are one unit. null: there is an item. */
function toFileUrl({ url }: Decision, { content, page, target, place }: Facts): string | null {
  if (content !== null || page === null || target === null || url === null) return null;
  const query = url.indexOf('?');
  const path = canonicalPath(target.path, place.urls ?? USUAL_URLS);
  return page.locator.host + path + (query === -1 ? '' : url.slice(query));
}

/**
 * Returns for how many whole seconds, up to `longest`, the answer may be used again; 0 for not at all. Within that
 * time the same check has the same outcome unless something is edited: no limit, quota, time of day, or start or end
 * of a license is in it. Reused answers are not counted, so operators must opt in.
 */
export function toMaxAge({ policy, facts, verdict: { rule, reason } }: Evaluation, longest: number): number {
  const isLimited = reason === null && rule !== null && (rule.limit !== null || toQuota(rule, facts) !== null);
  if (longest === 0 || isLimited || policy.asksTime) return 0;
  let until = facts.at + longest * 1000;
  for (const { startsAt, expiresAt } of facts.licenses) {
    for (const time of [startsAt, expiresAt]) {
      if (time !== null && time > facts.at && time < until) until = time;
    }
  }
  return Math.floor((until - facts.at) / 1000);
}
