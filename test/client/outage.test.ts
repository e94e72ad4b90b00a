/**
 * A guard while Postern hangs or fails. Promise: no visitor waits longer than `timeoutMs`, the wait in the queue
 * included, and a service that fails three times in a row is left alone for some seconds.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import { type GuardOptions, guard } from '../../client/src/index.ts';

const ALLOWED = {
  id: 'dec_1',
  allowed: true,
  reason: null,
  permissions: ['full_access'],
  requesterId: null,
  rateLimit: null,
  enforced: true,
  created: '2026-11-21T09:30:00.000Z',
};

/** A service of answers alone: what is tried is how it is asked. */
type Behavior = 'answers' | 'hangs' | number;
let behavior: Behavior = 'answers';
let asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (behavior === 'hangs') return;
    if (typeof behavior === 'number') return void response.writeHead(behavior).end('{}');
    const { checks } = JSON.parse(Buffer.concat(chunks).toString()) as { checks?: unknown[] };
    response.end(JSON.stringify(checks === undefined ? ALLOWED : { data: checks.map(() => ALLOWED) }));
  });
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  behavior = 'answers';
  asked = [];
});

const TIMEOUT_MS = 300;
/** Far less than a second wait. */
const SLACK_MS = 200;

function open(more: Partial<GuardOptions> = {}) {
  const reports: Error[] = [];
  const report = (error: unknown): void => void reports.push(error as Error);
  const { check } = guard({ url, key: 'k', content: () => 'x', timeoutMs: TIMEOUT_MS, report, ...more });
  const visit = async () => {
    const begun = performance.now();
    const { status } = await check(new Request('https://site.example/x'));
    return { status, ms: performance.now() - begun };
  };
  return { visit, visits: (count: number) => Promise.all(Array.from({ length: count }, visit)), reports };
}

for (const batch of [true, false]) {
  describe(batch ? 'together' : 'alone', () => {
    test('while it hangs, nobody waits longer, not in the queue either', async () => {
      behavior = 'hangs';
      const { visit } = open({ batch });
      const visits: ReturnType<typeof visit>[] = [];
      // They come one after another, so that some of them find all requests taken.
      for (let i = 0; i < 40; i++) {
        visits.push(visit());
        await new Promise((done) => setImmediate(done));
      }
      for (const { status, ms } of await Promise.all(visits)) {
        assert.equal(status, 503);
        assert.ok(ms < TIMEOUT_MS + SLACK_MS, `waited ${ms} ms`);
      }
    });

    test('after three failures in a row nothing is asked, and then one trial at a time', async (t) => {
      for (const failure of [500, 503, 429, 'hangs'] as const) {
        behavior = failure;
        const { visit, visits, reports } = open({ batch });
        for (let i = 0; i < 3; i++) assert.equal((await visit()).status, 503);
        asked = [];
        behavior = 'answers';
        for (const { status, ms } of await visits(50)) {
          assert.equal(status, 503);
          assert.ok(ms < TIMEOUT_MS, `waited ${ms} ms`);
        }
        assert.deepEqual([asked.length, reports.length], [0, 53], String(failure));
        assert.match(reports.at(-1)?.message ?? '', /failed 3 times in a row. It is asked again in [1-5] s/);
      }
      // As if the pause were over.
      const { visit, visits } = open({ batch });
      behavior = 500;
      for (let i = 0; i < 3; i++) await visit();
      let now = performance.now();
      t.mock.method(performance, 'now', () => now);
      for (let trial = 1; trial <= 3; trial++) {
        now += 5_001;
        asked = [];
        assert.ok((await visits(20)).every(({ status }) => status === 503));
        assert.equal(asked.length, 1, `trial ${trial}`);
      }
      now += 5_001;
      behavior = 'answers';
      assert.equal((await visit()).status, 200);
      assert.ok((await visits(20)).every(({ status }) => status === 200));
    });

    test('failures that are not in a row, and refusals, stop nothing', async () => {
      const { visit } = open({ batch });
      for (const [failure, count] of [
        [500, 2],
        ['answers', 1],
        [500, 2],
        [401, 5],
        [500, 2],
        ['answers', 1],
      ] as const) {
        behavior = failure;
        for (let i = 0; i < count; i++) await visit();
      }
      assert.equal(asked.length, 13);
    });

    test('onError decides while nothing is asked', async () => {
      behavior = 500;
      const { visit } = open({ batch, onError: 'allow' });
      for (let i = 0; i < 5; i++) assert.equal((await visit()).status, 200);
      assert.equal(asked.length, 3);
    });
  });
}
