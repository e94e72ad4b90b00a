/**
 * A guard while Postern hangs or fails. Promise: no visitor waits longer than `timeoutMs`, the wait in the queue
 * included, a service that fails three times in a row is left alone for some seconds, and a slow one is asked a bounded
 * number of questions at once.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import { openBreaker } from '../../client/src/edge/breaker.ts';
import { type GuardOptions, guard, PosternUnreachable } from '../../client/src/index.ts';
import { until } from '../../kit/until.ts';

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

describe('a flood while it is slow', () => {
  for (const [onError, beyond] of [
    ['deny', 503],
    ['allow', 200],
  ] as const) {
    test(`asks at most 250 questions at once; \`onError: '${onError}'\` is the verdict beyond`, async () => {
      behavior = 'hangs';
      const { visit, visits, reports } = open({ batch: false, onError, timeoutMs: 20_000 });
      const begun = performance.now();
      let ended = 0;
      const flood = Array.from({ length: 1_000 }, () => visit().finally(() => ended++));
      await until('those beyond have their answer', () => ended === 750);
      assert.ok(performance.now() - begun < 15_000, 'none of them waited for Postern');
      await until('the others are asked about', () => asked.length === 250);
      assert.match(reports.at(-1)?.message ?? '', /not asked: 250 visitors wait for it/);
      // No failure, so nothing is paused; and a question that ends makes room.
      server.closeAllConnections();
      assert.ok((await Promise.all(flood)).every(({ status }) => status === beyond));
      assert.equal(asked.length, 250);
      assert.ok(
        (await visits(3)).every(({ status }) => status === beyond),
        'failures pause as ever',
      );
    });
  }

  test('a question whose visitor left, which a runtime may never end, takes no room for ever', (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const breaker = openBreaker(500);
    for (let i = 0; i < 250; i++) breaker.begin();
    assert.throws(() => breaker.begin(), PosternUnreachable);
    now += 501;
    for (let i = 0; i < 249; i++) breaker.begin();
    breaker.answered(breaker.begin());
    breaker.begin();
    assert.throws(() => breaker.begin(), PosternUnreachable);
  });
});
