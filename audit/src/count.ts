/** Counts the visits of log lines: who it says it is, whether that is so, and what it fetched. */

import { openRanges } from '../../src/requesters/identities/ranges.ts';
import type { Crawler } from '../../src/rules/crawlers/crawler.ts';
import { CRAWLERS, findCrawler } from '../../src/rules/crawlers/directory.ts';
import { isProgram } from '../../src/rules/crawlers/program.ts';
import { type FoundAddress, openAddresses } from './addresses.ts';
import type { AuditAnswer, PolicyOfFile } from './answers.ts';
import { combinedReader } from './combined.ts';
import { readJsonLine } from './json-line.ts';
import type { KnownRanges } from './range-files.ts';
import { referrals } from './referrals.ts';
import {
  copied,
  GROUPS,
  type ReportRow,
  type VisitCounts,
  type VisitGroup,
  type VisitOutcome,
  VisitTally,
} from './tally.ts';
import type { LoggedVisit } from './visit.ts';

export interface CountOptions {
  seed: number;
  policy: PolicyOfFile | null;
  /** Ranges by the names of crawlers, beside those of the directory. */
  ranges: Record<string, KnownRanges>;
  /** Ranges of proxies; null: none are named. */
  trusted: readonly string[] | null;
}

/** A line that is no request. */
export interface UnreadableLines {
  /** From 0, in its chunk. */
  line: number;
  /** Its beginning. */
  text: string;
}

/** Longer lines are unreadable: no server accepts such a request. */
export const LINE_BYTES_MAX = 64 << 10;
/** Parts of longer lines are copied, so that a remembered part does not keep the line. */
const LONG_LINE = 2048;
const SAMPLE_MAX = 200;
const SAMPLES_MAX = 5;
const LINE_FEED = 10;
const BRACE = 0x7b;
const PLACES = new Map(CRAWLERS.map((crawler, place) => [crawler, place]));
const NO_CRAWLER = -1;

export interface Chunk {
  lines: number;
  unreadable: number;
  /** The first of them. */
  samples: UnreadableLines[];
}

export interface VisitCounter {
  /** Counts the lines of these bytes; the last needs no line end. */
  count(bytes: Buffer): Chunk;
  counted(): VisitCounts;
}

/** `answer`: of the policy, if there is one. */
export function openCounter(
  { seed, ranges, trusted }: Omit<CountOptions, 'policy'>,
  answer: AuditAnswer | null,
): VisitCounter {
  const tally = new VisitTally(seed);
  const readCombined = combinedReader();
  const readReferral = referrals();
  const judgeOutcome = openOutcomes(ranges);
  const find = openAddresses(trusted);

  /** The address is empty where it is in doubt, or cannot be read. */
  const judge = (
    crawler: Crawler | null,
    { address, doubtful }: FoundAddress,
  ): { outcome: VisitOutcome; address: string } => {
    if (crawler !== null && address === null) tally.addAddressless();
    if (address === null) return { outcome: 'unknown', address: '' };
    const outcome = crawler === null ? 'unknown' : judgeOutcome(crawler, address);
    if (!doubtful || outcome === 'verified') return { outcome, address };
    if (crawler !== null) tally.addDoubtful();
    return { outcome: 'unknown', address: '' };
  };
  const countVisit = (visit: LoggedVisit): void => {
    const crawler = visit.userAgent === null ? null : findCrawler(visit.userAgent);
    const { outcome, address } = judge(crawler, find(visit.address));
    addVisit(tally, { ...visit, address }, { crawler, outcome, answer });
    if (crawler !== null) return;
    const operator = readReferral(visit.referrer, visit.target);
    if (operator !== null) tally.addReferral(operator);
  };
  const readLine = (bytes: Buffer, start: number, end: number): LoggedVisit | undefined => {
    if (end - start > LINE_BYTES_MAX) return undefined;
    if (bytes[start] === BRACE) return readJsonLine(bytes.toString('utf8', start, end));
    const visit = readCombined(bytes.toString('latin1', start, end));
    return visit !== undefined && end - start > LONG_LINE ? copyVisit(visit) : visit;
  };
  return {
    count(bytes) {
      const chunk: Chunk = { lines: 0, unreadable: 0, samples: [] };
      for (let start = 0; start < bytes.length; ) {
        const found = bytes.indexOf(LINE_FEED, start);
        const next = found === -1 ? bytes.length : found;
        const end = trimmed(bytes, start, next);
        if (end > start) {
          const visit = readLine(bytes, start, end);
          if (visit === undefined) addUnreadable(chunk, bytes, start, end);
          else countVisit(visit);
        }
        chunk.lines++;
        start = next + 1;
      }
      return chunk;
    },
    counted: () => tally.counted(),
  };
}

/** The end of the line without a carriage return. */
const trimmed = (bytes: Buffer, start: number, end: number): number =>
  end > start && bytes[end - 1] === 13 ? end - 1 : end;

function addUnreadable(chunk: Chunk, bytes: Buffer, start: number, end: number): void {
  chunk.unreadable++;
  if (chunk.samples.length < SAMPLES_MAX) {
    chunk.samples.push({ line: chunk.lines, text: toSample(bytes.subarray(start, end)) });
  }
}

/** The beginning of a line, for people. */
export function toSample(line: Uint8Array): string {
  const text = Buffer.from(line.subarray(0, SAMPLE_MAX)).toString('utf8');
  return line.length > SAMPLE_MAX ? `${text}…` : text;
}

const copyVisit = (visit: LoggedVisit): LoggedVisit => {
  const { address, host, target, referrer, userAgent } = visit;
  const copy = (text: string | null): string | null => (text === null ? null : copied(text));
  return {
    ...visit,
    address: copied(address),
    host: copy(host),
    target: copy(target),
    referrer: copy(referrer),
    userAgent: copy(userAgent),
  };
};

/**
 * A crawler is verified, or its name is forged, only by ranges that are given. Its other identities need the network.
 */
function openOutcomes(given: CountOptions['ranges']): (crawler: Crawler, address: string) => VisitOutcome {
  const tests = new Map<Crawler, { isIn: (address: string) => boolean | undefined; complete: boolean }>();
  for (const crawler of CRAWLERS) {
    const own = crawler.identities.flatMap((identity) => ('ranges' in identity ? identity.ranges : []));
    const known = Object.hasOwn(given, crawler.name) ? given[crawler.name] : undefined;
    const ranges = [...own, ...(known?.ranges ?? [])];
    if (ranges.length > 0) tests.set(crawler, { isIn: openRanges(ranges), complete: known?.complete ?? true });
  }
  return (crawler, address) => {
    const test = tests.get(crawler);
    const isIn = test?.isIn(address);
    if (isIn === true) return 'verified';
    return isIn === false && test?.complete === true ? 'forged' : 'unknown';
  };
}

interface Visitor {
  crawler: Crawler | null;
  outcome: VisitOutcome;
  answer: AuditAnswer | null;
}

function addVisit(tally: VisitTally, visit: LoggedVisit, { crawler, outcome, answer }: Visitor): void {
  const { at, host, target } = visit;
  const row = tally.rowOf(crawler === null ? NO_CRAWLER : (PLACES.get(crawler) ?? NO_CRAWLER), outcome);
  addToRow(row, visit);
  tally.addDay(at, GROUPS.indexOf(pickGroup(crawler, outcome)));
  if (crawler === null) addProgram(tally, visit);
  else if (target !== null) {
    tally.addUrl(row, host, target);
    if (isRobots(target)) row.robots++;
  }
  const reason = answer?.(visit, outcome) ?? null;
  if (reason === 'not_covered') {
    row.notCovered++;
    if (host === null) tally.addHostless();
  } else if (reason === 'free') {
    row.free++;
  } else if (reason !== null) {
    row.denied++;
    tally.addReason(reason);
  }
}

function addProgram(tally: VisitTally, { userAgent, address, at, host, target }: LoggedVisit): void {
  if (userAgent === null || !isProgram(userAgent)) return;
  const page = target === null ? null : (host ?? '') + target.split('?', 1)[0];
  tally.programs.add({ userAgent, address, at, page, isRobots: target !== null && isRobots(target) });
}

function addToRow(row: ReportRow, { at, status, bytes }: LoggedVisit): void {
  row.requests++;
  row.bytes += bytes;
  const digit = Math.floor(status / 100);
  const index = digit < row.statuses.length ? digit : 0;
  row.statuses[index] = (row.statuses[index] ?? 0) + 1;
  if (at < row.first) row.first = at;
  if (at > row.last) row.last = at;
}

const pickGroup = (crawler: Crawler | null, outcome: VisitOutcome): VisitGroup =>
  crawler === null ? 'none' : outcome === 'forged' ? 'forged' : crawler.purpose;

const ROBOTS = '/robots.txt';
const isRobots = (target: string): boolean =>
  target.startsWith(ROBOTS) && (target.length === ROBOTS.length || target[ROBOTS.length] === '?');
