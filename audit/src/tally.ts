/** The counts of an audit, in bounded memory. One thread fills a tally; `merge` joins those of several. */
import { CRAWLER_PURPOSES } from '../../src/rules/crawlers/crawler.ts';
import type { Reason } from '../../src/rules/reason.ts';
import { type CountedPrograms, mergePrograms, ProgramTally } from './programs.ts';
import { type Hash, Hasher, UrlTable } from './url-table.ts';

export const OUTCOMES = ['verified', 'forged', 'unknown'] as const;
export type VisitOutcome = (typeof OUTCOMES)[number];

/** The groups of a day's requests: by purpose, forged names apart, and the visitors that name no crawler. */
export const GROUPS = [...CRAWLER_PURPOSES, 'forged', 'none'] as const;
export type VisitGroup = (typeof GROUPS)[number];

/** A path with its requests in this thread, and its hash. */
interface Candidate extends Hash {
  requests: number;
}

/** The requests of one crawler with one outcome; or of all visitors that name no crawler. */
export interface ReportRow {
  /** Place in the directory; -1: no crawler. */
  crawler: number;
  outcome: VisitOutcome;
  requests: number;
  bytes: number;
  /** By the first digit of the status; at 0 all others. */
  statuses: number[];
  robots: number;
  first: number;
  last: number;
  /** More URLs came than could be counted. */
  urlsFull: boolean;
  /** Candidates for the most requested paths. */
  paths: Map<string, Candidate>;
  /** By the policy, if there is one. */
  denied: number;
  /** In none of the collections of the policy file. */
  notCovered: number;
  /** Requests for files for crawlers, which are never decided. */
  free: number;
}

/** All that a thread has counted; another thread can receive it. */
export interface VisitCounts {
  rows: ReportRow[];
  /** Requests by day, in days since 1970, and group. */
  days: Map<number, number[]>;
  /** Requests of days that `days` has no room for. */
  otherDays: number;
  referrals: Map<string, number>;
  reasons: Map<Reason, number>;
  /** Requests that are in no collection of the policy file, and whose lines name no host. */
  hostless: number;
  /** Requests of crawlers whose address may be that of a proxy, or cannot be read. */
  doubtful: number;
  addressless: number;
  programs: CountedPrograms;
  table: { words: Int32Array; size: number };
}

const CANDIDATES = 128;
/** A log with many crawlers keeps fewer of each. */
const CANDIDATES_OF_MANY = 16;
const MANY = 256;
const PATH_LENGTH_MAX = 256;
const DAYS_MAX = 3660;
const DAY_MS = 86_400_000;
/** Marks of a table's entry; its row stands above them. */
const IS_URL = 1;
const ROW_AT = 1;
/** Parts what can never touch in a URL. */
const APART = '\n';

export class VisitTally {
  readonly #rows = new Map<number, ReportRow>();
  readonly #days: VisitCounts['days'] = new Map();
  readonly #referrals: VisitCounts['referrals'] = new Map();
  readonly #reasons: VisitCounts['reasons'] = new Map();
  readonly programs: ProgramTally;
  readonly #hasher: Hasher;
  readonly #table = new UrlTable();
  #otherDays = 0;
  #hostless = 0;
  #doubtful = 0;
  #addressless = 0;

  /** The same seed for all threads of a run. */
  constructor(seed: number) {
    this.programs = new ProgramTally(seed);
    this.#hasher = new Hasher(seed);
  }

  rowOf(crawler: number, outcome: VisitOutcome): ReportRow {
    const key = rowKey({ crawler, outcome });
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = newRow(crawler, outcome);
      this.#rows.set(key, row);
    }
    return row;
  }

  addDay(at: number, group: number): void {
    const number = Math.floor(at / DAY_MS);
    let day = this.#days.get(number);
    if (day === undefined) {
      if (this.#days.size >= DAYS_MAX) {
        this.#otherDays++;
        return;
      }
      day = GROUPS.map(() => 0);
      this.#days.set(number, day);
    }
    day[group] = (day[group] ?? 0) + 1;
  }

  addReferral(operator: string): void {
    increase(this.#referrals, operator, 1);
  }

  addReason(reason: Reason): void {
    increase(this.#reasons, reason, 1);
  }

  addDoubtful(): void {
    this.#doubtful++;
  }

  addAddressless(): void {
    this.#addressless++;
  }

  addHostless(): void {
    this.#hostless++;
  }

  /** Counts a URL of a row, and its path. */
  addUrl(row: ReportRow, host: string | null, target: string): void {
    const query = target.indexOf('?');
    const end = query === -1 ? target.length : query;
    const key = rowKey(row);
    const hasher = this.#hasher.start(key);
    if (host !== null) hasher.add(host, 0, host.length).add(APART, 0, 1);
    const path = hasher.add(target, 0, end).end();
    const mark = key << ROW_AT;
    const requests = this.#table.add(path, 1, query === -1 ? mark | IS_URL : mark);
    if (requests === undefined) row.urlsFull = true;
    else if (requests > (LEAST.get(row) ?? 0)) {
      this.#keepPath(row, (host ?? '') + target.slice(0, end), { requests, high: path.high, low: path.low });
    }
    if (query === -1) return;
    const url = hasher.add(target, end, target.length).end();
    if (this.#table.add(url, 1, mark | IS_URL) === undefined) row.urlsFull = true;
  }

  #keepPath(row: ReportRow, path: string, candidate: Candidate): void {
    const { paths } = row;
    paths.set(copied(path.length > PATH_LENGTH_MAX ? `${path.slice(0, PATH_LENGTH_MAX)}…` : path), candidate);
    const most = this.#rows.size > MANY ? CANDIDATES_OF_MANY : CANDIDATES;
    if (paths.size > most * 2) LEAST.set(row, keepMost(paths, most));
  }

  counted(): VisitCounts {
    return {
      rows: [...this.#rows.values()],
      days: this.#days,
      otherDays: this.#otherDays,
      referrals: this.#referrals,
      reasons: this.#reasons,
      hostless: this.#hostless,
      doubtful: this.#doubtful,
      addressless: this.#addressless,
      programs: this.programs.counted(),
      table: this.#table.share(),
    };
  }
}

/** The requests that a path must exceed to become a candidate of a row. */
const LEAST = new WeakMap<ReportRow, number>();

const newRow = (crawler: number, outcome: VisitOutcome): ReportRow => ({
  crawler,
  outcome,
  requests: 0,
  bytes: 0,
  statuses: [0, 0, 0, 0, 0, 0],
  robots: 0,
  first: Infinity,
  last: -Infinity,
  urlsFull: false,
  paths: new Map(),
  denied: 0,
  notCovered: 0,
  free: 0,
});

export const rowKey = ({ crawler, outcome }: Pick<ReportRow, 'crawler' | 'outcome'>): number =>
  (crawler + 1) * OUTCOMES.length + OUTCOMES.indexOf(outcome);

const increase = <K>(counts: Map<K, number>, key: K, by: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + by);

/** Removes all but the most requested. Returns the requests of the last that stays. */
function keepMost(paths: ReportRow['paths'], most: number): number {
  const sorted = [...paths].toSorted(([, a], [, b]) => b.requests - a.requests);
  for (const [path] of sorted.slice(most)) paths.delete(path);
  return sorted[most - 1]?.[1].requests ?? 0;
}

/** A part of a text keeps all of it in memory; a copy does not. */
export const copied = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');

/** All that the threads have counted, and the URLs of each row by its key. */
export interface MergedCounts extends Omit<VisitCounts, 'table'> {
  urls: Map<number, number>;
}

export function merge(all: readonly VisitCounts[]): MergedCounts {
  // The table of the first is filled, not copied: it may be large.
  const table = new UrlTable(all[0]?.table);
  const rows = new Map<number, ReportRow>();
  const days: VisitCounts['days'] = new Map();
  const referrals: VisitCounts['referrals'] = new Map();
  const reasons: VisitCounts['reasons'] = new Map();
  for (const [i, one] of all.entries()) {
    for (const row of one.rows) rows.set(rowKey(row), joinRows(rows.get(rowKey(row)), row));
    for (const [day, groups] of one.days) days.set(day, joinDays(days.get(day), groups));
    for (const [operator, count] of one.referrals) increase(referrals, operator, count);
    for (const [reason, count] of one.reasons) increase(reasons, reason, count);
    if (i > 0) joinTables(table, new UrlTable(one.table), rows);
  }
  for (const { paths } of rows.values()) {
    for (const one of paths.values()) one.requests = Math.max(one.requests, table.get(one));
  }
  const total = (of: (one: VisitCounts) => number): number => all.reduce((sum, one) => sum + of(one), 0);
  const otherDays = total((one) => one.otherDays);
  return {
    rows: [...rows.values()],
    days,
    otherDays,
    referrals,
    reasons,
    hostless: total((one) => one.hostless),
    doubtful: total((one) => one.doubtful),
    addressless: total((one) => one.addressless),
    programs: mergePrograms(all.map((one) => one.programs)),
    urls: countUrls(table),
  };
}

const joinDays = (one: readonly number[] | undefined, other: readonly number[]): number[] =>
  other.map((count, i) => count + (one?.[i] ?? 0));

function joinTables(table: UrlTable, other: UrlTable, rows: ReadonlyMap<number, ReportRow>): void {
  other.forEach((hash, requests, mark) => {
    if (table.add(hash, requests, mark) !== undefined) return;
    const row = rows.get(mark >> ROW_AT);
    if (row !== undefined) row.urlsFull = true;
  });
}

function countUrls(table: UrlTable): Map<number, number> {
  const urls = new Map<number, number>();
  table.forEach((_hash, _requests, mark) => {
    if ((mark & IS_URL) !== 0) increase(urls, mark >> ROW_AT, 1);
  });
  return urls;
}

function joinRows(one: ReportRow | undefined, other: ReportRow): ReportRow {
  if (one === undefined) return other;
  return {
    ...one,
    requests: one.requests + other.requests,
    bytes: one.bytes + other.bytes,
    statuses: one.statuses.map((count, i) => count + (other.statuses[i] ?? 0)),
    robots: one.robots + other.robots,
    first: Math.min(one.first, other.first),
    last: Math.max(one.last, other.last),
    urlsFull: one.urlsFull || other.urlsFull,
    paths: new Map([...one.paths, ...other.paths]),
    denied: one.denied + other.denied,
    notCovered: one.notCovered + other.notCovered,
    free: one.free + other.free,
  };
}
