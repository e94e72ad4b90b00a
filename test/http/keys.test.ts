/** API keys: what they grant, to whom, from where and until when. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { databaseSettings, startTestService, type TestService, testClock } from '../../kit/service.ts';
import { words } from '../../kit/words.ts';
import { PERMISSIONS } from '../../src/api/permissions.ts';
import { openPostgres } from '../../src/db/postgres/db.ts';
import { assertError, assertErrorShape, assertStatus, ID, item, MOMENT, made, makeKey, wire } from './given.ts';

const PERMISSION_NAMES = Object.keys(PERMISSIONS);

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const create = (body: object, key?: string) =>
  postern.call('POST', '/v1/api-keys', {
    body: { name: 'k', type: 'secret', ...body },
    ...(key === undefined ? {} : { key }),
  });
const isoIn = (ms: number, of = clock) => new Date(of.now() + ms).toISOString();

describe('create', () => {
  test('shows the key once, and never again', async () => {
    const { body } = await create({ name: 'N' });
    assert.match(body.key, /^svc_sk_[0-9A-Za-z]{49}$/);
    assert.equal(body.prefix, body.key.slice(0, 12));
    assert.match(body.id, ID('key'));
    assert.match(body.createdAt, MOMENT);
    assert.deepEqual([body.name, body.type, body.permissions, body.lastUsedAt], ['N', 'secret', ['*'], null]);
    const got = await postern.call('GET', `/v1/api-keys/${body.id}`);
    assert.deepEqual({ ...got.body, key: body.key }, body);
    assert.equal('key' in got.body, false);
    for (const path of ['/v1/api-keys', '/v1/api_keys', `/v1/api_keys/${body.id}`]) {
      assert.ok(!(await postern.call('GET', path)).text.includes(body.key), path);
    }
  });
  test('a public key has its own prefix and may read content by default', async () => {
    const { body } = await create({ type: 'public' });
    assert.match(body.key, /^svc_pk_[0-9A-Za-z]{49}$/);
    assert.deepEqual(body.permissions, ['content:read']);
  });
  test('public keys may hold reading permissions and checks, nothing else', async () => {
    const may = ['content:read', 'policies:read', 'analytics:read', 'access:check'];
    assertStatus(await create({ type: 'public', permissions: may }), 201);
    for (const one of words(
      'content:write policies:write requesters:read requesters:write webhooks:manage api_keys:manage *',
    )) {
      const answer = await create({ type: 'public', permissions: ['content:read', one] });
      assertError(answer, 'invalid_request', undefined, one);
      assert.ok(answer.body.error.param.startsWith('permissions'));
    }
  });
  test('refuses what it does not know', async () => {
    assertError(await create({ name: '' }), 'invalid_request', 'name');
    assertError(await create({ type: 'admin' }), 'invalid_request', 'type');
    for (const one of ['content', 'content:*', 'Content:read', '', 'content:read ', 5]) {
      const answer = await create({ permissions: [one] });
      assertError(answer, 'invalid_request');
      assert.ok(answer.body.error.param.startsWith('permissions'));
    }
    for (const expiresAt of ['tomorrow', '2026-11-31T00:00:00Z', '', 5]) {
      assertError(await create({ expiresAt }), 'invalid_request', 'expiresAt', String(expiresAt));
    }
    for (const field of ['id', 'key', 'prefix', 'createdAt', 'lastUsedAt']) {
      assertError(await create({ [field]: 'x' }), 'invalid_request', field);
    }
  });
  test('write does not imply read', async () => {
    const key = await makeKey(postern, { permissions: ['content:write'] });
    const { id } = (await postern.call('POST', '/v1/content', { body: item(), key })).body;
    const refused = await postern.call('GET', `/v1/content/${id}`, { key });
    assertError(refused, 'insufficient_permissions');
    assert.match(refused.body.error.message, /content:read/);
  });
  test('lastUsedAt tells the last use', async () => {
    const { id, key } = (await create({})).body;
    clock.advance(5000);
    await postern.call('GET', '/v1/content', { key });
    const { lastUsedAt } = (await postern.call('GET', `/v1/api-keys/${id}`)).body;
    assert.equal(lastUsedAt, new Date(clock.now()).toISOString());
  });
  test('the alias is the same thing', async () => {
    const one = await made(postern, '/v1/api_keys', { name: 'k', type: 'secret' });
    assertStatus(await postern.call('GET', `/v1/api-keys/${one.id}`), 200);
    const rotated = await postern.call('POST', `/v1/api_keys/${one.id}/rotate`, { body: {} });
    assert.ok(rotated.status === 200 || rotated.status === 201);
    assertStatus(await postern.call('DELETE', `/v1/api_keys/${rotated.body.id}`), 200);
  });
  test('keys, requests and answers with secrets leave none in the logs, the metrics or the files', async () => {
    await using own = await startTestService();
    const headers = { 'idempotency-key': 'make-a-key' };
    const plain = await own.call('POST', '/v1/api-keys', { body: { name: 'k', type: 'secret' } });
    const kept = await own.call('POST', '/v1/api-keys', { body: { name: 'k', type: 'secret' }, headers });
    const rotated = await own.call('POST', `/v1/api-keys/${plain.body.id}/rotate`, {
      body: { graceSeconds: 60 },
      headers: { 'idempotency-key': 'rotate-a-key' },
    });
    await own.call('GET', '/v1/content', { key: kept.body.key });
    await own.call('GET', '/v1/content', { key: `${kept.body.key}x` });
    await own.call('GET', '/v1/content', { key: plain.body.key.replace('svc_sk_', 'svc_pk_') });
    const keys: string[] = [own.key, plain.body.key, kept.body.key, rotated.body.key];
    const pages = await Promise.all(
      ['/metrics', '/openapi.json', '/docs', '/readyz'].map((path) => own.call('GET', path, { key: null })),
    );
    const stored = [...filesOf(own.dataDir), ...(await tablesOf(own.dataDir))];
    for (const key of keys) {
      const secret = key.slice(12);
      assert.ok(!own.logs.join('').includes(secret), 'in the logs');
      for (const page of pages) assert.ok(!page.text.includes(secret), 'in a page');
      for (const [name, text] of stored)
        assert.ok(!text.includes(secret), `in the file ${name}: only the SHA-256 is stored`);
    }
  });
});

/** Returns the database's content that is not in the folder. */
async function tablesOf(dataDir: string): Promise<[string, string][]> {
  const { POSTERN_DATABASE_URL: url } = await databaseSettings(dataDir);
  if (url === undefined) return [];
  const db = await openPostgres(url);
  const tables = await db.read<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  assert.ok(tables.some(({ name }) => name === 'api_keys'));
  const texts = tables.map(
    async ({ name }): Promise<[string, string]> => [name, JSON.stringify(await db.read(`select * from ${name}`))],
  );
  const all = await Promise.all(texts);
  await db.close();
  return all;
}

function filesOf(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => [one.name, readFileSync(join(one.parentPath, one.name), 'latin1')]);
}

describe('escalation', () => {
  test('a key of policies grants what it includes of requesters, and not the other way round', async () => {
    const of = (permissions: string[]) => makeKey(postern, { permissions: [...permissions, 'api_keys:manage'] });
    for (const which of ['read', 'write']) {
      const [wide, narrow] = [await of([`policies:${which}`]), await of([`requesters:${which}`])];
      const grant = (key: string, permission: string) => create({ permissions: [permission] }, key);
      assertStatus(await grant(wide, `requesters:${which}`), 201);
      assertError(await grant(narrow, `policies:${which}`), 'insufficient_permissions');
    }
  });
  test('no key grants what it does not hold', async () => {
    const admin = await makeKey(postern, { permissions: ['api_keys:manage', 'content:read'] });
    assertStatus(await create({ permissions: ['content:read'] }, admin), 201);
    assertStatus(await create({ permissions: ['api_keys:manage', 'content:read'] }, admin), 201);
    assertStatus(await create({ type: 'public' }, admin), 201);
    for (const permissions of [['content:write'], ['*'], ['content:read', 'access:check'], undefined]) {
      assertError(await create({ permissions }, admin), 'insufficient_permissions', undefined, String(permissions));
    }
    const narrow = await makeKey(postern, { permissions: ['api_keys:manage'] });
    assertError(await create({ type: 'public' }, narrow), 'insufficient_permissions');
  });
  test('nor by rotating a key that holds more', async () => {
    const narrow = await makeKey(postern, { permissions: ['api_keys:manage'] });
    const { id, key } = (await create({ permissions: ['*'] })).body;
    const { id: writer } = (await create({ permissions: ['content:write'] })).body;
    for (const target of [id, writer]) {
      const answer = await postern.call('POST', `/v1/api-keys/${target}/rotate`, {
        body: { graceSeconds: 0 },
        key: narrow,
      });
      assertError(answer, 'insufficient_permissions');
      assert.ok(!answer.text.includes('svc_sk_'));
    }
    assertStatus(await postern.call('GET', '/v1/content', { key }), 200);
  });
});

describe('what a key may take away', () => {
  test('a key that holds more is neither revoked nor rotated', async () => {
    const narrow = await makeKey(postern, { permissions: ['api_keys:manage', 'content:read'] });
    const everyOne = PERMISSION_NAMES.filter((one) => one !== '*');
    const wide = await makeKey(postern, { permissions: everyOne });
    const holds = async (permissions: readonly string[]) => (await create({ permissions })).body.id;
    for (const [key, target] of [
      [narrow, await holds(['*'])],
      [narrow, await holds(['content:write'])],
      [narrow, await holds(['api_keys:manage', 'content:read', 'access:check'])],
      [wide, await holds(['*'])],
    ] as const) {
      for (const answer of [
        await postern.call('DELETE', `/v1/api-keys/${target}`, { key }),
        await postern.call('POST', `/v1/api-keys/${target}/rotate`, { key, body: { graceSeconds: 60 } }),
      ]) {
        assertError(answer, 'insufficient_permissions');
        assert.match(answer.body.error.message, /\*|content:write|access:check/);
      }
      assertStatus(await postern.call('GET', `/v1/api-keys/${target}`), 200);
    }
    assertStatus(await postern.call('DELETE', `/v1/api-keys/${await holds(['content:read'])}`, { key: narrow }), 200);
    assertStatus(await postern.call('DELETE', `/v1/api-keys/${await holds(everyOne)}`, { key: wide }), 200);
  });
  test('a key may end itself', async () => {
    const { id, key } = (await create({ permissions: ['api_keys:manage'] })).body;
    assertStatus(await postern.call('DELETE', `/v1/api-keys/${id}`, { key }), 200);
  });
});

describe('bounds are handed on', () => {
  const bound = {
    permissions: ['api_keys:manage', 'content:read'],
    allowedIps: ['127.0.0.0/30', '127.0.0.4/30', '10.0.0.0/8'],
  };
  test('a key bound by addresses makes none that is freer', async () => {
    const key = await makeKey(postern, bound);
    const make = (allowedIps?: string[]) => create({ permissions: ['content:read'], allowedIps }, key);
    for (const within of [
      ['127.0.0.1'],
      ['127.0.0.0/29'],
      ['10.1.0.0/16', '127.0.0.7'],
      bound.allowedIps,
      ['::ffff:10.0.0.1'],
    ]) {
      assertStatus(await make(within), 201, String(within));
    }
    for (const wider of [
      undefined,
      [],
      ['0.0.0.0/0'],
      ['127.0.0.0/28'],
      ['127.0.0.1', '11.0.0.1'],
      ['::/0'],
      ['::1'],
    ]) {
      assertError(await make(wider), 'insufficient_permissions', 'allowedIps', String(wider));
    }
  });
  test('a key that expires makes none that lives longer', async () => {
    const key = await makeKey(postern, { permissions: bound.permissions, expiresAt: isoIn(100_000) });
    const make = (expiresAt?: string | null) => create({ permissions: ['content:read'], expiresAt }, key);
    for (const end of [1, 100_000]) assertStatus(await make(isoIn(end)), 201);
    for (const end of [undefined, null, isoIn(100_001)]) {
      assertError(await make(end), 'insufficient_permissions', 'expiresAt', String(end));
    }
  });
  test('nor by rotating a freer one, which stays as it was', async () => {
    const free = (await create({ permissions: ['content:read'] })).body;
    for (const bounds of [{ allowedIps: ['127.0.0.1'] }, { expiresAt: isoIn(60_000) }]) {
      const key = await makeKey(postern, { permissions: ['*'], ...bounds });
      for (const graceSeconds of [0, 60]) {
        const answer = await postern.call('POST', `/v1/api-keys/${free.id}/rotate`, { key, body: { graceSeconds } });
        assertError(answer, 'insufficient_permissions', Object.keys(bounds)[0]);
      }
      const bounded = await create({ permissions: ['content:read'], ...bounds });
      assertStatus(await postern.call('POST', `/v1/api-keys/${bounded.body.id}/rotate`, { key, body: {} }), 201);
    }
    assertStatus(await postern.call('GET', '/v1/content', { key: free.key }), 200);
  });
  test('a key rotates itself within its own bounds', async () => {
    const own = (await create({ ...bound, expiresAt: isoIn(60_000) })).body;
    const answer = await postern.call('POST', `/v1/api-keys/${own.id}/rotate`, { key: own.key, body: {} });
    assertStatus(answer, 201);
    assert.deepEqual([answer.body.allowedIps, answer.body.expiresAt], [bound.allowedIps, own.expiresAt]);
  });
});

describe('rotated within a grace', () => {
  const rotate = (id: string, graceSeconds: number, key?: string) =>
    postern.call('POST', `/v1/api-keys/${id}/rotate`, {
      body: { graceSeconds },
      ...(key === undefined ? {} : { key }),
    });
  const works = async (key: string) => (await postern.call('GET', '/v1/content', { key })).status === 200;

  test('each key of a chain works until its own end', async () => {
    const first = (await create({ permissions: ['content:read'] })).body;
    const second = (await rotate(first.id, 60)).body;
    clock.advance(30_000);
    const third = (await rotate(second.id, 60)).body;
    assert.equal(third.expiresAt, null);
    const left = () => Promise.all([first, second, third].map(({ key }) => works(key)));
    assert.deepEqual(await left(), [true, true, true]);
    clock.advance(29_999);
    assert.deepEqual(await left(), [true, true, true]);
    clock.advance(1);
    assert.deepEqual(await left(), [false, true, true]);
    clock.advance(30_000);
    assert.deepEqual(await left(), [false, false, true]);
  });
  test('a key rotated again in its grace gets a successor with the expiry it had, and no later end itself', async () => {
    for (const expiresAt of [null, isoIn(3_600_000)]) {
      const old = (await create({ permissions: ['content:read'], expiresAt })).body;
      await rotate(old.id, 60);
      const end = isoIn(60_000);
      clock.advance(10_000);
      for (const graceSeconds of [3600, 50]) {
        const again = (await rotate(old.id, graceSeconds)).body;
        assert.equal(again.expiresAt, expiresAt, 'not the end of the grace');
        assert.equal((await postern.call('GET', `/v1/api-keys/${old.id}`)).body.expiresAt, end);
      }
      const last = (await rotate(old.id, 0)).body;
      assert.deepEqual([last.expiresAt, await works(last.key), await works(old.key)], [expiresAt, true, false]);
    }
  });
  test('a key in its grace creates none that outlasts it, not even by rotating itself', async () => {
    const old = (await create({ permissions: ['*'] })).body;
    await rotate(old.id, 60);
    for (const graceSeconds of [0, 30]) {
      assertError(await rotate(old.id, graceSeconds, old.key), 'insufficient_permissions', 'expiresAt');
    }
    assert.ok(await works(old.key));
  });
});

describe('revocation', () => {
  test('acts at once', async () => {
    const { id, key } = (await create({})).body;
    assertStatus(await postern.call('GET', '/v1/content', { key }), 200);
    assert.deepEqual((await postern.call('DELETE', `/v1/api-keys/${id}`)).body, {
      id,
      object: 'api_key',
      revoked: true,
    });
    const refused = await postern.call('GET', '/v1/content', { key });
    assertError(refused, 'invalid_api_key');
    assert.match(refused.body.error.message, /revoked/i);
  });
  test('survives a restart', async () => {
    await using own = await startTestService();
    const { id, key } = (await made(own, '/v1/api-keys', { name: 'k', type: 'secret' })) as { id: string; key: string };
    await own.call('DELETE', `/v1/api-keys/${id}`);
    await own.restart();
    assertError(await own.call('GET', '/v1/content', { key }), 'invalid_api_key');
    assertStatus(await own.call('GET', '/v1/content'), 200);
  });
  test('unknown keys are not found', async () => {
    for (const id of ['none', 'key_00000000000000000000000000', 'x'.repeat(300)]) {
      assertError(await postern.call('GET', `/v1/api-keys/${id}`), 'api_key_not_found');
      assertError(await postern.call('DELETE', `/v1/api-keys/${id}`), 'api_key_not_found');
      assertError(await postern.call('POST', `/v1/api-keys/${id}/rotate`, { body: {} }), 'api_key_not_found');
    }
  });
});

describe('the last admin key', () => {
  const idOf = async (own: TestService) => (await own.call('GET', '/v1/api-keys')).body.data.at(-1).id;
  test('cannot be revoked', async () => {
    await using own = await startTestService();
    const first = await idOf(own);
    await makeKey(own, { permissions: ['content:read'] });
    await makeKey(own, { permissions: ['api_keys:manage'] });
    await makeKey(own, { allowedIps: ['127.0.0.1'] });
    assertError(await own.call('DELETE', `/v1/api-keys/${first}`), 'last_admin_key');
    const second = await made(own, '/v1/api-keys', { name: 'k', type: 'secret' });
    assertStatus(await own.call('DELETE', `/v1/api-keys/${first}`), 200);
    assertError(await own.call('DELETE', `/v1/api-keys/${second.id}`, { key: second.key }), 'last_admin_key');
    assertStatus(await own.call('GET', '/v1/api-keys', { key: second.key }), 200);
  });
  test('admins that revoke each other at once: one stays', async () => {
    await using own = await startTestService();
    const others = [1, 2, 3].map(() => made(own, '/v1/api-keys', { name: 'k', type: 'secret' }));
    const all = [{ id: await idOf(own), key: own.key }, ...(await Promise.all(others))];
    const victimOf = (i: number) => all[(i + 1) % all.length]?.id;
    const answers = await Promise.all(
      all.map(({ key }, i) => own.call('DELETE', `/v1/api-keys/${victimOf(i)}`, { key: String(key) })),
    );
    for (const { status, body } of answers) {
      assert.ok(status === 200 || ['last_admin_key', 'invalid_api_key'].includes(body.error.code), body.error?.code);
    }
    const seen = await Promise.all(all.map(({ key }) => own.call('GET', '/v1/api-keys', { key: String(key) })));
    assert.ok(seen.some(({ status }) => status === 200));
  });
  test('an expired admin key does not count', async () => {
    const time = testClock();
    await using own = await startTestService({ clock: time });
    const first = await idOf(own);
    await makeKey(own, { expiresAt: isoIn(1000, time) });
    time.advance(1000);
    assertError(await own.call('DELETE', `/v1/api-keys/${first}`), 'last_admin_key');
  });
  test('cannot be left to expire: one with an end is no successor', async () => {
    const time = testClock();
    await using own = await startTestService({ clock: time });
    const first = await idOf(own);
    await makeKey(own, { expiresAt: isoIn(60_000, time) });
    assertError(await own.call('DELETE', `/v1/api-keys/${first}`), 'last_admin_key');
  });
  test('can be rotated, with and without grace; its successor is then the last', async () => {
    for (const graceSeconds of [0, 60]) {
      const time = testClock();
      await using own = await startTestService({ clock: time });
      const answer = await own.call('POST', `/v1/api-keys/${await idOf(own)}/rotate`, { body: { graceSeconds } });
      assert.ok(answer.status === 200 || answer.status === 201, answer.text);
      const { key } = answer.body;
      assertStatus(await own.call('GET', '/v1/api-keys', { key }), 200);
      assertError(await own.call('DELETE', `/v1/api-keys/${answer.body.id}`, { key }), 'last_admin_key');
      time.advance(60_000);
      assertError(await own.call('GET', '/v1/api-keys'), 'invalid_api_key');
      assertStatus(await own.call('GET', '/v1/api-keys', { key }), 200);
    }
  });
});

describe('expiry', () => {
  test('a key stops at the millisecond of its expiresAt', async () => {
    const key = await makeKey(postern, { expiresAt: isoIn(10_000) });
    clock.advance(9999);
    assertStatus(await postern.call('GET', '/v1/content', { key }), 200);
    clock.advance(1);
    const refused = await postern.call('GET', '/v1/content', { key });
    assertError(refused, 'invalid_api_key');
    assert.match(refused.body.error.message, /expired/i);
  });
  test('expiresAt is told as a moment in UTC', async () => {
    const { body } = await create({ expiresAt: '2027-01-01T00:00:00+02:00' });
    assert.equal(body.expiresAt, '2026-12-31T22:00:00.000Z');
  });
});

describe('rotation', () => {
  const rotate = (id: string, body: object) => postern.call('POST', `/v1/api-keys/${id}/rotate`, { body });
  test('the old key works until its grace is over, the new one at once', async () => {
    const old = (await create({ name: 'N', permissions: ['content:read'], allowedIps: ['127.0.0.1'] })).body;
    const { body } = await rotate(old.id, { graceSeconds: 60 });
    assert.match(body.key, /^svc_sk_[0-9A-Za-z]{49}$/);
    assert.notEqual(body.key, old.key);
    assert.deepEqual(
      [body.name, body.type, body.permissions, body.allowedIps],
      ['N', 'secret', ['content:read'], ['127.0.0.1']],
    );
    clock.advance(59_999);
    for (const key of [old.key, body.key]) assertStatus(await postern.call('GET', '/v1/content', { key }), 200);
    clock.advance(1);
    assertError(await postern.call('GET', '/v1/content', { key: old.key }), 'invalid_api_key');
    assertStatus(await postern.call('GET', '/v1/content', { key: body.key }), 200);
  });
  test('no grace ends the old key at once', async () => {
    const old = (await create({})).body;
    await rotate(old.id, { graceSeconds: 0 });
    assertError(await postern.call('GET', '/v1/content', { key: old.key }), 'invalid_api_key');
  });
  test('grace is 0 to 604,800 seconds', async () => {
    for (const graceSeconds of [-1, 604_801, 1.5, '60', null]) {
      const { id } = (await create({})).body;
      assertError(await rotate(id, { graceSeconds }), 'invalid_request', 'graceSeconds', String(graceSeconds));
    }
    for (const graceSeconds of [0, 1, 604_799, 604_800]) {
      const { id } = (await create({})).body;
      const { status } = await rotate(id, { graceSeconds });
      assert.ok(status === 200 || status === 201);
    }
  });
  test('grace never makes a key live longer than its expiresAt', async () => {
    const old = (await create({ expiresAt: isoIn(10_000) })).body;
    await rotate(old.id, { graceSeconds: 3600 });
    clock.advance(10_000);
    assertError(await postern.call('GET', '/v1/content', { key: old.key }), 'invalid_api_key');
  });
  test('a second rotation never brings the first key back', async () => {
    const old = (await create({})).body;
    await rotate(old.id, { graceSeconds: 10 });
    await rotate(old.id, { graceSeconds: 3600 });
    clock.advance(10_000);
    assertError(await postern.call('GET', '/v1/content', { key: old.key }), 'invalid_api_key');
  });
  test('nothing brings back a revoked or expired key', async () => {
    const gone = (await create({})).body;
    await postern.call('DELETE', `/v1/api-keys/${gone.id}`);
    await rotate(gone.id, { graceSeconds: 3600 });
    assertError(await postern.call('GET', '/v1/content', { key: gone.key }), 'invalid_api_key');
    const past = (await create({ expiresAt: isoIn(1000) })).body;
    clock.advance(1000);
    await rotate(past.id, { graceSeconds: 3600 });
    assertError(await postern.call('GET', '/v1/content', { key: past.key }), 'invalid_api_key');
  });
});

describe('allowedIps', () => {
  const good = words(`
    127.0.0.1 10.0.0.0/8 0.0.0.0/0 1.2.3.4/32 ::1 2001:db8::/32 ::/0 2001:db8::1/128 ::ffff:10.0.0.1
  `);
  const bad = [
    ...words(`
    x localhost 256.0.0.1 1.2.3 127.1 2130706433 0x7f.0.0.1 0x7f000001 010.0.0.1 1.2.3.04 1.2.3.4.5 1.2.3.4/33
    1.2.3.4/ /8 1.2.3.4/-1 1.2.3.4/8/8 1.2.3.4/08 1.2.3.4/a 1.2.3.4/1e1 ::/129 ::: 1::2::3 fe80::1%eth0 [::1]
    1.2.3.4:80 * 1.2.3.* 1.2.3.4-5 ::ffff:1.2.3 ::ffff:01.2.3.4 12345:: g::
  `),
    '',
    '1.2.3.4/8 ',
    ' 1.2.3.4',
  ];
  for (const one of good) test(`${one} is a range`, async () => assertStatus(await create({ allowedIps: [one] }), 201));
  for (const one of bad) {
    test(`${JSON.stringify(one)} is none`, async () => {
      const answer = await create({ allowedIps: [one] });
      assertError(answer, 'invalid_request');
      assert.ok(answer.body.error.param.startsWith('allowedIps'));
    });
  }
  test('are echoed', async () => {
    const allowedIps = ['10.0.0.0/8', '2001:db8::/32', '127.0.0.1'];
    assert.deepEqual((await create({ allowedIps })).body.allowedIps, allowedIps);
  });
  for (const [ranges, allowed] of [
    [['127.0.0.1'], true],
    [['127.0.0.0/8'], true],
    [['127.0.0.0/30'], true],
    [['127.0.0.1/32'], true],
    [['10.0.0.0/8', '127.0.0.1'], true],
    [['::ffff:127.0.0.1'], true],
    [['0.0.0.0/0'], true],
    [['10.0.0.0/8'], false],
    [['127.0.0.2'], false],
    [['127.0.0.2/32', '126.0.0.0/8'], false],
    [['::1'], false],
    [['2001:db8::/32'], false],
  ] as const) {
    test(`from 127.0.0.1 with ${ranges}: ${allowed ? 'yes' : 'no'}`, async () => {
      const key = await makeKey(postern, { allowedIps: ranges });
      const answer = await postern.call('GET', '/v1/content', { key });
      if (allowed) return assertStatus(answer, 200);
      assertError(answer, 'ip_not_allowed');
      assert.match(answer.body.error.message, /127\.0\.0\.1/);
    });
  }
  test('X-Forwarded-For of a peer nobody trusts is nothing', async () => {
    const key = await makeKey(postern, { allowedIps: ['1.2.3.4'] });
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'true-client-ip', 'cf-connecting-ip']) {
      const value = name === 'forwarded' ? 'for=1.2.3.4' : '1.2.3.4';
      assertError(await postern.call('GET', '/v1/content', { key, headers: { [name]: value } }), 'ip_not_allowed');
    }
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === '::1'));
  for (const host of ['::1', '::']) {
    test(`listening on ${host}: a mapped address is its IPv4 address`, async (t) => {
      if (!hasIpv6) return t.skip('no IPv6 here');
      await using own = await startTestService({ env: { POSTERN_HOST: host } });
      const { port } = new URL(own.url);
      const six = await makeKey(own, { allowedIps: ['::1'] });
      const four = await makeKey(own, { allowedIps: ['127.0.0.1'] });
      const ask = async (at: string, key: string) =>
        (await fetch(`http://${at}:${port}/v1/content`, { headers: { authorization: `Bearer ${key}` } })).status;
      assert.deepEqual([await ask('[::1]', six), await ask('[::1]', four)], [200, 403]);
      if (host === '::') assert.deepEqual([await ask('127.0.0.1', six), await ask('127.0.0.1', four)], [403, 200]);
    });
  }
});

describe('trusted proxies', async () => {
  const own = await startTestService({
    env: { POSTERN_TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8,2001:db8:ffff::/48' },
  });
  after(() => own[Symbol.asyncDispose]());
  const from = async (allowed: string, forwarded: string | string[]) => {
    const key = await makeKey(own, { allowedIps: [allowed] });
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': forwarded };
    return wire(own, 'GET', '/v1/content', { headers });
  };
  const cases: [string, string | string[], boolean][] = [
    ['1.2.3.4', '1.2.3.4', true],
    ['1.2.3.4', '9.9.9.9, 1.2.3.4', true],
    ['9.9.9.9', '9.9.9.9, 1.2.3.4', false],
    ['1.2.3.4', '9.9.9.9, 1.2.3.4, 10.0.0.5', true],
    ['1.2.3.4', '9.9.9.9,1.2.3.4,10.0.0.5,127.0.0.9', true],
    ['1.2.3.4', ['9.9.9.9, 1.2.3.4', '10.0.0.5'], true],
    ['9.9.9.9', ['9.9.9.9', '1.2.3.4, 10.0.0.5'], false],
    ['1.2.3.4', '::ffff:1.2.3.4', true],
    ['1.2.3.4', '1.2.3.4, ::ffff:10.0.0.5', true],
    ['2001:db8::/32', '2001:db8::77', true],
    ['2001:db8::77', '2001:DB8:0:0:0:0:0:77', true],
    ['1.2.3.4', '1.2.3.4, 2001:db8:ffff::1', true],
    ['1.2.3.4', '1.2.3.4, 2001:db8:fffe::1', false],
    ['127.0.0.1', '1.2.3.4', false],
    ['1.2.3.4', '1.2.3.4, junk', false],
    ['1.2.3.4', '1.2.3.4, 010.0.0.5', false],
    ['1.2.3.4', '1.2.3.4, 10.5', false],
    ['1.2.3.4', '1.2.3.4, 0x0a.0.0.1', false],
    ['10.0.0.5', '10.0.0.5, 10.0.0.6', true],
  ];
  for (const [allowed, forwarded, expected] of cases) {
    test(`${JSON.stringify(forwarded)} for a key of ${allowed}: ${expected ? 'yes' : 'no'}`, async () => {
      const answer = await from(allowed, forwarded);
      if (expected) return assertStatus(answer, 200);
      assertError(answer, 'ip_not_allowed');
    });
  }
  test('the refusal names the address that counted', async () => {
    assert.match((await from('9.9.9.9', '9.9.9.9, 1.2.3.4')).body.error.message, /1\.2\.3\.4/);
  });
  test('nonsense in it costs no 5xx', async () => {
    for (const value of [
      '',
      ',',
      ',,,',
      ' ',
      'unknown',
      '_hidden',
      '1.2.3.4:80',
      '[::1]:80',
      'x'.repeat(5000),
      '1,'.repeat(2000),
    ]) {
      const answer = await from('10.99.99.99', value);
      assertErrorShape(answer, value.slice(0, 20));
      assert.equal(answer.status, 403, value.slice(0, 20));
    }
  });
});

describe('public keys', () => {
  test('read, and write nothing', async () => {
    const permissions = ['content:read', 'policies:read', 'analytics:read', 'access:check'];
    const key = await makeKey(postern, { type: 'public', permissions });
    for (const path of ['/v1/content', '/v1/policies', '/v1/analytics/usage', '/v1/access/decisions']) {
      assertStatus(await postern.call('GET', path, { key }), 200, path);
    }
    assertError(await postern.call('POST', '/v1/content', { body: item(), key }), 'insufficient_permissions');
    assertError(await postern.call('GET', '/v1/api-keys', { key }), 'insufficient_permissions');
  });
});
