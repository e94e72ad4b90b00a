/**
 * Traefik and Envoy, which do not run here. Their requests follow their sources (Traefik's
 * `pkg/middlewares/auth/forward.go`, Envoy's `ext_authz_http_impl.cc`). The tests build these requests from the pages'
 * configurations and send them as they are. Allowed requests pass, and nothing that a visitor sends gets around a
 * denial.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { parse } from 'yaml';
import type { Answer } from '../../kit/answer.ts';
import { startTestService } from '../../kit/service.ts';
import { assertStatus, item, made, makePolicy, wire } from '../http/given.ts';
import { getToken } from '../license-server/given.ts';
import { recorded } from './asking.ts';
import { configurationOf, spellingsOf } from './visiting.ts';

const ORIGIN = 'https://www.example.com';
const postern = await startTestService({ env: { POSTERN_PUBLIC_URL: 'https://access.example' } });
after(() => postern[Symbol.asyncDispose]());

const OPEN = (await makePolicy(postern, [{ action: 'allow', conditions: {} }])).id;
const LICENSED = (await makePolicy(postern, [{ action: 'allow', conditions: { licenseType: 'site' } }])).id;
const LIMITED = (
  await makePolicy(postern, [{ action: 'allow', conditions: {}, rateLimit: { requests: 1, period: 'day' } }])
).id;
for (const [path, policyId] of [
  ['/open', OPEN],
  ['/licensed', LICENSED],
  ['/limited', LIMITED],
] as const) {
  await made(postern, '/v1/content', item({ externalId: path, source: ORIGIN + path, policyId }));
}
await made(postern, '/v1/requesters', { id: 'paying', userAgents: ['PayingBot'] });
await made(postern, '/v1/licenses', { requesterId: 'paying', type: 'site' });
await made(postern, '/v1/collections', { name: 'News', hosts: ['www.example.com'], paths: ['/news/'], policyId: OPEN });
const served = { signals: { public: true, license: true, licenseServer: true } };
assertStatus(await postern.call('PUT', '/v1/sites/www.example.com', { body: served }), 201);
const { token: secret } = await made(postern, '/v1/requesters/paying/tokens', { name: 't' });
const granted = await getToken(postern, 'paying', { secret, resource: `${ORIGIN}/news/*` });
assertStatus(granted, 200);

interface Visitor {
  method: string;
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
}
type Proxy = (visitor: Visitor) => Promise<Answer>;

/** The chain of middlewares up to the question. */
const traefik: Proxy = ({ method, target, headers }) => {
  const { http } = parse(configurationOf('traefik', 'yaml', { 'svc_sk_…': postern.key }));
  const names = http.routers.site.middlewares as string[];
  let request: Record<string, string> = { ...headers };
  for (const name of names) {
    const { headers: change, forwardAuth } = http.middlewares[name];
    for (const [header, value] of Object.entries<string>(change?.customRequestHeaders ?? {})) {
      delete request[header.toLowerCase()];
      if (value !== '') request[header.toLowerCase()] = value;
    }
    if (forwardAuth === undefined) continue;
    const passed = (forwardAuth.authRequestHeaders as string[]).map((header) => header.toLowerCase());
    request = Object.fromEntries(Object.entries(request).filter(([header]) => passed.includes(header)));
    const url = new URL(forwardAuth.address);
    return wire(postern, 'GET', url.pathname + url.search, {
      headers: {
        authorization: '',
        ...request,
        'x-forwarded-for': '198.51.100.4',
        'x-forwarded-method': method,
        'x-forwarded-proto': 'https',
        'x-forwarded-host': headers.host ?? '',
        'x-forwarded-uri': target,
        'accept-encoding': 'gzip',
      },
    });
  }
  throw new Error('nobody was asked');
};

/** The request of `ext_authz`: the headers it always passes on, and the configured ones. */
const envoy: Proxy = ({ method, target, headers }) => {
  const [{ typed_config: filter }] = parse(configurationOf('envoy', 'yaml', { 'svc_sk_…': postern.key }));
  const { path_prefix: prefix, authorization_request: asking } = filter.http_service;
  const named = (filter.allowed_headers.patterns as { exact: string }[]).map(({ exact }) => exact);
  const passed = ['authorization', 'host', ...named];
  const forwarded = {
    ...headers,
    'x-forwarded-for': [headers['x-forwarded-for'] ?? [], '198.51.100.4'].flat().join(', '),
  };
  const request = Object.fromEntries(Object.entries(forwarded).filter(([header]) => passed.includes(header)));
  for (const { key, value } of asking.headers_to_add) request[key] = value;
  return wire(postern, method, prefix + target, {
    headers: {
      authorization: '',
      ...request,
      'content-length': '0',
      'x-envoy-internal': 'true',
      'x-envoy-expected-rq-timeout-ms': '2000',
    },
  });
};

for (const [name, ask] of [
  ['Traefik', traefik],
  ['Envoy', envoy],
] as const) {
  const visit = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
    ask({ method, target, headers: { host: 'www.example.com', 'user-agent': 'Mozilla/5.0', ...headers } });

  describe(name, () => {
    test('allows, and records who asked from where', async () => {
      const answer = await visit('/open?utm_source=mail');
      assert.deepEqual([answer.status, answer.text], [200, '']);
      assert.deepEqual((await recorded(postern, answer)).context, {
        ip: '198.51.100.4',
        userAgent: 'Mozilla/5.0',
        method: 'GET',
      });
      assert.equal((await visit('/licensed', { 'user-agent': 'PayingBot/1' })).status, 200);
    });

    test('passes a License token on, and its challenge back', async () => {
      const { access_token: token } = granted.body;
      const page = await visit('/news/a', { authorization: `License ${token}` });
      assert.deepEqual([page.status, page.headers.get('x-postern-verified')], [200, 'license']);
      const refused = await visit('/open', { authorization: `License ${token}` });
      assert.equal(refused.headers.get('www-authenticate'), 'License error="invalid_token"');
    });

    test('any method', async () => {
      for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND']) {
        assert.equal((await visit('/open', {}, method)).status, 200, method);
        assert.equal((await visit('/licensed', {}, method)).status, 401, method);
      }
    });

    test('denies with the statuses it lets through', async () => {
      assert.equal((await visit('/licensed')).status, 401);
      assert.equal((await visit('/unknown')).status, 403);
      await made(postern, '/v1/requesters', { id: name, userAgents: [`${name}Bot`] });
      const headers = { 'user-agent': `${name}Bot` };
      assert.equal((await visit('/licensed', headers)).status, 403);
      assert.equal((await visit('/limited', headers)).status, 200);
      const limited = await visit('/limited', headers);
      assert.equal(limited.status, 429);
      assert.ok(Number(limited.headers.get('retry-after')) > 0);
    });

    test('nothing that a visitor sends counts, in headers or in the query', async () => {
      const spoofed = {
        'x-original-uri': '/open',
        'x-forwarded-uri': '/open',
        'x-forwarded-host': 'other.example',
        'x-forwarded-for': '203.0.113.7',
        'x-postern-key': 'svc_sk_other',
        'x-postern-options': 'unknown=allow',
        'x-postern-requester': 'paying',
        'idempotency-key': 'x',
        authorization: `Bearer ${postern.key}`,
      };
      const open = await visit('/open', spoofed);
      assert.equal(open.status, 200);
      assert.deepEqual((await recorded(postern, open)).context, {
        ip: '198.51.100.4',
        userAgent: 'Mozilla/5.0',
        method: 'GET',
      });
      for (const target of [
        '/licensed',
        '/unknown',
        '/unknown?unknown=allow',
        '/licensed?denyStatus=200',
        '/open/../licensed',
        '/open%2f..%2flicensed',
        '//open',
      ]) {
        for (const headers of [
          spoofed,
          {},
          ...Object.entries(spoofed).map(([header, value]) => ({ [header]: value })),
        ]) {
          const answer = await visit(target, headers);
          assert.ok(answer.status === 401 || answer.status === 403, `${target} ${answer.status} ${answer.text}`);
        }
      }
    });
  });
}

describe('limits and signals', () => {
  const fields = ['ratelimit', 'ratelimit-policy'];
  const signals = ['link', 'tdm-reservation', 'tdm-policy', 'content-usage'];
  const lower = (names: readonly string[]) => new Set(names.map((name) => name.toLowerCase()));

  test('Envoy adds them to the answers of visitors, allowed or not, and lets bodies through', () => {
    const [{ typed_config: filter }] = parse(configurationOf('envoy', 'yaml', {}));
    const { allowed_client_headers: denied, allowed_client_headers_on_success: allowed } =
      filter.http_service.authorization_response;
    const namesOf = ({ patterns }: { patterns: { exact?: string }[] }) =>
      lower(patterns.flatMap(({ exact }) => exact ?? []));
    assert.deepEqual(namesOf(allowed), new Set([...fields, ...signals, 'cache-control', 'vary']));
    for (const one of [...fields, 'retry-after', 'content-type', 'cache-control', 'link', 'www-authenticate']) {
      assert.ok(namesOf(denied).has(one), one);
    }
  });

  test('Traefik passes limits on to the application, which alone answers allowed requests', () => {
    const { http } = parse(configurationOf('traefik', 'yaml', {}));
    const passed = lower(http.middlewares.postern.forwardAuth.authResponseHeaders);
    for (const one of fields) assert.ok(passed.has(one), one);
  });
});

test('no answer tells a CDN to keep the page', () => {
  const forCdns = ['cdn-cache-control', 'cloudflare-cdn-cache-control', 'surrogate-control'];
  const { http } = parse(configurationOf('traefik', 'yaml', {}));
  const { customResponseHeaders: changed } = http.middlewares['postern-private'].headers;
  const removed = Object.entries(changed).flatMap(([name, value]) => (value === '' ? [name.toLowerCase()] : []));
  assert.deepEqual([changed['Cache-Control'], removed], ['private', forCdns]);
  assert.deepEqual(parse(configurationOf('envoy', 'envoy-route', {})).response_headers_to_remove, forCdns);
});

describe('every spelling of what an application reads that CGI would read', () => {
  // Both proxies set these themselves.
  const own = ['X-Postern-Requester', 'X-Postern-Verified'];
  const read = [...own, 'X-Original-URI', 'X-Original-URL', 'X-Rewrite-URL'].flatMap(spellingsOf);
  const forged = read.filter((one) => !own.includes(one));

  test('is removed by Traefik', () => {
    const { http } = parse(configurationOf('traefik', 'yaml', {}));
    const changed = http.middlewares['postern-key-off'].headers.customRequestHeaders as Record<string, string>;
    const removed = Object.entries(changed).flatMap(([name, value]) => (value === '' ? [name] : []));
    assert.deepEqual(removed.toSorted(), ['X-Postern-Key', ...forged].toSorted());
  });

  test('is removed by Envoy, which drops those with underscores', () => {
    const { request_headers_to_remove: removed } = parse(configurationOf('envoy', 'envoy-route', {}));
    const dotted = forged.filter((one) => !one.includes('_')).map((one) => one.toLowerCase());
    assert.deepEqual((removed as string[]).toSorted(), dotted.toSorted());
  });
});
