/** Formats numbers, times and names alike on every page. Counts are exact. */
import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { beginsDay, dayAt, lastDayBefore, ZONE } from './days.ts';

const counts = new Intl.NumberFormat('en-GB');
export const formatCount = (count: number): string => counts.format(count);

export const formatPercent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${UNITS[unit]}`;
}

const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const toSecond = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export const formatDay = (iso: string): string => day.format(new Date(iso));
/** Formats the day of an instant in the time zone of a contract. */
export const formatDayIn = (at: string | number, timeZone: string | undefined): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone }).format(new Date(at));
export const formatTime = (iso: string): string => full.format(new Date(iso));

export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000);
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(seconds, 'second');
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Formats a period with its last day included, and with times where it is not whole days. */
export function spanWords(from: string | undefined, to: string | undefined): string {
  if (from === undefined) {
    if (to === undefined) return 'Any time';
    return beginsDay(to) ? `Until ${formatLastDay(to)}` : `Until ${formatDay(to)}, ${formatClock(to)}`;
  }
  const start = beginsDay(from) ? formatDay(from) : `${formatDay(from)}, ${formatClock(from)}`;
  if (to === undefined) return `Since ${start}`;
  if (beginsDay(from) && beginsDay(to))
    return dayAt(from) === lastDayBefore(to) ? start : `${start} – ${formatLastDay(to)}`;
  const first = `${formatDay(from)}, ${formatClock(from)}`;
  if (dayAt(from) === dayAt(to)) return `${first} – ${formatClock(to)}`;
  return dayAt(from) === lastDayBefore(to) ? `${first} – 24:00` : `${first} – ${formatDay(to)}, ${formatClock(to)}`;
}

/** The same of a typed address, which may hold anything; the service validates it. */
export function describeSpan(from: string | undefined, to: string | undefined): string {
  const broken = [from, to].some((one) => one !== undefined && Number.isNaN(Date.parse(one)));
  return broken ? 'Some other time' : spanWords(from, to);
}

export const formatLastDay = (end: string): string => day.format(Date.parse(end) - 1);
const formatClock = (iso: string): string => clock.format(new Date(iso));

export function Time({ at, absent = '–' }: { at: string | null | undefined; absent?: string }) {
  if (at === null || at === undefined) return <span className="soft">{absent}</span>;
  return (
    <Tooltip label={`${formatTime(at)} (${ZONE})`}>
      <time dateTime={at}>{formatAgo(at)}</time>
    </Tooltip>
  );
}

/** Shows day and time. */
export function When({ at }: { at: string }) {
  return (
    <Tooltip label={`${formatAgo(at)} (${ZONE})`}>
      <time dateTime={at} className="time">
        <span>{formatDay(at)}</span> <span>{toSecond.format(new Date(at))}</span>
      </time>
    </Tooltip>
  );
}

export type Outcome = 'allowed' | 'denied' | 'limited';

/** Characters of a word up to which a chip stays in one piece. */
const WORD_MAX = 24;
const longOrNot = (content: ReactNode): string =>
  typeof content === 'string' && content.split(' ').some((word) => word.length > WORD_MAX) ? ' long' : '';

export function Chip({ tone, children }: { tone?: Outcome | undefined; children: ReactNode }) {
  return <span className={`chip ${tone ?? ''}${longOrNot(children)}`}>{children}</span>;
}

export const REASONS: Record<string, string> = {
  no_license: 'No license',
  license_expired: 'License expired',
  rate_limit_exceeded: 'Limit used up',
  quota_exceeded: 'Quota of its license used up',
  permission_not_granted: 'Asked for a right it does not have',
  content_archived: 'Item archived',
  requester_suspended: 'Requester suspended',
  policy_denied: 'Denied by a rule',
};

export const reasonName = (reason: string): string => REASONS[reason] ?? reason;
export const getTone = (reason: string | null): Outcome =>
  reason === null ? 'allowed' : isLimited(reason) ? 'limited' : 'denied';

/** Denied by a limit or a quota, after the rules had allowed. */
export const isLimited = (reason: string | null): boolean =>
  reason === 'rate_limit_exceeded' || reason === 'quota_exceeded';

export function Verdict({ reason }: { reason: string | null }) {
  return <Chip tone={getTone(reason)}>{reason === null ? 'Allowed' : reasonName(reason)}</Chip>;
}

/** Marks a decision of a collection that only observes. */
export function NotEnforced({ of: { enforced } }: { of: { enforced: boolean } }) {
  return enforced ? null : <Chip tone="limited">only observed</Chip>;
}

/** Renders a sentence of the API with its `names` as code. */
export function Words({ of }: { of: string }) {
  // The parts of one sentence do not move.
  return of.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}

export function Tags({ of }: { of: readonly string[] }) {
  if (of.length === 0) return <span className="soft">–</span>;
  return (
    <span className="tags">
      {of.map((tag) => (
        <span key={tag} className={`chip${longOrNot(tag)}`}>
          {tag}
        </span>
      ))}
    </span>
  );
}

export function Json({ of }: { of: unknown }) {
  return <pre className="json">{JSON.stringify(of, null, 2)}</pre>;
}

/** Returns whether an id is the pseudonym of an erased partner. */
export const isErased = (id: string): boolean => /^erased_[0-9a-z]{26}$/.test(id);

/** Pseudonyms differ at their ends. A registered id of this form has a name. */
export const erasedName = (id: string, name = id): string => (name === id ? `Erased partner …${id.slice(-4)}` : name);

export function RequesterLink({ id, name }: { id: string | null; name?: string }) {
  if (id === null) return <span className="soft">anonymous</span>;
  return (
    <Link href={`/requesters/${encodeURIComponent(id)}`}>{isErased(id) ? erasedName(id, name) : (name ?? id)}</Link>
  );
}

export function CrawlerLink({ name }: { name: string }) {
  return <Link href={`/crawlers/${encodeURIComponent(name)}`}>{name}</Link>;
}

/** The fields of a decision about its visitor. */
export interface Proof {
  requesterId: string | null;
  crawler: string | null;
  verified: keyof typeof WAYS | null;
  spoofed?: true | undefined;
  claimed?: string | undefined;
}

export const WAYS = {
  token: 'its token',
  signature: 'its signature',
  ip: 'its address',
  dns: 'its host name',
  license: 'a License token',
};

/** Nothing for visitors that claim no name. */
export function ProofChip({ of: { requesterId, crawler, verified, spoofed, claimed } }: { of: Proof }) {
  if (spoofed === true) return <Chip tone="denied">Not {claimed}: false name</Chip>;
  if (verified !== null) return <Chip tone="allowed">Verified by {WAYS[verified]}</Chip>;
  return requesterId === null && crawler === null ? null : <Chip>Only claimed</Chip>;
}
