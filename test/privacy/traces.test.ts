/**
 * After an erasure no trace is left, wherever the requester may have been named: searched for as bytes in every row of
 * every table, every answer, the log, the files and a backup. The database itself lists its tables.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startReceiver } from '../../kit/receiver.ts';
import { startTestService, type TestService, testClock, testEngine } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { backUp } from '../../src/service/storage/backup.ts';
import { assertStatus, check, item, made } from '../http/given.ts';
import { tablesOf } from './tables.ts';

type Any = any;
/** Every text of the requester has it, so that one search finds all. */
const MARK = 'zzunmistakable';
const ID = `${MARK}-id`;
const AGENT = `https://${MARK}.example.com`;
const DAY_MS = 86_400_000;

const clock = testClock(Date.parse('2026-10-20T09:30:00Z'));
const postern = await startTestService({ clock, env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
const receiver = await startReceiver();
const copies = mkdtempSync(join(tmpdir(), 'postern-traces-'));
after(async () => {
  await postern[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  rmSync(copies, { recursive: true, force: true });
});

async function rowsWith(of: TestService, mark: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of (await tablesOf(of)).keys()) {
    for (const row of await of.rowsOf(table)) {
      if (JSON.stringify(row).includes(mark)) found.push(`${table}: ${JSON.stringify(row)}`.slice(0, 1000));
    }
  }
  return found;
}

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
  quota: { units: 10, onExceed: 'deny' },
};

/** A requester that is named everywhere. */
async function plant(): Promise<void> {
  await made(postern, '/v1/webhooks', { url: receiver.url, events: ['*'] });
  const listUrl = new URL(`/${MARK}.txt`, receiver.url).href;
  receiver.answer = ({ path, body, event }, response) => {
    const of = event?.data.object ?? {};
    const isTheirs = of.requesterId === ID || of.id === ID || of.claimed === ID;
    if (path.endsWith('.txt')) response.end('203.0.113.0/24\n');
    else response.end(isTheirs ? `Thank you, ${MARK} name` : body);
  };
  const identities = [
    { kind: 'ip', list: listUrl },
    { kind: 'signature', agent: AGENT },
  ];
  const texts = { metadata: { mail: `${MARK}@example.com` }, userAgents: [`${MARK}-agent`], identities };
  await made(postern, '/v1/requesters', { id: ID, name: `${MARK} name`, ...texts });
  await postern.tamper({
    sql: `insert into agent_keys (agent, jwks, fetched_at, fresh_until, failing) values ($1, '{"keys":[]}', $2, $3, 0)`,
    params: [AGENT, clock.now(), clock.now() + DAY_MS],
  });
  await until('its list is fetched', async () => {
    clock.advance(1000);
    const { data } = (await postern.call('GET', '/v1/identity-lists')).body;
    return data.some((one: Any) => one.url === listUrl && one.ranges > 0);
  });
  await postern.tamper({
    sql: `insert into test_decisions (seq, at, content_no, requester_id, policy_no, policy_version, reason, inputs)
          values (1, $1, 0, $2, 1, 1, 0, $3)`,
    params: [clock.now(), ID, JSON.stringify({ context: { userAgent: `${MARK}-agent` } })],
  });
  const { token } = await made(postern, `/v1/requesters/${ID}/tokens`, { name: `${MARK} token` });
  const headers = (name: string) => ({ 'idempotency-key': `${MARK}-${name}` });
  const asked = await postern.call('POST', '/v1/me/requests', {
    key: token,
    body: { licenseType: 'commercial', note: `${MARK} wish` },
    headers: headers('wish'),
  });
  assertStatus(asked, 201);
  const granted = await postern.call('POST', `/v1/license-requests/${asked.body.id}/grant`, {
    body: { answer: `Dear ${MARK}`, terms: TERMS, metadata: { note: `${MARK} note` } },
    headers: headers('grant'),
  });
  assertStatus(granted, 200);
  const rules = [
    { action: 'allow', conditions: { requesterId: [ID, 'other'] }, rateLimit: { requests: 3, period: 'day' } },
    { action: 'allow', conditions: { hasValidLicense: true } },
  ];
  const { id: policyId } = await made(postern, '/v1/policies', { name: 'P', rules });
  await postern.call('PUT', `/v1/policies/${policyId}/candidate`, {
    body: { rules: [{ action: 'deny', conditions: { requesterId: ID } }], defaultAction: 'allow' },
  });
  const { id: licensed } = await made(postern, '/v1/policies', { name: 'L', rules: [rules[1]] });
  await made(postern, '/v1/collections', { name: 'Site', hosts: ['www.example.com'], policyId });
  await postern.call('PUT', '/v1/sites/www.example.com', { body: { signals: { robots: 'replace' } } });
  await postern.call('GET', '/v1/sites/www.example.com/signals/robots.txt');
  const contentIds = [
    (await made(postern, '/v1/content', item({ policyId }))).id,
    (await made(postern, '/v1/content', item({ policyId: licensed }))).id,
  ];
  const context = { userAgent: `${MARK}-agent`, ip: '203.0.113.7' };
  for (const contentId of contentIds) {
    for (let i = 0; i < 12; i++) await check(postern, { contentId, requesterId: ID, context, explain: true });
  }
  await check(postern, { url: 'https://www.example.com/a', requesterId: ID, context });
  const elsewhere = { ...context, ip: '198.51.100.9' };
  const spoofed = await check(postern, { url: 'https://www.example.com/b', context: elsewhere, visitor: {} });
  assert.equal(spoofed.claimed, ID);
  // With host names beside the addresses, a claim is not false before they are looked up.
  const named = [...identities, { kind: 'dns', suffixes: [`${MARK}.example.com`] }];
  assertStatus(await postern.call('PATCH', `/v1/requesters/${ID}`, { body: { identities: named } }), 200);
  await postern.call('POST', '/v1/access/check', { body: { url: 'https://nowhere.example.com/x', requesterId: ID } });
  clock.advance(20 * DAY_MS);
  for (let i = 0; i < 25; i++) await check(postern, { contentId: contentIds[0], requesterId: ID, context });
  // The jump of its denials is announced at the next look.
  clock.advance(400_000);
  await check(postern, { contentId: contentIds[1], requesterId: ID, context });
  const { data } = (await postern.call('GET', `/v1/statements?period=2026-10&requesterId=${ID}`)).body;
  assertStatus(await postern.call('POST', `/v1/statements/${data[0].id}/finalize`), 200);
  await postern.call('PATCH', `/v1/requesters/${ID}`, { body: { name: `${MARK} other` }, headers: headers('name') });
}

/** The answers of every operation without a path parameter, and exports. */
async function answersWith(mark: string): Promise<string[]> {
  const { paths } = (await postern.call('GET', '/openapi.json', { key: null })).body;
  const lists = Object.keys(paths).filter((path) => 'get' in paths[path] && !path.includes('{'));
  const found: string[] = [];
  for (const path of lists) {
    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson', 'text/html']) {
      const { text } = await postern.call('GET', path, { headers: { accept } });
      if (text.includes(mark)) found.push(`${accept} ${path}: ${text}`);
    }
  }
  return found;
}

test('no byte of an erased requester is left', async () => {
  await plant();
  const deliveries = async () => (await postern.rowsOf('deliveries')) as Any[];
  await until('everything is delivered', async () => {
    clock.advance(1000);
    const all = await deliveries();
    const kinds = new Set(all.map(({ kind }) => kind));
    const hasBoth = kinds.has('requester.spoofed') && kinds.has('denials.jumped');
    return hasBoth && all.every(({ status }) => status !== 'pending');
  });
  const planted = new Set((await rowsWith(postern, MARK)).map((row) => row.split(':')[0]));
  for (const table of ['identity_lists', 'agent_keys', 'license_requests', 'statements', 'deliveries', 'sightings']) {
    assert.ok(planted.has(table), `${table}: nothing was planted`);
  }
  // As the server does by itself at some time.
  if (testEngine() === 'postgres') await postern.tamper({ sql: 'analyze' });
  const erasing = await postern.call('POST', `/v1/requesters/${ID}/erase`, { body: { confirm: ID } });
  assertStatus(erasing, 200);
  await until(
    'it is erased',
    async () => {
      clock.advance(1000);
      return ((await postern.rowsOf('erasures')) as Any[]).every(({ status }) => status === 'done');
    },
    60_000,
  );
  const { pseudonym } = erasing.body;
  assert.deepEqual(await rowsWith(postern, MARK), []);
  assert.deepEqual(await answersWith(MARK), []);
  assert.deepEqual(
    postern.logs.filter((line) => line.includes(MARK)),
    [],
  );
  if (testEngine() === 'sqlite') {
    await until('no file has it', () => filesWith(postern.dataDir, MARK).length === 0);
    const copy = join(copies, 'copy');
    backUp(postern.dataDir, copy);
    assert.deepEqual(filesWith(copy, MARK), []);
    assert.deepEqual(filesWith(copy, pseudonym), ['postern.db']);
  } else {
    // Rows that a transaction may still see are kept.
    await until(
      'no table has it',
      () => pagesWith(MARK),
      20_000,
      (tables) => tables.length === 0,
    );
    assert.ok((await pagesWith(pseudonym)).length > 0);
  }
});

/** The tables of the database in whose files it is after PostgreSQL has written them anew. */
async function pagesWith(mark: string): Promise<string[]> {
  await postern.tamper({ sql: 'vacuum full' }, { sql: 'checkpoint' });
  const [{ setting }] = (await postern.rowsOf(`pg_settings where name = 'data_directory'`)) as Any[];
  const [{ oid }] = (await postern.rowsOf('pg_database where datname = current_database()')) as Any[];
  const files = filesWith(join(setting, 'base', String(oid)), mark);
  const tables = (await postern.rowsOf('pg_class')) as Any[];
  return files.map(
    (file) => tables.find(({ relfilenode }) => String(relfilenode) === file.split('.')[0])?.relname ?? file,
  );
}
