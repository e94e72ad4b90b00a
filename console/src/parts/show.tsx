/** Numbers, moments, names: the same everywhere. Counts are shown to the unit, as the API tells them. */
import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

const counts = new Intl.NumberFormat('en-GB');
export const countOf = (count: number): string => counts.format(count);

export const percentOf = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
export function bytesOf(bytes: number): string {
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
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export const dayOf = (iso: string): string => day.format(new Date(iso));
export const momentOf = (iso: string): string => full.format(new Date(iso));

export function agoOf(iso: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000);
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(seconds, 'second');
}

export function Moment({ at, absent = '–' }: { at: string | null | undefined; absent?: string }) {
  if (at === null || at === undefined) return <span className="soft">{absent}</span>;
  return (
    <Tooltip label={`${momentOf(at)} (${at})`}>
      <time dateTime={at}>{agoOf(at)}</time>
    </Tooltip>
  );
}

export type Outcome = 'allowed' | 'denied' | 'limited';

export function Chip({ tone, children }: { tone?: Outcome | undefined; children: ReactNode }) {
  return <span className={`chip ${tone ?? ''}`}>{children}</span>;
}

export const REASONS: Record<string, string> = {
  no_license: 'No licence',
  license_expired: 'Licence expired',
  rate_limit_exceeded: 'Limit used up',
  permission_not_granted: 'Right not granted',
  content_archived: 'Item archived',
  requester_suspended: 'Requester suspended',
  policy_denied: 'Denied by policy',
};

export const reasonName = (reason: string): string => REASONS[reason] ?? reason;
export const toneOf = (reason: string | null): Outcome =>
  reason === null ? 'allowed' : reason === 'rate_limit_exceeded' ? 'limited' : 'denied';

export function Verdict({ reason }: { reason: string | null }) {
  return <Chip tone={toneOf(reason)}>{reason === null ? 'Allowed' : reasonName(reason)}</Chip>;
}

/** A sentence of the API, in which `names` are between backticks. */
export function Words({ of }: { of: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence do not move
  return of.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}

export function Tags({ of }: { of: readonly string[] }) {
  if (of.length === 0) return <span className="soft">–</span>;
  return (
    <span className="tags">
      {of.map((tag) => (
        <span key={tag} className="chip">
          {tag}
        </span>
      ))}
    </span>
  );
}

export function Json({ of }: { of: unknown }) {
  return <pre className="json">{JSON.stringify(of, null, 2)}</pre>;
}

export function RequesterLink({ id, name }: { id: string | null; name?: string }) {
  if (id === null) return <span className="soft">anonymous</span>;
  return <Link href={`/requesters/${encodeURIComponent(id)}`}>{name ?? id}</Link>;
}
