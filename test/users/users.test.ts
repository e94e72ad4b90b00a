/** Users and sign-in links: who comes in, who may bring them in, and how they are kept out. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { hurry } from '../../kit/hurry.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertError, assertStatus, ID, item, made, makeKey } from '../http/given.ts';
import { OWN, openLink, withSession } from './trip.ts';

hurry();

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const linkFor = (name: string, role = 'admin', of: TestService = postern) =>
  made(of, '/v1/users/links', { name, role });
async function enter(name: string, role = 'admin', of: TestService = postern): Promise<string> {
  const { session } = await openLink(of, (await linkFor(name, role, of)).path);
  assert.ok(session !== undefined);
  return session;
}
const end = (id: string, act: string, key?: string) =>
  postern.call('POST', `/v1/users/${id}/${act}`, key === undefined ? {} : { key });

describe('a link', () => {
  test('signs its user in, once', async () => {
    const { path, user, expiresAt, object } = await linkFor('Ada');
    assert.equal(object, 'sign_in_link');
    assert.match(path, /^\/console#link=[\w-]{43}$/);
    assert.equal(Date.parse(expiresAt), clock.now() + 15 * 60_000);
    assert.match(user.id, ID('usr'));
    assert.deepEqual([user.name, user.role, user.issuer, user.lastSeen], ['Ada', 'admin', null, null]);
    const first = await openLink(postern, path);
    assertStatus(first, 201);
    assert.deepEqual([first.body.user.id, first.body.key, first.body.permissions], [user.id, null, ['*']]);
    assert.match(first.headers.get('set-cookie') ?? '', /HttpOnly; SameSite=Strict; Max-Age=43200/);
    assert.equal((await withSession(postern, first.session ?? '', 'GET /v1/api-keys')).status, 200);
    const second = await openLink(postern, path);
    assertError(second, 'invalid_api_key');
    assert.equal(second.session, undefined);
  });

  test('opened many times at once signs in one', async () => {
    const { path } = await linkFor('Many');
    const answers = await Promise.all(Array.from({ length: 20 }, () => openLink(postern, path)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.ok(answers.every(({ status }) => status === 201 || status === 401));
  });

  test('expires after a quarter of an hour, and ends with the next one', async () => {
    const { path } = await linkFor('Late');
    clock.advance(15 * 60_000);
    assertError(await openLink(postern, path), 'invalid_api_key');
    const [old, fresh] = [await linkFor('Late'), await linkFor('Late')];
    assertError(await openLink(postern, old.path), 'invalid_api_key');
    assertStatus(await openLink(postern, fresh.path), 201);
  });

  test('is a hash in the store, and the same user for the same name', async () => {
    const { path, user } = await linkFor('Grace', 'viewer');
    const again = await linkFor('Grace', 'editor');
    assert.deepEqual([again.user.id, again.user.role], [user.id, 'editor']);
    const rows = JSON.stringify([await postern.rowsOf('sign_in_links'), await postern.rowsOf('change_data')]);
    assert.ok(!rows.includes(path.slice(-43)) && !rows.includes(again.path.slice(-43)));
    const [entry] = (await postern.call('GET', '/v1/audit-log?limit=1')).body.data;
    assert.deepEqual([entry.kind, entry.before.role, entry.after.role], ['user.link_created', 'viewer', 'editor']);
  });

  test('is refused in the words of the API: none, another form, from another site', async () => {
    for (const link of ['x', 'x'.repeat(43), 'x'.repeat(200)]) {
      assertError(await openLink(postern, `#link=${link}`), 'invalid_api_key');
    }
    for (const body of [{}, { link: '' }, { link: 5 }, { key: 'x', link: 'x' }, { link: 'x', name: 'x' }]) {
      const answer = await postern.call('POST', '/console/session', { key: null, headers: OWN, body });
      assertError(answer, 'invalid_request', undefined, JSON.stringify(body));
    }
    const { path } = await linkFor('Foreign');
    for (const headers of [{}, { ...OWN, origin: 'https://evil.example' }, { ...OWN, 'sec-fetch-site': 'same-site' }]) {
      const body = { link: path.slice(-43) };
      assertError(await postern.call('POST', '/console/session', { key: null, headers, body }), 'missing_api_key');
    }
    assertStatus(await openLink(postern, path), 201);
  });

  test('survives a restart', async () => {
    await using own = await startTestService();
    const { path } = await linkFor('Ada', 'viewer', own);
    await own.restart();
    assertStatus(await openLink(own, path), 201);
  });

  test('is repeated to the same key with the same Idempotency-Key, and sealed in between', async () => {
    const headers = { 'idempotency-key': 'link-1' };
    const body = { name: 'Twice', role: 'viewer' };
    const [one, other] = [
      await postern.call('POST', '/v1/users/links', { headers, body }),
      await postern.call('POST', '/v1/users/links', { headers, body }),
    ];
    assert.deepEqual(other.body, one.body);
    assert.ok(!JSON.stringify(await postern.rowsOf('receipts')).includes(one.body.path.slice(-43)));
  });
});

describe('nobody', () => {
  test('gives a role with more than they hold, or for longer, or from more addresses', async () => {
    const key = await makeKey(postern, { permissions: ['api_keys:manage', 'content:read'] });
    const give = (role: string, by = key) =>
      postern.call('POST', '/v1/users/links', { body: { name: 'New', role }, key: by });
    for (const role of ['viewer', 'licensing', 'editor', 'admin']) {
      assertError(await give(role), 'insufficient_permissions', undefined, role);
    }
    const brief = await makeKey(postern, { expiresAt: new Date(clock.now() + 60_000).toISOString() });
    assertError(await give('viewer', brief), 'insufficient_permissions', 'expiresAt');
    const bound = await makeKey(postern, { allowedIps: ['127.0.0.1'] });
    assertError(await give('viewer', bound), 'insufficient_permissions', 'allowedIps');
    assertStatus(await give('viewer', postern.key), 201);
  });

  test('suspends, deletes, or takes the role of those who hold more', async () => {
    const key = await makeKey(postern, { permissions: ['api_keys:manage', 'content:read'] });
    const { user } = await linkFor('Boss');
    assertError(await end(user.id, 'suspend', key), 'insufficient_permissions');
    assertError(await postern.call('DELETE', `/v1/users/${user.id}`, { key }), 'insufficient_permissions');
    assertStatus(await end(user.id, 'suspend'), 200);
    assertError(await end(user.id, 'reinstate', key), 'insufficient_permissions');
  });

  test('is found under an id that is none', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/suspend'],
      ['POST', '/reinstate'],
    ] as const) {
      assertError(await postern.call(method, `/v1/users/usr_0${path}`), 'user_not_found');
    }
    assertError(await postern.call('GET', '/v1/users?role=owner'), 'invalid_request', 'role');
  });
});

describe('suspension', () => {
  test('ends all sessions and links at once, and keeps the person out until reinstated', async () => {
    const sessions = [await enter('Bob', 'editor'), await enter('Bob', 'editor')];
    const { path, user } = await linkFor('Bob', 'editor');
    const suspended = await end(user.id, 'suspend');
    assert.equal(suspended.body.status, 'suspended');
    for (const session of sessions) {
      assertError(await withSession(postern, session, 'GET /v1/content'), 'invalid_api_key');
    }
    assertError(await openLink(postern, path), 'invalid_api_key');
    assertError(
      await postern.call('POST', '/v1/users/links', { body: { name: 'Bob', role: 'editor' } }),
      'invalid_request',
      'name',
    );
    const { totalCount } = (await postern.call('GET', '/v1/audit-log')).body;
    assert.deepEqual((await end(user.id, 'suspend')).body, suspended.body);
    assert.equal((await postern.call('GET', '/v1/audit-log')).body.totalCount, totalCount, 'unchanged');
    assert.equal((await end(user.id, 'reinstate')).body.status, 'active');
    assertError(await withSession(postern, sessions[0] ?? '', 'GET /v1/content'), 'invalid_api_key');
    await enter('Bob', 'editor');
  });

  test('ends a live stream of events', async () => {
    await using own = await startTestService();
    const session = await enter('Live', 'admin', own);
    const headers = { ...OWN, cookie: session };
    const stream = await fetch(`${own.url}/v1/events/stream`, { headers });
    const ended = stream.text();
    const [user] = (await own.call('GET', '/v1/users')).body.data;
    await own.call('POST', `/v1/users/${user.id}/suspend`);
    await ended;
  });

  test('of the last admin leaves keys in charge, and the command that makes links', async () => {
    const session = await enter('Only');
    const { user } = (await withSession(postern, session, 'GET /console/session')).body;
    assertStatus(await withSession(postern, session, `POST /v1/users/${user.id}/suspend`), 200);
    assertError(await withSession(postern, session, 'GET /v1/users'), 'invalid_api_key');
    const byKey = await postern.call('POST', '/console/session', {
      key: null,
      headers: OWN,
      body: { key: postern.key },
    });
    assertStatus(byKey, 201);
    assertStatus(await end(user.id, 'reinstate'), 200);
  });

  test('that comes between admission and commit is seen: no key is left behind', async () => {
    const session = await enter('Racer');
    const { user } = (await withSession(postern, session, 'GET /console/session')).body;
    const makes = Array.from({ length: 10 }, (_, i) =>
      withSession(postern, session, 'POST /v1/api-keys', { name: `racer ${i}`, type: 'secret' }),
    );
    const suspended = end(user.id, 'suspend');
    const answers = await Promise.all(makes);
    await suspended;
    const log = (await postern.call('GET', '/v1/audit-log?limit=100')).body.data;
    const at = log.findIndex((entry: { kind: string }) => entry.kind === 'user.suspended');
    const later = log.slice(0, at).filter((entry: { actor: { id: string } }) => entry.actor.id === user.id);
    assert.deepEqual(later, []);
    assert.ok(answers.every(({ status }) => status === 201 || status === 401));
  });
});

describe('a user', () => {
  test('is listed with role and last time seen, filtered and paged', async () => {
    await using own = await startTestService({ clock });
    for (const [name, role] of [
      ['A', 'admin'],
      ['B', 'viewer'],
      ['C', 'viewer'],
    ]) {
      await linkFor(name as string, role, own);
    }
    const session = await enter('B', 'viewer', own);
    const names = async (query: string) =>
      (await own.call('GET', `/v1/users${query}`)).body.data.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names(''), ['C', 'B', 'A']);
    assert.deepEqual(await names('?role=viewer'), ['C', 'B']);
    assert.deepEqual(await names('?status=suspended'), []);
    const page = (await own.call('GET', '/v1/users?limit=2')).body;
    assert.deepEqual([page.hasMore, page.totalCount], [true, 3]);
    assert.deepEqual(await names(`?limit=2&cursor=${page.nextCursor}`), ['A']);
    const seen = async () => Date.parse((await own.call('GET', `/v1/users/${page.data[1].id}`)).body.lastSeen);
    assert.equal(await seen(), clock.now());
    clock.advance(59_000);
    await withSession(own, session, 'GET /v1/content');
    assert.equal(await seen(), clock.now() - 59_000, 'within a minute');
    clock.advance(1_000);
    await withSession(own, session, 'GET /v1/content');
    assert.equal(await seen(), clock.now());
  });

  test('is named by the audit log, in every entry, and may be deleted', async () => {
    const session = await enter('Ada Lovelace', 'editor');
    const { user } = (await withSession(postern, session, 'GET /console/session')).body;
    assertStatus(await withSession(postern, session, 'POST /v1/content', item()), 201);
    const entries = async () => (await postern.call('GET', `/v1/audit-log?actor=${user.id}`)).body.data;
    const kinds = (await entries()).map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds, ['content.created', 'user.signed_in']);
    for (const { actor } of await entries()) {
      assert.deepEqual(actor, { type: 'user', id: user.id, name: 'Ada Lovelace' });
    }
    const deleted = await postern.call('DELETE', `/v1/users/${user.id}`);
    assert.deepEqual(deleted.body, { id: user.id, object: 'user', deleted: true });
    assertError(await withSession(postern, session, 'GET /v1/content'), 'invalid_api_key');
    assert.deepEqual((await entries())[0].actor, { type: 'user', id: user.id, name: null });
    assert.equal((await entries()).length, 2);
  });

  test('has at most fifty sessions; the oldest give way', async () => {
    const first = await enter('Busy', 'viewer');
    for (let i = 0; i < 50; i++) {
      clock.advance(1);
      await enter('Busy', 'viewer');
    }
    assertError(await withSession(postern, first, 'GET /v1/content'), 'invalid_api_key');
  });

  test('is refused in words that name the role', async () => {
    const session = await enter('Vic', 'viewer');
    const { body } = await withSession(postern, session, 'POST /v1/content', item());
    assert.equal(body.error.message, 'The role viewer does not hold the permission content:write.');
  });
});

test('expired links are swept', async () => {
  const later = testClock();
  await using own = await startTestService({ clock: later });
  await linkFor('Gone', 'viewer', own);
  later.advance(15 * 60_000);
  await until('swept', async () => (await own.rowsOf('sign_in_links')).length === 0, 30_000);
});
