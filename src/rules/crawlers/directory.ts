/** The crawler directory of this version, and the look-up of the crawler that a user agent names. */
import { Lru, Recent } from '../../lib/cache/lru.ts';
import type { Crawler } from './crawler.ts';
import directory from './directory.json' with { type: 'json' };
import { openIndex } from './token.ts';

/** In the order of the directory: first the bots whose operators document them, then the others by name. */
export const CRAWLERS = directory.crawlers as readonly Crawler[];

/** User agents whose crawler is remembered; longer ones, which are rare, are searched each time. */
const KNOWN_MAX = 10_000;
const KNOWN_LENGTH_MAX = 512;

/**
 * Returns the crawler that a user agent names, or null. Its first token decides; one of purpose `other`, such as `curl`
 * or a headless browser, only if no other follows. The look-up costs the length of the user agent, not the number
 * of crawlers. It proves nothing: anybody can send any user agent.
 */
export const findCrawler = openLookup(CRAWLERS);

export function openLookup(crawlers: readonly Crawler[]): (userAgent: string) => Crawler | null {
  const find = openIndex(crawlers.map(({ userAgents, purpose }) => ({ userAgents, weak: purpose === 'other' })));
  const known = new Lru<string, { crawler: Crawler | null }>(KNOWN_MAX, undefined, new Recent());
  return (userAgent) => {
    const before = known.get(userAgent);
    if (before !== undefined) return before.crawler;
    const place = find(userAgent);
    const crawler = place === undefined ? null : (crawlers[place] ?? null);
    if (userAgent.length <= KNOWN_LENGTH_MAX) known.set(userAgent, { crawler });
    return crawler;
  };
}
