/**
 * Fetches a file of a site as a crawler does. Only sites that an operator registered are fetched, under the address
 * rules of webhooks. A few redirects are followed, and each target is judged like the first address.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Fetched, Getter } from '../../lib/outgoing/get.ts';

export type LiveFile =
  | { kind: 'found'; body: string; headers: IncomingHttpHeaders }
  /** The site says that there is none. */
  | { kind: 'missing'; status: number }
  | { kind: 'unreachable'; why: string };

const REDIRECTS_MAX = 5;
const TIMEOUT_MS = 10_000;
const BYTES_MAX = 2 * 1024 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MISSING: ReadonlySet<number> = new Set([404, 410]);

export interface LookDeps {
  getter: Pick<Getter, 'get'>;
  /** For development: a site that does not answer by https is asked by http. */
  allowPrivate: boolean;
}

/** Never throws. `isPage`: the headers are enough. */
export async function look(
  { getter, allowPrivate }: LookDeps,
  { host, path, isPage = false }: { host: string; path: string; isPage?: boolean },
): Promise<LiveFile> {
  const deadline = performance.now() + TIMEOUT_MS;
  const fetch = (url: string): Promise<Fetched> =>
    getter.get(url, {
      accept: '*/*',
      maxBytes: BYTES_MAX,
      timeoutMs: Math.max(1, Math.round(deadline - performance.now())),
    });
  let url = `https://${host}${path}`;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    let fetched = await fetch(url);
    if (allowPrivate && redirects === 0 && fetched.error !== undefined && fetched.status === undefined) {
      url = `http://${host}${path}`;
      fetched = await fetch(url);
    }
    const next = findRedirect(fetched, url);
    if (next === undefined) return toLooked(fetched, isPage);
    url = next;
  }
  return { kind: 'unreachable', why: `It redirected more than ${REDIRECTS_MAX} times.` };
}

function findRedirect(fetched: Fetched, url: string): string | undefined {
  if (fetched.error === undefined || !REDIRECTS.has(fetched.status ?? 0)) return undefined;
  const location = fetched.headers?.location ?? '';
  return location !== '' && URL.canParse(location, url) ? new URL(location, url).href : undefined;
}

/** A byte order mark is no part of the text. */
const toText = (body: Buffer): string => body.toString().replace(/^\uFEFF/, '');

function toLooked(fetched: Fetched, isPage: boolean): LiveFile {
  if (fetched.error === undefined) {
    return { kind: 'found', body: toText(fetched.body), headers: fetched.headers };
  }
  const { status, headers, error } = fetched;
  if (isPage && status === 200 && headers !== undefined) return { kind: 'found', body: '', headers };
  return MISSING.has(status ?? 0) ? { kind: 'missing', status: status as number } : { kind: 'unreachable', why: error };
}
