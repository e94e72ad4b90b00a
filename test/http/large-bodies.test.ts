/** Large bodies in flight have a bound, so that no key can fill the heap. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertError } from './given.ts';

const MIB = 1024 * 1024;
const BATCH = '/v1/access/check/batch';
const postern = await startTestService();
const begun: ClientRequest[] = [];
after(async () => {
  for (const one of begun) one.destroy();
  await postern[Symbol.asyncDispose]();
});

/** Begins a batch and sends nothing of its body. One that is refused, because others came first, begins again. */
function hold(headers: Record<string, string>): { end(): Promise<void> } {
  let sent: ClientRequest;
  const send = (): void => {
    sent = begin(headers).on('response', ({ statusCode }) => {
      if (statusCode === 503) send();
    });
  };
  send();
  return {
    end: () => new Promise((done) => sent.on('close', done).destroy()),
  };
}

function begin(headers: Record<string, string>): ClientRequest {
  const authorization = `Bearer ${postern.key}`;
  const sent = request(postern.url + BATCH, {
    method: 'POST',
    agent: false,
    headers: { authorization, 'content-type': 'application/json', ...headers },
  });
  sent.on('error', () => {});
  sent.flushHeaders();
  begun.push(sent);
  return sent;
}

/** Each check is refused by itself. */
const raw = JSON.stringify({
  checks: Array.from({ length: 1000 }, () => ({ contentId: 'a', pad: 'x'.repeat(3 * 1024) })),
});
const askLarge = () => postern.call('POST', BATCH, { raw });

test('beyond 32 MiB in flight a large body is refused until others have ended; small ones never are', async () => {
  const held = [hold({ 'content-length': String(15 * MIB) }), hold({ 'transfer-encoding': 'chunked' })];
  const crowded = await until('a refusal', askLarge, 10_000, ({ status }) => status === 503);
  assertError(crowded, 'service_unavailable');
  assert.ok(Number(crowded.headers.get('retry-after')) >= 1);
  assert.equal((await postern.call('POST', BATCH, { body: { checks: [{ contentId: 'a' }] } })).status, 200);
  await Promise.all(held.map((one) => one.end()));
  await until('room again', askLarge, 10_000, ({ status }) => status === 200);
});

test('a length that the route does not take holds nothing', async () => {
  const beyond = Array.from({ length: 3 }, () => begin({ 'content-length': String(17 * MIB) }));
  await Promise.all(beyond.map((one) => once(one, 'response')));
  assert.equal((await askLarge()).status, 200);
});
