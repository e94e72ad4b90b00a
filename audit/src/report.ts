/** The report of an audit: what was counted, in the order and with the names that people read. */

import { counted } from '../../src/cli/terminal.ts';
import type { CrawlerPurpose } from '../../src/rules/crawlers/crawler.ts';
import { CRAWLERS } from '../../src/rules/crawlers/directory.ts';
import type { Reason } from '../../src/rules/reason.ts';
import type { Missed } from './fetch-ranges.ts';
import { listPrograms, type ProgramTraffic } from './programs.ts';
import type { Given } from './range-files.ts';
import type { Read } from './read.ts';
import {
  GROUPS,
  type MergedCounts,
  merge,
  type ReportRow,
  rowKey,
  type VisitGroup,
  type VisitOutcome,
} from './tally.ts';

export type Statuses = Record<'2xx' | '3xx' | '4xx' | '5xx' | 'other', number>;

/** The answers of a policy file, in requests. */
export interface Answers {
  allowed: number;
  denied: number;
  /** In none of the file's collections; absent where the file has none. */
  notCovered?: number;
  /** Requests for files for crawlers, such as robots.txt, which are never decided. */
  free: number;
}

export interface Traffic {
  requests: number;
  bytes: number;
  statuses: Statuses;
  firstSeen: string;
  lastSeen: string;
  /** null without a policy. */
  policy: Answers | null;
}

export interface CrawlerTraffic extends Traffic {
  name: string;
  operator: string | null;
  purpose: CrawlerPurpose;
  outcome: VisitOutcome;
  /** Distinct URLs; at least so many where `urlsAtLeast`. */
  urls: number;
  urlsAtLeast: boolean;
  robotsTxt: number;
  topPaths: { path: string; requests: number }[];
}

export interface OperatorTraffic {
  operator: string;
  /** Requests of its crawlers, without those that forge their names. */
  crawls: number;
  /** Visits that its services sent. */
  referrals: number;
  /** Crawls for each referral; null without referrals. */
  ratio: number | null;
}

export interface AuditReport {
  object: 'audit_report';
  files: string[];
  lines: number;
  unreadable: { count: number; first: { file: string; line: number; text: string }[] };
  faults: { file: string; fault: string }[];
  from: string | null;
  to: string | null;
  requests: number;
  bytes: number;
  crawlers: CrawlerTraffic[];
  /** Visitors whose user agents name no crawler. */
  others: Traffic | null;
  /** The programs with the most requests, at most 1,000. */
  programs: ProgramTraffic[];
  /** The requests of all programs that the directory does not name. */
  programRequests: number;
  operators: OperatorTraffic[];
  days: { date: string; requests: Partial<Record<VisitGroup, number>> }[];
  /** The published addresses that crawlers were verified with. */
  lists: { source: string; crawlers: string[]; ranges: number }[];
  /** Lists that could not be fetched. */
  missed: Missed[];
  policy: (Answers & { name: string; reasons: Partial<Record<Reason, number>> }) | null;
  notes: string[];
}

export interface ReportInput {
  files: string[];
  read: Read;
  policy: { name: string; collections?: readonly unknown[] | undefined; host: string | null } | null;
  paths: number;
  given: readonly Given[];
  missed: Missed[];
  /** Files that belong to no crawler. */
  ignored: readonly string[];
  /** Epoch ms. */
  now: number;
}

const DAY_MS = 86_400_000;
const OLD_MS = 30 * DAY_MS;

export function toReport(input: ReportInput): AuditReport {
  const { files, read, policy, paths, given, missed } = input;
  const merged = merge(read.counted);
  const rows = merged.rows.filter(({ requests }) => requests > 0).toSorted((a, b) => b.requests - a.requests);
  const named = rows.filter(({ crawler }) => crawler >= 0);
  const others = rows.find(({ crawler }) => crawler < 0);
  const toAnswers = openAnswerCounts(policy);
  const total = (of: (row: ReportRow) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
  const sums = {
    requests: total((row) => row.requests),
    denied: total((row) => row.denied),
    notCovered: total((row) => row.notCovered),
    free: total((row) => row.free),
  };
  const answers = toAnswers(sums);
  return {
    object: 'audit_report',
    files,
    lines: read.lines,
    unreadable: { count: read.unreadable, first: read.samples },
    faults: read.faults,
    from: rows.length === 0 ? null : toIso(Math.min(...rows.map(({ first }) => first))),
    to: rows.length === 0 ? null : toIso(Math.max(...rows.map(({ last }) => last))),
    requests: sums.requests,
    bytes: total((row) => row.bytes),
    crawlers: named.map((row) => toCrawler(row, merged, toAnswers, paths)),
    others: others === undefined ? null : toTraffic(others, toAnswers),
    programs: listPrograms(merged.programs),
    programRequests: merged.programs.requests,
    operators: toOperators(named, merged),
    days: toDays(merged),
    lists: given.map(({ source, crawlers, ranges }) => ({
      source,
      crawlers: crawlers.map(({ name }) => name),
      ranges: ranges.length,
    })),
    missed,
    policy: policy && answers && { name: policy.name, ...answers, reasons: Object.fromEntries(merged.reasons) },
    notes: [
      ...toNotes(named, { ...merged, hostless: policy?.host === null ? merged.hostless : 0 }),
      ...toListNotes(input, rows),
    ],
  };
}

const toIso = (at: number): string => new Date(at).toISOString();

type AnswersOf = (counts: Pick<ReportRow, 'requests' | 'denied' | 'notCovered' | 'free'>) => Answers | null;

function openAnswerCounts(policy: ReportInput['policy']): AnswersOf {
  if (policy === null) return () => null;
  const hasCollections = policy.collections !== undefined;
  return ({ requests, denied, notCovered, free }) => ({
    allowed: requests - denied - notCovered - free,
    denied,
    ...(hasCollections ? { notCovered } : {}),
    free,
  });
}

function toTraffic(row: ReportRow, answersOf: AnswersOf): Traffic {
  const { requests, bytes, statuses, first, last } = row;
  const [, informational = 0, ok = 0, redirect = 0, client = 0, server = 0] = statuses;
  const other = (statuses[0] ?? 0) + informational;
  return {
    requests,
    bytes,
    statuses: { '2xx': ok, '3xx': redirect, '4xx': client, '5xx': server, other },
    firstSeen: toIso(first),
    lastSeen: toIso(last),
    policy: answersOf(row),
  };
}

function toCrawler(row: ReportRow, { urls }: MergedCounts, answersOf: AnswersOf, paths: number): CrawlerTraffic {
  const { name, operator, purpose } = CRAWLERS[row.crawler] as (typeof CRAWLERS)[number];
  const top = [...row.paths].toSorted(([a, one], [b, other]) => other.requests - one.requests || (a < b ? -1 : 1));
  return {
    name,
    operator,
    purpose,
    outcome: row.outcome,
    ...toTraffic(row, answersOf),
    urls: urls.get(rowKey(row)) ?? 0,
    urlsAtLeast: row.urlsFull,
    robotsTxt: row.robots,
    topPaths: top.slice(0, paths).map(([path, { requests }]) => ({ path, requests })),
  };
}

/** Operators that send readers or could; those of other crawlers have nothing to compare. */
function toOperators(rows: readonly ReportRow[], { referrals }: MergedCounts): OperatorTraffic[] {
  const crawls = new Map<string, number>();
  for (const { crawler, outcome, requests } of rows) {
    const { operator = null, purpose } = CRAWLERS[crawler] ?? {};
    if (operator === null || outcome === 'forged' || purpose === undefined || !COLLECTS.has(purpose)) continue;
    crawls.set(operator, (crawls.get(operator) ?? 0) + requests);
  }
  return [...new Set([...crawls.keys(), ...referrals.keys()])]
    .map((operator) => {
      const [fetched, sent] = [crawls.get(operator) ?? 0, referrals.get(operator) ?? 0];
      return { operator, crawls: fetched, referrals: sent, ratio: sent === 0 ? null : fetched / sent };
    })
    .toSorted((a, b) => b.crawls - a.crawls || b.referrals - a.referrals);
}

const COLLECTS: ReadonlySet<CrawlerPurpose> = new Set(['training', 'search', 'user_fetch', 'index'] as const);

function toDays({ days }: MergedCounts): AuditReport['days'] {
  return [...days]
    .toSorted(([a], [b]) => a - b)
    .map(([day, counts]) => ({
      date: toIso(day * DAY_MS).slice(0, 10),
      requests: Object.fromEntries(
        GROUPS.map((group, i) => [group, counts[i] ?? 0]).filter(([, count]) => count !== 0),
      ),
    }));
}

/** Says how much the published addresses are worth for this log. */
function toListNotes({ given, missed, ignored, now }: ReportInput, rows: readonly ReportRow[]): string[] {
  const notes: string[] = [];
  const crawlers = rows.filter(({ crawler }) => crawler >= 0);
  if (crawlers.length > 0 && crawlers.every(({ outcome }) => outcome === 'unknown')) {
    notes.push(
      given.length === 0 && missed.length === 0
        ? 'No addresses were given to verify crawlers with (--fetch, --ranges): a name in a user agent proves nothing.'
        : 'No addresses that were found say anything about the crawlers of this log.',
    );
  }
  if (missed.length > 0) {
    notes.push(`Not fetched: ${missed.map(({ source }) => source).join(', ')}. Their crawlers are not called forged.`);
  }
  if (ignored.length > 0) notes.push(`No crawler and no list has the name of ${ignored.join(', ')}.`);
  const oldest = Math.min(...crawlers.map(({ first }) => first));
  if (given.some(({ source }) => /^https?:/.test(source)) && now - oldest > OLD_MS) {
    notes.push('The lists are those of today, and the log begins over 30 days ago: addresses may have moved since.');
  }
  return notes;
}

function toNotes(rows: readonly ReportRow[], { otherDays, hostless, doubtful, addressless }: MergedCounts): string[] {
  const notes: string[] = [];
  if (doubtful > 0) {
    notes.push(
      `The log names several addresses for ${counted(doubtful, 'request')} of crawlers, and not which are proxies: these are not called forged. Name your proxies with --trusted-proxies.`,
    );
  }
  if (addressless > 0) {
    notes.push(`The address cannot be read for ${counted(addressless, 'request')} of crawlers: these stay unknown.`);
  }
  const has = (outcome: VisitOutcome): boolean => rows.some((row) => row.outcome === outcome);
  if (has('forged') && !has('verified')) {
    notes.push(
      'No crawler came from its published addresses. Check that the log has the addresses of visitors, not those of a proxy.',
    );
  }
  if (otherDays > 0) notes.push(`The days leave out ${otherDays} requests: the log has too many different days.`);
  if (hostless > 0) {
    notes.push(
      `Not covered for lack of a host in the log: ${counted(hostless, 'request')}. Collections with hosts need one: log it, or give it with --host.`,
    );
  }
  return notes;
}
