/** Receipts: a decision that was sealed can be proven by anybody, and what was erased is gone from every proof. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ReceiptError, verifyCheckpoint, verifyReceipt } from '../../client/src/receipt.ts';
import { commandHere } from '../../kit/command.ts';
import { hurry } from '../../kit/hurry.ts';
import { leavesOf } from '../../kit/leaves.ts';
import { dropDatabase, startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { verify as verifyPage } from '../receipts/page.ts';
import { assertError, assertStatus, check, item, made, readPublicId } from './given.ts';

hurry();

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const env = { POSTERN_RECEIPTS: 'public', POSTERN_PUBLIC_URL: 'https://access.example.com' };
const folder = mkdtempSync(join(tmpdir(), 'postern-receipts-'));
after(() => rmSync(folder, { recursive: true, force: true }));

type Any = any;

const start = (clock = testClock(), more: { dataDir?: string; env?: Record<string, string> } = {}) =>
  startTestService({ clock, ...more, env: { ...env, ...more.env } });

async function ask(postern: TestService, more: object = {}): Promise<string> {
  const { id: contentId } = await made(postern, '/v1/content', item());
  return (await check(postern, { contentId, ...more })).id;
}

const proofPath = (id: string): string => `/v1/access/decisions/${id}/proof`;

interface Asking {
  key?: string;
  /** Lets minutes pass, where decisions may not have been sealed together. */
  clock?: ReturnType<typeof testClock>;
}

/** Waits for the checkpoint, which comes when a minute has passed since the last one. */
async function receiptOf(postern: TestService, id: string, query = '', { key, clock }: Asking = {}) {
  const path = key === undefined ? proofPath(id) : `/v1/me/decisions/${id}/proof`;
  const answer = await until('a receipt', async () => {
    const tried = await postern.call('GET', path + query, key === undefined ? {} : { key });
    if (tried.status !== 503) return tried;
    clock?.advance(MINUTE_MS);
    return undefined;
  });
  assertStatus(answer, 200);
  return answer.text;
}

const textOf = async (postern: TestService, path: string): Promise<string> => {
  const answer = await postern.call('GET', path, { key: null });
  assertStatus(answer, 200);
  return answer.text;
};

const isRefused = (error: unknown): boolean => error instanceof ReceiptError;

test('a decision is proven by its receipt and the key alone, and no bit of either can be changed', async () => {
  const clock = testClock();
  await using postern = await start(clock);
  const context = { ip: '203.0.113.7', userAgent: 'GPTBot/1.2' };
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push(await ask(postern, { requesterId: `r${i % 2}`, context }));
  const [, second = ''] = ids;
  const text = await receiptOf(postern, second, '', { clock });
  const keys = await textOf(postern, '/log/key');
  const receipt = await verifyReceipt(text, keys);
  await assert.rejects(verifyReceipt(text.replaceAll('\n', '\r\n'), keys), /lines of the receipt end with CR LF/);
  const { body } = await postern.call('GET', `/v1/access/decisions/${second}`);
  assert.equal(receipt.decision?.id, body.publicId);
  assert.equal(receipt.decision?.created, body.created);
  assert.equal(receipt.decision?.allowed, body.allowed);
  assert.equal(receipt.requester?.requesterId, 'r1');
  assert.equal((receipt.inputs as Any).context.ip, body.context.ip);
  assert.equal(receipt.checkpoint.origin, 'access.example.com/log');
  assert.deepEqual(receipt.withheld, []);

  const flipped = (of: string, at: number): string => {
    const bytes = Buffer.from(of);
    bytes[at >> 3] = (bytes[at >> 3] as number) ^ (1 << (at & 7));
    return bytes.toString('utf8');
  };
  for (let bit = 0; bit < Buffer.byteLength(text) * 8; bit++) {
    await assert.rejects(verifyReceipt(flipped(text, bit), keys), isRefused, `bit ${bit} of the receipt`);
  }
  const key = keys.trim();
  for (let bit = 0; bit < key.length * 8; bit++) {
    await assert.rejects(verifyReceipt(text, flipped(key, bit)), isRefused, `bit ${bit} of the key`);
  }
});

test('a decision that was changed in the records after it was sealed has no receipt that verifies', async () => {
  const clock = testClock();
  await using postern = await start(clock);
  const id = await ask(postern, { requesterId: 'acme' });
  const keys = await textOf(postern, '/log/key');
  await verifyReceipt(await receiptOf(postern, id), keys);
  for (const [change, undo] of [
    ['decisions set reason = 3', 'decisions set reason = 0'],
    ["decisions set url = 'https://example.com/x'", 'decisions set url = null'],
    ["log_spans set leaves = substr(leaves, 1, 16) || 'AAAAAAAAAAAAAAAA' || substr(leaves, 33)", ''],
  ] as const) {
    const [before] = (await postern.rowsOf('decisions')) as Any[];
    await postern.tamper({ sql: `update ${change}` });
    await assert.rejects(verifyReceipt(await receiptOf(postern, id), keys), isRefused, change);
    if (undo.includes('reason')) await postern.tamper({ sql: `update decisions set reason = ${before.reason}` });
    else if (undo !== '') await postern.tamper({ sql: `update ${undo}` });
  }
});

test('before its checkpoint, a receipt is asked for again; the log goes on across a restart', async () => {
  const clock = testClock();
  await using postern = await start(clock);
  await receiptOf(postern, await ask(postern, { requesterId: 'acme' }));
  const old = await textOf(postern, '/log/checkpoint');
  const later = await ask(postern, { requesterId: 'acme' });
  const early = await postern.call('GET', proofPath(later));
  assertError(early, 'service_unavailable');
  assert.equal(early.headers.get('retry-after'), '60');
  await postern.restart();
  clock.advance(MINUTE_MS);
  const keys = await textOf(postern, '/log/key');
  const { size } = await verifyCheckpoint(old, keys);
  const text = await receiptOf(postern, later, `?since=${size}`);
  await verifyReceipt(text, keys, { checkpoint: old });
  const saved = old.replaceAll('\n', '\r\n');
  await assert.rejects(verifyReceipt(text, keys, { checkpoint: saved }), /lines of the checkpoint end with CR LF/);
  const without = await receiptOf(postern, later);
  await assert.rejects(verifyReceipt(without, keys, { checkpoint: old }), /since=1/);

  const files = { receipt: join(folder, 'a.tlog-proof'), key: join(folder, 'key'), old: join(folder, 'old') };
  writeFileSync(files.receipt, text);
  writeFileSync(files.key, keys);
  writeFileSync(files.old, old);
  const said = await commandHere(['verify', files.receipt, '--public-key', files.key, '--checkpoint', files.old]);
  assert.equal(said.status, 0, said.stderr);
  assert.match(said.stdout, /^Verified: .* continues/s);
  writeFileSync(files.receipt, text.replace('index ', 'index 1'));
  assert.equal((await commandHere(['verify', files.receipt, '--public-key', files.key])).status, 1);
});

test('records that were put back to an earlier state are seen by whoever kept a checkpoint', async () => {
  const dataDir = mkdtempSync(join(folder, 'restored-'));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => dropDatabase(dataDir));
  const clock = testClock();
  await using postern = await start(clock, { dataDir });
  const tables = ['log_spans', 'log_trees', 'log_tiles', 'log_heads'];
  await receiptOf(postern, await ask(postern, { requesterId: 'acme' }));
  clock.advance(MINUTE_MS);
  await receiptOf(postern, await ask(postern, { requesterId: 'acme' }));
  const old = await textOf(postern, '/log/checkpoint');
  const keys = await textOf(postern, '/log/key');
  // As in a backup from before the log: its key is kept, nothing else.
  await postern.tamper(...tables.map((table) => ({ sql: `delete from ${table} where 1 = 1` })), {
    sql: `delete from settings where name in ('log_sealed_to', 'log_checkpoint', 'log_forgotten')`,
  });
  // Before the restart: one entry covers all decisions.
  const again = await ask(postern, { requesterId: 'acme' });
  await postern.restart();
  await receiptOf(postern, again);
  const shorter = await postern.call('GET', `${proofPath(again)}?since=2`);
  assertError(shorter, 'invalid_request', 'since');
  await assert.rejects(verifyReceipt(await receiptOf(postern, again), keys, { checkpoint: old }), /had 2 entries/);
  for (let i = 0; i < 3; i++) {
    clock.advance(MINUTE_MS);
    await receiptOf(postern, await ask(postern, { requesterId: `r${i}` }));
  }
  const forked = await receiptOf(postern, again, '?since=2');
  await verifyReceipt(forked, keys);
  await assert.rejects(verifyReceipt(forked, keys, { checkpoint: old }), /does not continue/);
});

test('a partner gets receipts of its own decisions, which tell nothing of rules and of others', async () => {
  const clock = testClock();
  await using postern = await start(clock);
  for (const id of ['acme', 'other']) await made(postern, '/v1/requesters', { id, name: id });
  const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 't' });
  const others: string[] = [];
  for (let i = 0; i < 3; i++) others.push(await ask(postern, { requesterId: 'other' }));
  const own = await ask(postern, { requesterId: 'acme', context: { ip: '203.0.113.7' } });
  const text = await receiptOf(postern, own, '', { key: token, clock });
  const receipt = await verifyReceipt(text, await textOf(postern, '/log/key'));
  assert.deepEqual([receipt.index, receipt.withheld], [0, ['rule', 'inputs']]);
  assert.doesNotMatch(Buffer.from(text.split('\n')[1]?.slice(6) ?? '', 'base64').toString(), /other|pol_|203\.0/);
  assertError(await postern.call('GET', `/v1/me/decisions/${others[0]}/proof`, { key: token }), 'decision_not_found');
});

test('erased inputs, erased requesters and deleted items leave no salt; the rest stays provable', async () => {
  const clock = testClock();
  await using postern = await start(clock, { env: { POSTERN_INPUT_DAYS: '2' } });
  await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
  const context = { ip: '203.0.113.7' };
  const theirs = await ask(postern, { requesterId: 'acme', context });
  const named = await ask(postern, { requesterId: 'someone', context });
  const { id: contentId } = await made(postern, '/v1/content', item());
  const gone = (await check(postern, { contentId, requesterId: 'someone', context })).id as string;
  await receiptOf(postern, gone, '', { clock });
  const keys = await textOf(postern, '/log/key');
  const leaves = () => leavesOf(postern);
  assert.ok((await leaves()).every((leaf) => leaf.inputs_salt !== null && leaf.requester_salt !== null));

  assertStatus(await postern.call('POST', '/v1/requesters/acme/erase'), 200);
  await until('it is erased', async () => (await leaves()).some((leaf) => leaf.requester_salt === null));
  await until('its tree is unnamed', async () =>
    ((await postern.rowsOf('log_trees')) as Any[]).every((tree) => tree.requester_id !== 'acme'),
  );
  const erased = await verifyReceipt(await receiptOf(postern, theirs), keys);
  const shown = await readPublicId(postern, theirs);
  assert.deepEqual([erased.decision?.id, erased.withheld], [shown, ['requester', 'inputs']]);
  assert.doesNotMatch(JSON.stringify(await postern.rowsOf('log_trees')), /acme/);

  assertStatus(await postern.call('DELETE', `/v1/content/${contentId}`), 200);
  await until('its leaf is gone', async () => (await leaves()).length === 2, 40_000);
  assertError(await postern.call('GET', proofPath(gone)), 'decision_not_found');

  clock.advance(4 * DAY_MS);
  await until('no inputs', async () => (await leaves()).every((leaf) => leaf.inputs_salt === null), 40_000);
  const reduced = await verifyReceipt(await receiptOf(postern, named), keys);
  assert.deepEqual([reduced.decision?.id, reduced.withheld], [await readPublicId(postern, named), ['inputs']]);
  assert.equal(reduced.requester?.requesterId, 'someone');
});

test('the log is there for everybody only where it is public, and tiles lead to the root', async () => {
  const clock = testClock();
  await using postern = await start(clock);
  await receiptOf(postern, await ask(postern, { requesterId: 'acme' }));
  const tile = await fetch(`${postern.url}/log/tile/0/000.p/1`);
  assert.match(tile.headers.get('cache-control') ?? '', /immutable/);
  const { root } = await verifyCheckpoint(await textOf(postern, '/log/checkpoint'), await textOf(postern, '/log/key'));
  assert.equal(Buffer.from(await tile.arrayBuffer()).toString('base64'), root);
  for (const path of ['0/000', '0/000.p/2', '0/000.p/0', '1/000.p/1', '64/000', '0/x001/000', '0/1']) {
    assertError(await postern.call('GET', `/log/tile/${path}`, { key: null }), 'route_not_found', undefined, path);
  }
  await using closed = await start(clock, { env: { POSTERN_RECEIPTS: 'private' } });
  await receiptOf(closed, await ask(closed, { requesterId: 'acme' }));
  for (const path of ['checkpoint', 'key', 'tile/0/000.p/1']) {
    assertError(await closed.call('GET', `/log/${path}`, { key: null }), 'route_not_found', undefined, path);
  }
});

test('without the log, nothing is sealed and no receipt is given', async () => {
  await using postern = await startTestService();
  const id = await ask(postern);
  assertError(await postern.call('GET', proofPath(id)), 'decision_not_found');
  assert.deepEqual(await leavesOf(postern), []);
});

test('another key in place of one that leaked: the log goes on, and the old key verifies nothing new', async () => {
  const clock = testClock();
  await using postern = await start(clock);
  const id = await ask(postern, { requesterId: 'acme' });
  const old = await receiptOf(postern, id, '', { clock });
  const oldKey = await textOf(postern, '/log/key');
  const oldCheckpoint = await textOf(postern, '/log/checkpoint');
  const files = { receipt: join(folder, 'new.tlog-proof'), key: join(folder, 'new.key'), old: join(folder, 'kept') };
  const rotated = await commandHere(['log-keys', 'rotate'], {
    env: { POSTERN_URL: postern.url, POSTERN_KEY: postern.key },
  });
  assert.equal(rotated.status, 0, rotated.stderr);
  assert.match(rotated.stdout, /signs now/);
  const keys = await textOf(postern, '/log/key');
  assert.match(keys, /^# from .* on\n[^#\n]+\n# from .* until .*\n# replaced [^\n]+\n$/);
  assert.ok(keys.includes(`# replaced ${oldKey}`));
  const newKey = keys.split('\n')[1] as string;
  const listed = await postern.call('GET', '/v1/log-keys');
  assert.deepEqual(
    listed.body.keys.map((one: Any) => [one.key, one.until === null]),
    [
      [newKey, true],
      [oldKey.trim(), false],
    ],
  );
  // The newest checkpoint is signed again; nothing else changed.
  const again = await textOf(postern, '/log/checkpoint');
  assert.deepEqual(await verifyCheckpoint(again, newKey), await verifyCheckpoint(oldCheckpoint, oldKey));
  await assert.rejects(verifyCheckpoint(again, oldKey), isRefused);
  await verifyReceipt(await receiptOf(postern, id), newKey, { checkpoint: again });
  // One who holds the old key signs in vain; who keeps that key by itself still verifies what it signed.
  await assert.rejects(verifyReceipt(old, keys), /signed by none of the keys\. Get a receipt again/);
  await verifyReceipt(old, oldKey);
  const { size } = await verifyCheckpoint(oldCheckpoint, oldKey);
  clock.advance(MINUTE_MS);
  const later = await receiptOf(postern, await ask(postern, { requesterId: 'acme' }), `?since=${size}`, { clock });
  await verifyReceipt(later, keys, { checkpoint: oldCheckpoint });
  await verifyPage({ receipt: later, keys, old: oldCheckpoint });
  await assert.rejects(verifyPage({ receipt: old, keys }), /None of the keys signed/);
  writeFileSync(files.receipt, later);
  writeFileSync(files.key, keys);
  writeFileSync(files.old, oldCheckpoint);
  const said = await commandHere(['verify', files.receipt, '--public-key', files.key, '--checkpoint', files.old]);
  assert.match(said.stdout, /^Verified: .*\nThe log continues the earlier checkpoint\.$/ms);
  // No record has the private part of the old key.
  const [setting] = (await postern.rowsOf('settings')).filter((row: Any) => row.name === 'log_keys') as Any[];
  assert.deepEqual(
    JSON.parse(setting.value).map((key: Any) => [typeof key.privateKey, typeof key.until]),
    [
      ['undefined', 'number'],
      ['string', 'undefined'],
    ],
  );
});

test('a key that is replaced while a checkpoint is signed signs no more', async () => {
  const clock = testClock();
  await using postern = await start(clock);
  await receiptOf(postern, await ask(postern, { requesterId: 'acme' }), '', { clock });
  for (let i = 0; i < 5; i++) {
    const id = await ask(postern, { requesterId: `r${i}` });
    clock.advance(MINUTE_MS);
    assertStatus(await postern.call('POST', '/v1/log-keys/rotate'), 200);
    await verifyReceipt(await receiptOf(postern, id, '', { clock }), await textOf(postern, '/log/key'));
  }
  const keys = await textOf(postern, '/log/key');
  assert.equal(keys.match(/^# replaced /gm)?.length, 5);
});

test('two checkpoints of one size, and a log that was rewritten, are found by one who kept a checkpoint', async () => {
  const clock = testClock();
  await using postern = await start(clock);
  const id = await ask(postern, { requesterId: 'acme' });
  const files = {
    receipt: join(folder, 'fork.tlog-proof'),
    key: join(folder, 'fork.key'),
    old: join(folder, 'fork.old'),
  };
  const verify = () => commandHere(['verify', files.receipt, '--public-key', files.key, '--checkpoint', files.old]);
  writeFileSync(files.old, await receiptOf(postern, id, '', { clock }));
  writeFileSync(files.key, await textOf(postern, '/log/key'));
  // The publisher changes the decision, and builds the log again with its key: the same size, another root.
  await postern.tamper(
    ...['log_spans', 'log_trees', 'log_tiles', 'log_heads'].map((table) => ({
      sql: `delete from ${table} where 1 = 1`,
    })),
    { sql: `delete from settings where name in ('log_sealed_to', 'log_checkpoint', 'log_forgotten')` },
    { sql: `update decisions set url = 'https://example.com/other'` },
  );
  await postern.restart();
  const forked = await receiptOf(postern, id, '', { clock });
  writeFileSync(files.receipt, forked);
  await verifyReceipt(forked, await textOf(postern, '/log/key'));
  const same = await verify();
  assert.equal(same.status, 1);
  assert.match(same.stderr, /does not continue the checkpoint: entries that it covers were changed or left out/);
  // It grows, and is found as well.
  const more = await ask(postern, { requesterId: 'other' });
  clock.advance(MINUTE_MS);
  writeFileSync(files.receipt, await receiptOf(postern, more, '?since=1', { clock }));
  const grown = await verify();
  assert.equal(grown.status, 1);
  assert.match(grown.stderr, /does not continue the checkpoint/);
});
