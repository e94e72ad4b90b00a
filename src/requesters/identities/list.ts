/**
 * A published list of addresses, as it was fetched. Promise: a list that is not fresh verifies no visitor and fails
 * none, and one that shrank by more than half counts only once it was accepted. Pure.
 */
import { parseRange } from '../../lib/ip-range.ts';
import { RangeSet, readRanges } from './ranges.ts';

const DAY_MS = 86_400_000;
/** An older list verifies no visitor and fails none. */
export const FRESH_MS = 7 * DAY_MS;
const REFRESH_MS = DAY_MS;
const RETRY_MS = 15 * 60_000;

/** Wider ranges are a mistake: each would verify a large part of the internet. */
const WIDEST = { 4: 1n << 24n, 6: 1n << 109n } as const;

/** State of a list, without its ranges. */
export interface ListState {
  url: string;
  /** SHA-256 of the ranges in force; null before the first fetch. */
  hash: string | null;
  /** When the ranges in force were last found published; null before the first fetch. */
  fetchedAt: number | null;
  attemptedAt: number;
  /** Failed fetches since the last that succeeded. */
  failures: number;
  /** When the first of them was; null without one, and where a node of the previous version counted it. */
  failingSince: number | null;
  error: string | null;
  ranges: number;
  /** Number and hash of the ranges that are held back. */
  heldRanges: number | null;
  heldHash: string | null;
  /** When these were last found published, and first. */
  heldAt: number | null;
  heldSince: number | null;
}

/** Returns when a list, or another document, is fetched next. */
export const nextFetchAt = ({ attemptedAt, failures }: Pick<ListState, 'attemptedAt' | 'failures'>): number =>
  attemptedAt + (failures === 0 ? REFRESH_MS : Math.min(REFRESH_MS, RETRY_MS * 2 ** Math.min(failures - 1, 10)));

/** The clock may have been set back: a list of the future is fresh. */
export const isFresh = (fetchedAt: number | null, now: number): boolean =>
  fetchedAt !== null && now - fetchedAt < FRESH_MS;

/** Reads a published list; a text says why it cannot be used. */
export function readList(text: string): string[] | string {
  const ranges = readRanges(text);
  if (ranges === undefined) return 'It is neither JSON with `prefixes`, nor a geofeed, nor a range on each line.';
  const wide = ranges.find((one) => {
    const range = parseRange(one);
    return range !== undefined && BigInt(range.last) - BigInt(range.first) >= WIDEST[range.family];
  });
  if (wide !== undefined) return `${wide} is wider than a /8 of IPv4 or a /19 of IPv6.`;
  return [...new Set(ranges)].toSorted();
}

/** Returns whether less than half of the addresses of a family remain. */
export function hasShrunk(before: readonly string[], after: readonly string[]): boolean {
  const [old, young] = [new RangeSet(before), new RangeSet(after)];
  return ([4, 6] as const).some((family) => young.sizeOf(family) * 2n < old.sizeOf(family));
}
