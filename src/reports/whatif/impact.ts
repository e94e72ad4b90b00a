/**
 * The impact preview, pure: recorded decisions are decided again by other rules. Nothing is guessed. A decision is
 * compared only if what its check knew is known. To be sure of that, it is first decided again by the version that
 * decided it; a different outcome counts as unknown. Limits and quotas are not replayed: see `ImpactCounter.compare`.
 */

import { toPage } from '../../content/address.ts';
import { type Inputs, toFacts } from '../../decisions/check/facts.ts';
import { keptProgram } from '../../decisions/history/columns/decision-row.ts';
import type { CountedWho } from '../../decisions/history/columns/who.ts';
import type { RecordedDecision } from '../../decisions/history/past.ts';
import { ANONYMOUS, type KnownRequester, type Subject } from '../../decisions/snapshot/subject.ts';
import { Lru } from '../../lib/cache/lru.ts';
import { type Locator, parseVisited } from '../../lib/urls/locator.ts';
import type { UrlRules } from '../../lib/urls/spellings.ts';
import { type Past, type PastRequester, requesterAt } from '../../requesters/licenses/history.ts';
import { verdictOfAll } from '../../rules/alike.ts';
import { type CompiledPolicy, compile } from '../../rules/compile.ts';
import { BROWSERS, NO_USER_AGENT } from '../../rules/crawlers/program.ts';
import { decide, type Evaluation, type Verdict } from '../../rules/decide.ts';
import type { ContentFacts, VisitedPage } from '../../rules/facts.ts';
import { DEFAULT_GRANT, type PolicyVersion } from '../../rules/policy.ts';
import { decodeReason, type Reason } from '../../rules/reason.ts';
import { asksReduced, type ReducedInputs } from './reduced.ts';
import { type Cause, ImpactCounter, type ImpactTally, isByLimit } from './tally.ts';

/** An item as it is now. */
export interface PresentItem {
  facts: ContentFacts;
  title: string;
  /** Time of the newest edit, epoch ms; null if there was none. */
  editedAt: number | null;
}

export interface ReplayOptions {
  /** The rules to decide by. */
  draft: PolicyVersion;
  ledgerNo: number;
  examples: number;
}

/** The records that a decision names, as far as they exist. */
export interface Known {
  /** undefined: deleted, or there was none. */
  item: PresentItem | undefined;
  /** undefined for anonymous checks. */
  requester: PastStates | undefined;
  version: RecordedVersion | undefined;
  /** The rules of its host that said which URLs are one file; absent: the usual ones. */
  urls?: UrlRules | undefined;
  /** The records that its URL led to where servers may read it in several ways; absent: it has one reading. */
  readings?: PastReadings | Cause;
}

/** The page of the reading that decided, and what the other readings led to. */
export interface PastReadings {
  first: VisitedPage;
  others: readonly (Pick<Subject, 'content' | 'page'> & {
    /** null: the policy whose decisions are decided again. */
    version: RecordedVersion | null;
  })[];
  /** A reading found nothing. */
  missing: boolean;
}

/** Compiled rules, and whether they look at the item, or only at its address. */
export interface RecordedVersion {
  policy: CompiledPolicy;
  asksItem: boolean;
  /** The keys of its conditions. */
  keys: ReadonlySet<string>;
}

const ITEM_KEYS = ['contentType', 'contentTags', 'contentMetadata'].flatMap((key) => [key, `${key}Not`]);

export const recordedVersion = (version: PolicyVersion): RecordedVersion => recordedPolicy(compile(version));

export function recordedPolicy(policy: CompiledPolicy): RecordedVersion {
  const keys = new Set(policy.rules.flatMap(({ conditions }) => Object.keys(conditions)));
  return { policy, asksItem: ITEM_KEYS.some((key) => keys.has(key)), keys };
}

/** A requester at any time; states are computed once. */
export class PastStates {
  readonly #past: Past;
  /** When the state may have changed, ascending. */
  readonly #times: readonly number[];
  /** By the number of times that have passed. */
  readonly #states: ({ state: PastRequester | undefined } | undefined)[] = [];

  constructor(past: Past) {
    this.#past = past;
    const times = past.versions.map(({ at }) => at);
    this.#times = [...times, past.createdAt ?? 0].toSorted((a, b) => a - b);
  }

  at(at: number): PastRequester | undefined {
    const passed = this.#times.findLastIndex((time) => time <= at) + 1;
    const known = (this.#states[passed] ??= { state: requesterAt(this.#past, at) });
    return known.state;
  }
}

const NO_INPUTS: Inputs = {};
const INPUTS_MAX = 50_000;

/** The draft's verdict, with the permissions that the decision granted; or why they cannot be known. */
type Outcome = { after: Verdict; granted: readonly string[] } | Cause;

interface Comparable {
  version: RecordedVersion;
  /** The item was edited since. */
  edited: boolean;
  subject: Parameters<typeof toFacts>[0];
  /** Absent: the URL has one reading. */
  others?: PastReadings['others'];
  missing?: boolean;
}

/** Decides a check by a policy, under each reading of its URL. */
function decideAll(
  policy: CompiledPolicy,
  { subject, others, missing }: Comparable,
  { requesterId, at }: RecordedDecision,
  inputs: Inputs,
): Verdict {
  const evaluateBy = (by: CompiledPolicy, one: Comparable['subject']): Evaluation => {
    const facts = toFacts(one, requesterId, inputs, at);
    return { policy: by, facts, verdict: decide(by, facts) };
  };
  const first = evaluateBy(policy, subject);
  if (others === undefined) return first.verdict;
  const { requester } = subject;
  const rest = others.map(({ version, ...other }) => evaluateBy(version?.policy ?? policy, { ...other, requester }));
  return verdictOfAll(first, rest, missing === true);
}

/** Add decisions newest first: the examples are the first of each kind. */
export class Replay {
  readonly #draft: RecordedVersion & { version: number };
  readonly #counter: ImpactCounter;
  readonly #inputs = new Lru<string, Inputs>(INPUTS_MAX);

  constructor({ draft, ledgerNo, examples }: ReplayOptions) {
    this.#draft = { ...recordedVersion(draft), version: draft.version };
    this.#counter = new ImpactCounter(ledgerNo, examples);
  }

  tally(): ImpactTally {
    return this.#counter.tally();
  }

  /** Decides one more again and counts it, unless its item was deleted. */
  add(decision: RecordedDecision, known: Known): void {
    const { item } = known;
    const isDeleted = item === undefined && decision.contentNo !== 0;
    if (isDeleted) return;
    const { counts } = this.#counter;
    counts.decisions++;
    const before = decodeReason(decision.reason);
    // Decided before any rule was evaluated, and so by any rules.
    if (before === 'content_archived' || before === 'requester_suspended') {
      counts.unchanged++;
      return;
    }
    const outcome = this.#decideAgain(decision, before, known);
    if (typeof outcome === 'string') this.#counter.addUnknown(outcome);
    else {
      const visitor = () => this.#findVisitor(decision);
      this.#counter.compare({ decision, visitor, before, contentId: item?.facts.id ?? null, ...outcome });
    }
  }

  /** Finds the visitor as `WHO` of the columns does. */
  #findVisitor(decision: RecordedDecision): CountedWho {
    const { requesterId, crawler, claimed, verified } = decision;
    if (requesterId !== null) return { kind: 'requester', id: requesterId };
    if (crawler !== null) {
      const proof = claimed === null ? (verified ? 'verified' : 'none') : 'spoofed';
      return { kind: 'crawler', id: crawler, proof };
    }
    const program = keptProgram(this.#parse(decision));
    if (program === undefined) return { kind: 'unknown', id: null };
    if (program === BROWSERS) return { kind: 'browsers', id: null };
    return program === NO_USER_AGENT ? { kind: 'no_user_agent', id: null } : { kind: 'program', id: program };
  }

  #decideAgain(decision: RecordedDecision, before: Reason | null, known: Known): Outcome {
    const { at, requesterId } = decision;
    const { version, item } = known;
    const requester = requesterId === null ? ANONYMOUS : known.requester?.at(at);
    if (requester === undefined) return 'requester_history';
    const edited = wasEdited(item, at);
    if (edited && asksItem(this.#draft, requester, decision)) return 'item_edited';
    if (version === undefined) return 'not_reproduced';
    if (typeof known.readings === 'string') return known.readings;
    const asked = toAsked(decision, known, this.#draft.policy.id);
    if (asked === undefined) return 'not_reproduced';
    return this.#compare(decision, before, { version, edited, subject: { ...asked, requester }, ...known.readings });
  }

  #compare(decision: RecordedDecision, before: Reason | null, checked: Comparable): Outcome {
    const { version, edited } = checked;
    const inputs: ReducedInputs = this.#parse(decision);
    const others = checked.others?.flatMap((other) => other.version ?? []) ?? [];
    if ([this.#draft, ...others].some((one) => asksReduced(one, inputs))) return 'inputs_reduced';
    const after = decideAll(this.#draft.policy, checked, decision, inputs);
    // The item or the inputs that it saw are gone, so what it granted is read from its rule.
    const isGone = (edited && asksFields(version, decision)) || asksReduced(version, inputs);
    if (isGone) return { after, granted: getGrant(version.policy, decision) };
    const isSameVersion = decision.version === this.#draft.version;
    const replayed = isSameVersion ? after : decideAll(version.policy, checked, decision, inputs);
    return isSame(replayed, before, decision.ruleIndex) ? { after, granted: replayed.permissions } : 'not_reproduced';
  }

  /** Many checks have the same inputs: their text is parsed once. */
  #parse({ inputs, permission, purpose }: RecordedDecision): Inputs {
    const parsed = inputs === null ? NO_INPUTS : this.#parseText(inputs);
    if (permission === null && purpose === null) return parsed;
    return { ...parsed, ...(permission === null ? {} : { permission }), ...(purpose === null ? {} : { purpose }) };
  }

  #parseText(inputs: string): Inputs {
    let parsed = this.#inputs.get(inputs);
    if (parsed === undefined) {
      parsed = JSON.parse(inputs) as Inputs;
      this.#inputs.set(inputs, parsed);
    }
    return parsed;
  }
}

/** Returns the URL of a decision; undefined without one, and for what no longer parses. */
export function locatorOf({ url }: Pick<RecordedDecision, 'url'>): Locator | undefined {
  if (url === null) return undefined;
  const locator = parseVisited(`http://${url}`);
  if (locator !== undefined || !url.startsWith('/')) return locator;
  // Without a host, only the path was asked for.
  const target = parseVisited(`http://unknown${url}`);
  return target && { ...target, host: '' };
}

/** Returns what the check asked for, in the collection of then; undefined for a URL that no longer parses. */
function toAsked(
  decision: RecordedDecision,
  { item, urls, readings }: Known,
  policyId: string,
): Pick<Subject, 'content' | 'page'> | undefined {
  const { collectionId } = decision;
  const isUsual = collectionId === null && urls === undefined;
  const content = item === undefined ? null : isUsual ? item.facts : { ...item.facts, collectionId, urls };
  if (decision.url === null) return { content };
  if (typeof readings === 'object') return { content, page: { ...readings.first, policyId } };
  const locator = locatorOf(decision);
  return locator && { content, page: toPage(locator, { policyId, collectionId, observed: false, urls }) };
}

const wasEdited = (item: PresentItem | undefined, at: number): boolean => item?.editedAt != null && at < item.editedAt;

/** Scopes that name items by id still mean the same items. */
const asksItem = (version: RecordedVersion, { licenses }: KnownRequester, decision: RecordedDecision): boolean =>
  asksFields(version, decision) ||
  licenses.some(
    ({ scope }) => scope?.contentTypes !== undefined || scope?.tags !== undefined || scope?.collectionIds !== undefined,
  );

/** The address of an item is looked at only if the check did not name one. */
const asksFields = ({ asksItem: asks, policy }: RecordedVersion, { url }: RecordedDecision): boolean =>
  asks || (policy.asksSource && url === null);

/** Returns whether a decision made again is the recorded one, apart from the answer of its limit or its quota. */
function isSame({ reason, rule }: Verdict, before: Reason | null, ruleIndex: number | null): boolean {
  if ((rule?.index ?? null) !== ruleIndex) return false;
  return reason === (isByLimit(before) ? null : before);
}

const getGrant = ({ rules }: CompiledPolicy, { ruleIndex }: RecordedDecision): readonly string[] =>
  rules.find(({ index }) => index === ruleIndex)?.permissions ?? DEFAULT_GRANT;
