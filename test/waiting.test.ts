/**
 * Checks that wait to be recorded, from outside. A check that another transaction delays for more than a second is
 * decided again: by the key, the policy, the requester and the item as they are then. Both engines.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import type { Answer } from '../kit/answer.ts';
import { query, testPostgres } from '../kit/postgres.ts';
import { startTestService, type TestService } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const SITE = 'https://site.test';
const LIMIT = { requests: 1_000, period: 'day', scope: 'content' };
const RULES = [{ action: 'allow', rateLimit: LIMIT }];

interface Given {
  policyId: string;
  /** Held by the test while its checks wait. */
  itemId: string;
  otherId: string;
  keys: { id: string; key: string }[];
}

async function made(service: TestService): Promise<Given> {
  const make = async (path: string, body: object) => {
    const answer = await service.call('POST', path, { body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const { id: policyId } = await make('/v1/policies', { name: 'p', rules: RULES });
  const item = (name: string) =>
    make('/v1/content', { externalId: name, title: name, type: 'article', source: `${SITE}/${name}`, policyId });
  const [{ id: itemId }, { id: otherId }] = [await item('held'), await item('other')];
  const key = () => make('/v1/api-keys', { name: 'k', type: 'secret', permissions: ['access:check'] });
  const keys = [await key(), await key()];
  // All of it is remembered, and the limits have their rows.
  for (const one of keys) {
    for (const contentId of [itemId, otherId]) {
      assert.equal((await check(service, one.key, contentId)).body.allowed, true);
    }
    assert.equal((await authorize(service, one.key)).status, 200);
  }
  return { policyId, itemId, otherId, keys };
}

const check = (service: TestService, key: string, contentId: string, headers: Record<string, string> = {}) =>
  service.call('POST', '/v1/access/check', { key, body: { contentId, requesterId: 'r' }, headers });

const batch = (service: TestService, key: string, contentId: string) =>
  service.call('POST', '/v1/access/check/batch', { key, body: { checks: [{ contentId }, { contentId }] } });

const authorize = (service: TestService, key: string) =>
  service.call('GET', '/v1/authorize', {
    key: null,
    headers: {
      'x-postern-key': key,
      'x-forwarded-uri': '/held',
      'x-forwarded-host': 'site.test',
      'x-forwarded-proto': 'https',
    },
  });

/** Every kind of check, with each key, on one item. */
const askAll = (service: TestService, { keys, itemId }: Given): Promise<Answer[]>[] =>
  keys.map(({ key }) =>
    Promise.all([
      check(service, key, itemId),
      check(service, key, itemId, { 'idempotency-key': 'once' }),
      batch(service, key, itemId),
      authorize(service, key),
    ]),
  );

/** Revokes one key and makes the policy deny; each kind of check must answer by that state. */
async function change(service: TestService, { policyId, keys }: Given): Promise<void> {
  const edits = [
    service.call('DELETE', `/v1/api-keys/${keys[0]?.id}`),
    service.call('PATCH', `/v1/policies/${policyId}`, { body: { rules: [{ action: 'deny' }] } }),
  ];
  for (const answer of await Promise.all(edits)) assert.equal(answer.status, 200, answer.text);
}

async function assertByTheNewState(service: TestService, given: Given, asked: Promise<Answer[]>[]): Promise<void> {
  const [revoked = [], valid = []] = await Promise.all(asked);
  for (const answer of revoked) assert.equal(answer.status, 401, answer.text);
  const [single, kept, many, asProxy] = valid as [Answer, Answer, Answer, Answer];
  for (const { reason, policyVersion, recorded } of [single.body, kept.body, ...many.body.data]) {
    assert.deepEqual([reason, policyVersion, recorded], ['policy_denied', 2, true]);
  }
  assert.equal(asProxy.status, 403);
  const again = await check(service, given.keys[1]?.key ?? '', given.itemId, { 'idempotency-key': 'once' });
  assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [kept.text, 'true']);
  assert.equal(
    (await check(service, given.keys[0]?.key ?? '', given.itemId, { 'idempotency-key': 'once' })).status,
    401,
  );
}

const versions = async (service: TestService): Promise<number[]> =>
  (await service.rowsOf('decisions')).map((row) => Number((row as { policy_version: number }).policy_version));

/** The number of checks before the hold, of version 1. */
const BEFORE = 6;

/** Longer than a decision is fresh, and than a transaction that began in time waits for a lock. */
async function staleByNow(): Promise<void> {
  const end = performance.now() + 1_700;
  await until('all are stale', () => performance.now() > end);
}

describe('PostgreSQL', () => {
  async function started() {
    const stack = new AsyncDisposableStack();
    const database = stack.use(await (await testPostgres()).newDatabase());
    const service = stack.use(await startTestService({ env: { POSTERN_DATABASE_URL: database.url } }));
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    stack.defer(() => holder.end());
    return { service, holder, url: database.url, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  }
  /** Looks from a connection of its own: inside one transaction the view never changes. */
  const somebodyWaits = (url: string) =>
    until('a wait for a lock', async () => {
      const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await query(url, waits)).length > 0;
    });

  test('a limit that is locked for seconds: checks that claim it are decided again, others do not wait', async () => {
    await using store = await started();
    const { service, holder } = store;
    const given = await made(service);
    await holder.query('begin');
    const { rows } = await holder.query('select key from limits order by key limit 1 for update');
    assert.equal(rows.length, 1);
    const asked = askAll(service, given);
    await somebodyWaits(store.url);
    for (let i = 0; i < 10; i++) {
      for (const { key } of given.keys) assert.equal((await check(service, key, given.otherId)).body.allowed, true);
    }
    await change(service, given);
    for (let i = 0; i < 5; i++) {
      assert.equal((await check(service, given.keys[1]?.key ?? '', given.otherId)).body.reason, 'policy_denied');
    }
    await staleByNow();
    await holder.query('rollback');
    await assertByTheNewState(service, given, asked);
    const all = await versions(service);
    assert.deepEqual([all.filter((one) => one === 1).length, all.length], [BEFORE + 20, BEFORE + 20 + 5 + 5]);
  });

  test('the whole ledger is locked for seconds: what waited is decided again, and nothing is lost', async () => {
    await using store = await started();
    const { service, holder } = store;
    const given = await made(service);
    await holder.query('begin; lock table decisions in exclusive mode');
    const asked = askAll(service, given);
    await somebodyWaits(store.url);
    await change(service, given);
    await staleByNow();
    await holder.query('rollback');
    await assertByTheNewState(service, given, asked);
    assert.equal((await versions(service)).filter((one) => one === 1).length, BEFORE);
  });
});

describe('SQLite', () => {
  test('the file is locked for more than a second: what waited is decided again, and nothing is lost', async () => {
    await using service = await startTestService({ env: {} });
    const given = await made(service);
    using holder = new DatabaseSync(join(service.dataDir, 'postern.db'));
    holder.exec('begin immediate');
    // The storage thread blocks before this edit; later edits and checks queue behind it.
    const before = service.call('PATCH', `/v1/content/${given.otherId}`, { body: { title: 'other title' } });
    const changed = change(service, given);
    // Reads are in one line too: after these the edits have read what they need, and stand in line before the checks.
    for (let i = 0; i < 20; i++) await service.call('GET', `/v1/content/${given.otherId}`);
    const asked = askAll(service, given);
    await staleByNow();
    holder.exec('rollback');
    assert.equal((await before).status, 200);
    await changed;
    await assertByTheNewState(service, given, asked);
    assert.equal((await versions(service)).filter((one) => one === 1).length, BEFORE);
  });
});
