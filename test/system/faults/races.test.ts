/** Races: an edit and a batch, a hang-up and a repeat, a shutdown and an open connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { launch, launched, newTestKey, temporaryFolder } from '../../../kit/launch.ts';

const article = (externalId: string) => ({
  externalId,
  title: externalId,
  type: 'article',
  source: 'https://example.com/a',
});

test('a batch knows content that exists, however its policy is edited meanwhile', { timeout: 30_000 }, async () => {
  using folder = temporaryFolder();
  await using service = await launched({ dataDir: folder.path, key: newTestKey() });
  const policy = await service.ask('POST', '/v1/policies', {
    body: { name: 'p', rules: [], defaultAction: 'allow' },
  });
  await service.ask('POST', '/v1/content', { body: { ...article('edited'), policyId: policy.body.id } });
  const edit = { left: 150 };
  const edits = (async () => {
    for (; edit.left > 0; edit.left--) {
      await service.ask('PATCH', `/v1/policies/${policy.body.id}`, { body: { description: String(edit.left) } });
    }
  })();
  const batches = Array.from({ length: 8 }, async () => {
    while (edit.left > 0) {
      // One that must be read beside one that is in memory.
      const checks = [{ contentId: 'edited' }, { contentId: `nowhere ${edit.left}` }];
      const { body } = await service.ask('POST', '/v1/access/check/batch', { body: { checks } });
      assert.equal(body.data[0].allowed, true, JSON.stringify(body.data[0]));
    }
  });
  await Promise.all([edits, ...batches]).finally(() => {
    edit.left = 0;
  });
});

test('SIGTERM ends it soon and with 0, though clients keep their connections open', { timeout: 30_000 }, async () => {
  using folder = temporaryFolder();
  const key = newTestKey();
  const service = launch({ dataDir: folder.path, key });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  try {
    await service.ready;
    const { host } = new URL(/"address":"([^"]+)"/.exec(service.output())?.[1] ?? '');
    const body = JSON.stringify({ items: Array.from({ length: 1000 }, (_, i) => article(`item ${i}`)) });
    const [hostname, port] = host.split(':');
    const statuses = Array.from({ length: 8 }, async () => {
      const sent = request({
        agent,
        hostname,
        port,
        method: 'POST',
        path: '/v1/content/bulk-upsert',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length },
      });
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      return response.statusCode;
    });
    // The first answer has arrived, the others are in flight.
    await Promise.race(statuses);
    const startedAt = performance.now();
    const end = await service.end('SIGTERM');
    assert.deepEqual(await Promise.all(statuses), Array(8).fill(200));
    assert.equal(end.code, 0, service.output().slice(-500));
    assert.ok(performance.now() - startedAt < 9_000);
  } finally {
    agent.destroy();
    await service.end('SIGKILL');
  }
});

for (const [what, length, withinMs] of [
  ['head', '', 5_000],
  ['body', 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{', 13_000],
] as const) {
  test(`SIGTERM ends it with 0 within ${withinMs} ms, though a ${what} does not end`, async () => {
    using folder = temporaryFolder();
    const key = newTestKey();
    await using service = await launched({ dataDir: folder.path, key });
    const { hostname, port } = new URL(/"address":"([^"]+)"/.exec(service.output())?.[1] ?? '');
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    await once(socket, 'connect');
    const head = `POST /v1/content HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
    await new Promise((resolve) => socket.write(head + length, resolve));
    // Sent after it on another connection, and answered.
    assert.equal((await service.ask('GET', '/v1/content')).status, 200);
    const startedAt = performance.now();
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null }, service.output().slice(-500));
    assert.ok(performance.now() - startedAt < withinMs, String(performance.now() - startedAt));
    socket.destroy();
  });
}

test('a client that sends too large a body sees why, not a broken connection', async () => {
  using folder = temporaryFolder();
  const key = newTestKey();
  await using service = await launched({ dataDir: folder.path, key });
  const url = `${/"address":"([^"]+)"/.exec(service.output())?.[1] ?? ''}/v1/content`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const padding = new Uint8Array(40 * 2 ** 20).fill(0x20);
  const bodies = [() => ({ body: padding }), () => ({ body: new Response(padding).body, duplex: 'half' })];
  for (let i = 0; i < 20; i++) {
    const answer = await fetch(url, { method: 'POST', headers, ...(bodies[i % 2] as () => object)() });
    assert.equal(answer.status, 413);
    assert.match(answer.headers.get('request-id') ?? '', /^req_/);
    assert.match(await answer.text(), /1 MiB at most/);
  }
});

test('a request that is repeated while the first, hung up on, is still at work has one effect', {
  timeout: 30_000,
}, async () => {
  using folder = temporaryFolder();
  const key = newTestKey();
  await using service = await launched({ dataDir: folder.path, key });
  const { hostname, port } = new URL(/"address":"([^"]+)"/.exec(service.output())?.[1] ?? '');
  await service.ask('POST', '/v1/content', { body: article('checked') });
  for (let i = 0; i < 100; i++) {
    const [path, body] =
      i % 2 === 0 ? ['/v1/content', article(`item ${i}`)] : ['/v1/access/check', { contentId: 'checked' }];
    const text = JSON.stringify(body);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    await once(socket, 'connect');
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
    const wire = `${head}Idempotency-Key: key ${i}\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    await new Promise((resolve) => socket.write(wire, resolve));
    socket.resetAndDestroy();
    for (;;) {
      const reply = await service.ask('POST', path, { body, idempotencyKey: `key ${i}` });
      if (reply.status === 409 && reply.body.error.code === 'idempotency_key_in_use') continue;
      assert.ok(reply.status === 200 || reply.status === 201, `${path}: ${reply.text}`);
      break;
    }
  }
  const usage = await service.ask('GET', '/v1/analytics/usage');
  assert.equal(usage.body.summary.totalRequests, 50);
});

test('a first start that finds its port taken tells nobody a key, and the next one does', {
  timeout: 30_000,
}, async () => {
  using folder = temporaryFolder();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const options = { dataDir: folder.path, key: newTestKey(), ownKey: true };
  const first = launch({ ...options, env: { POSTERN_PORT: String(port) } });
  assert.equal((await first.exited).code, 1);
  taken.close();
  assert.doesNotMatch(first.output(), /svc_sk_/);
  await using second = await launched(options);
  while (!/svc_sk_\w{49}/.test(second.output())) await once(second.child.stdout as NodeJS.ReadableStream, 'data');
  const key = /svc_sk_\w{49}/.exec(second.output())?.[0];
  const keys = await second.ask('GET', '/v1/api-keys', { headers: { authorization: `Bearer ${key}` } });
  assert.equal(keys.status, 200);
});
