/**
 * Guards a distribution of CloudFront from Lambda@Edge, on viewer requests: `export const handler = guardSite({ … })`.
 * Promise: the path that Postern allowed is the path that CloudFront fetches. Other events run behind its cache, and
 * are refused.
 */
import { type EdgeOptions, FORGED } from './edge/edge.ts';
import type { Environment } from './edge/settings.ts';
import { openSite } from './edge/site.ts';

export { SETTINGS } from './edge/settings.ts';

type Headers = Record<string, { key?: string; value: string }[]>;

interface ViewerRequest {
  clientIp: string;
  method: string;
  uri: string;
  querystring: string;
  headers: Headers;
}

interface Event {
  Records: readonly { cf: { config: { eventType: string }; request: ViewerRequest } }[];
}

interface Generated {
  status: string;
  headers: Headers;
  body: string;
}

/** `settings` has the names of the environment. Throws TypeError for one that is missing or wrong. */
export function guardSite(
  settings: Environment,
  options: Partial<EdgeOptions> = {},
): (event: Event) => Promise<ViewerRequest | Generated> {
  const origin = options.origin ?? settings.POSTERN_ORIGIN;
  if (typeof origin !== 'string' || origin === '') throw new TypeError('Set POSTERN_ORIGIN: the origin of the site');
  const site = openSite(settings, { platform: 'cloudfront', ...options });
  return async ({ Records: [record] }) => {
    const { config, request } = record?.cf ?? {};
    if (request === undefined || config?.eventType !== 'viewer-request') {
      throw new TypeError('Associate this function with viewer requests: others run behind the cache');
    }
    const url = new URL(origin.replace(/\/$/, '') + request.uri);
    url.search = request.querystring;
    const visitor = toRequest(request, url);
    const file = await site.file(visitor);
    if (file !== undefined) return toGenerated(file, request.method);
    const verdict = await site.check(visitor, { known: { ip: request.clientIp } });
    if (!verdict.allowed) return toGenerated(verdict.toResponse(), request.method);
    const headers = Object.entries(request.headers).filter(([name]) => !FORGED.test(name));
    return { ...request, uri: url.pathname, headers: Object.fromEntries(headers) };
  };
}

function toRequest({ method, headers }: ViewerRequest, url: URL): Request {
  const sent = Object.entries(headers).flatMap(([name, all]) => all.map(({ value }) => [name, value] as const));
  return new Request(url, { method, headers: sent as [string, string][] });
}

async function toGenerated(response: Response, method: string): Promise<Generated> {
  const headers: Headers = {};
  for (const [key, value] of response.headers) headers[key] = [{ key, value }];
  return {
    status: String(response.status),
    headers,
    body: method === 'HEAD' ? '' : await response.text(),
  };
}
