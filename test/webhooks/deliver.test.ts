/** Promises of deliveries while endpoints misbehave and webhooks are edited, with real sockets. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { answer, hang, openReceiver, streamForever, subscribe } from '../../proof/crash/receiver.ts';

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

  const arrived = (count: number) => until('all is there', () => receiver.taken('good').size === count);
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
  const succeeded = async (): Promise<number> =>
    (await postern.call('GET', `/v1/webhooks/${id}/deliveries?status=succeeded`)).body.totalCount;
  return { id, held, succeeded };
}

test('a webhook that is disabled is sent nothing more, though requests to it were under way', async () => {
  await using postern = await startTestService({ env });
  await using receiver = await openReceiver();
  const { id, held, succeeded } = await withHeld(postern, receiver);
  for (let i = 0; i < 30; i++) await change(postern, `item-${i}`);
  await until('its share is under way', () => held.length === AT_ONCE);
  const path = `/v1/webhooks/${id}`;
  assert.equal((await postern.call('PATCH', path, { body: { status: 'disabled' } })).body.status, 'disabled');
  for (const response of held) response.writeHead(200).end();
  // Wait until all requests in flight are settled. Once another webhook has everything, a follow-up had its chance too.
  await until('what was under way is settled', async () => (await succeeded()) === AT_ONCE);
  receiver.behave('other', answer(200));
  await subscribe(receiver, postern.call, 'other', ['content.*']);
  await change(postern, 'later');
  await until('another one is served', () => receiver.taken('other').size === 1);
  assert.equal(held.length, AT_ONCE);

  receiver.behave('held', answer(200));
  await postern.call('PATCH', path, { body: { status: 'active' } });
  await until('the rest comes', () => receiver.taken('held').size >= 30);
  assert.deepEqual(receiver.faults, []);
});

test('a new URL counts from its answer on, though a request to the old one was under way', async () => {
  await using postern = await startTestService({ env });
  await using receiver = await openReceiver();
  const { id, held, succeeded } = await withHeld(postern, receiver);
  await change(postern, 'one');
  await until('it is under way', () => held.length === 1);
  receiver.behave('moved', answer(200));
  const body = { url: receiver.url('moved') };
  assert.equal((await postern.call('PATCH', `/v1/webhooks/${id}`, { body })).status, 200);
  held[0]?.writeHead(200).end();
  await until('it is settled', async () => (await succeeded()) === 1);
  for (let i = 0; i < 20; i++) await change(postern, `item-${i}`);
  await until('all is there', () => receiver.taken('moved').size === 20);
  assert.equal(held.length, 1);
});

test('a success ends the failing, also of a webhook whose requests failed beside it', async () => {
  await using postern = await startTestService({ env });
  await using receiver = await openReceiver();
  const { id, held } = await withHeld(postern, receiver);
  for (let i = 0; i < 2; i++) await change(postern, `item-${i}`);
  await until('both are under way', () => held.length === 2);
  const failingSince = async () => (await postern.call('GET', `/v1/webhooks/${id}`)).body.failingSince as string | null;
  held[0]?.writeHead(500).end();
  await until('it is failing', failingSince);
  held[1]?.writeHead(200).end();
  await until('it is well again', async () => (await failingSince()) === null);
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
  await until('both were tried', async () => (await attempts()).join() === '1,1');
  await postern.call('DELETE', '/v1/content/gone');
  clock.advance(10_000);
  await until('both are tried again', async () => (await attempts()).join() === '2,2');
  const texts = receiver.arrivals('failing').map(({ body }) => body);
  assert.equal(new Set(texts).size, 2);
  const told = texts.map((body) => JSON.parse(body).data.object.externalId as string);
  assert.deepEqual(told.toSorted(), ['gone', 'gone', 'kept', 'kept']);
});

test('with POSTERN_WEBHOOKS=false nothing is sent, and what waited is sent once it is true', async () => {
  const trial: Record<string, string> = { ...env, POSTERN_WEBHOOKS: 'false' };
  await using postern = await startTestService({ env: trial });
  await using receiver = await openReceiver();
  receiver.behave('good', answer(200));
  await subscribe(receiver, postern.call, 'good', ['content.*']);
  await change(postern, 'first');
  const { text } = await postern.call('GET', '/metrics');
  assert.match(text, /^postern_lease_held\{work="deliveries"\} 0$/m);
  assert.ok(postern.logs.some((line) => line.includes('POSTERN_WEBHOOKS is false')));
  await postern.restart();
  assert.equal(receiver.arrivals('good').length, 0);
  trial.POSTERN_WEBHOOKS = 'true';
  await postern.restart();
  await until('the delivery', () => receiver.taken('good').size === 1);
});
