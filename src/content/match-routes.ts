/** Answers which item or collection decides about a URL, also with a collection that is not stored. */

import { fail } from '../api/errors.ts';
import type { App } from '../api/http/app.ts';
import { route } from '../api/http/route.ts';
import type { Clock } from '../lib/clock.ts';
import { type Locator, parseVisited } from '../lib/urls/locator.ts';
import { toTried } from './collections/edits.ts';
import { type MatchDeps, matchUrl, matchWith } from './match.ts';
import { CollectionMatch, MatchQuery, matchAnswer, TriedMatch, TryCollection, triedAnswer } from './match-schema.ts';

export function matchRoutes(app: App, deps: MatchDeps & { clock: Clock }): void {
  const match = {
    tag: 'Collections',
    permission: 'content:read',
    id: 'matchCollection',
    is: 'Find what decides about a URL',
    query: MatchQuery,
    answer: CollectionMatch,
  } as const;
  route(app, 'GET /v1/collections/match', match, async ({ query: { url } }) =>
    matchAnswer(url, await matchUrl(deps, toLocator(url))),
  );

  const attempt = {
    tag: 'Collections',
    permission: 'content:read',
    id: 'tryCollection',
    is: 'Find what would decide about a URL if a collection were stored',
    body: TryCollection,
    answer: TriedMatch,
  } as const;
  route(app, 'POST /v1/collections/match', attempt, async ({ body: { url, collection } }) => {
    const locator = toLocator(url);
    const tried = await toTried(deps.db, collection, deps.clock.now());
    return triedAnswer(url, tried, await matchWith(deps, locator, tried));
  });
}

/** Throws invalid_request. */
function toLocator(url: string): Locator {
  const locator = parseVisited(url);
  if (locator === undefined) throw unreadable(url);
  return locator;
}

function unreadable(url: string) {
  const message = /^https?:\/\/[^/]/i.test(url)
    ? 'Servers may read the host or the path of `url` differently, so it matches no item and no collection.'
    : '`url` must be an absolute http or https URL, such as https://www.example.com/news/today.';
  return fail('invalid_request', message, { param: 'url' });
}
