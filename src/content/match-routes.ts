/** Answers which item or collection decides about a URL. */
import type { KnownCollections } from '../collections/known.ts';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import type { App } from '../http/app.ts';
import { route } from '../http/route.ts';
import { parseVisited } from '../lib/locator.ts';
import { matchUrl } from './match.ts';
import { CollectionMatch, MatchQuery, matchAnswer } from './match-schema.ts';

export function matchRoutes(app: App, deps: { db: Db; collections: KnownCollections }): void {
  const match = {
    tag: 'Collections',
    permission: 'content:read',
    id: 'matchCollection',
    is: 'Find what decides about a URL',
    query: MatchQuery,
    answer: CollectionMatch,
  } as const;
  route(app, 'GET /v1/collections/match', match, async ({ query: { url } }) => {
    const locator = parseVisited(url);
    if (locator === undefined) throw unreadable(url);
    return matchAnswer(url, await matchUrl(deps, locator));
  });
}

function unreadable(url: string) {
  const message = /^https?:\/\/[^/]/i.test(url)
    ? 'Servers may read the host or the path of `url` differently, so it matches no item and no collection.'
    : '`url` must be an absolute http or https URL, such as https://www.example.com/news/today.';
  return fail('invalid_request', message, { param: 'url' });
}
