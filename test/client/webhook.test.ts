/**
 * `verifyWebhook` accepts what the service signed, and rejects events that are changed, old or signed with another
 * secret.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createPostern, verifyWebhook, WebhookError } from '../../client/src/index.ts';
import * as fc from '../../kit/fast-check.ts';
import { startReceiver } from '../../kit/receiver.ts';
import { startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, it').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another one of thirty-two bytes!').toString('base64')}`;
const NOW = Date.parse('2026-11-21T09:30:00Z');
const BODY = '{"id":"evt_1","object":"event","type":"content.created","data":{"object":{"title":"Gezeiten ä"}}}';

const signedBy = (secret: string, body = BODY, at = NOW): Record<string, string> => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(at / 1000)),
  'webhook-signature': new Webhook(secret).sign('evt_1', new Date(at), body),
});
const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => assert.fail('it was believed'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof WebhookError, String(error));
  return error.reason;
};
const options = { now: NOW };

test('what the service sends is believed, before and after a rotation', async () => {
  await using postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  await using receiver = await startReceiver();
  const client = createPostern({ url: postern.url, key: postern.key });
  const hook = await client.createWebhook({ url: receiver.url, events: ['requester.*'] });
  await client.createRequester({ id: 'first' });
  const [one] = await until('the first', () => (receiver.received.length === 1 ? receiver.received : undefined));
  const { secret } = await client.rotateWebhookSecret(hook.id, {});
  await client.createRequester({ id: 'second' });
  const [, two] = await until('the second', () => (receiver.received.length === 2 ? receiver.received : undefined));
  assert.ok(one !== undefined && two !== undefined);
  assert.equal((await verifyWebhook(one.body, one.headers, hook.secret as string)).type, 'requester.created');
  assert.equal(await reasonOf(verifyWebhook(one.body, one.headers, secret as string)), 'no_matching_signature');
  for (const either of [hook.secret as string, secret as string, [OTHER, secret as string]]) {
    assert.equal((await verifyWebhook(two.body, new Headers(two.headers), either)).object, 'event');
  }
});

test('as text or as bytes, with headers of any kind', async () => {
  const headers = signedBy(SECRET);
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
  for (const given of [headers, new Headers(headers), upper]) {
    for (const body of [BODY, new TextEncoder().encode(BODY)]) {
      assert.equal((await verifyWebhook(body, given, SECRET, options)).id, 'evt_1');
    }
  }
});

test('one signature of several is enough, one secret of several too', async () => {
  const right = signedBy(SECRET)['webhook-signature'];
  for (const signatures of [
    `v1,${Buffer.from('nonsense').toString('base64')} ${right}`,
    `v1a,xyz ${right}`,
    `${right} v1,§§§`,
    `v2,${right?.slice(3)} ${right}`,
  ]) {
    const headers = { ...signedBy(SECRET), 'webhook-signature': signatures };
    assert.equal((await verifyWebhook(BODY, headers, [OTHER, SECRET], options)).id, 'evt_1', signatures);
  }
});

test('whatever was changed is not believed', async () => {
  const headers = signedBy(SECRET);
  for (const change of [
    { 'webhook-id': 'evt_2' },
    { 'webhook-timestamp': String(NOW / 1000 + 1) },
    { 'webhook-signature': signedBy(OTHER)['webhook-signature'] as string },
    { 'webhook-signature': (headers['webhook-signature'] as string).replace('v1,', 'v1a,') },
    { 'webhook-signature': 'v1,' },
    { 'webhook-signature': ' ' },
  ]) {
    assert.equal(
      await reasonOf(verifyWebhook(BODY, { ...headers, ...change }, SECRET, options)),
      'no_matching_signature',
    );
  }
  assert.equal(await reasonOf(verifyWebhook(`${BODY} `, headers, SECRET, options)), 'no_matching_signature');
  assert.equal(await reasonOf(verifyWebhook(BODY, headers, [], options)), 'no_matching_signature');
  for (const name of Object.keys(headers)) {
    for (const value of [undefined, '', ['a', 'b']]) {
      assert.equal(
        await reasonOf(verifyWebhook(BODY, { ...headers, [name]: value }, SECRET, options)),
        'missing_header',
      );
    }
  }
});

test('any one byte changed anywhere', async () => {
  const headers = signedBy(SECRET);
  const bytes = new TextEncoder().encode(BODY);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (place, flip) => {
      const changed = Uint8Array.from(bytes, (byte, i) => (i === place ? byte ^ flip : byte));
      assert.equal(await reasonOf(verifyWebhook(changed, headers, SECRET, options)), 'no_matching_signature');
    }),
    { numRuns: 200 },
  );
});

test('only from about now', async () => {
  const at = (seconds: number, more = {}) =>
    verifyWebhook(BODY, signedBy(SECRET, BODY, NOW + seconds * 1000), SECRET, { ...options, ...more });
  for (const seconds of [-300, -1, 0, 300]) assert.equal((await at(seconds)).id, 'evt_1');
  assert.equal(await reasonOf(at(-301)), 'too_old');
  assert.equal(await reasonOf(at(301)), 'too_new');
  assert.equal((await at(-301, { toleranceSeconds: 400 })).id, 'evt_1');
  assert.equal(await reasonOf(at(-2, { toleranceSeconds: 1 })), 'too_old');
  for (const timestamp of ['now', '-1', '1e9', '0x10', ' ', '1.5', '9'.repeat(20)]) {
    const headers = { ...signedBy(SECRET), 'webhook-timestamp': timestamp };
    assert.equal(await reasonOf(verifyWebhook(BODY, headers, SECRET, options)), 'bad_timestamp', timestamp);
  }
});

test('a body that is signed and no JSON, and a secret that is none', async () => {
  assert.equal(await reasonOf(verifyWebhook('nope', signedBy(SECRET, 'nope'), SECRET, options)), 'bad_body');
  for (const secret of ['', 'whsec_', 'whsec_!', SECRET.slice(6), `whsec_${Buffer.from('short').toString('base64')}`]) {
    await assert.rejects(verifyWebhook(BODY, signedBy(SECRET), secret, options), TypeError);
  }
});
