/**
 * Receipts of final statements: one proves the whole statement, and each decision that a line counts. The roots of
 * lines are compared with a second implementation of RFC 6962.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { ReceiptError, verifyReceipt } from '../../client/src/receipt.ts';
import { commandHere } from '../../kit/command.ts';
import { hurry } from '../../kit/hurry.ts';
import { dropDatabase, startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { rootOver } from '../receipts/second.ts';
import { assertError, assertStatus, item, made, makeKey, makePolicy, readPublicId } from './given.ts';

hurry();

const MINUTE_MS = 60_000;
const env = { POSTERN_RECEIPTS: 'public', POSTERN_PUBLIC_URL: 'https://access.example.com' };
const folder = mkdtempSync(join(tmpdir(), 'postern-statement-receipts-'));
after(() => rmSync(folder, { recursive: true, force: true }));

type Any = any;

const TERMS = {
  reference: 'C-12',
  currency: 'EUR',
  timezone: 'UTC',
  period: 'month',
  unit: 'decision',
  tiers: [
    { upTo: 3, unitPriceMicros: 10_000 },
    { upTo: null, unitPriceMicros: 5_000 },
  ],
};

const start = (more: { dataDir?: string; env?: Record<string, string> } = {}) => {
  const clock = testClock(Date.parse('2026-10-05T12:00:00Z'));
  return startTestService({ clock, ...more, env: { ...env, ...more.env } }).then((postern) =>
    Object.assign(postern, { testClock: clock }),
  );
};
type Started = Awaited<ReturnType<typeof start>>;

/** A license that is used in October. */
async function use(postern: Started, requesterId = 'acme', times = 8) {
  const policy = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId: policy.id }));
  await made(postern, '/v1/requesters', { id: requesterId, name: 'Acme Corporation' });
  const { token } = await made(postern, `/v1/requesters/${requesterId}/tokens`, { name: 't' });
  const license = await made(postern, '/v1/licenses', { requesterId, type: 'commercial', terms: TERMS });
  const ids: string[] = [];
  for (let i = 0; i < times; i++) {
    postern.testClock.advance(1000);
    const body = { contentId, requesterId, purpose: i % 3 === 0 ? 'search' : 'training' };
    const answer = await postern.call('POST', '/v1/access/check', { body });
    assert.equal(answer.body.allowed, true, answer.text);
    ids.push(await readPublicId(postern, answer.body.id));
  }
  const listed = await postern.call('GET', `/v1/statements?period=2026-10&licenseId=${license.id}`);
  return { id: listed.body.data[0].id as string, ids, token, contentId };
}

const toNovember = ({ testClock: clock }: Started): void =>
  clock.advance(Date.parse('2026-11-02T00:00:00Z') - clock.now());

async function finalize(postern: TestService, id: string): Promise<Any> {
  const answer = await postern.call('POST', `/v1/statements/${id}/finalize`);
  assertStatus(answer, 200);
  return answer.body;
}

const proofPath = (id: string): string => `/v1/statements/${id}/proof`;

/** Waits for the checkpoint. */
async function receiptOf(postern: Started, path: string, key?: string): Promise<string> {
  const answer = await until(
    'a receipt',
    async () => {
      const tried = await postern.call('GET', path, key === undefined ? {} : { key });
      if (tried.status !== 503) return tried;
      postern.testClock.advance(MINUTE_MS);
      return undefined;
    },
    40_000,
  );
  assertStatus(answer, 200);
  return answer.text;
}

async function keysOf(postern: TestService): Promise<string> {
  return (await postern.call('GET', '/log/key', { key: null })).text;
}

const isRefused = (error: unknown): boolean => error instanceof ReceiptError;

test('one receipt proves the statement, and one each decision of its lines, for publisher and partner', async () => {
  await using postern = await start();
  const { id, ids, token } = await use(postern);
  toNovember(postern);
  const draft = await postern.call('GET', `/v1/statements/${id}`);
  assert.ok(draft.body.lines.every((line: Any) => !('root' in line)));
  assertError(await postern.call('GET', proofPath(id)), 'statement_not_final');
  assertError(await postern.call('GET', `/v1/me/statements/${id}/proof`, { key: token }), 'statement_not_final');

  const final = await finalize(postern, id);
  const evidence = await postern.call('GET', `/v1/statements/${id}`, { headers: { accept: 'application/x-ndjson' } });
  const rows = evidence.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  let units = 0;
  const tierOf = new Map(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((row) => [row.id, ++units > 3 ? 2 : 1]));
  const lines = final.lines.filter((line: Any) => line.kind === 'usage');
  assert.ok(lines.length >= 3);
  for (const { purpose, tier, root } of lines) {
    const own = rows.filter((row) => row.purpose === purpose && tierOf.get(row.id) === tier).map((row) => row.id);
    assert.equal(root, rootOver(own.toSorted().map((one) => Buffer.from(one))).toString('base64'));
  }

  const receipt = await receiptOf(postern, proofPath(id));
  const keys = await keysOf(postern);
  const verified = await verifyReceipt(receipt, keys);
  const { requesterId, requesterName, terms, ...rest } = final;
  const { reference, ...billed } = terms;
  assert.deepEqual(verified.statement, { ...rest, terms: billed });
  assert.deepEqual(verified.requester, { requesterId, requesterName, reference });
  assert.deepEqual([verified.decision, verified.counted, verified.withheld], [null, null, []]);
  for (const decisionId of ids) {
    const { counted } = await verifyReceipt(
      await receiptOf(postern, `${proofPath(id)}?decisionId=${decisionId}`),
      keys,
    );
    const row = rows.find((one) => one.id === decisionId);
    assert.deepEqual(
      [counted?.decisionId, counted?.line.purpose, counted?.line.tier],
      [decisionId, row.purpose, tierOf.get(decisionId)],
    );
  }
  const theirs = await receiptOf(postern, `/v1/me/statements/${id}/proof?decisionId=${ids[0]}`, token);
  assert.equal((await verifyReceipt(theirs, keys)).counted?.decisionId, ids[0]);
  // The publisher's own id of the decision stands for the same.
  const { body: decided } = await postern.call('GET', `/v1/access/decisions/${ids[0]}`);
  const named = await receiptOf(postern, `${proofPath(id)}?decisionId=${decided.id}`);
  assert.equal((await verifyReceipt(named, keys)).counted?.decisionId, ids[0]);
  const absent = await postern.call('GET', `${proofPath(id)}?decisionId=dec_0`);
  assertError(absent, 'decision_not_found');
  await verifyReceipt(await receiptOf(postern, `/v1/access/decisions/${ids[0]}/proof`), keys);
});

test('the commands of the page write and verify it, and the roots are counted again', async () => {
  await using postern = await start();
  const { id, ids } = await use(postern);
  toNovember(postern);
  await finalize(postern, id);
  await receiptOf(postern, proofPath(id));
  writeFileSync(join(folder, 'log.key'), await keysOf(postern));
  const own = { env: { POSTERN_URL: postern.url, POSTERN_KEY: postern.key } };
  const decision = ids[1] as string;
  const [, commands = ''] =
    /^## Statements$[^]*?^```sh\n([^]*?)^```$/m.exec(readFileSync('docs/receipts.md', 'utf8')) ?? [];
  const script = commands
    .replaceAll('stm_…', id)
    .replaceAll('dec_…', decision)
    // npx finds the same file, slowly.
    .replaceAll('npx postern', `"${process.execPath}" "${resolve('bin/postern.js')}"`);
  const options = { cwd: folder, env: { ...process.env, ...own.env } };
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], options);
  assert.equal(
    stdout.match(new RegExp(`^Verified: ${id} of 2026-10 is final: 0\\.06 EUR for 8 decisions\\.$`, 'gm'))?.length,
    2,
  );
  assert.match(stdout, new RegExp(`^It counts ${decision} \\(training, tier 1\\)\\.$`, 'm'));
  assert.match((await commandHere(['statements', 'verify', id], own)).stdout, /every line agrees/);
  await postern.tamper({ sql: `update statements set body = replace(body, '"root":"', '"root":"A')` });
  assert.match((await commandHere(['statements', 'verify', id], own)).stdout, /root is A.*, counted /);
});

test('a statement that was changed in the records after it was sealed, and who may get receipts', async () => {
  await using postern = await start();
  const { id } = await use(postern);
  const other = await use(postern, 'other', 1);
  toNovember(postern);
  const final = await finalize(postern, id);
  const early = await postern.call('GET', proofPath(id));
  assertError(early, 'service_unavailable');
  assert.equal(early.headers.get('retry-after'), '60');
  await receiptOf(postern, proofPath(id));
  const keys = await keysOf(postern);
  for (const [was, is] of [
    [`"amount":"${final.total.amount}"`, '"amount":"9.99"'],
    ['"requesterName":"Acme Corporation"', '"requesterName":"Somebody"'],
    ['"reference":"C-12"', '"reference":"C-13"'],
  ] as const) {
    await postern.tamper({ sql: `update statements set body = replace(body, '${was}', '${is}')` });
    await assert.rejects(verifyReceipt(await receiptOf(postern, proofPath(id)), keys), isRefused, was);
    await postern.tamper({ sql: `update statements set body = replace(body, '${is}', '${was}')` });
  }
  await verifyReceipt(await receiptOf(postern, proofPath(id)), keys);

  const foreign = await postern.call('GET', `/v1/me/statements/${id}/proof`, { key: other.token });
  assertError(foreign, 'statement_not_found');
  assertError(await postern.call('GET', proofPath('stm_0')), 'statement_not_found');
  for (const permission of ['analytics:read', 'requesters:read']) {
    const key = await makeKey(postern, { permissions: [permission] });
    assertError(await postern.call('GET', proofPath(id), { key }), 'insufficient_permissions', undefined, permission);
  }
  const key = await makeKey(postern, { permissions: ['analytics:read', 'requesters:read'] });
  assertStatus(await postern.call('GET', proofPath(id), { key }), 200);
});

test('erasure takes the requester and its salt; deleted items leave every line provable', async () => {
  await using postern = await start();
  const { id, ids, contentId } = await use(postern);
  toNovember(postern);
  await finalize(postern, id);
  const before = await receiptOf(postern, proofPath(id));
  const keys = await keysOf(postern);
  assert.equal((await verifyReceipt(before, keys)).requester?.requesterName, 'Acme Corporation');
  assertStatus(await postern.call('DELETE', `/v1/content/${contentId}`), 200);
  await until('they are gone', async () => (await postern.rowsOf('decisions')).length === 0, 40_000);
  const line = await receiptOf(postern, `${proofPath(id)}?decisionId=${ids[2]}`);
  assert.equal((await verifyReceipt(line, keys)).counted?.decisionId, ids[2]);

  assertStatus(await postern.call('POST', '/v1/requesters/acme/erase', { body: { confirm: 'acme' } }), 200);
  const sealed = async () => ((await postern.rowsOf('log_statements')) as Any[])[0];
  await until('it is erased', async () => (await sealed()).requester_salt === null, 40_000);
  await until('the tree is nameless', async () =>
    ((await postern.rowsOf('log_trees')) as Any[]).every((tree) => tree.requester_id !== 'acme'),
  );
  const text = await receiptOf(postern, proofPath(id));
  const erased = await verifyReceipt(text, keys);
  assert.deepEqual([erased.statement?.id, erased.requester, erased.withheld], [id, null, ['requester']]);
  assert.doesNotMatch(Buffer.from(text.split('\n')[1]?.slice(6) ?? '', 'base64').toString(), /acme|C-12/i);
  // Those that were given still verify.
  await verifyReceipt(before, keys);
});

test('a statement that was final before the log was switched on, and one before there were roots', async () => {
  const dataDir = mkdtempSync(join(folder, 'earlier-'));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => dropDatabase(dataDir));
  const { id, ids, key } = await (async () => {
    await using postern = await start({ dataDir, env: { POSTERN_RECEIPTS: 'off' } });
    const used = await use(postern);
    const old = await use(postern, 'older', 2);
    toNovember(postern);
    await finalize(postern, used.id);
    const final = await finalize(postern, old.id);
    assertError(await postern.call('GET', proofPath(used.id)), 'statement_not_found');
    const body = { ...final, lines: final.lines.map(({ root: _, ...line }: Any) => line) };
    await postern.tamper({ sql: `update statements set body = '${JSON.stringify(body)}' where id = '${old.id}'` });
    return { id: [used.id, old.id], ids: [used.ids[0], old.ids[0]], key: postern.key };
  })();
  await using postern = await start({ dataDir });
  postern.testClock.advance(40 * 24 * 60 * MINUTE_MS);
  const line = await receiptOf(postern, `${proofPath(String(id[0]))}?decisionId=${ids[0]}`, key);
  assert.equal((await verifyReceipt(line, await keysOf(postern))).counted?.decisionId, ids[0]);
  const older = proofPath(String(id[1]));
  const whole = await verifyReceipt(await receiptOf(postern, older, key), await keysOf(postern));
  assert.match(String((whole.statement as Any).lines[0].sha256), /^[0-9a-f]{64}$/);
  assertError(await postern.call('GET', `${older}?decisionId=${ids[1]}`, { key }), 'invalid_request', 'decisionId');
});
