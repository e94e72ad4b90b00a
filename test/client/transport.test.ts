/**
 * The transport: a write is applied once however often its answer is lost. No call waits longer than its limit. Every
 * failure has an error of its own.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import { openEdge } from '../../client/src/edge/edge.ts';
import {
  createPartner,
  createPostern,
  guard,
  metaOf,
  PosternError,
  PosternUnreachable,
} from '../../client/src/index.ts';
import { pluck } from '../../kit/pluck.ts';
import { startTestService } from '../../kit/service.ts';
import { startFaultyProxy } from './faulty-proxy.ts';

const postern = await startTestService();
const proxy = await startFaultyProxy(postern.url);
after(async () => {
  await proxy[Symbol.asyncDispose]();
  await postern[Symbol.asyncDispose]();
});
const client = createPostern({ url: `${proxy.url}/`, key: postern.key, timeoutMs: 5_000 });
beforeEach(() => {
  proxy.faults = [];
  proxy.asked.length = 0;
});

let count = 0;
const item = () => ({
  externalId: `item ${++count}`,
  title: 'A title',
  type: 'article' as const,
  source: 'https://example.com/a',
});

async function refusal(work: PromiseLike<unknown>): Promise<PosternError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof PosternError, String(error));
    return error;
  }
  assert.fail('it was answered');
}

describe('tried again', () => {
  test('an edit whose answer was lost or cut is done once, under one key', async () => {
    const body = item();
    proxy.faults = ['lost', 'cut'];
    const created = await client.createContent(body);
    assert.equal(created.externalId, body.externalId);
    assert.deepEqual(metaOf(created)?.replayed, true);
    const keys = proxy.asked.map(({ key }) => key);
    assert.equal(keys.length, 3);
    assert.equal(new Set(keys).size, 1);
    assert.equal((await client.listContent({ externalId: body.externalId })).totalCount, 1);
  });

  test('a recorded check whose answer was lost counts once', async () => {
    const { id } = await client.createContent(item());
    proxy.faults = ['lost'];
    const decision = await client.checkAccess({ contentId: id });
    assert.equal(decision.recorded, true);
    assert.equal((await client.listDecisions({ contentId: id })).totalCount, 1);
  });

  test('every call has a key of its own; one of yours is taken', async () => {
    await client.createContent(item());
    await client.createContent(item());
    const body = item();
    await client.createContent(body, { idempotencyKey: 'mine' });
    const again = await client.createContent(body, { idempotencyKey: 'mine' });
    assert.equal(metaOf(again)?.replayed, true);
    const keys = proxy.asked.map(({ key }) => key);
    assert.deepEqual([new Set(keys).size, ...keys.slice(2)], [3, 'mine', 'mine']);
  });

  test('without a key nothing that writes is sent twice', async () => {
    proxy.faults = ['lost'];
    await assert.rejects(client.createContent(item(), { idempotencyKey: false }), PosternUnreachable);
    assert.deepEqual(pluck(proxy.asked, 'key'), [undefined]);
  });

  test('what passes is tried again, what is for good is not', async () => {
    for (const status of [500, 502, 503, 504, 429, 408]) {
      proxy.faults = [{ status }];
      proxy.asked.length = 0;
      await client.listContent();
      assert.equal(proxy.asked.length, 2, String(status));
    }
    for (const status of [400, 401, 403, 404, 405, 409, 412, 413, 422, 507, 301]) {
      proxy.faults = [{ status, headers: { location: postern.url } }];
      proxy.asked.length = 0;
      assert.equal((await refusal(client.listContent())).status, status);
      assert.equal(proxy.asked.length, 1, String(status));
    }
  });

  test('as often as was said, and not before Retry-After', async () => {
    proxy.faults = [{ status: 503, headers: { 'retry-after': '1' } }];
    const begun = performance.now();
    await client.getReadiness();
    assert.ok(performance.now() - begun >= 1000);
    proxy.faults = Array.from({ length: 9 }, () => ({ status: 503 }));
    proxy.asked.length = 0;
    assert.equal((await refusal(client.getReadiness({ retries: 1 }))).status, 503);
    assert.equal(proxy.asked.length, 2);
    assert.equal((await refusal(client.getReadiness({ retries: 0 }))).status, 503);
    assert.equal(proxy.asked.length, 3);
  });

  test('who is told to wait for long is told so at once', async () => {
    const at = new Date(Date.now() + 3600_000).toUTCString();
    proxy.faults = [
      { status: 429, headers: { 'retry-after': '3600' } },
      { status: 503, headers: { 'retry-after': at } },
    ];
    const begun = performance.now();
    assert.equal((await refusal(client.getReadiness())).retryAfter, 3600);
    const seconds = (await refusal(client.getReadiness())).retryAfter ?? 0;
    assert.ok(seconds > 3500 && seconds <= 3600, String(seconds));
    assert.ok(performance.now() - begun < 1000);
  });
});

describe('in time', () => {
  test('no answer is an error after the time, for each attempt', async () => {
    proxy.faults = ['silent', 'silent'];
    const begun = performance.now();
    await assert.rejects(client.getReadiness({ timeoutMs: 100, retries: 1 }), (error) => {
      assert.ok(error instanceof PosternUnreachable);
      assert.deepEqual([error.isTimeout, error.attempts], [true, 2]);
      return true;
    });
    assert.ok(performance.now() - begun < 2_000);
  });

  test('nobody there is another error', async () => {
    const nowhere = createPostern({ url: 'http://127.0.0.1:1', key: 'k', retries: 0 });
    await assert.rejects(nowhere.getReadiness(), (error) => {
      assert.ok(error instanceof PosternUnreachable);
      return !error.isTimeout && error.cause !== undefined;
    });
  });

  test('a signal ends it at once with its reason: before, while it waits for the answer, between attempts', async () => {
    const reason = new Error('enough');
    await assert.rejects(client.getReadiness({ signal: AbortSignal.abort(reason) }), reason);
    assert.equal(proxy.asked.length, 0);
    for (const fault of ['silent', { status: 503, headers: { 'retry-after': '20' } }] as const) {
      proxy.faults = [fault];
      const stop = new AbortController();
      const answer = client.getReadiness({ signal: stop.signal });
      const before: number = proxy.asked.length;
      while (proxy.asked.length === before) await new Promise((done) => setImmediate(done));
      setTimeout(() => stop.abort(reason), 20);
      const begun = performance.now();
      await assert.rejects(answer, reason);
      assert.ok(performance.now() - begun < 2_000);
    }
  });
});

describe('errors', () => {
  test('a refusal has the code, the status, the parameter, the details and the request', async () => {
    const error = await refusal(client.createContent({ ...item(), type: 'artikel' as 'article', title: '' }));
    assert.deepEqual([error.code, error.status, error.param], ['invalid_request', 400, 'title']);
    assert.equal(error.details?.length, 2);
    assert.match(error.requestId ?? '', /^req_/);
    assert.match(error.message, /title/);
    const missing = await refusal(client.getContent('nothing'));
    assert.deepEqual([missing.code, missing.status], ['content_not_found', 404]);
    const stranger = createPostern({ url: postern.url, key: 'svc_sk_wrong' });
    assert.equal((await refusal(stranger.listContent())).code, 'invalid_api_key');
  });

  test('an answer that is not Postern’s says so', async () => {
    for (const [fault, status] of [
      [{ status: 200, body: '<html>' }, 200],
      [{ status: 404, body: '<html>' }, 404],
      [{ status: 404, body: '{"error": "no"}' }, 404],
      [{ status: 302, headers: { location: 'https://login.example' } }, 302],
    ] as const) {
      proxy.faults = [fault];
      const error = await refusal(client.getContent('x', {}, { retries: 0 }));
      assert.deepEqual([error.code, error.status], ['unexpected_answer', status]);
    }
  });

  test('options that are none fail at once', () => {
    assert.throws(() => createPostern({ url: 'postern', key: 'k' }), TypeError);
    assert.throws(() => createPostern({ url: 'file:///etc', key: 'k' }), TypeError);
    assert.throws(() => createPostern({ url: postern.url, key: '' }), TypeError);
  });

  test('an address that is not set is named at once', () => {
    for (const url of [undefined, null, '', 'postern'] as unknown as string[]) {
      for (const make of [
        () => createPostern({ url, key: 'k' }),
        () => createPartner({ url, token: 'svc_rt_x' }),
        () => guard({ url, key: 'k', content: 'url' }),
        () => openEdge({ url, key: 'k', ask: 'everyone', onError: 'deny' }),
      ]) {
        const message = `Postern answers at an http or https URL, not ${url}`;
        assert.throws(make, (error) => error instanceof TypeError && error.message === message, String(url));
      }
    }
  });

  test('a key that no header can carry fails at once, and is not shown', () => {
    const url = 'https://postern.example';
    for (const make of [
      (key: string) => createPostern({ url, key }),
      (key: string) => createPartner({ url, token: `svc_rt_${key}` }),
      (key: string) => guard({ url, key, content: 'url' }),
      (key: string) => openEdge({ url, key, ask: 'everyone', onError: 'deny' }),
    ]) {
      for (const key of ['secret\n', '\nsecret', 'sec\r\nret', 'sec ret', 'secret…', 'secret\0']) {
        assert.throws(
          () => make(key),
          (error) => error instanceof TypeError && /one word/.test(error.message) && !/sec/.test(error.message),
        );
      }
    }
  });
});

describe('what a path carries', () => {
  test('any id arrives as it is', async () => {
    for (const externalId of ['a/b', 'ä €', '..a', '%2e%2e', 'a?b#c', '😀', '...', ' ']) {
      const { id } = await client.createContent({ ...item(), externalId });
      assert.equal((await client.getContent(externalId)).id, id, externalId);
    }
  });

  test('what every URL parser takes for a step up is refused, before anything is asked', async () => {
    proxy.asked.length = 0;
    for (const part of ['.', '..', '', undefined as unknown as string, {} as string]) {
      assert.throws(() => void client.deleteContent(part), TypeError);
    }
    assert.equal(proxy.asked.length, 0);
  });

  test('the key goes to the service alone, and a redirect is not followed', async () => {
    proxy.faults = [{ status: 307, headers: { location: `${proxy.url}/elsewhere` } }];
    await refusal(client.listContent());
    assert.deepEqual(pluck(proxy.asked, 'path'), ['/v1/content']);
  });
});

test('ifMatch refuses an edit of what has changed', async () => {
  const created = await client.createContent(item());
  const etag = metaOf(created)?.etag as string;
  const edited = await client.updateContent(created.id, { title: 'B' }, { ifMatch: etag });
  assert.equal(edited.title, 'B');
  const error = await refusal(client.updateContent(created.id, { title: 'C' }, { ifMatch: etag }));
  assert.equal(error.code, 'precondition_failed');
});

test('a walk has every record once; a page is a page', async () => {
  const ids = [];
  for (let i = 0; i < 7; i++) ids.push((await client.createRequester({ id: `walk-${i}`, type: 'walk' })).id);
  const found = [];
  for await (const { id } of client.listRequesters({ type: 'walk', limit: 3 })) found.push(id);
  assert.deepEqual(found.toSorted(), ids);
  proxy.asked.length = 0;
  const page = await client.listRequesters({ type: 'walk', limit: 3 });
  assert.deepEqual([page.data.length, page.hasMore, proxy.asked.length], [3, true, 1]);
  // What is left is not asked for.
  proxy.asked.length = 0;
  for await (const one of client.listRequesters({ type: 'walk', limit: 3 })) if (one.id !== '') break;
  assert.equal(proxy.asked.length, 1);
});

test('events come as they happen', async () => {
  const stop = new AbortController();
  const events = createPostern({ url: postern.url, key: postern.key }).streamEvents(
    { type: 'requester.created' },
    { signal: stop.signal },
  );
  const walk = events[Symbol.asyncIterator]();
  const first = walk.next();
  // Events from before it is there are not its own: until one is seen, more are made.
  const made = setInterval(() => void client.createRequester({ type: 'seen' }), 50);
  const { value } = await first;
  clearInterval(made);
  assert.deepEqual([value.object, value.type], ['event', 'requester.created']);
  stop.abort();
  // What had come is still given.
  await assert.rejects(async () => {
    while ((await walk.next()).done !== true);
  });
});

test('a stream that breaks is taken up where it ended; a refusal ends it', async () => {
  const from: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    from.push(request.headers['last-event-id'] as string | undefined);
    if (from.length === 2) return void request.socket.destroy();
    if (from.length === 4) return void response.writeHead(403).end('{"error": {"code": "insufficient_permissions"}}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const at = from.length;
    response.write(': hello\n\nid: evt_');
    setImmediate(() => response.end(`${at}\nevent: x\ndata: {"id": "ä${at}"}\n\nid: evt_half\ndata: {"id": `));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const seen: string[] = [];
  const follow = async (): Promise<void> => {
    const events = createPostern({ url: `http://127.0.0.1:${port}`, key: 'k' }).streamEvents();
    for await (const { id } of events) seen.push(id);
  };
  assert.equal((await refusal(follow())).code, 'insufficient_permissions');
  server.close();
  assert.deepEqual(seen, ['ä1', 'ä3']);
  assert.deepEqual(from, [undefined, 'evt_1', 'evt_1', 'evt_3']);
});

test('what no method does can be opened: the whole log as CSV', async () => {
  await using other = await startTestService();
  const { id } = (await other.call('POST', '/v1/content', { body: item() })).body;
  const own = createPostern({ url: other.url, key: other.key });
  await own.checkAccess({ contentId: id });
  const response = await own.open('/v1/access/decisions', { accept: 'text/csv' });
  assert.match(await response.text(), /^id,created,allowed/);
  await assert.rejects(own.open('/v1/nothing'), PosternError);
  assert.match(await own.getMetrics(), /postern_ledger_head/);
});

test('the proxies’ question can be asked, too', async () => {
  await using other = await startTestService();
  const own = createPostern({ url: other.url, key: other.key });
  const policy = await own.createPolicy({ name: 'open', rules: [{ action: 'allow', conditions: {} }] });
  await own.createContent({ ...item(), policyId: policy.id });
  const ask = (uri: string) => own.authorize({ origin: 'https://example.com' }, { headers: { 'x-original-uri': uri } });
  assert.deepEqual([(await ask('/a')).allowed, (await ask('/b')).allowed], [true, false]);
  const stranger = createPostern({ url: other.url, key: 'svc_sk_wrong' });
  assert.equal((await refusal(stranger.authorize())).code, 'invalid_api_key');
});
