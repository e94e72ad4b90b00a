/** Promises of deliveries while endpoints misbehave and webhooks are edited, with real sockets. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { eventually } from '../../kit/launch.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { answer, hang, openReceiver, streamForever, subscribe } from '../../proof/crash/receiver.ts';

const WITHIN_MS = 20_000;
const env = { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' };
/** Requests at once to one endpoint. */
const AT_ONCE = 8;

async function change(postern: TestService, externalId: string, more: object = {}): Promise<void> {
  const body = { externalId, title: 'x', type: 'article', source: 'https://example.com/a', ...more };
  const reply = await postern.call('POST', '/v1/content', { body });
  assert.equal(reply.status, 201, reply.text);
}

test('a hanging, a streaming and a dead endpoint hold back nobody else', async () => {
  await using postern = await startTestService({ env });
  await using receiver = await openReceiver();
  receiver.behave('hanging', hang);
  receiver.behave('streaming', streamForever);
  receiver.behave('good', answer(200));
  for (const name of ['hanging', 'streaming', 'good']) await subscribe(receiver, postern.call, name, ['content.*']);
  const dead = await openReceiver();
  await subscribe(dead, postern.call, 'dead', ['content.*']);
  await dead[Symbol.asyncDispose]();

  const arrived = (count: number) =>
    eventually(
      'all is there',
      WITHIN_MS,
      async () => receiver.taken('good').size,
      (size) => size === count,
    );
  for (let i = 0; i < 30; i++) await change(postern, `first-${i}`);
  await arrived(30);
  for (let i = 0; i < 30; i++) await change(postern, `second-${i}`);
  await arrived(60);
  // Not one of the bad ones' requests was over by then, and they had no more than their share.
  for (const name of ['hanging', 'streaming']) {
    const open = receiver.arrivals(name);
    assert.deepEqual(
      open.filter(({ over }) => over),
      [],
      name,
    );
    assert.equal(open.length, AT_ONCE, name);
  }
  assert.equal(receiver.arrivals('good').length, 60);
});

/** A service and an endpoint whose requests are held until they are answered by hand. */
async function withHeld(postern: TestService, receiver: Awaited<ReturnType<typeof openReceiver>>) {
  const held: ServerResponse[] = [];
  receiver.behave('held', (response) => void held.push(response));
  const id = await subscribe(receiver, postern.call, 'held', ['content.*']);
  return { id, held };
}

test('a webhook that is disabled is sent nothing more, though requests to it were under way', async () => {
  await using postern = await startTestService({ env });
  await using receiver = await openReceiver();
  const { id, held } = await withHeld(postern, receiver);
  for (let i = 0; i < 30; i++) await change(postern, `item-${i}`);
  await eventually(
    'its share is under way',
    WITHIN_MS,
    async () => held.length,
    (open) => open === AT_ONCE,
  );
  const path = `/v1/webhooks/${id}`;
  assert.equal((await postern.call('PATCH', path, { body: { status: 'disabled' } })).body.status, 'disabled');
  for (const response of held) response.writeHead(200).end();
  // Wait until all requests in flight are settled. Once another webhook has everything, a follow-up had its chance too.
  await eventually(
    'what was under way is settled',
    WITHIN_MS,
    async () => (await postern.call('GET', `${path}/deliveries?status=succeeded`)).body.totalCount as number,
    (count) => count === AT_ONCE,
  );
  receiver.behave('other', answer(200));
  await subscribe(receiver, postern.call, 'other', ['content.*']);
  await change(postern, 'later');
  await eventually(
    'another one is served',
    WITHIN_MS,
    async () => receiver.taken('other').size,
    (size) => size === 1,
  );
  assert.equal(held.length, AT_ONCE);

  receiver.behave('held', answer(200));
  await postern.call('PATCH', path, { body: { status: 'active' } });
  await eventually(
    'the rest comes',
    WITHIN_MS,
    async () => receiver.taken('held').size,
    (size) => size >= 30,
  );
  assert.deepEqual(receiver.faults, []);
});

test('a new URL counts from its answer on, though a request to the old one was under way', async () => {
  await using postern = await startTestService({ env });
  await using receiver = await openReceiver();
  const { id, held } = await withHeld(postern, receiver);
  await change(postern, 'one');
  await eventually(
    'it is under way',
    WITHIN_MS,
    async () => held.length,
    (open) => open === 1,
  );
  receiver.behave('moved', answer(200));
  const body = { url: receiver.url('moved') };
  assert.equal((await postern.call('PATCH', `/v1/webhooks/${id}`, { body })).status, 200);
  held[0]?.writeHead(200).end();
  await eventually(
    'it is settled',
    WITHIN_MS,
    async () => (await postern.call('GET', `/v1/webhooks/${id}/deliveries?status=succeeded`)).body.totalCount as number,
    (count) => count === 1,
  );
  for (let i = 0; i < 20; i++) await change(postern, `item-${i}`);
  await eventually(
    'all is there',
    WITHIN_MS,
    async () => receiver.taken('moved').size,
    (size) => size === 20,
  );
  assert.equal(held.length, 1);
});

test('a success ends the failing, also of a webhook whose requests failed beside it', async () => {
  await using postern = await startTestService({ env });
  await using receiver = await openReceiver();
  const { id, held } = await withHeld(postern, receiver);
  for (let i = 0; i < 2; i++) await change(postern, `item-${i}`);
  await eventually(
    'both are under way',
    WITHIN_MS,
    async () => held.length,
    (open) => open === 2,
  );
  const failingSince = async () => (await postern.call('GET', `/v1/webhooks/${id}`)).body.failingSince as string | null;
  held[0]?.writeHead(500).end();
  await eventually('it is failing', WITHIN_MS, failingSince, (since) => since !== null);
  held[1]?.writeHead(200).end();
  await eventually('it is well again', WITHIN_MS, failingSince, (since) => since === null);
});

test('what was decided about deleted content is sent again, byte for byte as before', async () => {
  const clock = testClock();
  await using postern = await startTestService({ env, clock });
  await using receiver = await openReceiver();
  receiver.behave('failing', answer(503));
  const rules = { name: 'closed', rules: [], defaultAction: 'deny' };
  const policyId = (await postern.call('POST', '/v1/policies', { body: rules })).body.id as string;
  await change(postern, 'gone', { policyId });
  await change(postern, 'kept', { policyId });
  const id = await subscribe(receiver, postern.call, 'failing', ['access.denied']);
  const check = (contentId: string) => postern.call('POST', '/v1/access/check', { body: { contentId } });
  await check('gone');
  await check('kept');
  const attempts = async (): Promise<number[]> =>
    (await postern.call('GET', `/v1/webhooks/${id}/deliveries`)).body.data.map(
      ({ attemptCount }: { attemptCount: number }) => attemptCount,
    );
  await eventually('both were tried', WITHIN_MS, attempts, (counts) => counts.join() === '1,1');
  await postern.call('DELETE', '/v1/content/gone');
  clock.advance(10_000);
  await eventually('both are tried again', WITHIN_MS, attempts, (counts) => counts.join() === '2,2');
  const texts = receiver.arrivals('failing').map(({ body }) => body);
  assert.equal(new Set(texts).size, 2);
  const told = texts.map((body) => JSON.parse(body).data.object.externalId as string);
  assert.deepEqual(told.toSorted(), ['gone', 'gone', 'kept', 'kept']);
});
