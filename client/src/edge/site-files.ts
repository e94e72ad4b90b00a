/**
 * The files with a site's rules for crawlers. Promise: a guard never refuses them, since crawlers take a refused
 * robots.txt as "everything is open"; and no other path, and no query, passes for one of them.
 */
import type { Asked } from './asker.ts';
import type { Visit } from './visit.ts';

const FILES = /^\/(?:(?:robots\.txt|license\.xml|tdmrep\.json|favicon\.ico)$|\.well-known\/)/;

/** A query may name another page, as in `/robots.txt?p=7`; a version does not. */
export const VERSION = /^(?:\?v(?:er)?=[\w.-]*)?$/;

export const isSiteFile = ({ method, path, search }: Visit): boolean =>
  isRead(method) && VERSION.test(search) && FILES.test(toPlainPath(path) ?? '');

/** Tests for a file that the service knows from the settings of the site, such as a sitemap. */
export const isListedFile = (asked: Asked, { method }: Visit): boolean =>
  isRead(method) && !('error' in asked) && asked.signals?.free === true;

export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** Escapes that some servers read as a separator. */
const DECEPTIVE = /%(?:2f|5c)/i;
/** Windows drops a dot or a space before a slash; a script may read the rest of a path as another page. */
const SECOND_READING = /[\\;?#]|\p{Cc}|%[0-9a-f]{2}|%u[0-9a-f]{4}|[./ ]\/|\/\.\.?$|\.[a-z]\w+\//iu;

/** Returns the decoded path; undefined where a server could read it as another path. */
export function toPlainPath(raw: string): string | undefined {
  if (!/^\/[\x21-\x7e]*$/.test(raw) || DECEPTIVE.test(raw)) return undefined;
  try {
    const path = decodeURIComponent(raw);
    return SECOND_READING.test(path) ? undefined : path;
  } catch {
    return undefined;
  }
}
