/** License tokens under attack: one that is forged, borrowed, replayed or outlived opens nothing. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertStatus, item, made } from '../http/given.ts';
import { basic, getToken, publishedLicense, sendForm } from './given.ts';

const HOST = 'www.example.com';
const ISSUER = 'https://access.example/olp';
const clock = testClock();
const postern = await startTestService({ clock, env: { POSTERN_PUBLIC_URL: 'https://access.example' } });
after(() => postern[Symbol.asyncDispose]());

const { id: policyId } = await made(postern, '/v1/policies', {
  name: 'p',
  rules: [{ action: 'allow', conditions: {} }],
});
await made(postern, '/v1/collections', { name: 'All', hosts: [HOST], policyId });
const signals = { public: true, license: true, licenseServer: true };
assertStatus(await postern.call('PUT', `/v1/sites/${HOST}`, { body: { signals } }), 201);
const resource = `https://${HOST}/*`;
const license = await publishedLicense(postern, resource);

/** A requester with a token, and a License token for a place. */
let count = 0;
async function requester(of = resource, body: object = {}) {
  const id = `acme-${++count}`;
  await made(postern, '/v1/requesters', { id, name: id });
  const { id: tokenId, token: secret } = await made(postern, `/v1/requesters/${id}/tokens`, { name: 't', ...body });
  const got = await getToken(postern, id, { secret, resource: of, license });
  assertStatus(got, 200);
  return { id, tokenId, secret, token: got.body.access_token as string, expiresIn: got.body.expires_in as number };
}
const check = (token: string, path = '/news/a', more: object = {}) =>
  postern.call('POST', '/v1/access/check', {
    body: { url: `https://${HOST}${path}`, visitor: { authorization: `License ${token}` }, ...more },
  });
async function assertRefused(token: string, path?: string): Promise<void> {
  const answer = await check(token, path);
  assert.deepEqual([answer.status, answer.body.error?.code], [400, 'invalid_token'], answer.text);
  const proxied = await postern.call('GET', '/v1/authorize?denyStatus=401', {
    key: null,
    headers: {
      'x-postern-key': postern.key,
      'x-original-uri': path ?? '/news/a',
      'x-forwarded-host': HOST,
      authorization: `License ${token}`,
    },
  });
  assert.equal(proxied.status, 401);
  assert.equal(proxied.headers.get('www-authenticate'), 'License error="invalid_token"');
  assert.match(proxied.headers.get('link') ?? '', /license\.xml>; rel="license"/);
  assert.deepEqual((await introspect(token)).body, { active: false });
}
const introspect = (token: string, key = postern.key) =>
  sendForm(postern, '/olp/introspect', { token }, `Bearer ${key}`);
const parts = (token: string) => token.split('.') as [string, string, string];
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token holds', () => {
  test('for its audience: by host, and whole segments of the path', async () => {
    const { token } = await requester(`https://${HOST}/news/`);
    for (const path of ['/news', '/news/', '/news/a', '/news/a?b=c', '/news/%61']) {
      assertStatus(await check(token, path), 200);
    }
    for (const path of ['/', '/newsletter', '/news2/a', '/other/news/a', '/News/a']) {
      const answer = await check(token, path);
      assert.equal(answer.body.error?.code, 'invalid_token', path);
    }
    for (const url of [`https://${HOST}:8443/news/a`, 'https://example.com/news/a', `https://x.${HOST}/news/a`]) {
      const body = { url, visitor: { authorization: `License ${token}` } };
      const answer = await postern.call('POST', '/v1/access/check', { body });
      assert.equal(answer.body.error?.code, 'invalid_token', url);
    }
    const { id: contentId } = await made(postern, '/v1/content', item({ source: `https://${HOST}/elsewhere` }));
    const body = { contentId, visitor: { authorization: `License ${token}` } };
    assert.equal((await postern.call('POST', '/v1/access/check', { body })).body.error?.code, 'invalid_token');
  });

  test('for its requester, whatever another name the visitor gives', async () => {
    const [one, other] = [await requester(), await requester()];
    const answer = await check(one.token, '/a', { requesterId: other.id });
    assert.deepEqual([answer.body.requesterId, answer.body.verified], [one.id, 'license']);
  });

  test('for ten minutes, and no longer than the token that it was got with', async () => {
    const short = new Date(clock.now() + 120_000).toISOString();
    const [one, brief] = [await requester(), await requester(resource, { expiresAt: short })];
    assert.ok(brief.expiresIn <= 120 && brief.expiresIn > 100, String(brief.expiresIn));
    assertStatus(await check(one.token), 200);
    clock.advance(120_000);
    await assertRefused(brief.token);
    assertStatus(await check(one.token), 200);
    clock.advance(480_000);
    await assertRefused(one.token);
  });
});

describe('a token ends', () => {
  test('with the requester token that it was got with, the license, or the requester', async () => {
    const ends: ((one: Awaited<ReturnType<typeof requester>>) => Promise<unknown>)[] = [
      ({ id, tokenId }) => postern.call('DELETE', `/v1/requesters/${id}/tokens/${tokenId}`),
      ({ id, tokenId }) => postern.call('POST', `/v1/requesters/${id}/tokens/${tokenId}/rotate`, { body: {} }),
      async ({ id }) => {
        const { data } = (await postern.call('GET', `/v1/licenses?requesterId=${id}`)).body;
        assertStatus(await postern.call('POST', `/v1/licenses/${data[0].id}/revoke`), 200);
      },
      ({ id }) => postern.call('DELETE', `/v1/requesters/${id}`),
    ];
    for (const end of ends) {
      const one = await requester();
      assertStatus(await check(one.token), 200);
      await end(one);
      await assertRefused(one.token);
    }
  });
  test('and a license that was revoked is not granted again', async () => {
    const { id, secret } = await requester();
    const { data } = (await postern.call('GET', `/v1/licenses?requesterId=${id}`)).body;
    await postern.call('POST', `/v1/licenses/${data[0].id}/revoke`);
    const again = await getToken(postern, id, { secret, resource, license });
    assert.deepEqual([again.status, again.body.error], [400, 'access_denied']);
  });
  test('with a suspended requester: nothing is allowed, and nothing is issued', async () => {
    const { id, secret, token } = await requester();
    await postern.call('PATCH', `/v1/requesters/${id}`, { body: { status: 'suspended' } });
    assert.equal((await check(token)).body.allowed, false);
    const again = await getToken(postern, id, { secret, resource, license });
    assert.deepEqual([again.status, again.body.error], [400, 'unauthorized_client']);
    assert.deepEqual((await introspect(token)).body, { active: false });
  });
  test('when all keys are replaced at once; a rotation leaves it', async () => {
    const before = await requester();
    const rotate = (body: object) => postern.call('POST', '/v1/signing-keys/rotate', { body });
    const kids = async () =>
      (await postern.call('GET', '/olp/key', { key: null })).body.keys.map((one: any) => one.kid);
    const [old] = await kids();
    for (let i = 0; i < 3; i++) assertStatus(await rotate({}), 200);
    assert.equal((await kids()).length, 2);
    const [first, next] = await kids();
    assert.equal(first, old);
    assert.equal(decode(parts((await requester()).token)[0]).kid, old);
    clock.advance(10 * 60_000);
    const later = await requester();
    assert.equal(decode(parts(later.token)[0]).kid, next);
    assert.deepEqual(await kids(), [old, next]);
    clock.advance(10 * 60_000);
    assert.deepEqual(await kids(), [next]);
    await assertRefused(before.token);
    const last = await requester();
    assertStatus(await rotate({ atOnce: true }), 200);
    await assertRefused(last.token);
    const audit = await postern.call('GET', '/v1/audit-log');
    assert.ok(audit.text.includes('signing_keys.rotated'));
    const answers = audit.text + postern.logs.join('');
    for (const row of (await postern.rowsOf('settings')) as { name: string; value: string }[]) {
      if (row.name !== 'signing_keys') continue;
      for (const { jwk } of JSON.parse(row.value)) assert.ok(jwk.d && !answers.includes(jwk.d));
    }
  });
});

describe('a forged token', () => {
  test('proves nothing: unsigned, signed otherwise, by another key, with another content', async () => {
    const { token, id } = await requester();
    const [head, body, signature] = parts(token);
    const { keys } = (await postern.call('GET', '/olp/key', { key: null })).body;
    const { kid } = decode(head);
    const hmac = (key: string, header: object) => {
      const text = `${encode(header)}.${body}`;
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
    };
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const own = (header: object) =>
      new SignJWT(decode(body)).setProtectedHeader({ alg: 'ES256', typ: 'JWT', ...header }).sign(privateKey);
    const forged = [
      `${encode({ alg: 'none', typ: 'JWT', kid })}.${body}.`,
      `${encode({ alg: 'none', typ: 'JWT', kid })}.${body}.${signature}`,
      hmac(JSON.stringify(keys[0]), { alg: 'HS256', typ: 'JWT', kid }),
      hmac(keys[0].x, { alg: 'HS256', typ: 'JWT', kid }),
      await own({ kid }),
      await own({}),
      await own({ kid: 'other' }),
      await own({ kid, jwk: await exportJWK(publicKey) }),
      await own({ kid: '../../dev/null', jku: 'https://evil.example/keys' }),
      `${head}.${encode({ ...decode(body), sub: 'acme-1' })}.${signature}`,
      `${head}.${encode({ ...decode(body), aud: 'https://other.example' })}.${signature}`,
      `${encode({ ...decode(head), crit: ['x'], x: 1 })}.${body}.${signature}`,
      `${head}.${body}.${signature.slice(0, -4)}AAAA`,
      `${head}.${body}`,
      '',
      '..',
      'a.b.c',
    ];
    for (const one of forged) await assertRefused(one);
    assert.equal((await check(token)).body.requesterId, id);
    assert.equal(ISSUER, decode(body).iss);
  });
  test('of 64 kB is refused', async () => {
    const long = `${'a'.repeat(64_000)}.b.c`;
    const answer = await fetch(`${postern.url}/v1/authorize`, {
      headers: { 'x-postern-key': postern.key, authorization: `License ${long}` },
    });
    assert.ok([400, 431].includes(answer.status), String(answer.status));
    assertStatus(await check(long), 400);
    assert.deepEqual((await introspect('a'.repeat(8000))).body, { active: false });
  });
});

describe('the token endpoint', () => {
  const errorOf = async (form: Record<string, string>, of?: string) => {
    const { id, secret } = await requester();
    const answer = await getToken(postern, id, { secret, resource: of ?? resource, license, form });
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    return [answer.status, answer.body.error];
  };
  test('knows its client by id and token, and says nothing of others', async () => {
    const [one, other] = [await requester(), await requester()];
    const fields = { grant_type: 'client_credentials', resource, license };
    const credentials = [
      undefined,
      `Bearer ${one.secret}`,
      basic(other.id, one.secret),
      basic('nobody', one.secret),
      basic(one.id, 'x'),
      basic(one.id, postern.key),
      'Basic !',
      `Basic ${Buffer.from('%zz:x').toString('base64')}`,
    ];
    const texts = new Set<string>();
    for (const authorization of credentials) {
      const answer = await sendForm(postern, '/olp/token', fields, authorization);
      assert.equal(answer.status, 401);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic/);
      texts.add(answer.text);
    }
    assert.equal(texts.size, 1);
  });
  test('refuses in the form of OAuth', async () => {
    assert.deepEqual(await errorOf({ grant_type: 'password' }), [400, 'unsupported_grant_type']);
    assert.deepEqual(await errorOf({}, 'https://other.example/'), [400, 'invalid_target']);
    assert.deepEqual(await errorOf({ resource: 'no url' }), [400, 'invalid_target']);
    assert.deepEqual(await errorOf({ resource: 'x'.repeat(3000) }), [400, 'invalid_request']);
    const { id, secret } = await requester();
    const sent = (raw: string, type = 'application/x-www-form-urlencoded') =>
      postern.call('POST', '/olp/token', {
        key: null,
        raw,
        headers: { 'content-type': type, authorization: basic(id, secret) },
      });
    for (const [raw, type] of [
      ['{}', 'application/json'],
      ['grant_type=a&grant_type=b'],
      ['x='.repeat(70_000)],
    ] as const) {
      const answer = await sent(raw, type);
      assert.ok([400, 413].includes(answer.status));
      assert.deepEqual(Object.keys(answer.body), ['error', 'error_description']);
    }
  });
  test('takes the license by its meaning alone', async () => {
    const inner = /<license>([^]*)<\/license>/.exec(license)?.[1] ?? '';
    const words = /<permits type="usage">([^<]*)/.exec(license)?.[1] ?? '';
    const reversed = license.replace(words, words.split(' ').toReversed().join('\n '));
    const same = [
      reversed,
      `<?xml version="1.0"?><license xmlns="https://rslstandard.org/rsl"><!-- c -->${inner}</license>`,
      license.replace('ai-train', 'ai-t&#114;ain'),
    ];
    for (const one of same) assert.deepEqual(await errorOf({ license: one }), [200, undefined], one);
    const others = [
      license.replace('ai-train', 'all'),
      license.replace('</license>', '<payment type="free"/></license>'),
      license.replace('<permits', '<permits lang="x"'),
    ];
    for (const one of others) assert.deepEqual(await errorOf({ license: one }), [400, 'invalid_scope'], one);
  });
  test('refuses what is no license, and defines no entity', async () => {
    const entities = Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('');
    const bombs = [
      `<!DOCTYPE license [<!ENTITY e0 "ai-train">${entities}]>${license.replace('ai-train', '&e9;')}`,
      `<!DOCTYPE license [<!ENTITY x SYSTEM "file:///etc/passwd">]>${license.replace('ai-train', '&x;')}`,
      `<!DOCTYPE license>${license}`,
      license.replace('ai-train', '&x;'),
      `<?pi x?>${license}`,
      '<a>'.repeat(5_000),
      `<license>${'<a>'.repeat(50)}${'</a>'.repeat(50)}</license>`,
      `${license}${license}`,
      `<rsl>${license}</rsl>`,
      license.replace('<license>', '<license xmlns="https://other.example">'),
      license + ' '.repeat(20_000),
      '<license>',
      'license',
      '',
      '\u0000',
    ];
    for (const one of bombs) assert.deepEqual(await errorOf({ license: one }), [400, 'invalid_request'], one);
  });
});

describe('introspection', () => {
  test('tells the state of a token to keys that check, and a stranger nothing', async () => {
    const { token, id, secret } = await requester();
    const { body } = await introspect(token);
    assert.deepEqual([body.active, body.sub, body.aud], [true, id, `https://${HOST}`]);
    for (const authorization of [undefined, `Bearer ${secret}`, `License ${token}`, basic(id, secret)]) {
      const answer = await sendForm(postern, '/olp/introspect', { token }, authorization);
      assert.equal(answer.status, 401);
      assert.ok(!answer.text.includes(id));
    }
    const keyOf = async (more: object) => (await made(postern, '/v1/api-keys', { name: 'k', ...more })).key;
    for (const key of [
      await keyOf({ type: 'secret', permissions: ['content:read'] }),
      await keyOf({ type: 'public', permissions: ['access:check'] }),
    ]) {
      assert.equal((await introspect(token, key)).status, 403);
    }
    assert.deepEqual((await introspect('x')).body, { active: false });
  });
});
