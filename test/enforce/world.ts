/** A Postern with a site, and the origin behind the proxies and adapters that ask it. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestService, type TestService } from '../../kit/service.ts';
import { type FaultyProxy, startFaultyProxy } from '../client/faulty-proxy.ts';
import { made, makePolicy } from '../http/given.ts';

export interface World extends AsyncDisposable {
  postern: TestService;
  /** In front of Postern; it shows what is asked, and fails on demand. */
  proxy: FaultyProxy;
  origin: string;
  /** The requests that reached the origin. */
  served: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[];
  /** The token of a partner with a license. */
  token: string;
  /** Makes a collection of a path, with a policy of these rules. */
  collect(path: string, rules: object[]): Promise<unknown>;
}

/** The text of every page of the origin. */
export const TEXT = 'the text of the origin';
export const HOST = 'site.example';
/** Its signals are public. */
export const PUBLIC_HOST = 'public.example';

/** `host`: of the site. */
export async function startWorld(host = HOST): Promise<World> {
  const postern = await startTestService();
  const proxy = await startFaultyProxy(postern.url);
  const serve = (path: string, policyId: string, more: object = {}) =>
    made(postern, '/v1/collections', { name: path, hosts: [host], paths: [path], policyId, ...more });
  const collect = async (path: string, rules: object[]): Promise<unknown> =>
    serve(path, (await makePolicy(postern, rules)).id);
  const shut = (await makePolicy(postern, [{ action: 'deny', conditions: {} }])).id;
  await serve('/', shut);
  await made(postern, '/v1/collections', { name: 'public', hosts: [PUBLIC_HOST], policyId: shut });
  await serve('/watched/', shut, { mode: 'observe' });
  await collect('/open/', [{ action: 'allow', conditions: {} }]);
  await collect('/licensed/', [{ action: 'allow', conditions: { licenseType: 'site' } }]);
  await collect('/sold/', [{ action: 'allow', conditions: { licenseType: 'crawl' } }]);
  const rateLimit = { requests: 1, period: 'day' };
  await collect('/limited/', [{ action: 'allow', conditions: {}, rateLimit }]);
  await collect('/near/', [{ action: 'allow', conditions: { ip: '203.0.113.0/24' } }]);
  await collect('/german/', [{ action: 'allow', conditions: { country: 'DE' } }]);
  await collect('/proven/', [{ action: 'allow', conditions: { crawlerVerified: true } }]);
  await made(postern, '/v1/requesters', { id: 'partner' });
  const { token } = await made(postern, '/v1/requesters/partner/tokens', { name: 'T' });
  await made(postern, '/v1/licenses', { requesterId: 'partner', type: 'site' });
  const put = (path: string, body: object) => postern.call('PUT', path, { body });
  await put('/v1/offers/crawl', { unitPriceMicros: 5000, currency: 'USD', url: 'https://licensing.example/crawl' });
  await put(`/v1/sites/${PUBLIC_HOST}`, { signals: { public: true, tdmrep: true } });

  const served: World['served'] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    let body = '';
    for await (const chunk of request) body += chunk;
    served.push({ method, url, headers, body });
    const type = /^\/(?:[^?]*\/)?style\.css(?:\?|$)/.test(url) ? 'text/css' : 'text/html';
    const allowed = { 'access-control-allow-origin': 'https://other.example' };
    response.writeHead(200, { 'content-type': type, ...allowed, ...headersOf(url) });
    response.end(method === 'HEAD' ? undefined : TEXT);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    postern,
    proxy,
    served,
    token,
    collect,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await proxy[Symbol.asyncDispose]();
      await postern[Symbol.asyncDispose]();
    },
  };
}

/** Headers that CDNs obey before `Cache-Control`. */
export const FOR_CDNS = {
  'cdn-cache-control': 'max-age=600',
  'cloudflare-cdn-cache-control': 'max-age=600',
  'surrogate-control': 'max-age=600',
};

/** Pages that caches may keep, some of them for each cookie; and one with several links. */
function headersOf(url: string): Record<string, string | string[]> {
  if (url.startsWith('/open/shared')) return { 'cache-control': 'public, max-age=60', ...FOR_CDNS };
  if (url.startsWith('/open/linked')) return { link: ['</one>; rel="next"', '</two>; rel="prev"'] };
  if (url.startsWith('/open/cached')) return { 'cache-control': 'max-age=600', vary: 'Cookie', ...FOR_CDNS };
  if (url.startsWith('/robots.txt')) return FOR_CDNS;
  return url.startsWith('/cached') ? { 'cache-control': 'max-age=600' } : {};
}
