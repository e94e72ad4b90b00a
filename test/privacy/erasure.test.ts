/** An erased requester is gone: from every answer, every row and every file; what it used is counted as before. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { startTestService, type TestService, testClock, testEngine } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { backUp } from '../../src/service/storage/backup.ts';
import { assertError, assertStatus, check, item, made, makeKey } from '../http/given.ts';

type Any = any;
/** Every text of the requester has it, so that one search finds all. */
const MARK = 'zzunmistakable';
const ID = `${MARK}-id`;

const clock = testClock(Date.now());
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const TABLES = [
  'requesters',
  'licenses',
  'history',
  'requester_tokens',
  'license_terms',
  'decisions',
  'daily_counts',
  'deleted_decisions',
  'limits',
  'test_decisions',
  'test_limits',
  'changes',
  'change_data',
  'events',
  'deliveries',
  'receipts',
  'statements',
  'policy_versions',
  'candidates',
  'ended_candidates',
  'unregistered',
  'sightings',
  'erasures',
  'license_requests',
  'identity_lists',
  'agent_keys',
  'served_signals',
  'policies',
  'collections',
  'collection_versions',
  'archives',
  'webhooks',
  'used_sign_ins',
  'settings',
];

const rowsWith = async (of: TestService, mark: string): Promise<string[]> => {
  const found: string[] = [];
  for (const table of TABLES) {
    for (const row of await of.rowsOf(table))
      if (JSON.stringify(row).includes(mark)) found.push(`${table}: ${JSON.stringify(row)}`);
  }
  return found;
};

const filesWith = (folder: string, mark: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && readFileSync(join(one.parentPath, one.name), 'latin1').includes(mark))
    .map(({ name }) => name);

const TERMS = {
  reference: `${MARK} contract`,
  currency: 'EUR',
  timezone: 'UTC',
  period: 'month',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 20_000 }],
};

/** A requester with everything that can be known of one. */
async function known(): Promise<{ contentId: string; policyId: string; licenseId: string }> {
  const identities = [{ kind: 'ip', ranges: ['203.0.113.0/24'] }];
  const contact = { metadata: { mail: `${MARK}@example.com` }, userAgents: [`${MARK}-agent`], identities };
  const writeTo = { contactName: `${MARK} person`, email: `${MARK}@example.com`, billingAddress: `${MARK}\nstreet` };
  await made(postern, '/v1/requesters', { id: ID, name: `${MARK} name`, ...contact, ...writeTo });
  await postern.call('PATCH', `/v1/requesters/${ID}`, {
    body: { name: `${MARK} other` },
    headers: { 'idempotency-key': MARK },
  });
  await made(postern, `/v1/requesters/${ID}/tokens`, { name: `${MARK} token` });
  const license = await made(postern, '/v1/licenses', {
    requesterId: ID,
    type: 'commercial',
    metadata: { note: `${MARK} note` },
    terms: TERMS,
  });
  const { id: policyId } = await made(postern, '/v1/policies', {
    name: 'P',
    rules: [
      { action: 'allow', conditions: { requesterId: [ID, 'other'] }, rateLimit: { requests: 100, period: 'day' } },
      { action: 'allow', conditions: { hasValidLicense: true } },
    ],
  });
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId }));
  return { contentId, policyId, licenseId: license.id };
}

const totals = async (): Promise<Any> => (await postern.call('GET', '/v1/analytics/usage?period=7d')).body.summary;

test('a requester is erased from everything, and what it used still counts', async () => {
  const { contentId, policyId } = await known();
  clock.advance(1000);
  const context = { ip: '203.0.113.7', userAgent: `${MARK}-agent` };
  const testKey = await makeKey(postern, { mode: 'test' });
  await check(postern, { contentId, requesterId: ID, context }, testKey);
  assert.ok((await rowsWith(postern, MARK)).some((row) => row.startsWith('test_limits')));
  const ids: string[] = [];
  for (let i = 0; i < 30; i++) ids.push((await check(postern, { contentId, requesterId: ID, context })).id);
  await check(postern, { contentId, requesterId: 'other' });
  await postern.call('POST', '/v1/access/check', { body: { url: 'https://nowhere.example.com/x', requesterId: ID } });
  await postern.call('GET', '/v1/analytics/unregistered');
  const before = await totals();
  const month = new Date().toISOString().slice(0, 7);
  const [statement] = (await postern.call('GET', `/v1/statements?period=${month}&requesterId=${ID}`)).body.data;
  assert.ok((await rowsWith(postern, MARK)).length > 10);

  clock.advance(1000);
  assertError(
    await postern.call('POST', `/v1/requesters/${ID}/erase`, { body: { confirm: 'x' } }),
    'invalid_request',
    'confirm',
  );
  const erasing = await postern.call('POST', `/v1/requesters/${ID}/erase`, { body: { confirm: ID } });
  assertStatus(erasing, 200);
  const { pseudonym } = erasing.body;
  assert.match(pseudonym, /^erased_[0-9a-z]{26}$/);
  const done = await until(
    'it is erased',
    async () => {
      clock.advance(1000);
      const entries = (await postern.call('GET', '/v1/audit-log?limit=100&kind=requester.erased')).body.data;
      return entries[0];
    },
    60_000,
  );
  assert.equal(done.target.id, pseudonym);
  assert.notEqual(done.actor.id, null);

  assertError(await postern.call('GET', `/v1/requesters/${ID}`), 'requester_not_found');
  assertError(await postern.call('POST', `/v1/requesters/${ID}/erase`), 'requester_not_found');
  assert.equal((await postern.call('GET', `/v1/access/decisions?requesterId=${ID}`)).body.totalCount, 0);
  const log = (await postern.call('GET', `/v1/access/decisions?requesterId=${pseudonym}&limit=100`)).body;
  assert.deepEqual(log.data.map(({ id }: Any) => id).toSorted(), ids);
  assert.deepEqual([log.data[0].context, log.data[0].reduced], [null, ['context']]);
  assert.deepEqual(await totals(), before);
  const [after1] = (await postern.call('GET', `/v1/statements?period=${month}&requesterId=${pseudonym}`)).body.data;
  assert.deepEqual([after1.units, after1.total, after1.lines], [statement.units, statement.total, statement.lines]);
  assert.deepEqual((await postern.call('GET', `/v1/policies/${policyId}`)).body.rules[0].conditions.requesterId, [
    pseudonym,
    'other',
  ]);

  assert.deepEqual(await rowsWith(postern, MARK), []);
  assert.deepEqual(
    postern.logs.filter((line) => line.includes(MARK)),
    [],
  );
  if (testEngine() === 'sqlite') {
    await until('no file has it', () => filesWith(postern.dataDir, MARK).length === 0);
    const copy = join(postern.dataDir, 'copy');
    backUp(postern.dataDir, copy);
    assert.deepEqual(filesWith(copy, MARK), []);
  }
  for (const path of [
    '/v1/audit-log?limit=100',
    '/v1/events?limit=100',
    '/v1/analytics/requesters',
    '/v1/analytics/unregistered',
  ]) {
    assert.ok(!(await postern.call('GET', path)).text.includes(MARK), path);
  }
});

test('an id that nobody knows is not found', async () => {
  assertError(await postern.call('POST', '/v1/requesters/never-seen/erase'), 'requester_not_found');
});

test('an id that only tests named is erased', async () => {
  const { id: contentId } = await made(postern, '/v1/content', item());
  const id = `${MARK}-tested`;
  await check(postern, { contentId, requesterId: id }, await makeKey(postern, { mode: 'test' }));
  assertStatus(await postern.call('POST', `/v1/requesters/${id}/erase`), 200);
  await until(
    'it is erased',
    async () => {
      clock.advance(1000);
      const isDone = ((await postern.rowsOf('erasures')) as Any[]).every(({ status }) => status === 'done');
      return isDone && (await rowsWith(postern, id)).length === 0;
    },
    60_000,
  );
});

test('a requester that was never registered is erased, and columns that missed it are counted again', async () => {
  const { contentId } = await known();
  const id = `${MARK}-stranger`;
  await check(postern, { contentId, requesterId: id });
  const first = (await postern.call('POST', `/v1/requesters/${id}/erase`)).body;
  const second = (await postern.call('POST', `/v1/requesters/${id}/erase`)).body;
  if (second.id !== undefined) assert.equal(second.id, first.id);
  await until(
    'it is erased',
    async () => {
      clock.advance(1000);
      const { totalCount } = (await postern.call('GET', `/v1/access/decisions?requesterId=${first.pseudonym}`)).body;
      const [row] = (await postern.rowsOf('erasures')).filter((one: Any) => one.id === first.id) as Any[];
      return totalCount === 1 && row.status === 'done';
    },
    60_000,
  );
  await postern.service.close();
  const columns = await DuckDBInstance.create(join(postern.dataDir, 'columns.duckdb'));
  const connection = await columns.connect();
  await connection.run('update position set erased_no = 0');
  connection.closeSync();
  columns.closeSync();
  await postern.restart();
  await until('the columns are counted again', async () => {
    const { totalCount } = (await postern.call('GET', `/v1/access/decisions?requesterId=${first.pseudonym}`)).body;
    return totalCount === 1;
  });
});

test('nobody can be registered under the pseudonym of an erased requester', async () => {
  await made(postern, '/v1/requesters', { id: 'to-be-erased' });
  const { pseudonym: id } = await made(postern, '/v1/requesters/to-be-erased/erase', {}, 200);
  const refused = await postern.call('POST', '/v1/requesters', { body: { id, name: 'Heir' } });
  assertError(refused, 'invalid_request', 'id');
  const csv = { raw: `id,name\n${id},Heir\n`, headers: { 'content-type': 'text/csv' } };
  const imported = await postern.call('POST', '/v1/requesters/import', csv);
  assert.match(imported.text, /cannot be an id: erased requesters are counted/);
  assert.equal((await postern.call('GET', `/v1/requesters/${id}`)).status, 404);
});
