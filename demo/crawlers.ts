/** Reads the robots of the web from crawler-user-agents: names, user agents and purposes. */
import crawlerUserAgents from 'crawler-user-agents';

export interface Crawler {
  /** The name as a requester's id. */
  id: string;
  /** Real user agents. */
  userAgents: string[];
  tags: string[];
}

/** Returns robots with a user agent in the package's order, which is roughly by age. */
export function readCrawlers(): Crawler[] {
  // The package's types do not mention the tags.
  const entries: readonly { pattern: string; instances: string[]; tags?: string[] }[] = crawlerUserAgents;
  const seen = new Set<string>();
  return entries.flatMap(({ pattern, instances, tags = [] }) => {
    const id = nameOf(pattern);
    if (instances.length === 0 || id.length < 2 || seen.has(id)) return [];
    seen.add(id);
    return [{ id, userAgents: instances, tags }];
  });
}

export const tagged = (crawlers: readonly Crawler[], ...tags: string[]): Crawler[] =>
  crawlers.filter((crawler) => crawler.tags.some((tag) => tags.includes(tag)));

/** Returns the name in a pattern: `[cC]laude[bB]ot` → `ClaudeBot`, `Ahrefs(Bot|SiteAudit)` → `AhrefsBot`. */
function nameOf(pattern: string): string {
  return pattern
    .replaceAll(/\[([^\]\\]+)\]/g, (_, letters: string) => /[A-Z]/.exec(letters)?.[0] ?? letters[0] ?? '')
    .replaceAll(/\(\??([^|)]*)[^)]*\)/g, '$1')
    .replaceAll(/\\[sSdDwW]|[\^$*+?]/g, ' ')
    .replaceAll('\\', '')
    .trim()
    .replaceAll(/[^A-Za-z0-9._:@/-]+/g, '-')
    .replaceAll(/^[-/.]+|[-/.]+$/g, '')
    .slice(0, 128);
}
