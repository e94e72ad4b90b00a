/** Webhooks: their operations, and the requests that endpoints receive, when and how often. On a real socket. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { pluck } from '../../../kit/pluck.ts';
import { type Received, type Receiver, startReceiver } from '../../../kit/receiver.ts';
import { startTestService, type TestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import {
  allowAll,
  assertError,
  assertStatus,
  check,
  ID,
  item,
  MOMENT,
  made,
  makeItem,
  makeKey,
} from '../../http/given.ts';

const DAY_MS = 86_400_000;
const env = { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' };
const postern = await startTestService({ env });
after(() => postern[Symbol.asyncDispose]());

/** Creates a webhook that leads to the receiver. */
const makeHook = (to: TestService, { url }: Receiver, events: string[], more: object = {}): Promise<any> =>
  made(to, '/v1/webhooks', { url, events, ...more });

async function deliveriesOf(of: TestService, id: string, query = ''): Promise<any[]> {
  const answer = await of.call('GET', `/v1/webhooks/${id}/deliveries?limit=100${query}`);
  assertStatus(answer, 200);
  return answer.body.data;
}

/** The only delivery, once it holds. */
const delivery = (of: TestService, id: string, holds: (one: { status: string; attemptCount: number }) => boolean) =>
  until(`the delivery of ${id}`, async () => {
    const all = await deliveriesOf(of, id);
    return all.length === 1 && holds(all[0]) ? all[0] : undefined;
  });

const read = async (of: TestService, id: string) => (await of.call('GET', `/v1/webhooks/${id}`)).body;
const verify = (secret: string, { headers, body }: Received) => new Webhook(secret).verify(body, headers);

describe('operations', () => {
  test('create: the whole record, the secret once; then read and list without it', async () => {
    const sent = {
      url: 'https://example.com/a?b=c',
      events: ['content.created', 'access.*'],
      description: 'd',
      metadata: { b: 1, a: [2] },
    };
    const answer = await postern.call('POST', '/v1/webhooks', { body: sent });
    assertStatus(answer, 201);
    const { id, secret, created, updated, ...rest } = answer.body;
    assert.match(id, ID('wh'));
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/);
    const bytes = Buffer.from(secret.slice(6), 'base64').length;
    assert.ok(bytes >= 24 && bytes <= 64, 'as long as Standard Webhooks asks for');
    assert.match(created, MOMENT);
    assert.equal(updated, created);
    assert.deepEqual(rest, { object: 'webhook', ...sent, status: 'active', disabledReason: null, failingSince: null });
    const got = await postern.call('GET', `/v1/webhooks/${id}`);
    assert.deepEqual(got.body, { id, ...rest, created, updated });
    const list = await postern.call('GET', '/v1/webhooks?limit=1');
    assert.deepEqual(list.body.data, [got.body]);
    assertStatus(await postern.call('DELETE', `/v1/webhooks/${id}`), 200);
    assertError(await postern.call('GET', `/v1/webhooks/${id}`), 'webhook_not_found');
  });

  for (const [what, body, param] of [
    ['no url', { events: ['*'] }, 'url'],
    ['no events', { url: 'https://example.com/' }, 'events'],
    ['an empty list of events', { url: 'https://example.com/', events: [] }, 'events'],
    ['no absolute url', { url: '/hook', events: ['*'] }, 'url'],
    ['another scheme', { url: 'ftp://example.com/', events: ['*'] }, 'url'],
    ['a user name', { url: 'https://me@example.com/', events: ['*'] }, 'url'],
    ['a password', { url: 'https://:pw@example.com/', events: ['*'] }, 'url'],
    ['a url that is too long', { url: `https://example.com/${'a'.repeat(2040)}`, events: ['*'] }, 'url'],
    ['no text', { url: 7, events: ['*'] }, 'url'],
    ['an unknown kind', { url: 'https://example.com/', events: ['*', 'content.create'] }, 'events[1]'],
    ['an unknown group', { url: 'https://example.com/', events: ['contents.*'] }, 'events[0]'],
    ['a star in the middle', { url: 'https://example.com/', events: ['*.created'] }, 'events[0]'],
    ['a kind that is no event', { url: 'https://example.com/', events: ['webhook.created'] }, 'events[0]'],
    ['the test', { url: 'https://example.com/', events: ['webhook.test'] }, 'events[0]'],
    ['an unknown field', { url: 'https://example.com/', events: ['*'], evnts: [] }, 'evnts'],
    ['a secret of its own', { url: 'https://example.com/', events: ['*'], secret: 'whsec_AAAA' }, 'secret'],
    ['a status', { url: 'https://example.com/', events: ['*'], status: 'active' }, 'status'],
    [
      'metadata that is too deep',
      { url: 'https://example.com/', events: ['*'], metadata: { a: { a: { a: { a: { a: { a: 1 } } } } } } },
      undefined,
    ],
  ] as const) {
    test(`create refuses ${what}`, async () => {
      assertError(await postern.call('POST', '/v1/webhooks', { body }), 'invalid_request', param);
    });
  }

  test('a kind that is nearly right is named', async () => {
    const hint = async (kind: string) =>
      (await postern.call('POST', '/v1/webhooks', { body: { url: 'https://example.com/', events: [kind] } })).body.error
        .message;
    assert.match(await hint('content.create'), /content\.created/);
    assert.match(await hint('licence.expired'), /license\.expired/);
    assert.match(await hint('acess.denied'), /access\.denied/);
  });

  test('edit: each field, refusals as on create, nothing to edit is refused', async () => {
    const { id, secret, ...before } = await made(postern, '/v1/webhooks', {
      url: 'https://example.com/',
      events: ['*'],
      metadata: { a: 1 },
    });
    const patch = (body: object) => postern.call('PATCH', `/v1/webhooks/${id}`, { body });
    assertError(await patch({}), 'invalid_request');
    assertError(await patch({ url: 'gopher://a' }), 'invalid_request', 'url');
    assertError(await patch({ events: ['nope'] }), 'invalid_request', 'events[0]');
    assertError(await patch({ secret: 'whsec_AAAA' }), 'invalid_request', 'secret');
    assertError(await patch({ status: 'paused' }), 'invalid_request', 'status');
    assert.deepEqual(await read(postern, id), { id, ...before }, 'refusals change nothing');
    const edits = { url: 'https://example.org/b', events: ['policy.*'], description: 'new', metadata: { b: 2 } };
    const { body } = await patch(edits);
    assert.equal(body.url, edits.url);
    assert.deepEqual(body.events, edits.events);
    assert.equal(body.description, 'new');
    assert.deepEqual(body.metadata, { a: 1, b: 2 });
    assert.ok(!('secret' in body));
    assert.notEqual(body.updated, before.created);
    assert.equal((await patch({ description: null })).body.description, null);
    const off = (await patch({ status: 'disabled' })).body;
    assert.equal(off.status, 'disabled');
    assert.equal(typeof off.disabledReason, 'string');
    assertError(await postern.call('POST', `/v1/webhooks/${id}/test`), 'invalid_request');
    const on = (await patch({ status: 'active' })).body;
    assert.deepEqual([on.status, on.disabledReason], ['active', null]);
    assert.deepEqual((await postern.call('DELETE', `/v1/webhooks/${id}`)).body, {
      id,
      object: 'webhook',
      deleted: true,
    });
  });

  test('what is not there is not found', async () => {
    const { id } = await made(postern, '/v1/webhooks', { url: 'https://example.com/', events: ['license.expired'] });
    for (const unknown of ['wh_00000000000000000000000000', 'x', '%00', `${id}x`]) {
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/test'],
        ['POST', '/rotate-secret'],
        ['GET', '/deliveries'],
        ['GET', '/deliveries/dlv_00000000000000000000000000'],
        ['POST', '/deliveries/dlv_00000000000000000000000000/retry'],
      ] as const) {
        const answer = await postern.call(method, `/v1/webhooks/${unknown}${path}`);
        if (unknown === '%00') assert.ok([400, 404].includes(answer.status), answer.text);
        else assertError(answer, 'webhook_not_found', undefined, `${method} ${unknown} ${path}`);
      }
      const patched = await postern.call('PATCH', `/v1/webhooks/${unknown}`, { body: { description: 'x' } });
      assert.ok([400, 404].includes(patched.status));
    }
    for (const path of ['dlv_00000000000000000000000000', 'x']) {
      assertError(await postern.call('GET', `/v1/webhooks/${id}/deliveries/${path}`), 'delivery_not_found');
      assertError(await postern.call('POST', `/v1/webhooks/${id}/deliveries/${path}/retry`), 'delivery_not_found');
    }
    assertError(await postern.call('GET', `/v1/webhooks/${id}/deliveries?state=failed`), 'invalid_request', 'state');
    assertError(await postern.call('GET', `/v1/webhooks/${id}/deliveries?status=done`), 'invalid_request', 'status');
    assertError(await postern.call('GET', `/v1/webhooks/${id}/deliveries?cursor=x`), 'invalid_cursor');
    assertError(await postern.call('GET', '/v1/webhooks?cursor=x'), 'invalid_cursor');
  });

  test('a delivery of one webhook is not found under another', async () => {
    await using receiver = await startReceiver();
    const one = await makeHook(postern, receiver, ['license.expired']);
    const other = await makeHook(postern, receiver, ['license.expired']);
    const { id } = (await postern.call('POST', `/v1/webhooks/${one.id}/test`)).body;
    assertError(await postern.call('GET', `/v1/webhooks/${other.id}/deliveries/${id}`), 'delivery_not_found');
    assertError(await postern.call('POST', `/v1/webhooks/${other.id}/deliveries/${id}/retry`), 'delivery_not_found');
  });

  test('Idempotency-Key on create: the secret again for who repeats it, and sealed for everybody else', async () => {
    const body = { url: 'https://example.com/', events: ['*'] };
    const send = (key?: string) =>
      postern.call('POST', '/v1/webhooks', {
        body,
        headers: { 'idempotency-key': 'hook-1' },
        ...(key === undefined ? {} : { key }),
      });
    const first = await send();
    assertStatus(first, 201);
    const again = await send();
    assertStatus(again, 201);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const other = await send(await makeKey(postern, { permissions: ['webhooks:manage'] }));
    assert.notEqual(other.body.id, first.body.id, 'a key is its caller’s own');
    const rotate = () =>
      postern.call('POST', `/v1/webhooks/${first.body.id}/rotate-secret`, { headers: { 'idempotency-key': 'r' } });
    const rotated = await rotate();
    assertStatus(rotated, 200);
    assert.notEqual(rotated.body.secret, first.body.secret);
    assert.equal((await rotate()).text, rotated.text, 'rotated once');
  });
});

describe('deliveries', () => {
  test('one event, signed as the standard has it, with the headers it names', async () => {
    await using receiver = await startReceiver();
    const hook = await makeHook(postern, receiver, ['content.created']);
    const content = await made(postern, '/v1/content', item({ title: 'Grüße, ☀' }));
    const got = await until('a delivery', () => receiver.received[0]);
    assert.equal(got.method, 'POST');
    assert.equal(got.path, '/hook');
    assert.match(got.headers['content-type'] ?? '', /^application\/json/);
    assert.match(got.headers['user-agent'] ?? '', /^Postern/);
    assert.deepEqual(verify(hook.secret, got), got.event);
    assert.throws(() => new Webhook(hook.secret).verify(`${got.body} `, got.headers), 'another body');
    const { id, created, data, ...rest } = got.event;
    assert.match(id, ID('evt'));
    assert.equal(got.headers['webhook-id'], id);
    assert.match(created, MOMENT);
    assert.deepEqual(rest, { object: 'event', type: 'content.created' });
    const { stats, ...record } = content;
    assert.deepEqual(data, { object: record });
    assert.equal((await postern.call('GET', `/v1/events/${id}`)).text, got.body, 'byte for byte as the API has it');
    const log = await delivery(postern, hook.id, ({ status }) => status === 'succeeded');
    assert.match(log.id, ID('dlv'));
    assert.deepEqual(
      [log.object, log.webhookId, log.eventId, log.eventType],
      ['webhook_delivery', hook.id, id, 'content.created'],
    );
    assert.deepEqual([log.attemptCount, log.nextAttemptAt], [1, null]);
    const [attempt] = log.attempts;
    assert.equal(attempt.request.url, receiver.url);
    assert.equal(attempt.request.headers['webhook-signature'], got.headers['webhook-signature']);
    assert.ok(!JSON.stringify(log).includes(hook.secret));
    assert.equal(attempt.statusCode, 200);
    assert.ok(Number.isInteger(attempt.durationMs) && attempt.durationMs >= 0);
    const one = await postern.call('GET', `/v1/webhooks/${hook.id}/deliveries/${log.id}`);
    assert.equal(one.body.requestBody, got.body);
  });

  test('the first kilobyte of the answer is kept', async () => {
    await using receiver = await startReceiver();
    receiver.status(200, {}, `${'a'.repeat(1020)}\0\0\0\0${'b'.repeat(100_000)}`);
    const hook = await makeHook(postern, receiver, ['license.expired']);
    await postern.call('POST', `/v1/webhooks/${hook.id}/test`);
    const { attempts } = await delivery(postern, hook.id, ({ attemptCount }) => attemptCount === 1);
    assert.ok(attempts[0].responseBody.startsWith('a'.repeat(1020)));
    assert.ok(!attempts[0].responseBody.includes('b'));
  });

  test('by subscription: a kind, a group, all', async () => {
    await using one = await startReceiver();
    await using group = await startReceiver();
    await using all = await startReceiver();
    await makeHook(postern, one, ['requester.updated']);
    await makeHook(postern, group, ['requester.*']);
    await makeHook(postern, all, ['*', 'requester.created']);
    const { id } = await made(postern, '/v1/requesters', { name: 'R' });
    await postern.call('PATCH', `/v1/requesters/${id}`, { body: { name: 'S' } });
    await postern.call('DELETE', `/v1/requesters/${id}`);
    const { id: last } = await made(postern, '/v1/requesters', { name: 'Last' });
    await postern.call('PATCH', `/v1/requesters/${last}`, { body: { name: 'Last one' } });
    // In no promised order: the last one may overtake the others.
    const types = async (receiver: Receiver, count: number) => {
      const own = () => receiver.received.filter(({ event }) => event.data.object.id === id);
      await until('the last event', () => receiver.received.some(({ event }) => event.data.object.name === 'Last one'));
      await until('the others', () => own().length >= count);
      return own()
        .map(({ event }) => event.type)
        .toSorted();
    };
    assert.deepEqual(await types(one, 1), ['requester.updated']);
    const three = ['requester.created', 'requester.deleted', 'requester.updated'];
    assert.deepEqual(await types(group, 3), three);
    assert.deepEqual(await types(all, 3), three);
    const updated = group.of('requester.updated').find(({ event }) => event.data.object.name === 'S')?.event;
    assert.equal(updated.data.previous.name, 'R');
    assert.deepEqual(Object.keys(updated.data.previous).toSorted(), ['name', 'updated']);
  });

  test('a test event goes to its webhook alone, whatever that subscribed to', async () => {
    await using receiver = await startReceiver();
    await using other = await startReceiver();
    const hook = await makeHook(postern, receiver, ['license.expired']);
    await makeHook(postern, other, ['*']);
    const answer = await postern.call('POST', `/v1/webhooks/${hook.id}/test`);
    assertStatus(answer, 200);
    assert.deepEqual(
      [answer.body.object, answer.body.eventType, answer.body.status],
      ['webhook_delivery', 'webhook.test', 'pending'],
    );
    const got = await until('the test', () => receiver.received[0]);
    assert.equal(got.event.type, 'webhook.test');
    assert.equal(got.event.id, answer.body.eventId);
    verify(hook.secret, got);
    const { id } = await made(postern, '/v1/content', item());
    await until('the next event', () => other.received.find(({ event }) => event.data.object.id === id));
    assert.equal(other.of('webhook.test').length, 0);
    const list = await postern.call('GET', '/v1/events?limit=100');
    assert.ok(!list.text.includes('webhook.test'));
  });

  test('an event that wants delivering is requested once, however many there are', async () => {
    await using receiver = await startReceiver();
    const hook = await makeHook(postern, receiver, ['content.created']);
    const batch = 500;
    for (let i = 0; i < 4; i++) {
      const items = Array.from({ length: batch }, () => item());
      assertStatus(await postern.call('POST', '/v1/content/bulk-upsert', { body: { items } }), 200);
    }
    await until('all', () => new Set(receiver.received.map(({ event }) => event.id)).size === 4 * batch, 60_000);
    await until('the log to agree', async () => {
      const { body } = await postern.call('GET', `/v1/webhooks/${hook.id}/deliveries?status=succeeded&limit=1`);
      return body.totalCount === 4 * batch;
    });
    assert.equal(receiver.received.length, 4 * batch);
  });

  test('redirects are failures and are not followed', async () => {
    await using receiver = await startReceiver();
    await using beyond = await startReceiver();
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.status(status, { location: beyond.url });
      const hook = await makeHook(postern, receiver, ['license.expired']);
      await postern.call('POST', `/v1/webhooks/${hook.id}/test`);
      const log = await delivery(postern, hook.id, ({ attemptCount }) => attemptCount === 1);
      assert.deepEqual([log.status, log.attempts[0].statusCode], ['pending', status]);
    }
    assert.equal(beyond.connections(), 0);
  });

  for (const [status, success] of [
    [200, true],
    [204, true],
    [299, true],
    [400, false],
    [404, false],
    [500, false],
  ] as const) {
    test(`${status} is ${success ? 'success' : 'failure'}`, async () => {
      await using receiver = await startReceiver();
      receiver.status(status);
      const hook = await makeHook(postern, receiver, ['license.expired']);
      await postern.call('POST', `/v1/webhooks/${hook.id}/test`);
      const log = await delivery(postern, hook.id, ({ attemptCount }) => attemptCount === 1);
      assert.equal(log.status, success ? 'succeeded' : 'pending');
      assert.equal((await read(postern, hook.id)).failingSince === null, success);
    });
  }

  test('no answer within 15 s, nothing that listens, a body without end: each fails with its reason', async () => {
    await using silent = await startReceiver();
    await using endless = await startReceiver();
    await using cut = await startReceiver();
    silent.answer = () => undefined;
    const drips = new Set<NodeJS.Timeout>();
    endless.answer = (_received, response) => {
      response.writeHead(200);
      drips.add(setInterval(() => response.write('drip'), 50));
    };
    cut.answer = (_received, response) => void response.destroy();
    const closed = await startReceiver();
    await closed[Symbol.asyncDispose]();
    const begun = performance.now();
    const logs = await Promise.all(
      [silent, endless, cut, closed].map(async (receiver) => {
        const hook = await makeHook(postern, receiver, ['license.expired']);
        await postern.call('POST', `/v1/webhooks/${hook.id}/test`);
        return until(
          'a failure',
          async () => {
            const [one] = await deliveriesOf(postern, hook.id);
            return one.attemptCount === 1 ? one.attempts[0] : undefined;
          },
          25_000,
        );
      }),
    );
    for (const drip of drips) clearInterval(drip);
    const [noAnswer, noEnd, reset, refused] = logs;
    for (const attempt of [noAnswer, noEnd]) {
      assert.match(attempt.error, /15 seconds/);
      assert.ok(attempt.durationMs >= 14_500 && attempt.durationMs < 18_000, `${attempt.durationMs} ms`);
    }
    assert.match(reset.error, /closed/);
    assert.match(refused.error, /refused/);
    for (const attempt of logs) assert.equal(attempt.statusCode, null);
    assert.ok(performance.now() - begun < 25_000);
  });
});

describe('retrying by hand', () => {
  test('a failed delivery and one that succeeded, with the same id and bytes', async () => {
    await using receiver = await startReceiver();
    receiver.status(500);
    const hook = await makeHook(postern, receiver, ['license.expired']);
    await postern.call('POST', `/v1/webhooks/${hook.id}/test`);
    const failed = await delivery(postern, hook.id, ({ attemptCount }) => attemptCount === 1);
    receiver.status(200);
    const retry = () => postern.call('POST', `/v1/webhooks/${hook.id}/deliveries/${failed.id}/retry`);
    const answer = await retry();
    assertStatus(answer, 200);
    assert.equal(answer.body.status, 'pending');
    await delivery(postern, hook.id, ({ status }) => status === 'succeeded');
    assert.equal((await read(postern, hook.id)).failingSince, null);
    assertStatus(await retry(), 200);
    await delivery(postern, hook.id, ({ status, attemptCount }) => status === 'succeeded' && attemptCount === 3);
    const [first, second, third] = receiver.received;
    assert.deepEqual([second?.body, third?.body], [first?.body, first?.body]);
    assert.deepEqual([second?.headers['webhook-id'], third?.headers['webhook-id']], [first?.event.id, first?.event.id]);
  });

  test('with an Idempotency-Key it is sent once more, not twice', async () => {
    await using receiver = await startReceiver();
    const hook = await makeHook(postern, receiver, ['license.expired']);
    await postern.call('POST', `/v1/webhooks/${hook.id}/test`);
    const { id } = await delivery(postern, hook.id, ({ status }) => status === 'succeeded');
    const retry = () =>
      postern.call('POST', `/v1/webhooks/${hook.id}/deliveries/${id}/retry`, {
        headers: { 'idempotency-key': 'again' },
      });
    const first = await retry();
    await delivery(postern, hook.id, ({ attemptCount, status }) => attemptCount === 2 && status === 'succeeded');
    const again = await retry();
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true']);
    const log = await delivery(postern, hook.id, () => true);
    assert.deepEqual([log.attemptCount, log.status], [2, 'succeeded']);
  });
});

describe('secrets', () => {
  test('for 24 h after a rotation both sign, then the new one alone', async () => {
    const clock = testClock();
    await using own = await startTestService({ env, clock });
    await using receiver = await startReceiver();
    const hook = await makeHook(own, receiver, ['license.expired']);
    const rotated = await own.call('POST', `/v1/webhooks/${hook.id}/rotate-secret`);
    assertStatus(rotated, 200);
    assert.match(rotated.body.secret, /^whsec_/);
    assert.notEqual(rotated.body.secret, hook.secret);
    const signatures = async () => {
      const { eventId } = (await own.call('POST', `/v1/webhooks/${hook.id}/test`)).body;
      const got = await until('the test', () => receiver.received.find(({ event }) => event.id === eventId));
      const at = Number(got.headers['webhook-timestamp']);
      assert.equal(at, Math.floor(clock.now() / 1000));
      const by = (secret: string) => new Webhook(secret).sign(eventId, new Date(at * 1000), got.body);
      const sent = (got.headers['webhook-signature'] ?? '').split(' ');
      return { sent, old: by(hook.secret), now: by(rotated.body.secret) };
    };
    for (const wait of [0, DAY_MS - 1]) {
      clock.advance(wait);
      const { sent, old, now } = await signatures();
      assert.deepEqual([...sent].toSorted(), [old, now].toSorted(), `${wait} ms later`);
    }
    clock.advance(1);
    const { sent, now } = await signatures();
    assert.deepEqual(sent, [now]);
  });

  test('each for 24 h after its own rotation, also when there are several', async () => {
    const clock = testClock();
    await using own = await startTestService({ env, clock });
    await using receiver = await startReceiver();
    const hook = await makeHook(own, receiver, ['license.expired']);
    const secrets: string[] = [hook.secret];
    const rotate = async () => {
      const { secret } = (await own.call('POST', `/v1/webhooks/${hook.id}/rotate-secret`)).body;
      secrets.unshift(secret);
    };
    const signing = async (): Promise<number[]> => {
      const { eventId } = (await own.call('POST', `/v1/webhooks/${hook.id}/test`)).body;
      const got = await until('the test', () => receiver.received.find(({ event }) => event.id === eventId));
      const at = new Date(Number(got.headers['webhook-timestamp']) * 1000);
      const sent = (got.headers['webhook-signature'] ?? '').split(' ');
      return sent.map((one) => secrets.findIndex((secret) => new Webhook(secret).sign(eventId, at, got.body) === one));
    };
    await rotate();
    clock.advance(DAY_MS / 2);
    await rotate();
    assert.deepEqual(await signing(), [0, 1, 2]);
    clock.advance(DAY_MS / 2);
    assert.deepEqual(await signing(), [0, 1], 'the first was replaced a day ago');
    for (let i = 0; i < 7; i++) await rotate();
    assert.deepEqual(await signing(), [0, 1, 2, 3, 4, 5], 'a header has an end');
  });
});

describe('the schedule', () => {
  const SECOND = 1000;
  const MINUTE = 60 * SECOND;
  const HOUR = 60 * MINUTE;
  const GAPS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

  test('ten attempts, each when it is due and not before, same id, same bytes; then it has failed', async () => {
    const clock = testClock();
    await using own = await startTestService({ env, clock });
    await using receiver = await startReceiver();
    const hook = await makeHook(own, receiver, ['requester.created']);
    const { id: requester } = await made(own, '/v1/requesters', { name: 'doomed' });
    const isDoomed = ({ event }: Received) => event.data.object.id === requester;
    receiver.answer = (received, response) => void response.writeHead(isDoomed(received) ? 500 : 200).end();
    const doomed = async (attempts: number) =>
      until(`attempt ${attempts}`, async () => {
        const all = await deliveriesOf(own, hook.id);
        return all.find(({ attemptCount, status }) => attemptCount === attempts && status !== 'succeeded');
      });
    for (const [i, gap] of GAPS.entries()) {
      const log = await doomed(i + 1);
      assert.equal(log.status, 'pending');
      const begun = Date.parse(log.attempts.at(-1).created);
      const due = Date.parse(log.nextAttemptAt);
      assert.ok(due - begun >= gap && due - begun <= gap * 1.1 + 1, `${i}: ${due - begun} for ${gap}`);
      clock.advance(due - 1 - clock.now());
      // What is due now is looked for and sent, so the one that is not was seen and left.
      const { id } = await made(own, '/v1/requesters', { name: 'probe' });
      await until('the probe', () => receiver.received.find(({ event }) => event.data.object.id === id));
      assert.equal(receiver.received.filter(isDoomed).length, i + 1);
      clock.advance(1);
    }
    const end = await doomed(10);
    assert.deepEqual([end.status, end.nextAttemptAt, end.attempts.length], ['failed', null, 10]);
    const requests = receiver.received.filter(isDoomed);
    assert.equal(requests.length, 10);
    assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
    assert.equal(new Set(requests.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(requests.map(({ headers }) => headers['webhook-timestamp'])).size, 10, 'each is signed anew');
  });

  for (const [what, header, waitMs] of [
    ['seconds', '3600', HOUR],
    ['a date', new Date(Date.parse('2026-11-21T11:30:00Z')).toUTCString(), 2 * HOUR],
    ['less than the schedule', '1', 5 * SECOND],
    ['a date that has passed', new Date(0).toUTCString(), 5 * SECOND],
    ['more than a day', '999999', DAY_MS],
    ['nonsense', 'soon', 5 * SECOND],
    ['a negative number', '-5', 5 * SECOND],
  ] as const) {
    test(`Retry-After: ${what}`, async () => {
      await using own = await startTestService({ env, clock: testClock() });
      await using receiver = await startReceiver();
      receiver.status(503, { 'retry-after': header });
      const hook = await makeHook(own, receiver, ['license.expired']);
      await own.call('POST', `/v1/webhooks/${hook.id}/test`);
      const log = await delivery(own, hook.id, ({ attemptCount }) => attemptCount === 1);
      const wait = Date.parse(log.nextAttemptAt) - Date.parse(log.attempts[0].created);
      assert.ok(wait >= waitMs && wait <= waitMs * 1.1 + 1, `${wait} ms`);
    });
  }
});

describe('an endpoint that is given up', () => {
  test('410 disables at once, visibly, and once; what waits is not sent, and is when it is enabled again', async () => {
    await using receiver = await startReceiver();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    receiver.answer = (_received, response) => void held.then(() => response.writeHead(410).end());
    const hook = await makeHook(postern, receiver, ['content.created']);
    const total = 60;
    await postern.call('POST', '/v1/content/bulk-upsert', {
      body: { items: Array.from({ length: total }, () => item()) },
    });
    await until('requests at once', () => receiver.received.length >= 2);
    release();
    const off = await until('disabled', async () => {
      const one = await read(postern, hook.id);
      return one.status === 'disabled' ? one : undefined;
    });
    assert.match(off.disabledReason, /410/);
    // Another endpoint is served twice meanwhile: no request of this one is in flight any longer.
    await using other = await startReceiver();
    const witness = await makeHook(postern, other, ['license.expired']);
    const sent = receiver.received.length;
    assert.ok(sent < total / 2, `${sent} of ${total} were sent to an endpoint that is gone`);
    for (let i = 1; i <= 2; i++) {
      await postern.call('POST', `/v1/webhooks/${witness.id}/test`);
      await until('the witness', () => other.received.length === i);
    }
    const { body: entries } = await postern.call('GET', `/v1/audit-log?object=${hook.id}&kind=webhook.disabled`);
    assert.equal(entries.totalCount, 1);
    assert.equal(entries.data[0].actor.type, 'system');
    const { id: missed } = await made(postern, '/v1/content', item());
    assert.equal(receiver.received.length, sent);
    receiver.status(200);
    const on = await postern.call('PATCH', `/v1/webhooks/${hook.id}`, { body: { status: 'active' } });
    assert.deepEqual([on.body.status, on.body.disabledReason, on.body.failingSince], ['active', null, null]);
    await until('what was missed', () => receiver.received.some(({ event }) => event.data.object.id === missed));
    // Those that were tried are due by the schedule, 5 s later; the others at once.
    await until('all', () => new Set(receiver.received.map(({ event }) => event.id)).size === total + 1);
  });

  test('disabled by hand: nothing more is sent, and everything later once it is enabled', async () => {
    await using receiver = await startReceiver();
    const hook = await makeHook(postern, receiver, ['content.created']);
    const held: (() => void)[] = [];
    receiver.answer = (_received, response) => void held.push(() => response.end());
    const items = Array.from({ length: 40 }, () => item());
    await postern.call('POST', '/v1/content/bulk-upsert', { body: { items } });
    // As many as go to one endpoint at once: none is still on its way.
    await until('requests', () => held.length === 8);
    await postern.call('PATCH', `/v1/webhooks/${hook.id}`, { body: { status: 'disabled' } });
    const sent = receiver.received.length;
    await using other = await startReceiver();
    const witness = await makeHook(postern, other, ['license.expired']);
    await postern.call('POST', `/v1/webhooks/${witness.id}/test`);
    await until('the witness', () => other.received.length === 1);
    receiver.status(200);
    for (const end of held.splice(0)) end();
    await until('the log', async () => (await deliveriesOf(postern, hook.id, '&status=succeeded')).length >= sent);
    await postern.call('POST', `/v1/webhooks/${witness.id}/test`);
    await until('the witness', () => other.received.length === 2);
    assert.equal(receiver.received.length, sent);
    await postern.call('PATCH', `/v1/webhooks/${hook.id}`, { body: { status: 'active' } });
    await until('all', () => new Set(receiver.received.map(({ event }) => event.id)).size === items.length);
  });

  test('5 days of failure disable; a success in between starts them anew', async () => {
    const clock = testClock();
    await using own = await startTestService({ env, clock });
    await using receiver = await startReceiver();
    receiver.status(500);
    const hook = await makeHook(own, receiver, ['license.expired']);
    const send = async () => {
      const { id } = (await own.call('POST', `/v1/webhooks/${hook.id}/test`)).body;
      return until('an attempt', async () => {
        const { body } = await own.call('GET', `/v1/webhooks/${hook.id}/deliveries/${id}`);
        return body.attemptCount > 0 ? body : undefined;
      });
    };
    const start = clock.now();
    await send();
    assert.equal((await read(own, hook.id)).failingSince, new Date(start).toISOString());
    clock.advance(4 * DAY_MS);
    receiver.status(200);
    await send();
    assert.equal((await read(own, hook.id)).failingSince, null);
    receiver.status(500);
    await send();
    const since = new Date(clock.now()).toISOString();
    await until('failing again', async () => (await read(own, hook.id)).failingSince === since);
    clock.advance(5 * DAY_MS - 1);
    await send();
    assert.equal((await read(own, hook.id)).status, 'active');
    clock.advance(1);
    await send();
    const off = await until('disabled', async () => {
      const one = await read(own, hook.id);
      return one.status === 'disabled' ? one : undefined;
    });
    assert.ok(off.disabledReason.includes(since), off.disabledReason);
    receiver.status(200);
    const on = await own.call('PATCH', `/v1/webhooks/${hook.id}`, { body: { status: 'active' } });
    assert.equal(on.body.failingSince, null);
    assert.equal((await send()).status, 'succeeded');
  });
});

describe('robustness', () => {
  test('a dead endpoint delays no other', async () => {
    await using dead = await startReceiver();
    await using alive = await startReceiver();
    dead.answer = () => undefined;
    await makeHook(postern, dead, ['content.created']);
    await makeHook(postern, alive, ['content.created']);
    const begun = performance.now();
    await postern.call('POST', '/v1/content/bulk-upsert', {
      body: { items: Array.from({ length: 200 }, () => item()) },
    });
    await until('all', () => alive.received.length === 200, 14_000);
    assert.ok(performance.now() - begun < 14_000, 'before the dead one’s first timeout');
    assert.ok(dead.received.length <= 16, `${dead.received.length} requests at once`);
  });

  test('a restart in the middle of the schedule goes on with it', async () => {
    const clock = testClock();
    await using own = await startTestService({ env, clock });
    await using receiver = await startReceiver();
    receiver.status(500);
    const hook = await makeHook(own, receiver, ['content.created']);
    await made(own, '/v1/content', item());
    const before = await delivery(own, hook.id, ({ attemptCount }) => attemptCount === 1);
    await own.restart();
    assert.deepEqual((await deliveriesOf(own, hook.id))[0], before);
    receiver.status(200);
    clock.advance(Date.parse(before.nextAttemptAt) - clock.now());
    const done = await delivery(own, hook.id, ({ status }) => status === 'succeeded');
    assert.equal(done.attemptCount, 2);
    assert.equal(receiver.received[1]?.body, receiver.received[0]?.body);
  });

  test('what was committed just before a stop is delivered after the start', async () => {
    await using own = await startTestService({ env });
    await using receiver = await startReceiver();
    await makeHook(own, receiver, ['content.*']);
    const { id } = await made(own, '/v1/content', item());
    await own.restart();
    await until('the event', () => receiver.received.find(({ event }) => event.data.object.id === id));
  });
});

describe('access events', () => {
  test('one for each decision, of the kinds that are subscribed to; none for dry runs and public keys', async () => {
    await using own = await startTestService({ env });
    await using receiver = await startReceiver();
    const limited = await makeItem(own, [{ ...allowAll, rateLimit: { requests: 1, period: 'day' } }]);
    const open = await makeItem(own, [allowAll]);
    const shut = await makeItem(own, [{ action: 'deny', conditions: {} }]);
    await check(own, { contentId: shut.id, requesterId: 'early' });
    const hook = await makeHook(own, receiver, ['access.denied', 'access.rate_limited']);
    const publicKey = await makeKey(own, { type: 'public', permissions: ['access:check'] });
    await check(own, { contentId: shut.id, dryRun: true });
    await check(own, { contentId: shut.id }, publicKey);
    await check(own, { contentId: open.id });
    const denied = await check(own, {
      contentId: shut.id,
      requesterId: 'r',
      purpose: 'training',
      context: { country: 'DE' },
    });
    await check(own, { contentId: limited.id, requesterId: 'r' });
    const refused = await check(own, { contentId: limited.id, requesterId: 'r' });
    const batch = await own.call('POST', '/v1/access/check/batch', {
      body: {
        checks: [
          { contentId: shut.id },
          { contentId: 'none' },
          { contentId: open.id },
          { contentId: shut.id, dryRun: true },
          { contentId: limited.id, requesterId: 'r' },
        ],
      },
    });
    assertStatus(batch, 200);
    const wanted = [denied, refused, batch.body.data[0], batch.body.data[4]];
    await until('four', () => receiver.received.length >= 4);
    const list = (await own.call('GET', '/v1/events?type=access.*')).body;
    assert.equal(list.totalCount, 4);
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    const got = receiver.received.map(({ event }) => event.data.object).toSorted(byId);
    assert.deepEqual(pluck(got, 'id'), wanted.map(({ id }) => id).toSorted());
    for (const { event, body } of receiver.received) {
      const { object } = event.data;
      assert.equal(event.type, object.reason === 'rate_limit_exceeded' ? 'access.rate_limited' : 'access.denied');
      const { publicId: _, ...logged } = (await own.call('GET', `/v1/access/decisions/${object.id}`)).body;
      assert.deepEqual(object, logged);
      assert.equal((await own.call('GET', `/v1/events/${event.id}`)).text, body);
      assert.ok(!('previous' in event.data));
    }
    const one = got.find(({ id }) => id === denied.id);
    assert.deepEqual([one.purpose, one.context], ['training', { country: 'DE' }]);
    // Without a subscription nothing is written.
    await own.call('DELETE', `/v1/webhooks/${hook.id}`);
    await check(own, { contentId: shut.id });
    assert.equal((await own.call('GET', '/v1/events?type=access.*')).body.totalCount, 4);
    await makeHook(own, receiver, ['access.granted']);
    await check(own, { contentId: open.id });
    await check(own, { contentId: shut.id });
    assert.equal((await own.call('GET', '/v1/events?type=access.*')).body.totalCount, 5);
    // A subscription survives a restart.
    await own.restart();
    await check(own, { contentId: open.id });
    assert.equal((await own.call('GET', '/v1/events?type=access.granted')).body.totalCount, 2);
  });

  test('a check that is repeated under its Idempotency-Key announces nothing new', async () => {
    await using own = await startTestService({ env });
    await using receiver = await startReceiver();
    await makeHook(own, receiver, ['access.*']);
    const { id } = await makeItem(own, [allowAll]);
    const ask = () =>
      own.call('POST', '/v1/access/check', { body: { contentId: id }, headers: { 'idempotency-key': 'c' } });
    const first = await ask();
    assert.equal((await ask()).text, first.text);
    assert.equal((await own.call('GET', '/v1/events?type=access.*')).body.totalCount, 1);
  });

  test('deleting content leaves its access events and what is to be delivered of them', async () => {
    const clock = testClock();
    await using own = await startTestService({ env, clock });
    await using receiver = await startReceiver();
    receiver.status(500);
    const hook = await makeHook(own, receiver, ['access.granted']);
    const { id } = await makeItem(own, [allowAll]);
    await check(own, { contentId: id });
    const { eventId, nextAttemptAt } = await delivery(own, hook.id, ({ attemptCount }) => attemptCount === 1);
    assertStatus(await own.call('DELETE', `/v1/content/${id}`), 200);
    assertStatus(await own.call('GET', `/v1/events/${eventId}`), 200);
    assert.equal((await own.call('GET', '/v1/events?type=access.*')).body.totalCount, 1);
    clock.advance(Date.parse(nextAttemptAt) - clock.now());
    await until('it is tried again', () => receiver.received.length === 2);
    assert.equal(receiver.received[1]?.body, receiver.received[0]?.body);
  });
});
