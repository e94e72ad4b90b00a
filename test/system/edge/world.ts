/** A Postern with a site, and the origin behind the adapters. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { type FaultyProxy, startFaultyProxy } from '../../client/faulty-proxy.ts';
import { made, makePolicy } from '../../http/given.ts';

export interface World extends AsyncDisposable {
  postern: TestService;
  /** In front of Postern; it shows what is asked, and fails on demand. */
  proxy: FaultyProxy;
  origin: string;
  /** The requests that reached the origin. */
  served: { method: string; url: string; headers: IncomingHttpHeaders }[];
  /** The token of a partner with a license. */
  token: string;
}

/** The text of every page of the origin. */
export const TEXT = 'the text of the origin';
export const HOST = 'site.example';
/** Its signals are public. */
export const PUBLIC_HOST = 'public.example';

export async function startWorld(): Promise<World> {
  const postern = await startTestService();
  const proxy = await startFaultyProxy(postern.url);
  const policy = async (...rules: object[]): Promise<string> => (await makePolicy(postern, rules)).id;
  const serve = async (path: string, policyId: string, more: object = {}) =>
    made(postern, '/v1/collections', { name: path, hosts: [HOST], paths: [path], policyId, ...more });
  const open = await policy({ action: 'allow', conditions: {} });
  const shut = await policy({ action: 'deny', conditions: {} });
  await serve('/', shut);
  await made(postern, '/v1/collections', { name: 'public', hosts: [PUBLIC_HOST], policyId: shut });
  await serve('/open/', open);
  await serve('/watched/', shut, { mode: 'observe' });
  await serve('/licensed/', await policy({ action: 'allow', conditions: { licenseType: 'site' } }));
  await serve('/sold/', await policy({ action: 'allow', conditions: { licenseType: 'crawl' } }));
  const rateLimit = { requests: 1, period: 'day' };
  await serve('/limited/', await policy({ action: 'allow', conditions: {}, rateLimit }));
  await serve('/near/', await policy({ action: 'allow', conditions: { ip: '203.0.113.0/24' } }));
  await serve('/german/', await policy({ action: 'allow', conditions: { country: 'DE' } }));
  await serve('/proven/', await policy({ action: 'allow', conditions: { crawlerVerified: true } }));
  await made(postern, '/v1/requesters', { id: 'partner' });
  const { token } = await made(postern, '/v1/requesters/partner/tokens', { name: 'T' });
  await made(postern, '/v1/licenses', { requesterId: 'partner', type: 'site' });
  const put = (path: string, body: object) => postern.call('PUT', path, { body });
  await put('/v1/offers/crawl', { unitPriceMicros: 5000, currency: 'USD', url: 'https://licensing.example/crawl' });
  await put(`/v1/sites/${PUBLIC_HOST}`, { signals: { public: true, tdmrep: true } });

  const served: World['served'] = [];
  const server = createServer(({ method = '', url = '', headers }, response) => {
    served.push({ method, url, headers });
    const type = /^\/(?:[^?]*\/)?style\.css(?:\?|$)/.test(url) ? 'text/css' : 'text/html';
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': 'https://other.example' });
    response.end(method === 'HEAD' ? undefined : TEXT);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    postern,
    proxy,
    served,
    token,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await proxy[Symbol.asyncDispose]();
      await postern[Symbol.asyncDispose]();
    },
  };
}
