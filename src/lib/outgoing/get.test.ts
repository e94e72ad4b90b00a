/**
 * A bounded fetch of a document that an operator named. The servers are hostile: they redirect, hang, trickle, never
 * end, compress, and resolve to private addresses.
 */
import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Fetched, type GetOptions, openGetter } from './get.ts';

const WANTED: GetOptions = { accept: 'application/json', maxBytes: 1024, timeoutMs: 5_000 };

async function serve(listener: RequestListener) {
  let connections = 0;
  const server = createServer(listener);
  server.on('connection', () => connections++);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function get(url: string, wanted: Partial<GetOptions> = {}, lookup?: LookupFunction): Promise<Fetched> {
  const getter = openGetter({ userAgent: 'Postern/test', allowPrivate: lookup === undefined, lookup });
  try {
    return await getter.get(url, { ...WANTED, ...wanted });
  } finally {
    await getter.close();
  }
}

const answering =
  (...addresses: string[]): LookupFunction =>
  (_name, _options, callback) =>
    (callback as (error: null, all: LookupAddress[]) => void)(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

test('a document within the bounds comes with its headers', async () => {
  await using server = await serve((request, response) => {
    assert.equal(request.headers['user-agent'], 'Postern/test');
    assert.equal(request.headers.accept, 'application/json');
    response.setHeader('cache-control', 'max-age=60').end('x'.repeat(1024));
  });
  const fetched = await get(server.url);
  assert.ok(fetched.error === undefined);
  assert.equal(fetched.body.length, 1024);
  assert.equal(fetched.headers['cache-control'], 'max-age=60');
});

describe('refused', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`a redirect (${status}): the target is never requested`, async () => {
      let requests = 0;
      await using server = await serve((_request, response) => {
        requests++;
        response.writeHead(status, { location: '/elsewhere' }).end();
      });
      assert.match((await get(server.url)).error ?? '', /redirects are not followed/);
      assert.equal(requests, 1);
    });
  }
  for (const status of [204, 404, 500]) {
    test(`every status but 200 (${status})`, async () => {
      await using server = await serve((_request, response) => void response.writeHead(status).end());
      assert.match((await get(server.url)).error ?? '', new RegExp(`HTTP ${status}`));
    });
  }
  test('a body beyond the bound, with and without its length', async () => {
    await using stated = await serve((_request, response) => void response.end('x'.repeat(1025)));
    assert.match((await get(stated.url)).error ?? '', /larger than 1 KiB/);
    let sent = 0;
    await using endless = await serve((_request, response) => {
      const more = function* (): Generator<string> {
        for (; ; sent++) yield 'x'.repeat(65_536);
      };
      pipeline(Readable.from(more()), response, () => undefined);
    });
    assert.match((await get(endless.url)).error ?? '', /larger than 1 KiB/);
    assert.ok(sent < 100, `${sent} chunks were sent before the connection closed`);
  });
  test('a compressed body: its size after decoding could be anything', async () => {
    await using server = await serve((_request, response) => {
      response.setHeader('content-encoding', 'gzip').end(gzipSync('x'.repeat(100_000)));
    });
    assert.match((await get(server.url)).error ?? '', /compressed/);
  });
  test('a server that never answers, and one that sends a byte at a time', async () => {
    await using silent = await serve(() => undefined);
    assert.match((await get(silent.url, { timeoutMs: 200 })).error ?? '', /No answer within 0.2 seconds/);
    await using slow = await serve((_request, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    assert.match((await get(slow.url, { timeoutMs: 400 })).error ?? '', /No answer within 0.4 seconds/);
  });
  test('http, credentials and text that is no URL', async () => {
    await using server = await serve((_request, response) => void response.end('{}'));
    const never = answering('127.0.0.1');
    assert.match((await get(server.url, {}, never)).error ?? '', /must be an https URL/);
    assert.match((await get('https://a:b@example.com/', {}, never)).error ?? '', /must not carry a user name/);
    assert.match((await get('nonsense', {}, never)).error ?? '', /invalid/);
    assert.equal(server.connections(), 0);
  });
  test('private addresses, literal and resolved; no connection is made', async () => {
    await using server = await serve((_request, response) => void response.end('{}'));
    const { port } = new URL(server.url);
    for (const [host, ...found] of [
      ['127.0.0.1'],
      ['[::1]'],
      ['localhost'],
      ['keys.example.com', '127.0.0.1'],
      ['keys.example.com', '93.184.216.34', '127.0.0.1'],
      ['keys.example.com', '::ffff:127.0.0.1'],
      ['keys.example.com'],
    ] as const) {
      const { error } = await get(`https://${host}:${port}/keys`, {}, answering(...found));
      assert.match(error ?? '', /public address/, `${host} ${found}`);
    }
    assert.equal(server.connections(), 0);
  });
  test('rebinding: every fetch resolves the name once, and the judged address is the one of the connection', async () => {
    await using server = await serve((_request, response) => void response.end('{}'));
    const { port } = new URL(server.url);
    let calls = 0;
    // In the public block, and not routed.
    const lookup: LookupFunction = (name, options, callback) =>
      answering(calls++ === 0 ? '3ffe::1' : '127.0.0.1')(name, options, callback);
    const getter = openGetter({ userAgent: 'Postern/test', allowPrivate: false, lookup });
    const first = await getter.get(`https://rebind.example.com:${port}/`, { ...WANTED, timeoutMs: 500 });
    assert.equal(calls, 1);
    assert.doesNotMatch(first.error ?? '', /public address/);
    const second = await getter.get(`https://rebind.example.com:${port}/`, WANTED);
    assert.match(second.error ?? '', /public address/);
    assert.equal(calls, 2);
    await getter.close();
    assert.equal(server.connections(), 0);
  });
});

test('shutdown aborts fetches in flight', async () => {
  const asked = Promise.withResolvers<void>();
  await using server = await serve(() => asked.resolve());
  const getter = openGetter({ userAgent: 'Postern/test', allowPrivate: true });
  const fetched = getter.get(server.url, { ...WANTED, timeoutMs: 60_000 });
  await asked.promise;
  await getter.close();
  assert.match((await fetched).error ?? '', /stopped/);
});
