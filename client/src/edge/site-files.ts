/**
 * The files with a site's rules for crawlers. Promise: a guard never refuses them, since crawlers take a refused
 * robots.txt as "everything is open"; and no other path passes for one of them.
 */
import type { Asked } from './asker.ts';
import type { Visit } from './visit.ts';

const FILES: ReadonlySet<string> = new Set(['/robots.txt', '/license.xml', '/tdmrep.json', '/favicon.ico']);
const FOLDER = '/.well-known/';

export function isSiteFile({ method, path }: Visit): boolean {
  const plain = isRead(method) ? toPlainPath(path) : undefined;
  return plain !== undefined && (FILES.has(plain) || plain.startsWith(FOLDER));
}

/** Tests for a file that the service knows from the settings of the site, such as a sitemap. */
export const isListedFile = (asked: Asked, { method }: Visit): boolean =>
  isRead(method) && !('error' in asked) && asked.signals?.free === true;

export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** Escapes that some servers read as a separator. */
const DECEPTIVE = /%(?:2f|5c)/i;
const SECOND_READING = /[\\;?#]|\p{Cc}|%[0-9a-f]{2}|%u[0-9a-f]{4}|\/(?:\.\.?)?\/|\/\.\.?$|\/index\.\w+\//iu;

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
