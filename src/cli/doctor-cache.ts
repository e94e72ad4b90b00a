/**
 * Looks for a cache in front of a site's proxy that gives the page of a reader to a visitor who is denied: asks for the
 * page as a browser, then again in the same words with the mark of a probe, which Postern always denies.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Postern } from '../../client/src/client.ts';
import type { Finding } from './finding.ts';

/** The bounds of the visits of `postern doctor URL`. */
export const TIMEOUT_MS = 10_000;
export const ATTEMPTS = 4;
/** A node reads new probes at most four times a second. */
export const AGAIN_MS = 400;

const DENIED: ReadonlySet<number> = new Set([401, 402, 403, 429]);
export const isDenial = (status: number): boolean => DENIED.has(status);

/** Both visits have it: a cache may keep a page for each user agent. */
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const finding = (state: Finding['state'], says: string): Finding => ({ what: 'cache', state, says });

/** The proxy must pass on Signature-Agent. Throws what `fetch` and the client throw. */
export async function checkCache(postern: Postern, site: string): Promise<Finding> {
  const reader = await visit(site);
  if (isDenial(reader.status) || reader.status >= 500) {
    const says = `a browser gets ${reader.status} for this page, so no cache was looked for; name a page for readers`;
    return finding('note', says);
  }
  const denied = await visitAsDenied(postern, site);
  if (denied !== undefined) {
    const says = `a cache in front answered a visitor that Postern denies with the page of a reader (${denied.status}${describeCacheHeaders(denied)}). Let it obey Cache-Control, or not cache pages that Postern guards`;
    return finding('bad', says);
  }
  if (/private|no-store/i.test(reader.headers.get('cache-control') ?? '')) {
    return finding('good', 'no cache in front gives the page of a reader to a visitor who is denied');
  }
  const says =
    'no cache was found, but the page has no Cache-Control: private, so one may keep it. Copy Cache-Control and Vary of the answer of Postern to the page';
  return finding('note', says);
}

/** Returns the answer that Postern was not asked about; undefined where the visitor was denied. */
async function visitAsDenied(postern: Postern, site: string): Promise<Response | undefined> {
  const { id, mark } = await postern.createProxyProbe({});
  const agent = { 'signature-agent': `sig1="https://postern-doctor.invalid/?${mark}"` };
  let answer: Response | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Before a node knows the probe, it would decide about the visit like about any other.
    await wait(AGAIN_MS);
    answer = await visit(site, agent);
    if (isDenial(answer.status)) return undefined;
    if ((await postern.getProxyProbe(id)).arrived !== null) return undefined;
  }
  return answer;
}

async function visit(site: string, headers: Record<string, string> = {}): Promise<Response> {
  const url = new URL(site);
  url.hash = '';
  const sent = { 'user-agent': BROWSER, ...headers };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { headers: sent, redirect: 'manual', signal });
  await response.body?.cancel();
  return response;
}

/** Returns the headers in which caches describe a copy. */
function describeCacheHeaders({ headers }: Response): string {
  const names = ['age', 'x-cache', 'cf-cache-status', 'cache-status'];
  const found = names.flatMap((name) => (headers.has(name) ? [`${name}: ${headers.get(name)?.slice(0, 60)}`] : []));
  return found.map((text) => `, ${text}`).join('');
}
