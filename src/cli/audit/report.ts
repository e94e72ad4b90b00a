/** The report of an audit: what was counted, in the order and with the names that people read. */
import type { CrawlerPurpose } from '../../crawlers/crawler.ts';
import { CRAWLERS } from '../../crawlers/directory.ts';
import type { Reason } from '../../ledger/reason.ts';
import type { Read } from './read.ts';
import { GROUPS, type Group, keyOf, type Merged, merge, type Outcome, type Row } from './tally.ts';

export type Statuses = Record<'2xx' | '3xx' | '4xx' | '5xx' | 'other', number>;

export interface Traffic {
  requests: number;
  bytes: number;
  statuses: Statuses;
  firstSeen: string;
  lastSeen: string;
  /** Answers of the policy; null without one. */
  policy: { allowed: number; denied: number } | null;
}

export interface CrawlerTraffic extends Traffic {
  name: string;
  operator: string | null;
  purpose: CrawlerPurpose;
  outcome: Outcome;
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
  operators: OperatorTraffic[];
  days: { date: string; requests: Partial<Record<Group, number>> }[];
  policy: { name: string; allowed: number; denied: number; reasons: Partial<Record<Reason, number>> } | null;
  notes: string[];
}

export interface ReportInput {
  files: string[];
  read: Read;
  policyName: string | null;
  paths: number;
}

const DAY_MS = 86_400_000;

export function toReport({ files, read, policyName, paths }: ReportInput): AuditReport {
  const merged = merge(read.counted);
  const rows = merged.rows.filter(({ requests }) => requests > 0).toSorted((a, b) => b.requests - a.requests);
  const named = rows.filter(({ crawler }) => crawler >= 0);
  const others = rows.find(({ crawler }) => crawler < 0);
  const hasPolicy = policyName !== null;
  const total = (of: (row: Row) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
  const denied = total((row) => row.denied);
  const requests = total((row) => row.requests);
  return {
    object: 'audit_report',
    files,
    lines: read.lines,
    unreadable: { count: read.unreadable, first: read.samples },
    faults: read.faults,
    from: rows.length === 0 ? null : toIso(Math.min(...rows.map(({ first }) => first))),
    to: rows.length === 0 ? null : toIso(Math.max(...rows.map(({ last }) => last))),
    requests,
    bytes: total((row) => row.bytes),
    crawlers: named.map((row) => toCrawler(row, merged, hasPolicy, paths)),
    others: others === undefined ? null : toTraffic(others, hasPolicy),
    operators: toOperators(named, merged),
    days: toDays(merged),
    policy: hasPolicy
      ? { name: policyName, allowed: requests - denied, denied, reasons: Object.fromEntries(merged.reasons) }
      : null,
    notes: toNotes(named, merged),
  };
}

const toIso = (at: number): string => new Date(at).toISOString();

function toTraffic({ requests, bytes, statuses, first, last, denied }: Row, hasPolicy: boolean): Traffic {
  const [, informational = 0, ok = 0, redirect = 0, client = 0, server = 0] = statuses;
  const other = (statuses[0] ?? 0) + informational;
  return {
    requests,
    bytes,
    statuses: { '2xx': ok, '3xx': redirect, '4xx': client, '5xx': server, other },
    firstSeen: toIso(first),
    lastSeen: toIso(last),
    policy: hasPolicy ? { allowed: requests - denied, denied } : null,
  };
}

function toCrawler(row: Row, { urls }: Merged, hasPolicy: boolean, paths: number): CrawlerTraffic {
  const { name, operator, purpose } = CRAWLERS[row.crawler] as (typeof CRAWLERS)[number];
  const top = [...row.paths].toSorted(([a, one], [b, other]) => other.requests - one.requests || (a < b ? -1 : 1));
  return {
    name,
    operator,
    purpose,
    outcome: row.outcome,
    ...toTraffic(row, hasPolicy),
    urls: urls.get(keyOf(row)) ?? 0,
    urlsAtLeast: row.urlsFull,
    robotsTxt: row.robots,
    topPaths: top.slice(0, paths).map(([path, { requests }]) => ({ path, requests })),
  };
}

/** Operators that send readers or could; those of other crawlers have nothing to compare. */
function toOperators(rows: readonly Row[], { referrals }: Merged): OperatorTraffic[] {
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

function toDays({ days }: Merged): AuditReport['days'] {
  return [...days]
    .toSorted(([a], [b]) => a - b)
    .map(([day, counts]) => ({
      date: toIso(day * DAY_MS).slice(0, 10),
      requests: Object.fromEntries(
        GROUPS.map((group, i) => [group, counts[i] ?? 0]).filter(([, count]) => count !== 0),
      ),
    }));
}

function toNotes(rows: readonly Row[], { otherDays }: Merged): string[] {
  const notes: string[] = [];
  const has = (outcome: Outcome): boolean => rows.some((row) => row.outcome === outcome);
  if (has('forged') && !has('verified')) {
    notes.push(
      'No crawler came from its published addresses. Check that the log has the addresses of visitors, not those of a proxy.',
    );
  }
  if (rows.length > 0 && !has('forged') && !has('verified')) {
    notes.push('No addresses were given to verify crawlers with (--ranges): a name in a user agent proves nothing.');
  }
  if (otherDays > 0) notes.push(`The days leave out ${otherDays} requests: the log has too many different days.`);
  return notes;
}
