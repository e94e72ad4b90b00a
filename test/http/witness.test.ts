/**
 * Promise: as a witness, Postern answers as C2SP tlog-witness says, and never cosigns two heads of one log that do not
 * continue each other. The logs that ask are built from the standards alone.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { readConfig } from '../../src/service/config.ts';
import { openSigner, proof, rootOver } from '../receipts/second.ts';
import { bodyOf, openCosigner, timeOf } from '../receipts/second-witness.ts';

const NAMES = ['one', 'two', 'three', 'races', 'empty', 'rolled'].map((name) => `${name}.example/log`);
const logs = new Map(NAMES.map((name) => [name, openSigner(name)]));
const second = openSigner('rolled.example/log');
const clock = testClock();
const env = {
  POSTERN_PUBLIC_URL: 'https://partner.example',
  POSTERN_WITNESS_LOGS: `# keys of others, as /log/key lists them\n${[...logs.values()].map(({ key }) => key).join('\n')},${second.key}`,
};
const witness = await startTestService({ clock, env });
after(() => witness[Symbol.asyncDispose]());

const entries = (count: number): Buffer[] => Array.from({ length: count }, () => randomBytes(9));
const signer = (name: string) => logs.get(name) as ReturnType<typeof openSigner>;

/** The body of add-checkpoint. */
const toBody = (old: number, hashes: readonly Buffer[], note: string): string =>
  [`old ${old}`, ...hashes.map((hash) => hash.toString('base64')), '', note].join('\n');

/** Sends a body as it is, without a content type unless one is given. */
function add(body: string, headers: Record<string, string> = {}, url = witness.url) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; type: string; text: string }>();
  const sent = request(`${url}/witness/add-checkpoint`, { method: 'POST', headers }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    answer.on('end', () =>
      resolve({ status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '', text }),
    );
  });
  sent.on('error', reject).end(body);
  return promise;
}

/** Submits the first entries of a log after others. */
const submit = (name: string, data: readonly Buffer[], old: number, size: number) => {
  const upTo = data.slice(0, size);
  const hashes = old === 0 || old === size ? [] : proof(old, upTo);
  return add(toBody(old, hashes, signer(name).checkpoint(upTo)));
};

const key = async (): Promise<string> => (await witness.call('GET', '/witness/key', { key: null })).text.trim();

test('every step of logs of 1 to 17: the cosignature is one of the key, of now, over the checkpoint', async () => {
  const vkey = await key();
  assert.match(vkey, /^partner\.example\/witness\+[0-9a-f]{8}\+B[A-Za-z0-9+/]{43}$/);
  const data = entries(17);
  for (let size = 1; size <= 17; size++) {
    const old = size - 1;
    const answer = await submit('one.example/log', data, old, size);
    assert.equal(answer.status, 200, answer.text);
    const note = signer('one.example/log').checkpoint(data.slice(0, size));
    assert.equal(timeOf(answer.text, bodyOf(note), vkey), Math.floor(clock.now() / 1000));
    // The same again is cosigned with a newer time.
    clock.advance(3_000);
    const again = await submit('one.example/log', data, size, size);
    assert.equal(timeOf(again.text, bodyOf(note), vkey), Math.floor(clock.now() / 1000));
  }
});

test('all pairs of sizes, from a witness that knows the old one', async () => {
  const data = entries(40);
  let old = 0;
  for (const size of [1, 2, 4, 7, 8, 9, 16, 31, 32, 33, 40]) {
    assert.equal((await submit('two.example/log', data, old, size)).status, 200, `${old} to ${size}`);
    old = size;
  }
});

test('what the protocol refuses, by status; nothing of it changes what the witness knows', async () => {
  const [name, data] = ['three.example/log', entries(9)];
  const log = signer(name);
  assert.equal((await submit(name, data, 0, 5)).status, 200);
  const at = (size: number) => data.slice(0, size);
  const note = log.checkpoint(at(9));
  const hashes = proof(5, data);
  const other = [...entries(5), ...data.slice(5)];
  const size = { status: 409, type: 'text/x.tlog.size', text: '5\n' };
  const flipped = hashes.map((hash, i) => (i === 0 ? Buffer.from(hash.map((byte) => byte ^ 1)) : hash));
  const unknown = openSigner('unknown.example/log');
  const forged = openSigner(name);
  const cases: [string, string, number][] = [
    ['a log that it does not follow', toBody(0, [], unknown.checkpoint(data)), 404],
    ['a key that it does not know', toBody(5, hashes, forged.checkpoint(data)), 403],
    ['a text that was changed', toBody(5, hashes, note.replace('\n9\n', '\n8\n')), 403],
    ['an old size beyond the checkpoint', toBody(10, [], note), 400],
    ['a proof that was changed', toBody(5, flipped, note), 422],
    ['no proof', toBody(5, [], note), 422],
    ['a proof of another size', toBody(5, proof(4, data), note), 422],
    ['a proof that is too long', toBody(5, [...hashes, randomBytes(32)], note), 422],
    ['another history', toBody(5, proof(5, other), log.checkpoint(other)), 422],
    ['a proof for the same size', toBody(5, [randomBytes(32)], log.checkpoint(at(5))), 422],
    [
      '64 hashes',
      toBody(
        5,
        Array.from({ length: 64 }, () => randomBytes(32)),
        note,
      ),
      400,
    ],
    ['a hash of 31 bytes', toBody(5, [randomBytes(31)], note), 400],
    ['leading zeroes', toBody(5, hashes, note).replace('old 5', 'old 05'), 400],
    ['no number', toBody(5, hashes, note).replace('old 5', 'old -5'), 400],
    ['no empty line', toBody(5, hashes, note).replace('\n\n', '\n'), 400],
    ['no signature', toBody(5, hashes, bodyOf(note)), 400],
    ['lines that end as on Windows', toBody(5, hashes, note).replaceAll('\n', '\r\n'), 400],
    ['nothing', '', 400],
  ];
  for (const [what, body, status] of cases) {
    const answer = await add(body);
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    assert.doesNotMatch(answer.text, /^—/m, what);
  }
  for (const old of [0, 4, 6]) assert.deepEqual(await submit(name, data, old, 9), size, `from ${old}`);
  assert.deepEqual(await submit(name, data, 3, 3), size, 'an older one');
  assert.deepEqual(await add(toBody(5, [], log.checkpoint(other.slice(0, 5)))), size, 'other entries of the same size');
  const big = await add(`${toBody(5, hashes, note)}${'x'.repeat(200_000)}`);
  assert.equal(big.status, 413);
  // Signatures of others do no harm, and clients name what content type they like.
  const cosigned = note + openCosigner('w.example').line(bodyOf(note), 1);
  const fine = await add(toBody(5, hashes, cosigned), { 'content-type': 'application/x-anything' });
  assert.equal(fine.status, 200, fine.text);
  await witness.restart();
  assert.deepEqual(await submit(name, data, 5, 9), { ...size, text: '9\n' });
  timeOf((await submit(name, data, 9, 9)).text, bodyOf(note), await key());
});

test('two heads of one size at once: one of them is cosigned', async () => {
  const name = 'races.example/log';
  const common = entries(3);
  assert.equal((await submit(name, common, 0, 3)).status, 200);
  let kept = common;
  for (let round = 0; round < 5; round++) {
    const heads = Array.from({ length: 8 }, () => [...kept, ...entries(1)]);
    const answers = await Promise.all(heads.map((data) => submit(name, data, kept.length, data.length)));
    const won = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []));
    assert.equal(won.length, 1, answers.map(({ status }) => status).join());
    assert.ok(answers.every(({ status }) => status === 200 || status === 409));
    kept = heads[won[0] as number] as Buffer[];
  }
  const same = await Promise.all(kept.map(() => submit(name, kept, kept.length, kept.length)));
  assert.ok(same.every(({ status }) => status === 200));
});

test('a log that is empty, and one whose key was replaced', async () => {
  const data = entries(4);
  assert.equal((await submit('empty.example/log', data, 0, 0)).status, 200);
  const lied = signer('empty.example/log')
    .checkpoint([])
    .replace(rootOver([]).toString('base64'), rootOver(data).toString('base64'));
  assert.equal((await add(toBody(0, [], lied))).status, 403);
  assert.equal((await submit('empty.example/log', data, 0, 4)).status, 200);

  const name = 'rolled.example/log';
  assert.equal((await submit(name, data, 0, 2)).status, 200);
  assert.equal((await add(toBody(2, proof(2, data), second.checkpoint(data)))).status, 200);
});

test('the status says what was cosigned; more than a few requests a second are refused', async () => {
  const { body } = await witness.call('GET', '/v1/status');
  assert.equal(body.witness.key, await key());
  const three = body.witness.logs.find(({ origin }: { origin: string }) => origin === 'three.example/log');
  assert.deepEqual([three.size, typeof three.cosigned], [9, 'string']);
  const answers = await Promise.all(Array.from({ length: 400 }, () => add('')));
  assert.ok(answers.some(({ status }) => status === 429));
});

test('without logs to follow there is no witness', async () => {
  await using plain = await startTestService({ env: { POSTERN_PUBLIC_URL: 'https://partner.example' } });
  assert.equal((await add('', {}, plain.url)).status, 404);
  assert.equal((await plain.call('GET', '/v1/status')).body.witness, null);
});

test('settings that cannot be meant are refused, with a sentence', () => {
  const [log, other] = [openSigner().key, openCosigner('w.example').key];
  const url = 'https://w.example/witness';
  const own = { POSTERN_PUBLIC_URL: 'https://access.example.com', POSTERN_RECEIPTS: 'private' };
  const otherId = other.replace(/\+[0-9a-f]{8}\+/, '+00000000+');
  for (const [settings, fault] of [
    [{ ...own, POSTERN_LOG_WITNESSES: other }, /is not a verifier key, a space, and a URL/],
    [{ ...own, POSTERN_LOG_WITNESSES: `${other} ftp://w.example` }, /is not a verifier key, a space, and a URL/],
    [{ ...own, POSTERN_LOG_WITNESSES: `${other} https://a:b@w.example` }, /must not carry a user name or password/],
    [{ ...own, POSTERN_LOG_WITNESSES: `${log} ${url}` }, /the key of a witness, which cosigns, is of type 4/],
    [{ ...own, POSTERN_LOG_WITNESSES: `${otherId} ${url}` }, /does not have its id/],
    [{ ...own, POSTERN_LOG_WITNESSES: `${other} ${url},${other} ${url}/2` }, /names one key twice/],
    [{ ...own, POSTERN_RECEIPTS: 'off', POSTERN_LOG_WITNESSES: `${other} ${url}` }, /set POSTERN_RECEIPTS too/],
    [{ ...own, POSTERN_WITNESS_LOGS: other }, /the key of a log, which signs its checkpoints, is of type 1/],
    [{ ...own, POSTERN_WITNESS_LOGS: 'access.example.com/log' }, /is not a verifier key of Ed25519/],
    [{ POSTERN_WITNESS_LOGS: log }, /POSTERN_WITNESS_LOGS: the witness is named after POSTERN_PUBLIC_URL/],
  ] as [Record<string, string>, RegExp][]) {
    assert.throws(() => readConfig(settings), fault);
  }
  const { logWitnesses, witnessLogs } = readConfig({
    ...own,
    POSTERN_LOG_WITNESSES: `${other} ${url}/`,
    POSTERN_WITNESS_LOGS: `# replaced ${openSigner().key}\n${log}`,
  });
  assert.deepEqual(
    logWitnesses.map((one) => [one.name, one.url]),
    [['w.example', url]],
  );
  assert.deepEqual(
    [...witnessLogs].map(([name, keys]) => [name, keys.length]),
    [['postern.example/log', 1]],
  );
});
