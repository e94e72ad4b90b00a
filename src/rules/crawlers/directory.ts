/**
 * The crawler directory in force in this process, and the look-up of the crawler that a user agent names. It is one
 * value: the service replaces it while it runs, and everything here reads the rows in force.
 */
import { Lru, Recent } from '../../lib/cache/lru.ts';
import type { Crawler } from './crawler.ts';
import directory from './directory.json' with { type: 'json' };
import { openIndex } from './token.ts';

export interface Directory {
  /** The day on which its rows were last looked at, as YYYY-MM-DD. */
  readonly date: string;
  readonly crawlers: readonly Crawler[];
}

/** The directory of this version. */
export const PACKAGED: Directory = directory as Directory;

/** User agents whose crawler is remembered; longer ones, which are rare, are searched each time. */
const KNOWN_MAX = 10_000;
const KNOWN_LENGTH_MAX = 512;

/** In the order of the directory: first the bots whose operators document them, then the others by name. */
export let CRAWLERS: readonly Crawler[] = PACKAGED.crawlers;

/**
 * Returns the crawler that a user agent names, or null. Its first token decides; one of purpose `other`, such as `curl`
 * or a headless browser, only if no other follows. The look-up costs the length of the user agent, not the number
 * of crawlers. It proves nothing: anybody can send any user agent.
 */
export let findCrawler = openLookup(CRAWLERS);

let inForce = PACKAGED;

export const directoryInForce = (): Directory => inForce;

/** Replaces the directory: every look-up that begins later reads this one. */
export function useDirectory(next: Directory): void {
  inForce = next;
  CRAWLERS = next.crawlers;
  findCrawler = openLookup(CRAWLERS);
}

/** Returns a function that returns what was built from the rows in force; it builds again once they are replaced. */
export function fromCrawlers<T>(build: (crawlers: readonly Crawler[]) => T): () => T {
  let built: { of: readonly Crawler[]; value: T } | undefined;
  return () => {
    if (built?.of !== CRAWLERS) built = { of: CRAWLERS, value: build(CRAWLERS) };
    return built.value;
  };
}

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
