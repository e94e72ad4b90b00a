/**
 * The claims of a flush on quotas, in the form in which PostgreSQL answers them by itself. A *chain* is the licenses
 * that would serve, in their order. Claims of one chain have their places in it, and each place its license: the first
 * one serves as many places as it has units left, then the next one.
 *
 * A license in several chains, and a chain whose claims have a rate limit too, are taken so only if there is enough for
 * every claim: then the order between them does not matter. Otherwise the server refuses the flush, and the node takes
 * it in two trips.
 */
import type { Value } from '../../../db/db.ts';
import { toArray } from '../../../db/postgres/db.ts';
import { type QuotaSpan, toQuotaState } from '../../../rules/terms/quota.ts';
import { REFUSED, SERVED } from '../answers.ts';
import type { Entry } from '../ledger.ts';
import { MILLION, nextRenewalIndex, type QuotaOffer, quotaKey, toQuotaText } from '../quota/quota.ts';

/** Up to this many counts, the server's arithmetic costs less than a second trip. */
const COUNTS_MAX = 256;

/** A license of a chain. */
interface Slot {
  /** From 1. */
  readonly chain: number;
  readonly offer: QuotaOffer;
  /** 1: named in the denials of its chain. */
  readonly named: 0 | 1;
}

interface Chain {
  readonly number: number;
  readonly offers: readonly QuotaOffer[];
  /** True: the flush is refused where one of its claims would be. */
  must: boolean;
  /** The claims that use a unit. */
  claims: number;
  /** The greatest place. */
  reach: number;
}

/** The claim of an entry. */
interface Placed {
  readonly chain: Chain;
  /** From 1; a claim that uses no unit has the place of the next one that does. */
  readonly place: number;
  readonly spends: boolean;
}

export interface Chained {
  readonly chains: readonly Chain[];
  readonly slots: readonly Slot[];
  /** For each entry; null without a claim on a quota. */
  readonly placed: readonly (Placed | null)[];
}

/** Returns undefined for what takes two trips: distinct content, and a license by two terms. */
export function chainQuotas(entries: readonly Entry[]): Chained | undefined {
  const shared = sharedIn(entries);
  if (shared === undefined) return undefined;
  const chains = new Map<string, Chain>();
  const placed: (Placed | null)[] = [];
  for (const { quota, claim } of entries) {
    if (quota === null) {
      placed.push(null);
      continue;
    }
    const isShared = shared.size > 0 && quota.offers.some(({ licenseId }) => shared.has(licenseId ?? ''));
    const offers = isShared ? quota.offers.slice(0, 1) : quota.offers;
    const name = chainKey(offers);
    let chain = chains.get(name);
    if (chain === undefined) {
      chain = { number: chains.size + 1, offers, must: isShared, claims: 0, reach: 0 };
      chains.set(name, chain);
    }
    chain.must ||= claim !== null;
    const place = chain.claims + 1;
    chain.reach = place;
    if (quota.spends) chain.claims++;
    placed.push({ chain, place, spends: quota.spends });
  }
  const all = [...chains.values()];
  const slots = all.flatMap((chain) => toSlots(chain));
  return slots.length > COUNTS_MAX ? undefined : { chains: all, slots, placed };
}

/** Returns the licenses that are in several chains. */
function sharedIn(entries: readonly Entry[]): Set<string> | undefined {
  const shared = new Set<string>();
  const seen = new Map<string, { span: QuotaSpan; chain: string }>();
  for (const { quota } of entries) {
    if (quota === null) continue;
    const chain = chainKey(quota.offers);
    for (const { quota: span } of quota.offers) {
      if (span === null) continue;
      const known = seen.get(span.licenseId);
      if (known === undefined) {
        if (span.unit !== 'decision') return undefined;
        seen.set(span.licenseId, { span, chain });
      } else if (!isSame(known.span, span)) return undefined;
      else if (known.chain !== chain) shared.add(span.licenseId);
    }
  }
  return shared;
}

const chainKey = (offers: readonly QuotaOffer[]): string =>
  offers.length === 1 && offers[0]?.quota
    ? offers[0].quota.licenseId
    : offers.map(({ licenseId, quota }) => `${licenseId ?? ''}${quota === null ? '.' : ''}`).join();

const isSame = (one: QuotaSpan, other: QuotaSpan): boolean =>
  one === other ||
  (one.version === other.version &&
    one.units === other.units &&
    one.start === other.start &&
    one.from === other.from &&
    one.until === other.until);

function toSlots({ number: chain, offers }: Chain): Slot[] {
  const refuses = offers.every(({ quota }) => quota?.denies === true);
  const named = refuses ? nextRenewalIndex(offers) : -1;
  return offers.map((offer, i) => ({ chain, offer, named: i === named ? 1 : 0 }));
}

const bounded = (time: number): number | null => (Number.isFinite(time) ? time : null);
const toMillionths = (alert: number): number => Math.round(alert * MILLION);
/** More than any number of units: nothing is announced. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** The numbers of a slot, in the order of the function; 0 or null where the license has no quota. */
function numbersOfSlot({ chain, offer: { quota }, named }: Slot, { must, claims, reach }: Chain): Value[] {
  if (quota === null) return [chain, 0, 0, 0, 0, 0, 0, 0, null, null, 0, 0, named, must ? 1 : 0, claims, reach];
  const { units, denies, version, start, period, from, until, end, alerts } = quota;
  const terms = [units, denies ? 1 : 0, version, start, period === 'term' ? 1 : 0];
  const times = [from, bounded(until), bounded(end)];
  const first = alerts.length === 0 ? NEVER : Math.ceil((Math.min(...alerts.map(toMillionths)) * units) / MILLION);
  const last = Math.max(0, ...alerts.map(toMillionths));
  return [chain, 1, ...terms, ...times, first, last, named, must ? 1 : 0, claims, reach];
}

/** Parts of each quota that are announced, and the numbers of the slots. */
export const slotNumbers = ({ slots, chains }: Chained): Value[] => [
  toArray(slots.map(({ offer: { quota } }) => quota && `{${quota.alerts.map(toMillionths).join()}}`)),
  toArray(slots.flatMap((slot) => numbersOfSlot(slot, chains[slot.chain - 1] as Chain))),
];

/** For the rows: of each slot its chain, its license, and the text of its quota before and after the number used. */
export const SLOT_TYPES = ['int', 'text', 'text', 'text'] as const;
export const slotColumns = ({ slots }: Chained): Value[] => [
  toArray(slots.map(({ chain }) => chain)),
  toArray(slots.map(({ offer }) => offer.licenseId)),
  toArray(slots.map(({ offer: { quota } }) => quota && `[${quota.units},`)),
  toArray(slots.map(({ offer: { quota } }) => quota && toQuotaTail(quota))),
];

function toQuotaTail(span: QuotaSpan): string {
  const text = toQuotaText(toQuotaState(span, 0));
  return text.slice(`[${span.units},0`.length);
}

export const CHAIN_TYPES = ['int', 'bigint', 'int'] as const;
/** The chain, the place and the units of each entry. */
export const chainColumns = ({ placed }: Chained): Value[] => [
  toArray(placed.map((one) => one && one.chain.number)),
  toArray(placed.map((one) => one && one.place)),
  toArray(placed.map((one) => one && (one.spends ? 1 : 0))),
];

/** Returns three numbers for each claim, as in an Outcome; `used`: of each slot, before the flush. */
export function answerQuotas({ slots, placed }: Chained, used: readonly number[]): number[] {
  const rooms = slots.map(({ offer: { quota } }, i) =>
    quota?.denies === true ? Math.max(0, quota.units - (used[i] as number)) : Infinity,
  );
  const firstSlots = new Map<number, number>();
  for (const [i, { chain }] of slots.entries()) if (!firstSlots.has(chain)) firstSlots.set(chain, i);
  const answers: number[] = [];
  for (const one of placed) {
    if (one === null) continue;
    const first = firstSlots.get(one.chain.number) as number;
    const { length } = one.chain.offers;
    let before = 0;
    let offer = 0;
    while (offer < length && one.place > before + (rooms[first + offer] as number)) {
      before += rooms[first + offer++] as number;
    }
    if (offer < length) {
      const count = (used[first + offer] as number) + one.place - before - (one.spends ? 0 : 1);
      answers.push(SERVED, offer, slots[first + offer]?.offer.quota === null ? 0 : count);
    } else {
      const named = slots.findIndex((slot) => slot.chain === one.chain.number && slot.named === 1);
      answers.push(REFUSED, named - first, (used[named] as number) + (rooms[named] as number));
    }
  }
  return answers;
}

/** The keys of the counts, each once: a license is in one chain. */
export const keysOfSlots = ({ slots }: Chained): string[] =>
  slots.flatMap(({ offer }) => (offer.quota === null ? [] : quotaKey(offer.quota.licenseId)));

/** `o`: the number of a slot with a quota, from 1. */
export const keyOfSlot = ({ slots }: Chained, o: number): string =>
  quotaKey(((slots[o - 1] as Slot).offer.quota as QuotaSpan).licenseId);
