/** The live feed delivers every event once and in order, also over broken connections. On a real socket. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pluck } from '../../../kit/pluck.ts';
import { spawnService } from '../../../kit/process.ts';
import { startTestService, type TestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { allowAll, assertError, assertStatus, check, item, made, makeItem, makeKey } from '../../http/given.ts';

const postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());

interface Seen {
  id: string;
  event: string;
  data: any;
}

interface Stream extends Disposable {
  status: number;
  headers: Headers;
  seen: Seen[];
  /** Resolved when the service ended it, or the client left. */
  ended: Promise<void>;
}

/** Follows until it is disposed. */
async function follow(to: TestService, query = '', headers: Record<string, string> = {}): Promise<Stream> {
  const left = new AbortController();
  const response = await fetch(`${to.url}/v1/events/stream${query}`, {
    headers: { authorization: `Bearer ${to.key}`, ...headers },
    signal: left.signal,
  });
  const seen: Seen[] = [];
  const listen = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) =>
          block
            .split('\n')
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2);
        const data = field('data');
        if (data !== undefined)
          seen.push({ id: field('id') ?? '', event: field('event') ?? '', data: JSON.parse(data) });
      }
    }
  };
  const ended = response.status === 200 ? listen().catch(() => undefined) : Promise.resolve();
  return { status: response.status, headers: response.headers, seen, ended, [Symbol.dispose]: () => left.abort() };
}

/** Event ids as the list has them, oldest first. */
async function listed(of: TestService, type = ''): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await of.call('GET', `/v1/events?limit=100${type}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  }
  return ids.toReversed();
}

test('what happens from now on, as the list has it', async () => {
  await made(postern, '/v1/content', item());
  using stream = await follow(postern);
  assert.equal(stream.status, 200);
  assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.match(stream.headers.get('cache-control') ?? '', /no-store/);
  assert.ok(stream.headers.get('request-id'));
  const { id } = await made(postern, '/v1/content', item({ metadata: { a: 'data: x\n\nid: y\r\u2028' } }));
  const one = await until('the event', () => stream.seen[0]);
  assert.equal(one.data.data.object.id, id);
  assert.deepEqual([one.id, one.event], [one.data.id, one.data.type]);
  assert.deepEqual((await postern.call('GET', `/v1/events/${one.id}`)).body, one.data);
});

test('only the kinds that are asked for', async () => {
  using stream = await follow(postern, '?type=requester.*,content.archived');
  const { id } = await made(postern, '/v1/content', item());
  await made(postern, '/v1/requesters', { name: 'R' });
  await postern.call('PATCH', `/v1/content/${id}`, { body: { status: 'archived' } });
  await until('two', () => stream.seen.length >= 2);
  assert.deepEqual(pluck(stream.seen, 'event'), ['requester.created', 'content.archived']);
});

describe('refusals', () => {
  for (const [what, query, headers, param] of [
    ['an unknown event', '', { 'last-event-id': 'evt_00000000000000000000000000' }, 'Last-Event-ID'],
    ['an unknown event in the query', '?lastEventId=evt_00000000000000000000000000', {}, 'lastEventId'],
    ['no event id', '', { 'last-event-id': 'x' }, 'Last-Event-ID'],
    ['an empty one in the query', '?lastEventId=', {}, 'lastEventId'],
    ['a kind there is not', '?type=content.made', {}, 'type'],
    ['an unknown parameter', '?types=content.*', {}, 'types'],
  ] as const) {
    test(what, async () => {
      assertError(await postern.call('GET', `/v1/events/stream${query}`, { headers }), 'invalid_request', param);
    });
  }
  test('a key without the permission', async () => {
    const key = await makeKey(postern, { permissions: ['content:read'] });
    assertError(await postern.call('GET', '/v1/events/stream', { key }), 'insufficient_permissions');
  });
  test('HEAD does not become a stream', async () => {
    const response = await fetch(`${postern.url}/v1/events/stream`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${postern.key}` },
      signal: AbortSignal.timeout(10_000),
    });
    assert.ok([404, 405].includes(response.status), `${response.status}`);
    await response.text();
  });
});

test('resuming, by header and by query, gives every event once and in order while writers run and the client drops off', async () => {
  await using own = await startTestService();
  const first = await made(own, '/v1/content', item());
  const [start = ''] = await listed(own);
  const total = 600;
  const writers = Promise.all(
    Array.from({ length: 6 }, async (_, writer) => {
      for (let i = 0; i < total / 6; i++) {
        if (i % 3 === 0) await made(own, '/v1/content', item());
        else await own.call('PATCH', `/v1/content/${first.id}`, { body: { title: `${writer}/${i}` } });
      }
    }),
  );
  using whole = await follow(own, `?lastEventId=${start}`);
  const seen: string[] = [];
  let last = start;
  let round = 0;
  while (seen.length < total) {
    round++;
    const byHeader = round % 2 === 0;
    using stream = await follow(own, byHeader ? '' : `?lastEventId=${last}`, byHeader ? { 'last-event-id': last } : {});
    assert.equal(stream.status, 200);
    const wanted = Math.min(1 + ((round * 7) % 40), total - seen.length);
    await until(`round ${round}`, () => stream.seen.length >= wanted);
    for (const { id } of stream.seen) seen.push(id);
    last = seen.at(-1) ?? last;
  }
  await writers;
  await until('the uninterrupted stream', () => whole.seen.length === total);
  assert.deepEqual(
    seen,
    whole.seen.map(({ id }) => id),
  );
  // The list is in the order of time; on PostgreSQL, commits that run side by side differ from it slightly.
  assert.deepEqual(seen.toSorted(), (await listed(own)).slice(1));
  const titles = whole.seen
    .filter(({ event }) => event === 'content.updated')
    .map(({ data }) => data.data.object.title);
  for (let writer = 0; writer < 6; writer++) {
    const edits = titles.filter((title: string) => title.startsWith(`${writer}/`));
    assert.deepEqual(edits, edits.toSorted(new Intl.Collator('en', { numeric: true }).compare), `writer ${writer}`);
  }
});

test('a key that is revoked sees nothing more', async () => {
  const admin = await made(postern, '/v1/api-keys', { name: 'k', type: 'secret', permissions: ['webhooks:manage'] });
  using stream = await follow(postern, '?type=content.*', { authorization: `Bearer ${admin.key}` });
  using other = await follow(postern, '?type=content.*');
  await made(postern, '/v1/content', item());
  await until('one', () => stream.seen.length === 1);
  await postern.call('DELETE', `/v1/api-keys/${admin.id}`);
  await made(postern, '/v1/content', item());
  await stream.ended;
  await until('the other', () => other.seen.length === 2);
  assert.equal(stream.seen.length, 1);
});

test('a key that expires sees nothing more', async () => {
  const clock = testClock();
  await using own = await startTestService({ clock });
  const expiresAt = new Date(clock.now() + 60_000).toISOString();
  const { key } = await made(own, '/v1/api-keys', {
    name: 'k',
    type: 'secret',
    permissions: ['webhooks:manage'],
    expiresAt,
  });
  using stream = await follow(own, '', { authorization: `Bearer ${key}` });
  await made(own, '/v1/content', item());
  await until('one', () => stream.seen.length === 1);
  clock.advance(60_000);
  await made(own, '/v1/content', item());
  await stream.ended;
  assert.equal(stream.seen.length, 1);
});

test('access events of content that was deleted meanwhile are in the stream as they were', async () => {
  const hook = await made(postern, '/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['access.*'] });
  const { id } = await makeItem(postern, [allowAll]);
  const last = (await listed(postern)).at(-1);
  const decision = await check(postern, { contentId: id });
  assertStatus(await postern.call('DELETE', `/v1/content/${id}`), 200);
  using stream = await follow(postern, `?lastEventId=${last}`);
  await until('the deletion', () => stream.seen.some(({ event }) => event === 'content.deleted'));
  assert.deepEqual(
    stream.seen.filter(({ event }) => event.startsWith('access.')).map(({ data }) => data.data.object.id),
    [decision.id],
  );
  await postern.call('DELETE', `/v1/webhooks/${hook.id}`);
});

describe('how many', () => {
  test('a hundred at once and not one more, also when they are asked for in the same moment', async () => {
    await using own = await startTestService();
    const streams = await Promise.all(Array.from({ length: 130 }, () => follow(own)));
    const open = streams.filter(({ status }) => status === 200);
    assert.equal(open.length, 100);
    for (const { status, headers } of streams) {
      if (status === 200) continue;
      assert.equal(status, 503);
      assert.ok(headers.get('retry-after'));
    }
    for (const stream of streams) stream[Symbol.dispose]();
    await until('room again', async () => {
      using one = await follow(own);
      return one.status === 200;
    });
  });

  test('clients that leave before the answer hold no place', async () => {
    await using own = await startTestService();
    const { hostname, port } = new URL(own.url);
    for (let i = 0; i < 150; i++) {
      const socket = connect(Number(port), hostname);
      await new Promise((connected) => socket.once('connect', connected));
      socket.write(`GET /v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own.key}\r\n\r\n`);
      // Some leave before the service has read the request, some while it looks where they begin.
      for (let turn = 0; turn < i % 5; turn++) await setImmediate();
      socket.resetAndDestroy();
    }
    await until('all places to be free', async () => {
      const streams = await Promise.all(Array.from({ length: 100 }, () => follow(own)));
      for (const stream of streams) stream[Symbol.dispose]();
      return streams.every(({ status }) => status === 200);
    });
  });
});

/** A client that asks and never reads. */
async function stalled(url: string, key: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname });
  socket.on('error', () => undefined);
  socket.pause();
  await new Promise((connected) => socket.once('connect', connected));
  socket.write(`GET /v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}

/** Far more than the buffers of two sockets hold. */
async function flood(call: (body: string) => Promise<unknown>): Promise<void> {
  const text = 'x'.repeat(15_000);
  for (let i = 0; i < 6; i++) {
    const items = Array.from({ length: 300 }, (_, n) => ({
      ...item(),
      externalId: `flood-${i}-${n}`,
      metadata: { text },
    }));
    await call(JSON.stringify({ items }));
  }
}

test('SIGTERM ends streams, also of clients that do not read, and the service ends with 0', async () => {
  await using run = await spawnService({});
  const headers = { authorization: `Bearer ${run.key}`, 'content-type': 'application/json' };
  const slow = await stalled(run.url, run.key);
  const response = await fetch(`${run.url}/v1/events/stream`, { headers });
  const read = response.text();
  await flood((body) =>
    fetch(`${run.url}/v1/content/bulk-upsert`, { method: 'POST', headers, body }).then((answer) => answer.text()),
  );
  const begun = performance.now();
  run.child.kill('SIGTERM');
  assert.equal(await run.ended, 0, run.output());
  assert.ok(performance.now() - begun < 9_000);
  assert.match(await read, /^retry: /, 'ended, not cut off');
  slow.destroy();
});

test('a client that does not read holds a few events in memory and no more', async () => {
  await using own = await startTestService();
  const slow = await stalled(own.url, own.key);
  const bytes = async () => {
    const { text } = await own.call('GET', '/metrics', { key: null });
    return Number(/^postern_event_streams_held_bytes (\d+)/m.exec(text)?.[1]);
  };
  await flood((raw) => own.call('POST', '/v1/content/bulk-upsert', { raw }));
  const held = await until('something to be held back', bytes);
  assert.ok(held < 200_000, `${held} bytes`);
  assert.ok((await bytes()) < 200_000);
  slow.resume();
  let got = 0;
  slow.on('data', (chunk: Buffer) => {
    got += chunk.length;
  });
  await until('all of it', () => got > 6 * 300 * 15_000, 30_000);
  slow.destroy();
});
