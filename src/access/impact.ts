/**
 * The impact preview, pure: recorded decisions in, decided again by other rules, a report out. Promise: nothing is guessed.
 * A decision is compared only if what its check knew is known; to be sure, it is first decided again by the version that
 * decided it, and what does not come out as it was recorded is counted as unknown. Limits are not played again: see `weigh`.
 */
import { decisionId } from '../ledger/decision.ts';
import { type Reason, reasonOf } from '../ledger/reason.ts';
import { toIso } from '../lib/clock.ts';
import { Lru } from '../lib/lru.ts';
import { type CompiledPolicy, compile } from '../policies/compile.ts';
import type { ContentFacts } from '../policies/facts.ts';
import type { PolicyVersion } from '../policies/policy.ts';
import { type Past, type PastRequester, requesterAt } from '../requesters/history.ts';
import { decide, type Verdict } from './decide.ts';
import { ANONYMOUS, type Asked, factsOf } from './subject.ts';

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
}

/** An item as it is now. */
export interface PresentItem {
  facts: ContentFacts;
  title: string;
  /** Of its newest edit, epoch ms; null when it is as it was registered. */
  editedAt: number | null;
}

/**
 * Why a decision cannot be compared: the item was edited since, and the rules or licences ask for its type, tags or
 * metadata; what the requester was then is not known; decided again by the version that decided it, it comes out
 * differently, so something else was known then.
 */
export const CAUSES = ['item_edited', 'requester_history', 'not_reproduced'] as const;
export type Cause = (typeof CAUSES)[number];

interface Turns {
  allowToDeny: number;
  denyToAllow: number;
}

export interface Example {
  decisionId: string;
  created: string;
  contentId: string;
  requesterId: string | null;
  before: { allowed: boolean; reason: Reason | null };
  after: { allowed: boolean; reason: Reason | null; matchedRule: { index: number; priority: number } | null };
}

/** `decisions` is the sum of the other counts and of `unknown.decisions`. */
export interface Counts extends Turns {
  decisions: number;
  /** Allowed as before with the same permissions, or denied as before for the same reason. */
  unchanged: number;
  /** Allowed as before, with other permissions. */
  otherPermissions: number;
  /** Denied as before, for another reason. */
  otherReason: number;
  /** Denied by a limit; allowed by the other rules, if their limit admits it. */
  limited: number;
}

export interface Tally {
  counts: Counts;
  byRequester: Map<string | null, Turns>;
  /** By the items' numbers in the store. */
  byContent: Map<number, Turns>;
  byReason: { from: Reason | null; to: Reason | null; count: number }[];
  examples: Example[];
  unknown: { decisions: number; causes: { cause: Cause; count: number }[] };
}

export interface ReplayOptions {
  /** The rules to decide by. */
  draft: PolicyVersion;
  ledgerNo: number;
  examples: number;
}

/** What a decision names, as far as it is there. */
export interface Known {
  /** undefined: it was deleted. */
  item: PresentItem | undefined;
  /** undefined for anonymous checks. */
  requester: PastStates | undefined;
  version: RecordedVersion | undefined;
}

/** Rules compiled, and whether what an item was can change what they say. */
export interface RecordedVersion {
  policy: CompiledPolicy;
  asksItem: boolean;
}

const ITEM_KEYS = ['contentType', 'contentTags', 'contentMetadata'].flatMap((key) => [key, `${key}Not`]);

export const recordedVersion = (version: PolicyVersion): RecordedVersion => ({
  policy: compile(version),
  asksItem: version.rules.some(({ conditions = {} }) => ITEM_KEYS.some((key) => Object.hasOwn(conditions, key))),
});

/** A requester at any moment; states that were asked for are kept. */
export class PastStates {
  readonly #past: Past;
  /** When the state may have changed, ascending. */
  readonly #moments: readonly number[];
  /** By the number of moments that have passed. */
  readonly #states: ({ state: PastRequester | undefined } | undefined)[] = [];

  constructor(past: Past) {
    this.#past = past;
    const moments = past.versions.map(({ at }) => at);
    this.#moments = [...moments, past.createdAt ?? 0].sort((a, b) => a - b);
  }

  at(at: number): PastRequester | undefined {
    const passed = this.#moments.findLastIndex((moment) => moment <= at) + 1;
    const known = (this.#states[passed] ??= { state: requesterAt(this.#past, at) });
    return known.state;
  }
}

export interface Replay {
  /** Decides and counts one more; those of deleted items are passed over. */
  add(decision: RecordedDecision, known: Known): void;
  tally(): Tally;
}

/** Decisions are best added newest first: the examples are the first of each kind. */
export function openReplay({ draft, ledgerNo, examples }: ReplayOptions): Replay {
  const compiled = recordedVersion(draft);
  const counts: Counts = {
    decisions: 0,
    unchanged: 0,
    allowToDeny: 0,
    denyToAllow: 0,
    otherPermissions: 0,
    otherReason: 0,
    limited: 0,
  };
  const byRequester = new Map<string | null, Turns>();
  const byContent = new Map<number, Turns>();
  const kinds = new Map<string, { from: Reason | null; to: Reason | null; count: number; examples: Example[] }>();
  const causes = new Map<Cause, number>();
  const inputs = rememberInputs();

  function add(decision: RecordedDecision, known: Known): void {
    const { item } = known;
    if (item === undefined) return;
    counts.decisions++;
    const before = reasonOf(decision.reason);
    // Decided before any rule was asked, and so by any rules.
    if (before === 'content_archived' || before === 'requester_suspended') counts.unchanged++;
    else {
      const outcome = decideAgain(decision, before, item, known);
      if (typeof outcome === 'string') causes.set(outcome, (causes.get(outcome) ?? 0) + 1);
      else weigh(decision, before, item, outcome);
    }
  }

  /** What the draft says, with what the decision granted; or why that cannot be known. */
  function decideAgain(
    decision: RecordedDecision,
    before: Reason | null,
    item: PresentItem,
    known: Known,
  ): { after: Verdict; granted: readonly string[] } | Cause {
    const { at, requesterId } = decision;
    const requester = requesterId === null ? ANONYMOUS : known.requester?.at(at);
    if (requester === undefined) return 'requester_history';
    const edited = at < (item.editedAt ?? -Infinity);
    if (edited && (compiled.asksItem || requester.licenses.some(isScoped))) return 'item_edited';
    const { version } = known;
    if (version === undefined) return 'not_reproduced';
    const facts = factsOf({ content: item.facts, requester }, requesterId, inputs(decision), at);
    const after = decide(compiled.policy, facts);
    // What it granted is read from its rule where the item it was asked for is not there any more.
    if (edited && version.asksItem) return { after, granted: grantedBy(version.policy, decision) };
    const replayed = decision.version === draft.version ? after : decide(version.policy, facts);
    return isSame(replayed, before, decision.ruleIndex) ? { after, granted: replayed.permissions } : 'not_reproduced';
  }

  /**
   * Limits are not played again: what a limit would have admitted depends on all other checks. An allow is an allow, with
   * or without a limit. A denial by a limit is a denial: it turns when the draft's rule allows without a limit, has another
   * reason when the draft's rules deny, and is `limited` when the draft's rule has a limit too.
   */
  function weigh(
    decision: RecordedDecision,
    before: Reason | null,
    item: PresentItem,
    { after, granted }: { after: Verdict; granted: readonly string[] },
  ): void {
    if (before === 'rate_limit_exceeded' && after.reason === null && after.rule?.limit != null) counts.limited++;
    else if (before !== after.reason) countChange(decision, before, item, after);
    else if (before === null && !sameGrant(granted, after.permissions)) counts.otherPermissions++;
    else counts.unchanged++;
  }

  function countChange(decision: RecordedDecision, before: Reason | null, item: PresentItem, after: Verdict): void {
    const name = `${before} ${after.reason}`;
    const kind = kinds.get(name) ?? { from: before, to: after.reason, count: 0, examples: [] };
    kinds.set(name, kind);
    kind.count++;
    if (before !== null && after.reason !== null) {
      counts.otherReason++;
      return;
    }
    const turn = before === null ? 'allowToDeny' : 'denyToAllow';
    counts[turn]++;
    turnsOf(byRequester, decision.requesterId)[turn]++;
    turnsOf(byContent, decision.contentNo)[turn]++;
    if (kind.examples.length < examples) kind.examples.push(exampleOf(ledgerNo, decision, before, item, after));
  }

  return {
    add,
    tally() {
      const byReason = [...kinds.values()].sort((a, b) => b.count - a.count);
      const listed = [...causes].sort((a, b) => b[1] - a[1]).map(([cause, count]) => ({ cause, count }));
      return {
        counts,
        byRequester,
        byContent,
        byReason: byReason.map(({ from, to, count }) => ({ from, to, count })),
        examples: inTurns(byReason.map((kind) => kind.examples)).slice(0, examples),
        unknown: { decisions: listed.reduce((sum, { count }) => sum + count, 0), causes: listed },
      };
    },
  };
}

/** Its items are told by what an item is; those named by their ids are the same items still. */
const isScoped = ({ scope }: PastRequester['licenses'][number]): boolean =>
  scope?.contentTypes !== undefined || scope?.tags !== undefined;

/** Whether a decision made again is the one that was recorded; its limit's word aside. */
function isSame({ reason, rule }: Verdict, before: Reason | null, ruleIndex: number | null): boolean {
  if ((rule?.index ?? null) !== ruleIndex) return false;
  return reason === (before === 'rate_limit_exceeded' ? null : before);
}

const grantedBy = ({ rules }: CompiledPolicy, { ruleIndex }: RecordedDecision): readonly string[] =>
  rules.find(({ index }) => index === ruleIndex)?.permissions ?? ['full_access'];

function sameGrant(before: readonly string[], after: readonly string[]): boolean {
  if (before === after) return true;
  return before.every((one) => after.includes(one)) && after.every((one) => before.includes(one));
}

function turnsOf<K>(by: Map<K, Turns>, key: K): Turns {
  let turns = by.get(key);
  if (turns === undefined) {
    turns = { allowToDeny: 0, denyToAllow: 0 };
    by.set(key, turns);
  }
  return turns;
}

function exampleOf(
  ledgerNo: number,
  { at, seq, requesterId }: RecordedDecision,
  before: Reason | null,
  { facts }: PresentItem,
  { reason, rule }: Verdict,
): Example {
  return {
    decisionId: decisionId(ledgerNo, at, seq),
    created: toIso(at),
    contentId: facts.id,
    requesterId,
    before: { allowed: before === null, reason: before },
    after: {
      allowed: reason === null,
      reason,
      matchedRule: rule === null ? null : { index: rule.index, priority: rule.priority },
    },
  };
}

/** The first of each list, then the second of each, so that every kind of change is seen. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const most = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: most }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}

const NOTHING: Asked = {};
const INPUTS_MAX = 50_000;

/** Many checks say the same: their text is parsed once. */
function rememberInputs(): (decision: RecordedDecision) => Asked {
  const known = new Lru<string, Asked>(INPUTS_MAX);
  return ({ inputs }) => {
    if (inputs === null) return NOTHING;
    let asked = known.get(inputs);
    if (asked === undefined) {
      asked = JSON.parse(inputs) as Asked;
      known.set(inputs, asked);
    }
    return asked;
  };
}
