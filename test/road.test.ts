/**
 * The length of the roads: how many files and functions of the service run for one warm request, counted by the
 * engine's precise coverage over all threads. The numbers may only fall: who reads a request must be able to follow it.
 */
import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import { after, test } from 'node:test';
import { startTestService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { item, made, makePolicy } from './http/given.ts';

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[] }[];
}

/** Asks the inspectors of all threads. */
async function openInspectors() {
  const main = new Session();
  main.connect();
  const workers = new Set<string>();
  const answers = new Map<string, (coverage: Coverage) => void>();
  let sent = 0;
  main.on('NodeWorker.attachedToWorker', ({ params }) => workers.add(params.sessionId));
  main.on('NodeWorker.detachedFromWorker', ({ params }) => workers.delete(params.sessionId));
  main.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message);
    answers.get(`${params.sessionId} ${id}`)?.(result ?? { result: [] });
  });
  await main.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const ask = (sessionId: string, method: string, params: object): Promise<Coverage> => {
    const id = ++sent;
    const answer = new Promise<Coverage>((resolve) => answers.set(`${sessionId} ${id}`, resolve));
    const message = JSON.stringify({ id, method, params });
    return main.post('NodeWorker.sendMessageToWorker', { sessionId, message }).then(() => answer);
  };
  return {
    all: (method: string, params: object = {}): Promise<Coverage[]> =>
      Promise.all([
        main.post(method as 'Profiler.takePreciseCoverage', params as never) as Promise<unknown> as Promise<Coverage>,
        ...[...workers].map((one) => ask(one, method, params)),
      ]),
    threads: () => workers.size + 1,
    close: () => main.disconnect(),
  };
}

const TRIES_MAX = 60;
const SOURCE = new URL('../src/', import.meta.url).href;
const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const inspectors = await openInspectors();
after(() => inspectors.close());
await until('the threads are found', () => inspectors.threads() > 1);

/** The functions that run whenever a warm request is made. Other work in between is not there each time. */
async function assertAtMost(files: number, functions: number, request: () => Promise<unknown>): Promise<void> {
  await request();
  await inspectors.all('Profiler.enable');
  await inspectors.all('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let always: ReadonlySet<string> | undefined;
  const lengths = (): [number, number] => {
    const ran = [...(always ?? [])];
    return [new Set(ran.map((one) => one.split(' ', 1)[0])).size, ran.length];
  };
  for (let i = 0; i < TRIES_MAX; i++) {
    await request();
    await inspectors.all('Profiler.takePreciseCoverage');
    await request();
    const ran = functionsIn(await inspectors.all('Profiler.takePreciseCoverage'));
    always = always?.intersection(ran) ?? ran;
    const [inFiles, inAll] = lengths();
    if (inFiles <= files && inAll <= functions) return;
  }
  assert.fail(`${lengths()} instead of ${[files, functions]}\n${[...(always ?? [])].toSorted().join('\n')}`);
}

/** Each as file, offset and name. */
function functionsIn(coverages: readonly Coverage[]): Set<string> {
  const scripts = coverages.flatMap(({ result }) => result).filter(({ url }) => url.startsWith(SOURCE));
  return new Set(
    scripts.flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        .map(({ functionName, ranges }) => `${url.slice(SOURCE.length)} ${ranges[0]?.startOffset} ${functionName}`),
    ),
  );
}

test('a check', async () => {
  const { id: policyId } = await makePolicy(postern, [{ action: 'allow', conditions: { purpose: ['training'] } }]);
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId }));
  const body = { contentId, purpose: 'training' };
  const check = async () => {
    const { status, body: answer } = await postern.call('POST', '/v1/access/check', { body });
    assert.deepEqual([status, answer.allowed], [200, true]);
  };
  await assertAtMost(47, 139, check);
});

test('a running statement', async () => {
  const { id: policyId } = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId }));
  await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
  const tiers = [{ upTo: null, unitPriceMicros: 10_000 }];
  const terms = { currency: 'EUR', timezone: 'UTC', period: 'month', unit: 'decision', tiers };
  await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'commercial', terms });
  await postern.call('POST', '/v1/access/check', { body: { contentId, requesterId: 'acme' } });
  const [{ id }] = (await postern.call('GET', '/v1/statements')).body.data;
  const statement = async () => {
    const { status, body } = await postern.call('GET', `/v1/statements/${id}`);
    assert.deepEqual([status, body.total.amount], [200, '0.01']);
  };
  await assertAtMost(52, 267, statement);
});
