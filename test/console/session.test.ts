/** Sign-in exchanges the key for a session that ends with the key; a cookie alone authorizes nothing. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { item, made, makeKey } from '../http/given.ts';

const OWN = { 'x-postern-console': '1' };
const HOUR_MS = 3_600_000;
const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const signIn = (key: string, headers: Record<string, string> = {}) =>
  postern.call('POST', '/console/session', { key: null, headers: { ...OWN, ...headers }, body: { key } });
async function cookieFor(key: string): Promise<string> {
  const answer = await signIn(key);
  assert.equal(answer.status, 201, answer.text);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string;
}
interface Sent {
  headers?: Record<string, string>;
  body?: unknown;
}
const withCookie = (cookie: string, method: string, path: string, { headers = OWN, body }: Sent = {}) =>
  postern.call(method, path, { key: null, headers: { cookie, ...headers }, ...(body === undefined ? {} : { body }) });

describe('signing in', () => {
  test('answers who one is, and a cookie that scripts cannot read and other sites cannot send', async () => {
    const answer = await signIn(postern.key);
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.body.key.permissions, ['*']);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const cookie = answer.headers.get('set-cookie') ?? '';
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=43200'])
      assert.ok(cookie.includes(part), cookie);
    assert.ok(!cookie.includes('Secure'));
    assert.ok(!answer.text.includes(postern.key) && !cookie.includes(postern.key));
  });

  test('over https the cookie is for https alone', async () => {
    const origin = postern.url.replace('http:', 'https:');
    const answer = await signIn(postern.key, { origin });
    assert.equal(answer.status, 201);
    assert.match(answer.headers.get('set-cookie') ?? '', /; Secure$/);
  });

  test('a key that is none is refused in the words of the API', async () => {
    for (const key of ['svc_sk_nonsense', `${postern.key.slice(0, -1)}${postern.key.endsWith('0') ? '1' : '0'}`, 'x']) {
      const answer = await signIn(key);
      assert.equal(answer.status, 401);
      assert.equal(answer.body.error.code, 'invalid_api_key');
      assert.equal(answer.headers.get('set-cookie'), null);
    }
  });

  test('more than a key can take is refused unread: nobody proved anything yet', async () => {
    for (const method of ['POST', 'DELETE']) {
      const answer = await postern.call(method, '/console/session', {
        key: null,
        headers: OWN,
        body: { key: 'x'.repeat(4096) },
      });
      assert.equal(answer.status, 413, method);
      assert.equal(answer.body.error.message, 'The body is too large: this operation takes 4 KiB at most.');
    }
  });

  test('the store holds neither the key nor the token', async () => {
    const cookie = await cookieFor(postern.key);
    const rows = JSON.stringify(await postern.rowsOf('sessions'));
    assert.ok(rows.includes('key_'));
    assert.ok(!rows.includes(cookie.split('=')[1] as string) && !rows.includes(postern.key));
  });
});

describe('a session', () => {
  test('does what its key may, and no more', async () => {
    const reader = await makeKey(postern, { permissions: ['content:read'] });
    const cookie = await cookieFor(reader);
    assert.equal((await withCookie(cookie, 'GET', '/v1/content')).status, 200);
    const refused = await withCookie(cookie, 'POST', '/v1/content', { body: item() });
    assert.equal(refused.body.error.code, 'insufficient_permissions');
    const who = await withCookie(cookie, 'GET', '/console/session');
    assert.deepEqual(who.body.key.permissions, ['content:read']);
  });

  test('ends at once when its key is revoked', async () => {
    const key = await made(postern, '/v1/api-keys', { name: 'short', type: 'secret' });
    const cookie = await cookieFor(key.key);
    assert.equal((await withCookie(cookie, 'GET', '/v1/content')).status, 200);
    assert.equal((await postern.call('DELETE', `/v1/api-keys/${key.id}`)).status, 200);
    assert.equal((await withCookie(cookie, 'GET', '/v1/content')).status, 401);
  });

  test('ends when its key expires, and keeps to the addresses of its key', async () => {
    const expiresAt = new Date(clock.now() + HOUR_MS).toISOString();
    const brief = await made(postern, '/v1/api-keys', { name: 'brief', type: 'secret', expiresAt });
    const cookie = await cookieFor(brief.key);
    clock.advance(HOUR_MS);
    assert.equal((await withCookie(cookie, 'GET', '/v1/content')).body.error.code, 'invalid_api_key');
    const elsewhere = await made(postern, '/v1/api-keys', {
      name: 'far',
      type: 'secret',
      allowedIps: ['203.0.113.0/24'],
    });
    assert.equal((await signIn(elsewhere.key)).body.error.code, 'ip_not_allowed');
  });

  test('ends after twelve hours, and by signing out', async () => {
    const old = await cookieFor(postern.key);
    clock.advance(12 * HOUR_MS - 1);
    assert.equal((await withCookie(old, 'GET', '/v1/content')).status, 200);
    clock.advance(1);
    assert.equal((await withCookie(old, 'GET', '/v1/content')).status, 401);

    const cookie = await cookieFor(postern.key);
    const out = await withCookie(cookie, 'DELETE', '/console/session');
    assert.match(out.headers.get('set-cookie') ?? '', /^postern_console=; .*Max-Age=0/);
    assert.equal((await withCookie(cookie, 'GET', '/v1/content')).status, 401);
  });

  test('over HTTPS is a `__Host-` cookie, which a planted one does not replace', async () => {
    const origin = `https://${new URL(postern.url).host}`;
    const headers = { 'x-postern-console': '1', origin };
    const body = { key: postern.key };
    const signed = await postern.call('POST', '/console/session', { key: null, headers, body });
    const [set = ''] = signed.headers.getSetCookie();
    assert.match(set, /^__Host-postern_console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
    const [cookie = ''] = set.split(';');
    const planted = `postern_console=${'x'.repeat(43)}`;
    const open = (sent: string) =>
      postern.call('GET', '/v1/content', { key: null, headers: { 'x-postern-console': '1', cookie: sent } });
    assert.equal((await open(`${planted}; ${cookie}`)).status, 200);
    const out = await postern.call('DELETE', '/console/session', { key: null, headers: { ...headers, cookie } });
    assert.match(out.headers.get('set-cookie') ?? '', /^__Host-postern_console=; Path=\/; .*Max-Age=0; Secure$/);
    assert.equal((await open(cookie)).status, 401);
  });

  test('goes on after a restart', async () => {
    const cookie = await cookieFor(postern.key);
    await postern.restart();
    assert.equal((await withCookie(cookie, 'GET', '/v1/content')).status, 200);
  });

  test('a key has at most fifty; the oldest give way', async () => {
    const key = await made(postern, '/v1/api-keys', { name: 'many', type: 'secret' });
    const first = await cookieFor(key.key);
    for (let i = 0; i < 50; i++) {
      clock.advance(1);
      await cookieFor(key.key);
    }
    assert.equal((await withCookie(first, 'GET', '/v1/content')).status, 401);
  });

  test('a header with a key wins over the cookie', async () => {
    const reader = await makeKey(postern, { permissions: ['content:read'] });
    const cookie = await cookieFor(postern.key);
    const answer = await withCookie(cookie, 'GET', '/v1/policies', {
      headers: { ...OWN, authorization: `Bearer ${reader}` },
    });
    assert.equal(answer.body.error.code, 'insufficient_permissions');
  });
});

describe('a page of somebody else', () => {
  const attacks: [string, Record<string, string>][] = [
    ['sends the cookie alone, as a form does', {}],
    ['says it is another site', { ...OWN, 'sec-fetch-site': 'cross-site' }],
    ['is a neighbour of the same domain', { ...OWN, 'sec-fetch-site': 'same-site' }],
    ['has another origin, in a browser that says no more', { ...OWN, origin: 'https://evil.example' }],
    ['has no origin to speak of', { ...OWN, origin: 'null' }],
  ];
  for (const [what, headers] of attacks) {
    test(`gets nothing when it ${what}`, async () => {
      const cookie = await cookieFor(postern.key);
      const before = (await postern.call('GET', '/v1/content')).body.totalCount;
      for (const [method, path, body] of [
        ['GET', '/v1/content', undefined],
        ['POST', '/v1/content', item()],
        ['DELETE', '/console/session', undefined],
        ['GET', '/console/session', undefined],
      ] as const) {
        const answer = await withCookie(cookie, method, path, { headers, body });
        assert.equal(answer.status, 401, `${method} ${path}`);
      }
      assert.equal((await postern.call('GET', '/v1/content')).body.totalCount, before);
      assert.equal((await withCookie(cookie, 'GET', '/console/session')).status, 200, 'the session goes on');
    });
  }

  test('cannot sign somebody in', async () => {
    const answer = await postern.call('POST', '/console/session', { key: null, body: { key: postern.key } });
    assert.equal(answer.status, 401);
  });
});

test('an answer with a secret is read back by the same session alone', async () => {
  const body = { name: 'again', type: 'secret' };
  const headers = { ...OWN, 'idempotency-key': 'k-1' };
  const [one, other] = [await cookieFor(postern.key), await cookieFor(postern.key)];
  const first = await withCookie(one, 'POST', '/v1/api-keys', { headers, body });
  assert.equal(first.status, 201);
  const again = await withCookie(one, 'POST', '/v1/api-keys', { headers, body });
  assert.equal(again.body.key, first.body.key);
  const stranger = await withCookie(other, 'POST', '/v1/api-keys', { headers, body });
  assert.equal(stranger.status, 422);
});
