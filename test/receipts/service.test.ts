/**
 * Promise: the page accepts the receipts of the service, of publisher and partner. It finds a decision that was changed
 * in the records, and a log that was begun again. Parts that were erased cannot be guessed.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { createPostern } from '../../client/src/client.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { check, item, made, makePolicy, readPublicId } from '../http/given.ts';
import { verify } from './page.ts';
import type { Extra, Shown } from './second.ts';

const clock = testClock();
const env = { POSTERN_RECEIPTS: 'public', POSTERN_PUBLIC_URL: 'https://access.example.com' };
const postern = await startTestService({ clock, env });
after(() => postern[Symbol.asyncDispose]());
const policy = await makePolicy(postern, [{ action: 'allow', conditions: {} }]);
const article = await made(postern, '/v1/content', item({ policyId: policy.id }));
for (const id of ['acme', 'other']) await made(postern, '/v1/requesters', { id, name: id });
const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 't' });

const ask = (requesterId: string, more: object = {}) =>
  check(postern, { contentId: article.id, requesterId, context: { ip: '203.0.113.7' }, ...more });

/** Waits for the checkpoint that covers it: there is one a minute. */
async function receipt(path: string, key?: string): Promise<string> {
  const answer = await until('a receipt', async () => {
    const one = await postern.call('GET', path, key === undefined ? {} : { key });
    if (one.status === 200) return one;
    assert.equal(one.status, 503, one.text);
    assert.ok(Number(one.headers.get('retry-after')) >= 1);
    clock.advance(60_000);
    return undefined;
  });
  return answer.text;
}
const get = async (path: string) => (await postern.call('GET', path, {})).text;
const extraIn = (text: string): Extra =>
  JSON.parse(Buffer.from((text.split('\n')[1] ?? '').slice('extra '.length), 'base64').toString());

test('publisher and partner: each sees its parts of one leaf', async () => {
  const all = [await ask('acme'), await ask('other'), await ask('acme')];
  const keys = await get('/log/key');
  for (const { id } of all) {
    const parts = await verify({ receipt: await receipt(`/v1/access/decisions/${id}/proof`), keys });
    assert.equal(JSON.parse(parts.decision ?? '').id, await readPublicId(postern, id));
    assert.deepEqual(Object.keys(parts), ['decision', 'rule', 'requester', 'inputs']);
  }
  const proofs = all.map(({ id }) => createPostern({ url: postern.url, key: postern.key }).getDecisionProof(id));
  for (const text of await Promise.all(proofs)) await verify({ receipt: text, keys });
  const own = await verify({ receipt: await receipt(`/v1/me/decisions/${all[0].id}/proof`, token), keys });
  assert.deepEqual(Object.keys(own), ['decision', 'requester']);
  assert.equal((await postern.call('GET', `/v1/me/decisions/${all[1].id}/proof`, { key: token })).status, 404);
});

test('the commands of the page', async (t) => {
  const { id } = await ask('acme');
  await receipt(`/v1/access/decisions/${id}/proof`);
  const folder = mkdtempSync(join(tmpdir(), 'postern-receipts-page-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [, commands = ''] = /^```sh\n([^]*?)^```$/m.exec(readFileSync('docs/receipts.md', 'utf8')) ?? [];
  const script = commands
    .replaceAll('dec_…', id)
    .replaceAll('https://access.example.com', postern.url)
    // npx finds the same file, slowly.
    .replaceAll('npx postern', `"${process.execPath}" "${resolve('bin/postern.js')}"`);
  const options = { cwd: folder, env: { ...process.env, POSTERN_URL: postern.url, POSTERN_KEY: postern.key } };
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], options);
  const shown = await readPublicId(postern, id);
  assert.match(stdout, new RegExp(`^Verified: ${shown} of .* was allowed\\.$`, 'm'));
});

test('the log continues an earlier checkpoint', async () => {
  const keys = await get('/log/key');
  for (let i = 0; i < 5; i++) {
    const old = await get('/log/checkpoint');
    const size = Number(old.split('\n')[1]);
    const { id } = await ask(i % 2 === 0 ? 'acme' : 'other');
    const steps: string[] = [];
    await verify({ receipt: await receipt(`/v1/access/decisions/${id}/proof?since=${size}`), keys, old }, steps);
    assert.match(steps.at(-1) ?? '', new RegExp(`its ${size} entries are unchanged`));
  }
});

test('a decision that was changed in the records', async () => {
  const { id } = await ask('acme', { purpose: 'training' });
  const path = `/v1/access/decisions/${id}/proof`;
  const keys = await get('/log/key');
  await verify({ receipt: await receipt(path), keys });
  await postern.tamper({ sql: "update decisions set purpose = 'search' where purpose = 'training'" });
  await assert.rejects(verify({ receipt: await receipt(path), keys }), /The decision is not in the log/);
});

test('what was erased can be guessed without a salt, and not with it', async () => {
  const { id } = await ask('acme');
  const path = `/v1/access/decisions/${id}/proof`;
  const { inputs, requester } = extraIn(await receipt(path)).parts as Record<string, { text: string; salt: string }>;
  const erasure = await postern.call('POST', '/v1/requesters/acme/erase', { body: { confirm: 'acme' } });
  assert.ok(erasure.status < 300, erasure.text);
  const parts = await until('the erasure', async () => {
    const one = extraIn(await receipt(path)).parts;
    return 'hash' in (one.inputs as Shown) && 'hash' in (one.requester as Shown) ? one : undefined;
  });
  for (const [left, was] of [
    [parts.inputs, inputs],
    [parts.requester, requester],
  ] as const) {
    const { hash } = left as { hash: string };
    const { text, salt } = was as { text: string; salt: string };
    const hashed = (...data: Uint8Array[]) =>
      data.reduce((all, one) => all.update(one), createHash('sha256')).digest('base64');
    assert.equal(hashed(Buffer.from(salt, 'base64'), Buffer.from(text)), hash, 'with the salt, it is proven');
    assert.notEqual(hashed(Buffer.from(text)), hash, 'who guesses the text learns nothing');
  }
  // Addresses of one network are few: a hash of the text alone would name the visitor.
  const { text } = inputs as { text: string };
  const bare = createHash('sha256').update(text).digest('hex');
  const guessed = Array.from({ length: 256 }, (_, i) => text.replace('203.0.113.7', `203.0.113.${i}`)).filter(
    (one) => createHash('sha256').update(one).digest('hex') === bare,
  );
  assert.deepEqual(guessed, [text]);
  await verify({ receipt: await receipt(path), keys: await get('/log/key') });
});
