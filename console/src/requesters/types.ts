/** Types and helpers that the requester and license pages share. */
import type { Row } from '../api/client.ts';
import { beginsDay } from '../parts/days.ts';
import { pluralize } from '../parts/plural.ts';
import { formatDay, formatLastDay, type Outcome } from '../parts/show.tsx';

export type Requester = Row<'GET /v1/requesters'>;
export type License = Row<'GET /v1/licenses'>;

const SOON_MS = 30 * 86_400_000;

type Dated = Pick<License, 'status' | 'startsAt' | 'expiresAt'>;

/** Returns the state of a license at an instant. */
export function getState(
  { status, startsAt, expiresAt }: Dated,
  now = Date.now(),
): { word: string; tone: Outcome | undefined } {
  if (status !== 'active') return { word: status, tone: 'denied' };
  if (startsAt !== null && Date.parse(startsAt) > now) return { word: 'not begun', tone: undefined };
  if (expiresAt === null) return { word: 'valid', tone: 'allowed' };
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return { word: 'expired', tone: 'denied' };
  return left < SOON_MS ? { word: 'ends soon', tone: 'limited' } : { word: 'valid', tone: 'allowed' };
}

interface Scope extends Omit<NonNullable<License['scope']>, 'contentTypes'> {
  contentTypes?: string[] | undefined;
}

/** A free license that the license server granted opens nothing of its own. */
export function coverWords({ scope, metadata: { source, host } }: Pick<License, 'scope' | 'metadata'>): string {
  const isFromServer = source === 'license.xml' && scope?.collectionIds?.length === 0;
  return isFromServer ? `what ${String(host)} permits everybody, by the license server` : scopeWords(scope);
}

export function scopeWords(scope: Scope | null): string {
  if (scope === null) return 'everything';
  const parts = [
    scope.contentTypes?.join(', '),
    scope.tags && `tagged ${scope.tags.join(', ')}`,
    scope.contentIds && pluralize(scope.contentIds.length, 'item'),
    scope.collectionIds && pluralize(scope.collectionIds.length, 'collection'),
    scope.policyIds && pluralize(scope.policyIds.length, 'policy', 'policies'),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'everything' : parts.join(' · ');
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Says from when a license counts that was just written. */
export function countsWords({ status, startsAt, expiresAt }: Dated, now = Date.now()): string {
  if (status === 'suspended') return 'It is suspended: no check counts it until it is active again.';
  if (expiresAt !== null && Date.parse(expiresAt) <= now)
    return `It has ended: its last day was ${lastDayWords(expiresAt)}.`;
  if (startsAt === null || Date.parse(startsAt) <= now) return 'It counts from the next check on.';
  return `It counts from ${beginsDay(startsAt) ? formatDay(startsAt) : exact.format(new Date(startsAt))}.`;
}

/** Formats the last day of a license, with a time if it ends within the day. */
export const lastDayWords = (expiresAt: string): string =>
  beginsDay(expiresAt) ? formatLastDay(expiresAt) : exact.format(new Date(expiresAt));
