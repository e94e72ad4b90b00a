/**
 * A flush in one round trip to PostgreSQL, limits and quotas included: the server takes the claims while it holds their
 * rows, so that no row waits for a node. For flushes without receipts and events, whose texts only a node can write.
 */
import type { Row, Step, Value } from '../../../db/db.ts';
import { toArray } from '../../../db/postgres/db.ts';
import type { Claim } from '../../../rules/claim.ts';
import { type Limit, rollingShape } from '../../../rules/limit.ts';
import type { Submission } from '../flush.ts';
import type { Entry } from '../ledger.ts';
import { quotaKeys } from '../quota/quota.ts';
import {
  answerQuotas,
  type Chained,
  chainColumns,
  chainQuotas,
  keyOfSlot,
  keysOfSlots,
  slotColumns,
  slotNumbers,
} from './chains.ts';
import { ownColumns, parseNumbers } from './entries.ts';
import { toStoredKey } from './limit-key.ts';
import { CLAIM_LIMITS, CLAIM_QUOTAS } from './trip-sql.ts';

/** Up to this many limits, the server's arithmetic costs less than a second trip to a node, which takes µs for each. */
const LIMITS_MAX = 16;

export const isPlain = ({ entries, receipt }: Submission): boolean =>
  receipt === undefined && entries.every(({ claim, quota }) => claim === null && quota === null);

/** The keys of what an entry claims. */
export const claimKeys = ({ claim, quota }: Entry): string[] => [
  ...(claim === null ? [] : [claim.key]),
  ...quotaKeys(quota),
];

/** The claims of a flush on limits. */
interface ClaimedLimits {
  /** Each limit once. */
  readonly claims: readonly Claim[];
  /** For each limit, the number of entries that claim it. */
  readonly counts: readonly number[];
  /** For each entry the number of its limit, from 1; and which of its claims it is. Null without a claim. */
  readonly limitOf: readonly (number | null)[];
  readonly placeOf: readonly (number | null)[];
}

/** The entries of a flush, and what they claim. */
export interface Claimed extends ClaimedLimits {
  readonly entries: readonly Entry[];
  /** Undefined without a claim on a quota. */
  readonly quotas: Chained | undefined;
  /** The keys of what they claim. */
  readonly keys: readonly string[];
}

/** Returns undefined for what takes two trips: a receipt, many limits, one key with two limits; see chains.ts. */
export function claimedBy(submissions: readonly Submission[]): Claimed | undefined {
  if (submissions.some(({ receipt }) => receipt !== undefined)) return undefined;
  const entries = submissions.flatMap((one) => one.entries);
  const limits = collectLimits(entries);
  if (limits === undefined) return undefined;
  const keys = limits.claims.map(({ key }) => key);
  if (entries.every(({ quota }) => quota === null)) return { ...limits, entries, quotas: undefined, keys };
  const quotas = chainQuotas(entries);
  return quotas && { ...limits, entries, quotas, keys: [...keys, ...keysOfSlots(quotas)] };
}

function collectLimits(entries: readonly Entry[]): ClaimedLimits | undefined {
  const claims: Claim[] = [];
  const counts: number[] = [];
  const limitOf: (number | null)[] = [];
  const placeOf: (number | null)[] = [];
  const numbers = new Map<string, number>();
  for (const { claim } of entries) {
    const k = claim === null ? null : (numbers.get(claim.key) ?? claims.length + 1);
    limitOf.push(k);
    if (claim === null || k === null) {
      placeOf.push(null);
      continue;
    }
    if (k > claims.length) {
      if (k > LIMITS_MAX) return undefined;
      numbers.set(claim.key, k);
      claims.push(claim);
      counts.push(0);
    } else if (!isSame((claims[k - 1] as Claim).limit, claim.limit)) return undefined;
    placeOf.push(++(counts[k - 1] as number));
  }
  return { claims, counts, limitOf, placeOf };
}

const isSame = (one: Limit, other: Limit): boolean => one.requests === other.requests && one.period === other.period;

/** `taking`: the first three parameters. */
export function claimStep(taking: readonly Value[], claimed: Claimed): Step {
  const { entries, claims, counts, limitOf, placeOf, quotas, keys } = claimed;
  const must = mustBeAdmitted(claimed);
  const params = [
    ...taking,
    ...ownColumns(entries),
    toArray(limitOf),
    toArray(placeOf),
    toArray(keys.map(toStoredKey)),
    toArray(claims.map(({ limit }) => (rollingShape(limit).lengthMs === null ? limit.period : null))),
    toArray(claims.flatMap(({ limit }, k) => numbersOfLimit(limit, counts[k] as number, must[k] as number))),
  ];
  if (quotas === undefined) return { sql: CLAIM_LIMITS, params };
  return {
    sql: CLAIM_QUOTAS,
    params: [...params, ...slotNumbers(quotas), ...slotColumns(quotas), ...chainColumns(quotas)],
  };
}

/** In the order of the function. */
function numbersOfLimit(limit: Limit, claims: number, must: number): Value[] {
  const { lengthMs, widthMs } = rollingShape(limit);
  return [limit.requests, lengthMs, widthMs, claims, must];
}

/** 1 for each limit of which a refusal would matter to a quota. */
function mustBeAdmitted({ entries, limitOf, claims }: Claimed): number[] {
  const must = claims.map(() => 0);
  for (const [i, { quota }] of entries.entries()) {
    const k = limitOf[i] ?? null;
    if (quota !== null && k !== null) must[k - 1] = 1;
  }
  return must;
}

/** Returns the stored keys of the limits that another transaction holds; with one, nothing was recorded. */
export const readHeld = (row: Row, { keys }: Claimed): Set<string> =>
  new Set(parseNumbers(row.held).map((k) => toStoredKey(keys[k - 1] as string)));

/** Returns the keys for which a node has to take the claims; with one, nothing was recorded. */
export const readUnfit = (row: Row, { quotas, claims }: Claimed): string[] =>
  quotas === undefined
    ? []
    : parseNumbers(row.unfit).map((o) => (o < 0 ? (claims[-o - 1] as Claim).key : keyOfSlot(quotas, o)));

/** Returns which limit stops it; `held`: stored keys. */
export function heldIn({ entries }: Submission, held: ReadonlySet<string>): { heldBy: string } | undefined {
  if (held.size === 0) return undefined;
  const heldBy = entries.flatMap(claimKeys).find((key) => held.has(toStoredKey(key)));
  return heldBy === undefined ? undefined : { heldBy };
}

/** Returns three numbers for each claim, as in an Outcome: of limits, then of quotas. */
export function readAnswers(row: Row, { limitOf, placeOf, quotas }: Claimed): number[] {
  const names = ['rooms', 'admitted', 'resets', 'refused_resets'];
  const [rooms, admitted, resets, refusedResets] = names.map((name) => parseNumbers(row[name])) as [
    number[],
    number[],
    number[],
    number[],
  ];
  const answers: number[] = [];
  for (const [n, k] of limitOf.entries()) {
    if (k === null) continue;
    const place = placeOf[n] as number;
    const most = admitted[k - 1] as number;
    const remaining = Math.max(0, (rooms[k - 1] as number) - Math.min(place, most));
    if (place <= most) answers.push(1, remaining, resets[k - 1] as number);
    else answers.push(0, remaining, refusedResets[k - 1] as number);
  }
  return quotas === undefined ? answers : [...answers, ...answerQuotas(quotas, parseNumbers(row.used))];
}
