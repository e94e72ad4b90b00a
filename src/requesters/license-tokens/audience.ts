/** The audience of a License token: a site, or everything below a path of it. Pure. */
import { type Locator, parseVisited } from '../../lib/urls/locator.ts';

export interface TokenAudience {
  host: string;
  /** Whole segments without the last slash; empty: the whole site. */
  path: string;
}

/**
 * Returns the longest beginning of a pattern that every URL has: `https://example.com/news/*` holds for `…/news`.
 * Returns undefined for one that names no site.
 */
export function toAudience(url: string): string | undefined {
  const [literal = ''] = url.split(/[*$?#]/, 1);
  const isWhole = literal.length === url.length || url[literal.length] !== '*';
  const whole = isWhole ? literal : literal.slice(0, literal.lastIndexOf('/') + 1);
  return URL.parse(whole)?.href.replace(/\/+$/, '');
}

/** Returns undefined for a text that names no site. */
export function parseAudience(text: string): TokenAudience | undefined {
  const locator = parseVisited(text);
  return locator && { host: locator.host, path: locator.path.replace(/\/+$/, '') };
}

/** Compares the host with its port, and whole segments: `/news` covers `/news/a`, and not `/newsletter`. */
export const covers = ({ host, path }: TokenAudience, at: Pick<Locator, 'host' | 'path'>): boolean =>
  host === at.host && (at.path === path || at.path.startsWith(`${path}/`));
