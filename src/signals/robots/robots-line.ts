/**
 * Reads a line of robots.txt as the reference parser does (RFC 9309, google/robotstxt): with its frequent typing
 * errors, and without the colon. Pure. Takes time in proportion to the line.
 */

export interface RobotsLine {
  /** `user-agent`, `allow`, `disallow` and `sitemap` in this spelling; other names in lowercase. */
  readonly key: string;
  /** The name as it is written. */
  readonly name: string;
  readonly value: string;
}

/** Beginnings of names, as the reference parser takes them. */
const KEYS: readonly (readonly [beginning: string, key: string])[] = [
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['disallow', 'disallow'],
  ...['dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw'].map((typo) => [typo, 'disallow'] as const),
  ['allow', 'allow'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
];

/** Returns undefined for a line that says nothing. */
export function parseRobotsLine(line: string): RobotsLine | undefined {
  const end = line.indexOf('#');
  const text = (end === -1 ? line : line.slice(0, end)).trim();
  const colon = text.indexOf(':');
  if (colon !== -1) {
    const name = text.slice(0, colon).trim();
    return name === ''
      ? undefined
      : { key: readKey(name) ?? name.toLowerCase(), name, value: text.slice(colon + 1).trim() };
  }
  const [name = '', value, ...others] = text.split(/[ \t]+/, 3);
  const key = readKey(name);
  return key === undefined || value === undefined || others.length > 0 ? undefined : { key, name, value };
}

function readKey(name: string): string | undefined {
  const text = name.toLowerCase();
  return KEYS.find(([beginning]) => text.startsWith(beginning))?.[1];
}
