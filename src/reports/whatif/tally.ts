/** Counts the decisions that other rules would change: by requester, by item, by reason, with examples. */

import type { CountedWho } from '../../decisions/history/columns/who.ts';
import { decisionId } from '../../decisions/ledger/decision.ts';
import { toIso } from '../../lib/clock.ts';
import { OTHER_PROGRAMS } from '../../rules/crawlers/program.ts';
import { toMatchedRule, type Verdict } from '../../rules/decide.ts';
import type { Reason } from '../../rules/reason.ts';

/**
 * Why a decision cannot be compared. `item_edited`: the item was edited since, and rules or licenses look at its type,
 * tags or metadata. `requester_history`: the state of the requester at the time is unknown. `not_reproduced`: the
 * version that decided now decides differently, so something else was known at the time. `inputs_reduced`: the rules
 * look at inputs that the privacy settings shortened or removed.
 */
export const CAUSES = ['item_edited', 'requester_history', 'inputs_reduced', 'not_reproduced'] as const;
export type Cause = (typeof CAUSES)[number];

interface Turns {
  allowToDeny: number;
  denyToAllow: number;
}

export interface WhoTurns extends Turns {
  visitor: CountedWho;
}

export interface Example {
  decisionId: string;
  created: string;
  /** null: a URL without an item. */
  contentId: string | null;
  url: string | null;
  requesterId: string | null;
  visitor: CountedWho;
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
  /** Denied by a limit or a quota; allowed by the other rules, if theirs admits it. */
  limited: number;
}

export interface ImpactTally {
  counts: Counts;
  byRequester: ReadonlyMap<string | null, Turns>;
  /** By a text that is apart for each. */
  byWho: ReadonlyMap<string, WhoTurns>;
  /** By the items' numbers in the store. */
  byContent: ReadonlyMap<number, Turns>;
  byCollection: ReadonlyMap<string, Turns>;
  byReason: { from: Reason | null; to: Reason | null; count: number }[];
  examples: Example[];
  unknown: { decisions: number; causes: { cause: Cause; count: number }[] };
}

/** A recorded decision next to the draft's verdict. */
export interface ImpactComparison {
  decision: {
    seq: number;
    at: number;
    contentNo: number;
    requesterId: string | null;
    url: string | null;
    collectionId: string | null;
  };
  /** Finds whom the decision is about. */
  visitor: () => CountedWho;
  /** null: there was no item. */
  contentId: string | null;
  before: Reason | null;
  after: Verdict;
  /** The permissions that the decision granted. */
  granted: readonly string[];
}

export const isByLimit = (reason: Reason | null): boolean =>
  reason === 'rate_limit_exceeded' || reason === 'quota_exceeded';

const isLimitedAgain = (before: Reason | null, { rule }: Verdict): boolean =>
  (before === 'rate_limit_exceeded' && rule?.limit != null) || (before === 'quota_exceeded' && rule?.licenseOf != null);

/** Beyond it, rare programs are one. */
const WHO_MAX = 20_000;

const OTHER_WHO = { kind: 'program', id: OTHER_PROGRAMS } as const;
const toKey = (visitor: CountedWho): string =>
  `${visitor.kind} ${visitor.kind === 'crawler' ? visitor.proof : ''} ${visitor.id ?? ''}`;
const OTHER = toKey(OTHER_WHO);

export const sumTurns = ({ allowToDeny, denyToAllow }: Turns): number => allowToDeny + denyToAllow;

interface Kind {
  from: Reason | null;
  to: Reason | null;
  count: number;
  examples: Example[];
}

export class ImpactCounter {
  readonly counts: Counts = {
    decisions: 0,
    unchanged: 0,
    allowToDeny: 0,
    denyToAllow: 0,
    otherPermissions: 0,
    otherReason: 0,
    limited: 0,
  };
  readonly #ledgerNo: number;
  readonly #examplesMax: number;
  readonly #byRequester = new Map<string | null, Turns>();
  readonly #byWho = new Map<string, WhoTurns>();
  readonly #byContent = new Map<number, Turns>();
  readonly #byCollection = new Map<string, Turns>();
  readonly #kinds = new Map<string, Kind>();
  readonly #causes = new Map<Cause, number>();

  constructor(ledgerNo: number, examplesMax: number) {
    this.#ledgerNo = ledgerNo;
    this.#examplesMax = examplesMax;
  }

  addUnknown(cause: Cause): void {
    this.#causes.set(cause, (this.#causes.get(cause) ?? 0) + 1);
  }

  /**
   * Limits and quotas are not replayed: what they would have admitted depends on all other checks. An allow is an
   * allow, with or without a limit. A denial by a limit or a quota is a denial. It turns when the draft's rule allows
   * without one, has another reason when the draft's rules deny, and is `limited` when the draft's rule has one too: a
   * limit for a limit, licenses for a quota.
   */
  compare(comparison: ImpactComparison): void {
    const { before, after, granted } = comparison;
    if (after.reason === null && isLimitedAgain(before, after)) this.counts.limited++;
    else if (before !== after.reason) this.#addChange(comparison);
    else if (before === null && !sameGrant(granted, after.permissions)) this.counts.otherPermissions++;
    else this.counts.unchanged++;
  }

  #addChange(comparison: ImpactComparison): void {
    const { decision, before, after } = comparison;
    const name = `${before} ${after.reason}`;
    const kind = this.#kinds.get(name) ?? { from: before, to: after.reason, count: 0, examples: [] };
    this.#kinds.set(name, kind);
    kind.count++;
    if (before !== null && after.reason !== null) {
      this.counts.otherReason++;
      return;
    }
    const turn = before === null ? 'allowToDeny' : 'denyToAllow';
    this.counts[turn]++;
    getTurns(this.#byRequester, decision.requesterId)[turn]++;
    const visitor = comparison.visitor();
    this.#turnsOf(visitor)[turn]++;
    if (decision.contentNo !== 0) getTurns(this.#byContent, decision.contentNo)[turn]++;
    if (decision.collectionId !== null) getTurns(this.#byCollection, decision.collectionId)[turn]++;
    if (kind.examples.length < this.#examplesMax)
      kind.examples.push({ ...toExample(this.#ledgerNo, comparison), visitor });
  }

  /** Anybody can make up names of programs: only so many are kept. */
  #turnsOf(visitor: CountedWho): Turns {
    const key = toKey(visitor);
    const known = this.#byWho.get(key);
    if (known !== undefined) return known;
    if (this.#byWho.size >= WHO_MAX) this.#dropPrograms();
    const turns = { visitor, allowToDeny: 0, denyToAllow: 0 };
    this.#byWho.set(key, turns);
    return turns;
  }

  /** Counts the rarer half of the programs as `other`. */
  #dropPrograms(): void {
    const programs = [...this.#byWho].filter(([key, { visitor }]) => visitor.kind === 'program' && key !== OTHER);
    const rare = programs
      .toSorted(([, a], [, b]) => sumTurns(a) - sumTurns(b))
      .slice(0, Math.ceil(programs.length / 2));
    if (rare.length === 0) return;
    const other = this.#byWho.get(OTHER) ?? { visitor: OTHER_WHO, allowToDeny: 0, denyToAllow: 0 };
    for (const [key, { allowToDeny, denyToAllow }] of rare) {
      this.#byWho.delete(key);
      other.allowToDeny += allowToDeny;
      other.denyToAllow += denyToAllow;
    }
    this.#byWho.set(OTHER, other);
  }

  tally(): ImpactTally {
    const kinds = [...this.#kinds.values()].toSorted((a, b) => b.count - a.count);
    const causes = [...this.#causes].toSorted((a, b) => b[1] - a[1]).map(([cause, count]) => ({ cause, count }));
    return {
      counts: this.counts,
      byRequester: this.#byRequester,
      byWho: this.#byWho,
      byContent: this.#byContent,
      byCollection: this.#byCollection,
      byReason: kinds.map(({ from, to, count }) => ({ from, to, count })),
      examples: inTurns(kinds.map(({ examples }) => examples)).slice(0, this.#examplesMax),
      unknown: { decisions: causes.reduce((sum, { count }) => sum + count, 0), causes },
    };
  }
}

function sameGrant(before: readonly string[], after: readonly string[]): boolean {
  if (before === after) return true;
  return before.every((one) => after.includes(one)) && after.every((one) => before.includes(one));
}

function getTurns<K>(by: Map<K, Turns>, key: K): Turns {
  let turns = by.get(key);
  if (turns === undefined) {
    turns = { allowToDeny: 0, denyToAllow: 0 };
    by.set(key, turns);
  }
  return turns;
}

function toExample(
  ledgerNo: number,
  { decision, contentId, before, after: { reason, rule } }: ImpactComparison,
): Omit<Example, 'visitor'> {
  return {
    decisionId: decisionId(ledgerNo, decision.at, decision.seq),
    created: toIso(decision.at),
    contentId,
    url: decision.url,
    requesterId: decision.requesterId,
    before: { allowed: before === null, reason: before },
    after: { allowed: reason === null, reason, matchedRule: toMatchedRule(rule) },
  };
}

/** Takes the first of each list, then the second of each, so that every kind of change is seen. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const most = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: most }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}
