/**
 * Claims on quotas, pure: a count, a claim and a time in; who serves and the next count out. The count of a license is
 * a row of `limits`, so it is locked, written and kept with the decisions, as limits are.
 */
import type { LimitState } from '../../../rules/limit.ts';
import { nextRenewal, type QuotaSpan, type QuotaState, toQuotaState } from '../../../rules/terms/quota.ts';
import { countsPurpose, type QuotaPeriod } from '../../../rules/terms/terms.ts';

/** The licenses that would do, in the order in which they serve: the first one with a unit left. */
export interface QuotaClaim {
  readonly offers: readonly QuotaOffer[];
  /** The item or the URL, where a quota counts distinct content. */
  readonly content: string | null;
  /** False for decisions that are only observed: they use no units. */
  readonly spends: boolean;
}

export interface QuotaOffer {
  /** null: vouched for by the calling server. */
  readonly licenseId: string | null;
  /** null: the license has no quota for this check. */
  readonly quota: QuotaSpan | null;
}

/** The answer to a claim. */
export interface QuotaGrant {
  refused: boolean;
  /** The license that serves; of a denial, the one with the next units. */
  licenseId: string | null;
  quota: QuotaState | null;
  /** When the license has units again; null: never. */
  renewsAt: number | null;
}

/** The units that a license has used in a period. */
export interface QuotaCount {
  version: number;
  start: number;
  used: number;
  /**
   * Until `settlesAt`, nodes that do not know the quota yet may still record decisions without a claim: `used` stands
   * for the numbers up to `after`, and later decisions are counted anew each time.
   */
  after: number;
  /** Epoch ms; 0: settled. */
  settlesAt: number;
  /** The greatest part of the quota that was announced, in millionths. */
  alerted: number;
  /** 1: `license.quota_exceeded` was announced. */
  exceeded: number;
  /** The version for which it was counted from the records: names its set of contents. */
  opened: number;
}

export const toNumbers = (count: QuotaCount): number[] => [
  count.version,
  count.start,
  count.used,
  count.after,
  count.settlesAt,
  count.alerted,
  count.exceeded,
  count.opened,
];

/** In the order of `toNumbers`; one by one, because every claim reads its count. */
export const toCount = (state: LimitState): QuotaCount => ({
  version: state[0] ?? 0,
  start: state[1] ?? 0,
  used: state[2] ?? 0,
  after: state[3] ?? 0,
  settlesAt: state[4] ?? 0,
  alerted: state[5] ?? 0,
  exceeded: state[6] ?? 0,
  opened: state[7] ?? 0,
});

/** Returns the start of the period that was counted last; 0 without a count. */
export const startIn = (state: LimitState): number => state[1] ?? 0;

export const quotaKey = (licenseId: string): string => `q.${licenseId}`;

/** Returns the keys of the counts that a claim may use. */
export const quotaKeys = (claim: QuotaClaim | null): string[] =>
  claim === null ? [] : claim.offers.flatMap(({ quota }) => (quota === null ? [] : [quotaKey(quota.licenseId)]));

/** Returns whether a count is the one that claims of this span use. */
export const isCountOf = ({ version, start }: Pick<QuotaCount, 'version' | 'start'>, span: QuotaSpan): boolean =>
  version === span.version && (span.period !== 'term' || start === span.start);

/** The claim was made for a count that there is not, or for another time: the check must be decided again. */
export class NotOpen extends Error {}

/** A decision of the license that no claim stands for, or may not. */
export interface Stray {
  at: number;
  purpose: string | null;
  content: string;
}

/** The committed counts. */
export interface QuotaStore {
  countOf(span: QuotaSpan): QuotaCount | undefined;
  /** Returns whether the content was counted in the span, for the version `opened`. */
  isCounted(span: QuotaSpan, opened: number, content: string): boolean;
  /** Counted decisions of the license after a number. */
  straysOf(licenseId: string, after: number): readonly Stray[];
}

export const contentKey = (contentNo: number, digest: () => string): string =>
  contentNo > 0 ? `c${contentNo}` : `u${digest()}`;

export const MILLION = 1_000_000;

/** An event of a license. Its id follows from what it announces. */
export interface QuotaEvent {
  kind: 'license.threshold_reached' | 'license.quota_exceeded';
  at: number;
  span: QuotaSpan;
  /** The part of the quota; null: no units are left. */
  threshold: number | null;
  used: number;
}

/** A content that is counted from now on. */
export interface CountedContent {
  span: QuotaSpan;
  opened: number;
  content: string;
}

interface Open {
  span: QuotaSpan;
  count: QuotaCount;
  used: number;
  contents: Set<string>;
  changed: boolean;
}

/** The answer to one claim: whether it is refused, the number of its offer, units used. */
export interface QuotaTaken {
  refused: boolean;
  offer: number;
  used: number;
}

/** The counts that one flush claims. Throws NotOpen. */
export class QuotaCounts {
  readonly #store: QuotaStore;
  readonly #open = new Map<string, Open>();
  readonly events: QuotaEvent[] = [];
  readonly contents: CountedContent[] = [];

  constructor(store: QuotaStore) {
    this.#store = store;
  }

  take({ offers, content, spends }: QuotaClaim, at: number): QuotaTaken {
    for (const [i, { quota }] of offers.entries()) {
      if (quota === null) return { refused: false, offer: i, used: 0 };
      const open = this.#of(quota, at);
      const isNew = quota.unit === 'decision' || !this.#isCounted(open, content ?? '');
      if (isNew && quota.denies && open.used >= quota.units) continue;
      if (isNew && spends) this.#spend(open, content, at);
      return { refused: false, offer: i, used: open.used };
    }
    const named = nextRenewalIndex(offers);
    const open = this.#of((offers[named] as { quota: QuotaSpan }).quota, at);
    if (spends) this.#announce(open, at, true);
    return { refused: true, offer: named, used: open.used };
  }

  /** The changed counts, as they are stored by key, at a time. */
  *changed(at: number): Generator<[key: string, count: QuotaCount, span: QuotaSpan]> {
    for (const [key, { span, count, used, changed }] of this.#open) {
      const isSettled = count.settlesAt <= at;
      const settles = count.settlesAt > 0 && isSettled;
      if (!changed && !settles) continue;
      // Before that, its decisions are counted from their rows.
      const kept = isSettled || span.unit === 'distinct_content' ? used : count.used;
      yield [key, { ...count, used: kept, settlesAt: isSettled ? 0 : count.settlesAt }, span];
    }
  }

  #of(span: QuotaSpan, at: number): Open {
    if (at < span.from || at >= span.until) throw new NotOpen();
    const key = quotaKey(span.licenseId);
    const known = this.#open.get(key);
    const count = known?.count ?? this.#store.countOf(span);
    if (count === undefined || !isCountOf(count, span)) throw new NotOpen();
    // A start in the future was written by a clock that has since been set back: its use counts for this period.
    if (known !== undefined && known.count.start >= span.start) return known;
    const open = { span, count, used: count.used, contents: new Set<string>(), changed: false };
    if (count.start < span.start) {
      open.count = { ...count, start: span.start, used: 0, alerted: 0, exceeded: 0 };
      open.used = 0;
      open.changed = true;
    }
    this.#open.set(key, open);
    // A count that was just opened; PostgreSQL leaves it to a node until it is settled.
    if (count.settlesAt > 0) {
      this.#addStrays(open);
      forgetUnreached(open);
    }
    return open;
  }

  #addStrays(open: Open): void {
    const { span, count } = open;
    for (const { at, purpose, content } of this.#store.straysOf(span.licenseId, count.after)) {
      if (at < open.count.start || !countsPurpose(span, purpose)) continue;
      if (span.unit === 'decision') open.used += 1;
      else if (!this.#isCounted(open, content)) this.#add(open, content);
    }
  }

  #isCounted({ span, count, contents }: Open, content: string): boolean {
    return contents.has(content) || this.#store.isCounted({ ...span, start: count.start }, count.opened, content);
  }

  #add(open: Open, content: string): void {
    open.used += 1;
    open.contents.add(content);
    open.changed = true;
    this.contents.push({ span: { ...open.span, start: open.count.start }, opened: open.count.opened, content });
  }

  #spend(open: Open, content: string | null, at: number): void {
    if (open.span.unit === 'decision') open.used += 1;
    else this.#add(open, content ?? '');
    open.changed = true;
    this.#announce(open, at, !open.span.denies && open.used > open.span.units);
  }

  #announce(open: Open, at: number, isExceeded: boolean): void {
    const { span, used } = open;
    for (const threshold of span.alerts) {
      const part = Math.round(threshold * MILLION);
      if (used * MILLION < part * span.units || part <= open.count.alerted) continue;
      open.count = { ...open.count, alerted: part };
      this.#event(open, { kind: 'license.threshold_reached', at, span, threshold, used });
    }
    if (!isExceeded || open.count.exceeded === 1) return;
    open.count = { ...open.count, exceeded: 1 };
    this.#event(open, { kind: 'license.quota_exceeded', at, span, threshold: null, used });
  }

  #event(open: Open, event: QuotaEvent): void {
    open.changed = true;
    this.events.push(event);
  }
}

/** With more units than before, parts of the quota that were announced are no longer reached. */
function forgetUnreached(open: Open): void {
  const { count, used, span } = open;
  const alerted = Math.min(count.alerted, Math.floor((used * MILLION) / span.units));
  const exceeded = used < span.units ? 0 : count.exceeded;
  if (alerted === count.alerted && exceeded === count.exceeded) return;
  open.count = { ...count, alerted, exceeded };
  open.changed = true;
}

/** Returns which license a denial names: the one with the next units. */
export const nextRenewalIndex = (offers: readonly QuotaOffer[]): number => {
  const renewals = offers.map(({ quota }) => nextRenewal(quota as QuotaSpan) ?? Infinity);
  return renewals.indexOf(Math.min(...renewals));
};

/** Returns the answer that a claim was given; `taken`: three numbers. */
export function toGrant({ offers }: QuotaClaim, { refused, offer, used }: QuotaTaken): QuotaGrant {
  const { licenseId, quota } = offers[offer] as QuotaOffer;
  return { refused, licenseId, quota: quota && toQuotaState(quota, used), renewsAt: quota && nextRenewal(quota) };
}

/** The answer to a claim as if no license had used anything. */
export const unusedGrant = (claim: QuotaClaim): QuotaGrant => toGrant(claim, { refused: false, offer: 0, used: 0 });

/** The state of a quota as decisions keep it. */
export const toQuotaText = ({ units, used, period, resetAt }: QuotaState): string =>
  JSON.stringify([units, used, period, resetAt]);

export function parseQuota(text: string): QuotaState {
  const [units, used, period, resetAt] = JSON.parse(text) as [number, number, QuotaPeriod, number | null];
  return { units, used, remaining: Math.max(0, units - used), period, resetAt };
}

const KEPT_MS = 7 * 86_400_000;
const UNUSED_MS = 400 * 86_400_000;

/** Returns when the count may be deleted; then it is counted from the records again. */
export const countExpiry = ({ end }: QuotaSpan, at: number): number =>
  (Number.isFinite(end) ? Math.max(end, at) : at + UNUSED_MS) + KEPT_MS;
