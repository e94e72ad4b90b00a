// Addresses and crawlers, read a second time, from the contract alone. Slow and plain; the directory itself is data.
//
// Readings, beside those of decide.ts:
//
//  20. A URL is read once: host in lowercase without a final dot, without the port 80 or 443; the path decoded
//      once. A path with an empty segment, a dot segment, an encoded slash or backslash, or an escape that is left
//      after decoding has no address: host and path are unknown then.
//  21. A check by URL has the host and path of that URL, also where it found an item; a check by item those of its
//      `source`. The collection is that of the item where there is one.
//  22. Of several crawlers that a user agent names, the first counts; one of purpose `other` only if there is no other.
//      Web and mail addresses in a user agent name no crawler. A version may follow a token: `-1.2`.
//  23. A crawler without a known operator: the operator is unknown.

import { readFileSync } from 'node:fs';
import { hostRank, matchLength, plainHost } from './collections.ts';

export interface OracleUrl {
  host: string;
  path: string;
  query: string;
}

/** null: servers may read the path differently. */
export function readUrl(text: string): OracleUrl | null {
  const [, authority = '', rest = ''] = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)([^#]*)/i.exec(text) ?? [];
  const mark = rest.indexOf('?');
  const raw = mark === -1 ? rest : rest.slice(0, mark);
  if (authority === '' || /%2f|%5c|\\/i.test(raw)) return null;
  const path = decoded(raw === '' ? '/' : raw);
  if (path === null || isAmbiguous(path)) return null;
  return { host: plainHost(authority), path, query: mark === -1 ? '' : rest.slice(mark + 1) };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const isAmbiguous = (path: string): boolean => /\/\/|\/\.\.?(\/|$)|%[0-9a-f]{2}/i.test(path);

export const hostMatches = (host: string, pattern: string): boolean => hostRank([pattern], host) !== undefined;

export const pathMatches = (url: OracleUrl, pattern: string): boolean => matchLength(pattern, url) !== undefined;

export interface OracleCrawler {
  name: string;
  operator: string | null;
  purpose: string;
}

const DIRECTORY = JSON.parse(readFileSync(new URL('../../src/rules/crawlers/directory.json', import.meta.url), 'utf8'))
  .crawlers as (OracleCrawler & { userAgents: string[] })[];

const known = new Map<string, OracleCrawler | null>();

export function crawlerNamed(userAgent: string): OracleCrawler | null {
  const before = known.get(userAgent);
  if (before !== undefined) return before;
  // What is cut out leaves something that no token spans.
  const text = userAgent.replaceAll(/(\w+:\/\/|www\.|[\w-]+@)[^\s"'<>()[\]{},;]*/g, '\0').toLowerCase();
  let best: { crawler: OracleCrawler; at: number; length: number } | undefined;
  for (const crawler of DIRECTORY) {
    for (const token of crawler.userAgents) {
      const at = placeOf(text, token.toLowerCase());
      if (at === undefined) continue;
      const one = { crawler, at, length: token.length };
      if (best === undefined || isBefore(one, best)) best = one;
    }
  }
  known.set(userAgent, best?.crawler ?? null);
  return best?.crawler ?? null;
}

type Named = { crawler: OracleCrawler; at: number; length: number };

function isBefore(one: Named, other: Named): boolean {
  const [weak, otherWeak] = [one.crawler.purpose === 'other', other.crawler.purpose === 'other'];
  if (weak !== otherWeak) return otherWeak;
  return one.at === other.at ? one.length > other.length : one.at < other.at;
}

/** Where the token stands as a whole. */
function placeOf(text: string, token: string): number | undefined {
  for (let at = text.indexOf(token); at !== -1; at = text.indexOf(token, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text.slice(at + token.length);
    if (!/[\w.@-]/.test(before) && !/^(\w|-(?!\d))/.test(after)) return at;
  }
  return undefined;
}
