/** What the pages of requesters and licences share. */
import type { Row } from '../api/client.ts';
import type { Outcome } from '../parts/show.tsx';

export type Requester = Row<'GET /v1/requesters'>;
export type License = Row<'GET /v1/licenses'>;

const SOON_MS = 30 * 86_400_000;

/** What a licence is worth at a moment, in a word. */
export function stateOf(
  { status, startsAt, expiresAt }: License,
  now = Date.now(),
): { word: string; tone: Outcome | undefined } {
  if (status !== 'active') return { word: status, tone: 'denied' };
  if (startsAt !== null && Date.parse(startsAt) > now) return { word: 'not begun', tone: undefined };
  if (expiresAt === null) return { word: 'valid', tone: 'allowed' };
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return { word: 'expired', tone: 'denied' };
  return left < SOON_MS ? { word: 'ends soon', tone: 'limited' } : { word: 'valid', tone: 'allowed' };
}

export function scopeWords(scope: License['scope']): string {
  if (scope === null) return 'everything';
  const parts = [
    scope.contentTypes?.join(', '),
    scope.tags && `tagged ${scope.tags.join(', ')}`,
    scope.contentIds && `${scope.contentIds.length} items`,
    scope.policyIds && `${scope.policyIds.length} policies`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'everything' : parts.join(' · ');
}
