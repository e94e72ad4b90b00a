/**
 * The impact preview, pure: recorded decisions are decided again by other rules. Nothing is guessed. A decision is
 * compared only if what its check knew is known. To be sure of that, it is first decided again by the version that
 * decided it; a different outcome counts as unknown. Limits and quotas are not replayed: see `Counter.compare`.
 */
import { decide, type Verdict } from '../access/decide.ts';
import { ANONYMOUS, type Inputs, type KnownRequester, type Subject, toFacts } from '../access/facts.ts';
import { toPage } from '../content/address.ts';
import { crawlerOf } from '../crawlers/directory.ts';
import type { Reducible } from '../ledger/inputs.ts';
import { type Reason, reasonOf } from '../ledger/reason.ts';
import { parseVisited } from '../lib/locator.ts';
import { Lru } from '../lib/lru.ts';
import { type CompiledPolicy, compile } from '../policies/compile.ts';
import type { ContentFacts } from '../policies/facts.ts';
import { DEFAULT_GRANT, type PolicyVersion } from '../policies/policy.ts';
import { type Past, type PastRequester, requesterAt } from '../requesters/history.ts';
import { type Cause, Counter, isByLimit, type Tally } from './tally.ts';

/** A decision as the ledger keeps it. */
export interface RecordedDecision {
  seq: number;
  /** Epoch ms. */
  at: number;
  contentNo: number;
  requesterId: string | null;
  version: number;
  /** Code of the reason; 0: allowed. */
  reason: number;
  ruleIndex: number | null;
  inputs: string | null;
  permission: string | null;
  purpose: string | null;
  /** The URL that was asked for; null: the check named an item. */
  url: string | null;
  collectionId: string | null;
}

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
}

/** Compiled rules, and whether they look at the item, or only at its address. */
export interface RecordedVersion {
  policy: CompiledPolicy;
  asksItem: boolean;
  /** The keys of its conditions. */
  keys: ReadonlySet<string>;
}

const ITEM_KEYS = ['contentType', 'contentTags', 'contentMetadata'].flatMap((key) => [key, `${key}Not`]);

export function recordedVersion(version: PolicyVersion): RecordedVersion {
  const keys = new Set(version.rules.flatMap(({ conditions = {} }) => Object.keys(conditions)));
  return { policy: compile(version), asksItem: ITEM_KEYS.some((key) => keys.has(key)), keys };
}

const CRAWLER_KEYS = [
  ...['crawler', 'crawlerOperator', 'crawlerPurpose'].flatMap((key) => [key, `${key}Not`]),
  'crawlerVerified',
];
const LICENSE_KEYS = ['licenseType', 'licenseFeatures'].flatMap((key) => [key, `${key}Not`]);

/** The conditions that look at inputs. Of a shortened user agent, the crawler is still known. */
const KEYS_OF: Record<Reducible, readonly string[]> = {
  'context.ip': ['ip', 'ipNot'],
  'context.userAgent': ['userAgent', 'userAgentNot'],
  context: ['ip', 'ipNot', 'userAgent', 'userAgentNot', 'country', 'countryNot', 'requesterVerified', ...CRAWLER_KEYS],
  license: ['hasValidLicense', 'licenseExpiry', ...LICENSE_KEYS],
};

/** Returns whether rules look at inputs that are not whole. */
function asksReduced({ keys }: RecordedVersion, { reduced = [], context }: ReducedInputs): boolean {
  if (keys.has('crawlerVerified') && hasUnknownProof(context, reduced)) return true;
  return reduced.some(
    (field) =>
      KEYS_OF[field].some((key) => keys.has(key)) ||
      (field === 'context.userAgent' && context?.userAgent === undefined && CRAWLER_KEYS.some((key) => keys.has(key))),
  );
}

/** Decisions of earlier versions do not say whether the crawler was proven; without any means of proof, it was not. */
function hasUnknownProof(context: Inputs['context'], reduced: readonly Reducible[]): boolean {
  if (context?.userAgent === undefined || context.crawlerVerified !== undefined) return false;
  const had = context.ip !== undefined || reduced.includes('context.ip') || context.verified === 'signature';
  return had && crawlerOf(context.userAgent) !== null;
}

type ReducedInputs = Inputs & { reduced?: Reducible[] };

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
}

/** Add decisions newest first: the examples are the first of each kind. */
export class Replay {
  readonly #draft: RecordedVersion & { version: number };
  readonly #counter: Counter;
  readonly #inputs = new Lru<string, Inputs>(INPUTS_MAX);

  constructor({ draft, ledgerNo, examples }: ReplayOptions) {
    this.#draft = { ...recordedVersion(draft), version: draft.version };
    this.#counter = new Counter(ledgerNo, examples);
  }

  tally(): Tally {
    return this.#counter.tally();
  }

  /** Decides one more again and counts it, unless its item was deleted. */
  add(decision: RecordedDecision, known: Known): void {
    const { item } = known;
    const isDeleted = item === undefined && decision.contentNo !== 0;
    if (isDeleted) return;
    const { counts } = this.#counter;
    counts.decisions++;
    const before = reasonOf(decision.reason);
    // Decided before any rule was evaluated, and so by any rules.
    if (before === 'content_archived' || before === 'requester_suspended') {
      counts.unchanged++;
      return;
    }
    const outcome = this.#decideAgain(decision, before, known);
    if (typeof outcome === 'string') this.#counter.addUnknown(outcome);
    else this.#counter.compare({ decision, before, contentId: item?.facts.id ?? null, ...outcome });
  }

  #decideAgain(decision: RecordedDecision, before: Reason | null, known: Known): Outcome {
    const { at, requesterId } = decision;
    const { version, item } = known;
    const requester = requesterId === null ? ANONYMOUS : known.requester?.at(at);
    if (requester === undefined) return 'requester_history';
    const edited = wasEdited(item, at);
    if (edited && asksItem(this.#draft, requester, decision)) return 'item_edited';
    if (version === undefined) return 'not_reproduced';
    const asked = toAsked(decision, item, this.#draft.policy.id);
    if (asked === undefined) return 'not_reproduced';
    return this.#compare(decision, before, { version, edited, subject: { ...asked, requester } });
  }

  #compare(decision: RecordedDecision, before: Reason | null, { version, edited, subject }: Comparable): Outcome {
    const inputs: ReducedInputs = this.#parse(decision);
    if (asksReduced(this.#draft, inputs)) return 'inputs_reduced';
    const facts = toFacts(subject, decision.requesterId, inputs, decision.at);
    const after = decide(this.#draft.policy, facts);
    // The item or the inputs that it saw are gone, so what it granted is read from its rule.
    const isGone = (edited && asksFields(version, decision)) || asksReduced(version, inputs);
    if (isGone) return { after, granted: getGrant(version.policy, decision) };
    const replayed = decision.version === this.#draft.version ? after : decide(version.policy, facts);
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

/** Returns what the check asked for, in the collection of then; undefined for a URL that no longer parses. */
function toAsked(
  { url, collectionId }: RecordedDecision,
  item: PresentItem | undefined,
  policyId: string,
): Pick<Subject, 'content' | 'page'> | undefined {
  const place = { policyId, collectionId, observed: false };
  const content = item === undefined ? null : collectionId === null ? item.facts : { ...item.facts, collectionId };
  if (url === null) return { content };
  const locator = parseVisited(`http://${url}`);
  // Without a host, only the path was asked for.
  const asked = locator ?? (url.startsWith('/') ? parseVisited(`http://unknown${url}`) : undefined);
  return asked && { content, page: toPage(locator === undefined ? { ...asked, host: '' } : asked, place) };
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
