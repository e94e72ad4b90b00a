/** Public keys are for pages: those of origins that the operator named may ask the API, and no others. */
import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertError, item, made, makeKey, makePolicy, wire } from './given.ts';

const OURS = 'https://www.example.com';
const THEIRS = 'https://elsewhere.example';

const preflight = (url: string, origin: string, path = '/v1/access/check') =>
  fetch(url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });
const allowed = (response: { headers: Headers }) => response.headers.get('access-control-allow-origin');

describe('pages of other origins', () => {
  test('get nothing unless they are named', async () => {
    await using postern = await startTestService();
    const asked = await preflight(postern.url, OURS);
    assert.deepEqual([asked.status, allowed(asked)], [405, null]);
    assert.match(asked.headers.get('allow') ?? '', /POST/);
    assert.equal(allowed(await postern.call('GET', '/v1/content', { headers: { origin: OURS } })), null);
  });

  test('may ask with a public key when they are named, and see refusals too', async () => {
    await using postern = await startTestService({ env: { POSTERN_CORS_ORIGINS: `${OURS}, https://b.example:8443` } });
    const asked = await preflight(postern.url, OURS);
    assert.deepEqual([asked.status, allowed(asked)], [204, OURS]);
    assert.match(asked.headers.get('access-control-allow-methods') ?? '', /POST/);
    assert.match(asked.headers.get('access-control-allow-headers') ?? '', /Authorization/);
    assert.match(asked.headers.get('request-id') ?? '', /^req_/);
    const { id } = await made(postern, '/v1/content', item());
    const key = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
    const ask = (headers: Record<string, string>, callKey: string | null = key) =>
      postern.call('POST', '/v1/access/check', { key: callKey, headers, body: { contentId: id } });
    const answer = await ask({ origin: OURS });
    assert.deepEqual([answer.status, allowed(answer)], [200, OURS]);
    assert.match(answer.headers.get('access-control-expose-headers') ?? '', /Request-Id/);
    assert.match(answer.headers.get('vary') ?? '', /Origin/i);
    assert.equal(answer.headers.get('access-control-allow-credentials'), null);
    const refused = await ask({ origin: OURS }, null);
    assertError(refused, 'missing_api_key');
    assert.equal(allowed(refused), OURS);
    assert.equal(allowed(await ask({ origin: 'https://b.example:8443' })), 'https://b.example:8443');
    for (const other of [THEIRS, 'https://b.example', 'http://www.example.com', 'null']) {
      assert.equal(allowed(await ask({ origin: other })), null, other);
      assert.equal(allowed(await preflight(postern.url, other)), null, other);
    }
  });

  test('read every field of an answer that says something about it', async () => {
    await using postern = await startTestService({ env: { POSTERN_CORS_ORIGINS: OURS } });
    const policy = await makePolicy(postern, [{ action: 'allow', rateLimit: { requests: 2, period: 'hour' } }]);
    const { id } = await made(postern, '/v1/content', item({ policyId: policy.id }));
    const headers = { origin: OURS, 'idempotency-key': 'again' };
    const ask = () => postern.call('POST', '/v1/access/check', { headers, body: { contentId: id } });
    const answers = [await ask(), await ask(), await postern.call('GET', `/v1/content/${id}`, { headers })];
    const exposed = (answers[0]?.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
    const names = new Set(answers.flatMap((answer) => [...answer.headers.keys()]));
    const known = /^(?:access-control-.*|connection|keep-alive|date|vary|cache-control|content-(?:length|type))$/;
    assert.deepEqual(
      [...names].filter((name) => !known.test(name) && !exposed.includes(name)),
      [],
    );
    assert.ok(names.has('ratelimit') && names.has('idempotent-replayed') && names.has('etag'), [...names].join());
  });

  test('get no more than the API', async () => {
    await using postern = await startTestService({ env: { POSTERN_CORS_ORIGINS: '*' } });
    assert.equal(allowed(await preflight(postern.url, THEIRS)), '*');
    for (const path of ['/console/session', '/metrics', '/readyz', '/openapi.json']) {
      assert.equal(allowed(await postern.call('GET', path, { headers: { origin: THEIRS } })), null, path);
      assert.equal(allowed(await preflight(postern.url, THEIRS, path)), null, path);
    }
    assert.equal((await made(postern, '/v1/content', item())).object, 'content');
  });

  test('change nothing for other OPTIONS requests', async () => {
    await using without = await startTestService();
    await using postern = await startTestService({ env: { POSTERN_CORS_ORIGINS: OURS } });
    const paths = ['/livez', '/readyz', '/metrics', '/docs', '/openapi.json', '/console', '/olp/token', '/nowhere'];
    for (const path of [...paths, '/access/v1/evaluation', '/v1/content', '/v1/content/x', '/v1/nope', '*']) {
      for (const [name, value] of [
        ['accept', '*/*'],
        ['origin', OURS],
        ['access-control-request-method', 'GET'],
      ] as const) {
        const headers = { [name]: value };
        const asked = await wire(postern, 'OPTIONS', path, { headers });
        const expected = await wire(without, 'OPTIONS', path, { headers });
        const seen = ({ status, headers: of }: typeof asked) => [status, of.get('allow'), of.get('www-authenticate')];
        assert.deepEqual(seen(asked), seen(expected), `${path} ${name}`);
      }
    }
  });

  test('are not answered where proxies ask: every 2xx there is an allow', async () => {
    for (const origins of ['*', OURS]) {
      await using postern = await startTestService({ env: { POSTERN_CORS_ORIGINS: origins } });
      const headers = { origin: OURS, 'access-control-request-method': 'GET', 'x-original-uri': '/page' };
      for (const path of ['/v1/authorize', '/v1/authorize?unknown=deny', '/v1/authorize/', '/v1/authorize/page']) {
        for (const method of METHODS.filter((one) => one !== 'CONNECT')) {
          for (const asked of [headers, { origin: OURS }]) {
            const answer = await wire(postern, method, path, { headers: { authorization: '', ...asked } });
            assert.deepEqual([answer.status, allowed(answer)], [401, null], `${method} ${path}`);
          }
        }
        const asked = await wire(postern, 'OPTIONS', path, { headers: { ...headers, 'x-postern-key': postern.key } });
        assert.deepEqual([asked.status, allowed(asked)], [403, null], path);
      }
    }
  });

  for (const [value, advice] of [
    ['https://www.example.com/', 'https://www.example.com'],
    ['https://WWW.example.com', 'https://www.example.com'],
    ['https://www.example.com:443', 'https://www.example.com'],
    ['www.example.com', 'such as'],
    ['null', 'such as'],
  ] as const) {
    test(`${value} is no origin`, async () => {
      await assert.rejects(
        startTestService({ env: { POSTERN_CORS_ORIGINS: value } }),
        (error: Error) => error.message.includes('POSTERN_CORS_ORIGINS') && error.message.includes(advice),
      );
    });
  }
});
