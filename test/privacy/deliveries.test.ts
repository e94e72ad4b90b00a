/**
 * Deliveries around an erasure: what an endpoint answers may repeat what it was sent, and an attempt may be older than
 * the erasure.
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { hurry } from '../../kit/hurry.ts';
import { type Received, startReceiver } from '../../kit/receiver.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertStatus, item, made } from '../http/given.ts';

hurry();

const postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());

async function erase(id: string, onceRewritten = (): void => undefined): Promise<void> {
  assertStatus(await postern.call('POST', `/v1/requesters/${id}/erase`), 200);
  const isRewritten = async () =>
    (await postern.rowsOf('erasures')).every((row) => /"status":"(columns|done)"/.test(JSON.stringify(row)));
  await until('the records are rewritten', isRewritten);
  onceRewritten();
  const isGone = async () => (await postern.call('POST', `/v1/requesters/${id}/erase`)).status === 404;
  await until('it is erased', isGone, 60_000);
}

const repeat = ({ body }: Received, response: ServerResponse): void => void response.writeHead(500).end(body);

test('a delivery that is sent again afterwards has the pseudonym', async () => {
  await using receiver = await startReceiver();
  receiver.answer = repeat;
  const { id } = await made(postern, '/v1/webhooks', { url: receiver.url, events: ['requester.created'] });
  const deliveries = `/v1/webhooks/${id}/deliveries`;
  await made(postern, '/v1/requesters', { id: 'sent-twice', name: 'Zoe Zuckermann' });
  const [delivery] = await until('the first attempt is stored', async () => {
    const { data } = (await postern.call('GET', deliveries)).body;
    return data[0]?.attempts.length === 1 ? data : undefined;
  });
  assert.match(delivery.attempts[0].responseBody, /sent-twice.*Zuckermann/);
  await erase('sent-twice');
  const count = receiver.received.length;
  assertStatus(await postern.call('POST', `${deliveries}/${delivery.id}/retry`), 200);
  await until('it is sent again', () => receiver.received.length > count);
  assert.doesNotMatch(receiver.received.at(-1)?.body ?? '', /sent-twice|Zuckermann/);
  assert.match(receiver.received.at(-1)?.event.data.object.id, /^erased_/);
});

test('an answer that arrives afterwards is stored without its body', async () => {
  await using receiver = await startReceiver();
  const held: (() => void)[] = [];
  receiver.answer = (received, response) => void held.push(() => repeat(received, response));
  const { id } = await made(postern, '/v1/webhooks', { url: receiver.url, events: ['requester.created'] });
  await made(postern, '/v1/requesters', { id: 'held-back', name: 'Zoe Zuckermann' });
  await until('it is sent', () => held.length === 1);
  await erase('held-back', () => {
    for (const answer of held) answer();
  });
  const answered = await until('the attempt is stored', async () => {
    const { data } = (await postern.call('GET', `/v1/webhooks/${id}/deliveries`)).body;
    return data[0]?.attemptCount > 0 ? data[0] : undefined;
  });
  assert.equal(answered.attempts.at(-1).statusCode, 500);
  assert.doesNotMatch(JSON.stringify(await postern.rowsOf('deliveries')), /held-back|Zuckermann/);
});

test('an answer to a decision loses its body when the inputs of the decision are erased', async () => {
  const clock = testClock();
  const env = { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true', POSTERN_INPUT_DAYS: '1' };
  await using own = await startTestService({ clock, env });
  await using receiver = await startReceiver();
  receiver.answer = ({ body }, response) =>
    void response.writeHead(200).end(/unmistakable|acme/.exec(body)?.[0] ?? 'neither');
  const { id } = await made(own, '/v1/webhooks', { url: receiver.url, events: ['access.*', 'requester.created'] });
  await made(own, '/v1/requesters', { id: 'acme', name: 'Acme' });
  const { id: contentId } = await made(own, '/v1/content', item());
  await made(own, '/v1/access/check', { contentId, context: { userAgent: 'unmistakable' } }, 200);
  const bodies = async (): Promise<{ [kind: string]: string | null }> => {
    const { data } = (await own.call('GET', `/v1/webhooks/${id}/deliveries`)).body;
    return Object.fromEntries(data.map((one: any) => [one.eventType, one.attempts[0]?.responseBody ?? null]));
  };
  await until('both are delivered', async () => {
    const found = await bodies();
    return found['access.denied'] === 'unmistakable' && found['requester.created'] === 'acme';
  });
  clock.advance(3 * 86_400_000);
  await until('the answer is erased', async () => (await bodies())['access.denied'] === null || undefined, 30_000);
  assert.equal((await bodies())['requester.created'], 'acme', 'no decision');
  assert.doesNotMatch(JSON.stringify(await own.rowsOf('deliveries')), /unmistakable/);
});
