/** A delivery's schedule and its requests in flight, across a kill and an orderly shutdown of the real process. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request as open, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { launch, newTestKey, type Running, temporaryFolder } from '../../../kit/launch.ts';
import { pluck } from '../../../kit/pluck.ts';
import { until } from '../../../kit/until.ts';
import { answer, hang, openReceiver, subscribe } from '../../../proof/crash/receiver.ts';

const ENV = { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' };
const WITHIN_MS = 20_000;
const ENDS_WITHIN_MS = 10_000;
const MINUTE_MS = 60_000;

const change = (service: Running, externalId: string) =>
  service.ask('POST', '/v1/content', {
    body: { externalId, title: 'x', type: 'article', source: 'https://example.com/a' },
  });

/** A request whose body is not all there yet; `finish` sends the rest and returns the status of the answer. */
async function halfARequest(service: Running, key: string): Promise<{ finish(): Promise<number | undefined> }> {
  const body = JSON.stringify({ externalId: 'late', title: 'x', type: 'article', source: 'https://example.com/a' });
  const address = /"address":"([^"]+)"/.exec(service.output())?.[1] ?? '';
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': body.length,
    expect: '100-continue',
  };
  const request = open(`${address}/v1/content`, { method: 'POST', headers });
  const answered = once(request, 'response');
  answered.catch(() => {});
  request.flushHeaders();
  await once(request, 'continue');
  request.write(body.slice(0, 10));
  return {
    async finish() {
      request.end(body.slice(10));
      const [response] = (await answered) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    },
  };
}

interface Delivery {
  status: string;
  attemptCount: number;
  nextAttemptAt: string | null;
  attempts: { number: number; created: string; statusCode: number | null }[];
}

/** The delivery of the first event to a webhook, as soon as it is as it should be. */
const delivery = (service: Running, webhookId: string, done: (one: Delivery) => boolean): Promise<Delivery> =>
  until<Delivery>(
    'the delivery',
    async () => (await service.ask('GET', `/v1/webhooks/${webhookId}/deliveries`)).body.data.at(-1),
    WITHIN_MS,
    (one) => one !== undefined && done(one),
  );

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`${signal} in mid-schedule: the next attempt comes at its time, and the ones before are kept`, async () => {
    using folder = temporaryFolder();
    await using receiver = await openReceiver();
    receiver.behave('failing', answer(503));
    const key = newTestKey();
    let service = launch({ dataDir: folder.path, key, env: ENV });
    try {
      await service.ready;
      const id = await subscribe(receiver, service.ask, 'failing', ['content.*']);
      await change(service, 'one');
      const before = await delivery(service, id, ({ attemptCount }) => attemptCount === 1);
      await service.end(signal);
      assert.equal(receiver.arrivals('failing').length, 1);

      service = launch({ dataDir: folder.path, key, env: ENV });
      await service.ready;
      const after = await delivery(service, id, ({ attemptCount }) => attemptCount === 2);
      const [, second] = receiver.arrivals('failing');
      const planned = Date.parse(before.nextAttemptAt ?? '');
      assert.ok(second !== undefined && second.at >= planned, `at ${second?.at}, planned for ${planned}`);
      assert.deepEqual(after.attempts[0], before.attempts[0]);
      assert.deepEqual(pluck(after.attempts, 'number', 'statusCode'), [
        [1, 503],
        [2, 503],
      ]);
      // The schedule goes on: five minutes and up to a tenth more.
      const wait = Date.parse(after.nextAttemptAt ?? '') - second.at;
      assert.ok(wait >= 5 * MINUTE_MS && wait < 6 * MINUTE_MS, `${wait} ms`);
      assert.deepEqual(receiver.faults, []);
    } finally {
      await service.end('SIGKILL');
    }
  });
}

test('SIGTERM lets what is under way end, gives up requests that hang within the same 10 s, and ends with 0', async () => {
  using folder = temporaryFolder();
  await using receiver = await openReceiver();
  const held: ServerResponse[] = [];
  receiver.behave('held', (response) => void held.push(response));
  receiver.behave('hanging', hang);
  const key = newTestKey();
  let service = launch({ dataDir: folder.path, key, env: ENV });
  try {
    await service.ready;
    const heldId = await subscribe(receiver, service.ask, 'held', ['content.*']);
    const hangingId = await subscribe(receiver, service.ask, 'hanging', ['content.*']);
    await change(service, 'one');
    await until('both requests are under way', () => held.length === 1 && receiver.arrivals('hanging').length === 1);
    // A client in the middle of a request, which it ends when the hanging endpoint has been given up, and not before.
    const client = await halfARequest(service, key);
    const asked = performance.now();
    const ended = service.end('SIGTERM');
    await until('it stops', () => service.output().includes('stopping'));
    held[0]?.writeHead(200).end();
    await until('it is given up', () => receiver.arrivals('hanging')[0]?.over);
    assert.equal(await client.finish(), 201);
    assert.deepEqual(await ended, { code: 0, signal: null }, service.output());
    const tookMs = performance.now() - asked;
    assert.ok(tookMs < ENDS_WITHIN_MS, `${tookMs} ms`);

    for (const name of ['held', 'hanging']) receiver.behave(name, answer(200));
    service = launch({ dataDir: folder.path, key, env: ENV });
    await service.ready;
    // The one that was cut off counts as no attempt and is sent again; the one that was answered is not.
    const again = await delivery(service, hangingId, ({ status }) => status === 'succeeded');
    assert.equal(again.attemptCount, 1);
    const [first, second] = receiver
      .arrivals('hanging')
      .filter((one) => one.eventId === receiver.arrivals('hanging')[0]?.eventId);
    assert.deepEqual([second?.eventId, second?.body], [first?.eventId, first?.body]);
    assert.equal((await delivery(service, heldId, () => true)).status, 'succeeded');
    const { eventId } = receiver.arrivals('held')[0] ?? {};
    assert.equal(receiver.arrivals('held').filter((one) => one.eventId === eventId).length, 1);
    // What the client's request committed while the service stopped is delivered too.
    await until(
      'the late one',
      async () => receiver.taken('held').size,
      WITHIN_MS,
      (size) => size === 2,
    );
  } finally {
    await service.end('SIGKILL');
  }
});
