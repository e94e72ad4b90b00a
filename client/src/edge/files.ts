/**
 * The files with rules for crawlers, as Postern publishes them for the site. Promise: a reader of them waits no longer
 * than others, and gets the last good copy while Postern is down. Where Postern has none, the site's own is served.
 */
import { baseOf, errorIn, jsonIn, within } from './attempt.ts';
import { openBreaker } from './breaker.ts';
import type { EdgeOptions } from './edge.ts';
import { urlOf } from './question.ts';
import { isRead, toPlainPath } from './site-files.ts';

const KEPT_MS = 300_000;
/** Neither a site without signals nor a service that is down is asked about at each request. */
const RETRY_MS = 30_000;
const KEPT_MAX = 50;
const HEADERS = ['content-type', 'etag', 'last-modified'] as const;
/** Answers where the site has no such file, or does not publish it. */
const NONE = [401, 403, 404];

interface Copy {
  /** null: the site has none. */
  file: { text: string; headers: Record<string, string> } | null;
  until: number;
}

/** Returns what answers a visit with the file; undefined where the site's own is served. */
export function openFiles(options: EdgeOptions): NonNullable<EdgeOptions['file']> {
  const { timeoutMs = 500 } = options;
  const base = baseOf(options.url);
  const breaker = openBreaker(timeoutMs);
  const copies = new Map<string, Copy>();

  const fetchFile = (path: string): Promise<Copy['file']> =>
    within(timeoutMs, async (signal) => {
      const answer = await (options.fetch ?? fetch)(base + path, { redirect: 'manual', ...(signal && { signal }) });
      const text = await answer.text();
      // Without a code, something else answered.
      if (NONE.includes(answer.status) && errorIn(jsonIn(text)).code !== undefined) return null;
      if (answer.status !== 200) throw new Error(`Postern answered ${answer.status}`);
      const headers = HEADERS.map((name) => [name, answer.headers.get(name)] as const);
      return {
        text,
        headers: Object.fromEntries(headers.filter(([, value]) => value !== null)) as Record<string, string>,
      };
    });

  /** Visitors can ask for many files at once: a service that is slow or away is asked for a few. */
  async function load(path: string): Promise<Copy['file']> {
    const asking = breaker.begin();
    try {
      const file = await fetchFile(path);
      breaker.answered(asking);
      return file;
    } catch (error) {
      breaker.failed(asking, error);
      throw error;
    }
  }

  async function read(path: string): Promise<Copy['file']> {
    const before = copies.get(path);
    if (before !== undefined && performance.now() < before.until) return before.file;
    const [file, keptMs] = await load(path).then(
      (one) => [one, one === null ? RETRY_MS : KEPT_MS] as const,
      () => [before?.file ?? null, RETRY_MS] as const,
    );
    if (copies.size >= KEPT_MAX) {
      const [oldest] = copies.keys();
      // Visitors can ask for any number of policies that do not exist: these go before the good copies.
      const empty = [...copies].find(([, copy]) => copy.file === null)?.[0];
      copies.delete(empty ?? (oldest as string));
    }
    copies.set(path, { file, until: performance.now() + keptMs });
    return file;
  }

  return async (visit) => {
    const name = isRead(visit.method) ? toSignal(toPlainPath(visit.path)) : undefined;
    if (name === undefined) return undefined;
    const file = await read(`/v1/sites/${encodeURIComponent(new URL(urlOf(options, visit)).host)}/signals/${name}`);
    if (file === null) return undefined;
    const headers = { ...file.headers, 'cache-control': 'public, max-age=300' };
    const isKnown = file.headers.etag !== undefined && visit.header('if-none-match') === file.headers.etag;
    return isKnown ? new Response(null, { status: 304, headers }) : new Response(file.text, { headers });
  };
}

/** Returns what the service calls the file. */
function toSignal(path: string | undefined): string | undefined {
  if (path === '/robots.txt' || path === '/license.xml') return path.slice(1);
  if (path === '/.well-known/tdmrep.json') return 'tdmrep.json';
  const [, collection] = /^\/\.well-known\/tdm-policy\/(col_[0-9a-z]+)\.json$/.exec(path ?? '') ?? [];
  return collection === undefined ? undefined : `tdm-policy?collectionId=${collection}`;
}
