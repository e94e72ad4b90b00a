/** Tokens of requesters: created, listed, rotated and revoked; shown once, stored as a hash, never in a log. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, ID, MOMENT, made } from './given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());
await made(postern, '/v1/requesters', { id: 'a/b@c', name: 'R' });
const PATH = `/v1/requesters/${encodeURIComponent('a/b@c')}/tokens`;

const create = (body: object = {}, of: TestService = postern) =>
  of.call('POST', PATH, { body: { name: 'n', ...body } });
const isoIn = (ms: number) => new Date(clock.now() + ms).toISOString();

describe('create', () => {
  test('shows the token once, and never again', async () => {
    const answer = await create({ name: 'Production' });
    assertStatus(answer, 201);
    const { token, ...rest } = answer.body;
    assert.match(token, /^svc_rt_[0-9A-Za-z]{49}$/);
    assert.match(rest.id, ID('tok'));
    assert.match(rest.created, MOMENT);
    assert.deepEqual(rest, {
      id: rest.id,
      object: 'requester_token',
      requesterId: 'a/b@c',
      name: 'Production',
      prefix: token.slice(0, 12),
      expiresAt: null,
      lastUsedAt: null,
      created: rest.created,
      updated: rest.created,
    });
    assert.deepEqual((await postern.call('GET', `${PATH}/${rest.id}`)).body, rest);
    const list = await postern.call('GET', PATH);
    assert.deepEqual(list.body.data[0], rest);
    assert.ok(!list.text.includes(token.slice(12)));
  });
  test('is no API key', async () => {
    const { token } = (await create()).body;
    for (const path of ['/v1/content', '/v1/requesters', '/v1/api-keys']) {
      assertError(await postern.call('GET', path, { key: token }), 'invalid_api_key');
    }
  });
  test('refuses what it does not know', async () => {
    assertError(await create({ name: '' }), 'invalid_request', 'name');
    assertError(await create({ name: 'a\u0000' }), 'invalid_request', 'name');
    assertError(await create({ name: 'x'.repeat(201) }), 'invalid_request', 'name');
    for (const expiresAt of ['tomorrow', isoIn(0), isoIn(-1), 5]) {
      assertError(await create({ expiresAt }), 'invalid_request', 'expiresAt', String(expiresAt));
    }
    for (const field of ['id', 'token', 'permissions', 'requesterId']) {
      assertError(await create({ [field]: 'x' }), 'invalid_request', field);
    }
    assertError(
      await postern.call('POST', '/v1/requesters/nobody/tokens', { body: { name: 'n' } }),
      'requester_not_found',
    );
  });
  test('a retry with an Idempotency-Key answers the same token and makes one', async () => {
    const headers = { 'idempotency-key': 'one-token' };
    const ask = () => postern.call('POST', PATH, { body: { name: 'once' }, headers });
    const [first, second] = [await ask(), await ask()];
    assert.equal(second.body.token, first.body.token);
    const { data } = (await postern.call('GET', PATH)).body;
    assert.equal(data.filter(({ name }: { name: string }) => name === 'once').length, 1);
  });
});

describe('the list', () => {
  test('pages through the tokens of one requester, newest first, without revoked ones', async () => {
    await made(postern, '/v1/requesters', { id: 'paged' });
    await made(postern, '/v1/requesters', { id: 'other' });
    await made(postern, '/v1/requesters/other/tokens', { name: 'n' });
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      clock.advance(1);
      ids.unshift((await made(postern, '/v1/requesters/paged/tokens', { name: `n${i}` })).id);
    }
    await postern.call('DELETE', `/v1/requesters/paged/tokens/${ids[2]}`);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await postern.call('GET', `/v1/requesters/paged/tokens?limit=2${cursor}`);
      assert.equal(body.totalCount, 4);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    assert.deepEqual(seen, [...ids.slice(0, 2), ...ids.slice(3)]);
  });
});

describe('rotate and revoke', () => {
  test('rotation keeps name and expiry; the old one ends after the grace', async () => {
    const old = (await create({ name: 'R', expiresAt: isoIn(100_000) })).body;
    clock.advance(10);
    const answer = await postern.call('POST', `${PATH}/${old.id}/rotate`, { body: { graceSeconds: 60 } });
    assertStatus(answer, 201);
    assert.deepEqual([answer.body.name, answer.body.expiresAt], ['R', old.expiresAt]);
    assert.notEqual(answer.body.token, old.token);
    const kept = (await postern.call('GET', `${PATH}/${old.id}`)).body;
    assert.equal(kept.expiresAt, isoIn(60_000));
    assert.ok(kept.updated > kept.created);
    const bare = await postern.call('POST', `${PATH}/${answer.body.id}/rotate`);
    assertStatus(bare, 201);
    assertError(await postern.call('GET', `${PATH}/${answer.body.id}`), 'requester_token_not_found');
    assertError(
      await postern.call('POST', `${PATH}/${old.id}/rotate`, { body: { graceSeconds: 604_801 } }),
      'invalid_request',
      'graceSeconds',
    );
    clock.advance(60_000);
    assertError(await postern.call('POST', `${PATH}/${old.id}/rotate`), 'invalid_request');
  });
  test('one rotated again in its grace gets a successor with the expiry it had, and no later end itself', async () => {
    const old = (await create()).body;
    const rotate = (id: string, graceSeconds: number) =>
      postern.call('POST', `${PATH}/${id}/rotate`, { body: { graceSeconds } });
    const second = (await rotate(old.id, 60)).body;
    const end = isoIn(60_000);
    clock.advance(10_000);
    const again = (await rotate(old.id, 3600)).body;
    assert.deepEqual([second.expiresAt, again.expiresAt], [null, null]);
    assert.equal((await postern.call('GET', `${PATH}/${old.id}`)).body.expiresAt, end);
    const third = (await rotate(second.id, 3600)).body;
    assert.equal(third.expiresAt, null);
    assert.equal((await postern.call('GET', `${PATH}/${old.id}`)).body.expiresAt, end, 'the first one keeps its end');
  });
  test('a revoked token, one of another requester and an unknown one are not found', async () => {
    const { id } = (await create()).body;
    assert.deepEqual((await postern.call('DELETE', `${PATH}/${id}`)).body, {
      id,
      object: 'requester_token',
      revoked: true,
    });
    await made(postern, '/v1/requesters', { id: 'else' });
    const { id: own } = (await create()).body;
    for (const path of [`${PATH}/${id}`, `${PATH}/tok_none`, `/v1/requesters/else/tokens/${own}`]) {
      assertError(await postern.call('GET', path), 'requester_token_not_found', undefined, path);
      assertError(await postern.call('DELETE', path), 'requester_token_not_found', undefined, path);
      assertError(await postern.call('POST', `${path}/rotate`), 'requester_token_not_found', undefined, path);
    }
    assertStatus(await postern.call('GET', `${PATH}/${own}`), 200);
  });
});

test('no secret in the logs or the records', async () => {
  await using own = await startTestService();
  await made(own, '/v1/requesters', { id: 'a/b@c' });
  const plain = (await create({}, own)).body;
  const kept = await own.call('POST', PATH, { body: { name: 'n' }, headers: { 'idempotency-key': 'k' } });
  const rotated = await own.call('POST', `${PATH}/${plain.id}/rotate`);
  await own.call('GET', '/v1/content', { key: plain.token });
  const texts = [own.logs.join('')];
  for (const table of ['requester_tokens', 'changes', 'change_data', 'receipts']) {
    texts.push(JSON.stringify(await own.rowsOf(table)));
  }
  for (const { token } of [plain, kept.body, rotated.body]) {
    for (const text of texts) assert.ok(!text.includes(token.slice(12)));
  }
});

test('tokens survive a restart', async () => {
  await using own = await startTestService();
  await made(own, '/v1/requesters', { id: 'a/b@c' });
  const { token, ...made1 } = (await create({}, own)).body;
  await own.restart();
  assert.deepEqual((await own.call('GET', `${PATH}/${made1.id}`)).body, made1);
});
