/**
 * Promise: each checkpoint is sent to every witness as C2SP tlog-witness says. The answer of a witness is verified
 * before it is shown, and nothing waits for a witness that is away, slow or wrong.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { verifyReceipt } from '../../client/src/receipt.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { verify as verifyPage } from '../receipts/page.ts';
import { type Answer, bodyOf, openCosigner, serveWitness, timeOf } from '../receipts/second-witness.ts';
import { check, item, made } from './given.ts';

const clock = testClock();
const seconds = (): number => Math.floor(clock.now() / 1000);
const noteOf = (body: string): string => body.slice(body.indexOf('\n\n') + 2);
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());

type Cosigner = ReturnType<typeof openCosigner>;
const stranger = openCosigner('stranger.example/w');
let flakyAsks = 0;
const hanging = Promise.withResolvers<Answer>();

/** The answer of each witness to a checkpoint, and the error that the status shows of it. */
const BEHAVIOURS: Record<string, [(own: Cosigner, text: string) => Answer | Promise<Answer>, RegExp | null]> = {
  good: [(own, text) => ({ status: 200, body: own.line(text, seconds()) }), null],
  among: [
    // Of a kind that is not known, of another key, and its own.
    (own, text) => ({
      status: 200,
      body: `— among.example/w ${Buffer.alloc(2432, 7).toString('base64')}\n${stranger.line(text, seconds())}${own.line(text, seconds())}`,
    }),
    null,
  ],
  flaky: [
    (own, text) =>
      flakyAsks++ === 0 ? { status: 500, body: 'later' } : { status: 200, body: own.line(text, seconds()) },
    null,
  ],
  foreign: [(_own, text) => ({ status: 200, body: stranger.line(text, seconds()) }), /has no cosignature by the key/],
  wrong: [(own, text) => ({ status: 200, body: own.line(`${text}x\n`, seconds()) }), /does not verify/],
  early: [(own, text) => ({ status: 200, body: own.line(text, seconds() - 3600) }), /a clock is wrong/],
  late: [(own, text) => ({ status: 200, body: own.line(text, seconds() + 3600) }), /a clock is wrong/],
  unknown: [() => ({ status: 404, body: '' }), /does not follow this log/],
  rolled: [() => ({ status: 403, body: '' }), /knows another key of this log/],
  broken: [() => ({ status: 503, body: 'maintenance' }), /HTTP 503: "maintenance"/],
  moved: [() => ({ status: 302, body: '' }), /HTTP 302/],
  endless: [() => ({ status: 200, body: 'x'.repeat(1_000_000) }), /has no cosignature/],
  odd: [() => ({ status: 409, body: 'five\n' }), /HTTP 409: "five/],
  undecided: [() => ({ status: 409, body: `${undecided++ % 2}\n` }), /each time that it knows another size/],
  hanging: [() => hanging.promise, null],
};
let undecided = 1;

const cosigners = new Map(Object.keys(BEHAVIOURS).map((name) => [name, openCosigner(`${name}.example/w`)]));
const servers = new Map<string, Awaited<ReturnType<typeof serveWitness>>>();
for (const [name, [answer]] of Object.entries(BEHAVIOURS)) {
  const own = cosigners.get(name) as Cosigner;
  servers.set(
    name,
    stack.use(
      await serveWitness((body, path) => {
        assert.equal(path, 'POST /w/add-checkpoint');
        return answer(own, bodyOf(noteOf(body)));
      }),
    ),
  );
}
stack.defer(() => hanging.resolve({ status: 500, body: '' }));
const lines = [...servers].map(([name, { url }]) => `${cosigners.get(name)?.key} ${url}`);
const postern = stack.use(
  await startTestService({
    clock,
    env: {
      POSTERN_RECEIPTS: 'public',
      POSTERN_PUBLIC_URL: 'https://access.example.com',
      POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true',
      POSTERN_LOG_WITNESSES: `# name, key, URL\n${lines.join('\n')}`,
    },
  }),
);
const article = await made(postern, '/v1/content', item());
const get = async (path: string): Promise<string> => (await postern.call('GET', path, { key: null })).text;
const checkpoint = () => get('/log/checkpoint');

async function receipt(): Promise<string> {
  const { id } = await check(postern, { contentId: article.id, requesterId: 'acme' });
  return until('a receipt', async () => {
    const answer = await postern.call('GET', `/v1/access/decisions/${id}/proof`);
    if (answer.status === 503) clock.advance(60_000);
    return answer.status === 200 ? answer.text : undefined;
  });
}

/** Waits for the checkpoint with the cosignatures of all that give one. */
const cosigned = () =>
  until('it is cosigned', async () => {
    const note = await checkpoint();
    return ['good', 'among', 'flaky'].every((name) => note.includes(`— ${name}.example/w `)) ? note : undefined;
  });

interface Status {
  name: string;
  size: number | null;
  cosigned: string | null;
  behind: number;
  forked: boolean;
  error: string | null;
}
const statuses = async (): Promise<Status[]> => (await postern.call('GET', '/v1/status')).body.witnesses;

test('the newest checkpoint is shown with the cosignatures that verify, and with no others', async () => {
  const text = await receipt();
  const keys = await get('/log/key');
  // Nothing waited for a witness.
  await verifyReceipt(text, keys);
  const note = await cosigned();
  assert.deepEqual(
    note
      .trimEnd()
      .split('\n')
      .slice(4)
      .map((line) => line.split(' ')[1]),
    ['access.example.com/log', 'good.example/w', 'among.example/w', 'flaky.example/w'],
  );
  for (const line of note.trimEnd().split('\n').slice(5)) {
    const own = cosigners.get((line.split(' ')[1] as string).split('.')[0] as string) as Cosigner;
    assert.ok(Math.abs(timeOf(line, bodyOf(note), own.key) - seconds()) <= 120);
  }
  for (const [name, [, error]] of Object.entries(BEHAVIOURS)) {
    if (name === 'hanging') continue;
    const own = await until(`the state of ${name}`, async () => {
      const found = (await statuses()).find((one) => one.name === `${name}.example/w`);
      return found !== undefined && (error === null ? found.cosigned : found.error) !== null ? found : undefined;
    });
    if (error === null) assert.deepEqual([own.size, own.behind, own.error, own.forked], [1, 0, null, false], name);
    else assert.match(own.error ?? '', error, name);
    assert.equal(own.forked, false, name);
  }
});

test('the next checkpoint is sent from the size that the witness knows; receipts have its cosignature', async () => {
  await receipt();
  const note = await cosigned();
  const [first = '', ...later] = servers.get('good')?.bodies ?? [];
  assert.match(
    first,
    /^old 0\n\naccess\.example\.com\/log\n1\n[A-Za-z0-9+/]{43}=\n\n— access\.example\.com\/log \S+\n$/,
  );
  assert.match(later.at(-1) ?? '', /^old 1\n([A-Za-z0-9+/]{43}=\n)+\naccess\.example\.com\/log\n2\n/);
  assert.ok(
    (later.at(-1) ?? '').endsWith(
      bodyOf(note) + note.slice(bodyOf(note).length).split('\n').slice(0, 2).join('\n') + '\n',
    ),
  );
  const text = await until('a receipt with cosignatures', async () => {
    const [decision] = (await postern.call('GET', '/v1/access/decisions?limit=1')).body.data;
    const answer = await postern.call('GET', `/v1/access/decisions/${decision.id}/proof`);
    return answer.text.includes('— good.example/w ') ? answer.text : undefined;
  });
  await verifyPage({ receipt: text, keys: await get('/log/key') });
  const witnesses = ['good', 'among', 'flaky', 'foreign'].map((name) => cosigners.get(name)?.key).join('\n');
  const keys = await get('/log/key');
  assert.equal((await verifyReceipt(text, keys, { witnesses, quorum: 3 })).cosigned.length, 3);
  await assert.rejects(verifyReceipt(text, keys, { witnesses }), /it lacks foreign\.example\/w/);
});

test('another key of the log signs the same: the cosignatures stay', async () => {
  const before = await cosigned();
  assert.equal((await postern.call('POST', '/v1/log-keys/rotate')).status, 200);
  const resigned = await checkpoint();
  const cosignatures = (note: string) => note.trimEnd().split('\n').slice(5);
  assert.notEqual(resigned, before);
  assert.deepEqual(cosignatures(resigned), cosignatures(before));
});

test('what a witness is sent names nobody', () => {
  const sent = [...servers.values()].flatMap(({ bodies }) => bodies).join('\n');
  assert.doesNotMatch(sent, /acme|dec_/);
  const known =
    /^(old \d+|[A-Za-z0-9+/]{43}=|\d+|access\.example\.com\/log|— access\.example\.com\/log [A-Za-z0-9+/=]{92})?$/;
  for (const line of sent.split('\n')) assert.match(line, known);
});
