/**
 * Directories of agents, fetched in the background: how long keys count, and servers that fail, lie or attack. Time is
 * the test's; requests are counted by the server.
 */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { describe, test } from 'node:test';
import { newSigningKey, type SigningKey, signRequest } from '../../kit/signing.ts';
import { until } from '../../kit/until.ts';
import { readLifetime } from '../../src/requesters/signatures/document.ts';
import { openSignatures } from '../../src/requesters/signatures/signatures.ts';
import { NOW, PAGE } from './judging.ts';

const TYPE = 'application/http-message-signatures-directory+json';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Answer = (response: ServerResponse, path: string) => void;

const publish =
  (keys: readonly SigningKey[], headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(200, { 'content-type': TYPE, ...headers }).end(keysText(keys));
const keysText = (keys: readonly SigningKey[]): string => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });

/** A directory that answers as set, and signatures that know it by its origin. */
async function start(answer: Answer, path = '') {
  const state = { answer, now: 1_000_000, requests: [] as string[] };
  const server = createServer((request, response) => {
    state.requests.push(request.url ?? '');
    state.answer(response, request.url ?? '');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const agent = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const signatures = openSignatures({ userAgent: 'Postern/test', allowPrivate: true, elapsed: () => state.now });
  const agents = new Set([agent]);
  const verify = (key: SigningKey) => {
    const headers = signRequest(key, { url: PAGE, headers: { 'signature-agent': `sig1="${agent}"` }, at: NOW });
    return signatures.verify(
      { method: 'GET', authority: 'www.example.com', targetUri: PAGE, headers, at: NOW },
      agents,
    );
  };
  const told = (key: SigningKey): string => {
    const found = verify(key);
    return 'why' in found ? found.why : found.outcome;
  };
  return {
    state,
    agent,
    signatures,
    agents,
    told,
    /** Waits for the end of all fetches. */
    async settled(fetches: number): Promise<void> {
      await until('the fetches', () => signatures.figures().fetches >= fetches);
      await until('their end', () => signatures.directories().every(({ isFetching }) => !isFetching));
      assert.equal(signatures.figures().fetches, fetches);
    },
    async [Symbol.asyncDispose]() {
      await signatures.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const KEY = newSigningKey();

describe('an agent that is used for the first time', () => {
  test('is unknown until its keys are there, which one fetch brings for all its requests', async () => {
    await using one = await start(publish([KEY]));
    for (let i = 0; i < 50; i++) assert.equal(one.told(KEY), 'keys_not_fetched');
    await one.settled(1);
    assert.equal(one.told(KEY), 'verified');
    assert.deepEqual(one.state.requests, ['/.well-known/http-message-signatures-directory']);
    assert.deepEqual(one.signatures.directories(), [
      {
        agent: one.agent,
        state: 'fresh',
        isFetching: false,
        keys: 1,
        ageMs: 0,
        failures: 0,
        failingMs: null,
        error: null,
      },
    ]);
    const { verified, unknown, failed } = one.signatures.figures();
    assert.deepEqual({ verified, unknown, failed }, { verified: 1, unknown: 50, failed: 0 });
  });
  test('is not fetched unless it is permitted', async () => {
    await using one = await start(publish([KEY]));
    one.agents.clear();
    one.agents.add('http://other.example');
    for (let i = 0; i < 10; i++) assert.equal(one.told(KEY), 'none');
    assert.equal(one.signatures.figures().fetches, 0);
    assert.deepEqual(one.state.requests, []);
  });
  test('is fetched ahead of its first request when tracked, and forgotten when no longer', async () => {
    await using one = await start(publish([KEY]));
    one.signatures.track(one.agents);
    await one.settled(1);
    assert.equal(one.told(KEY), 'verified');
    one.signatures.track(new Set());
    assert.deepEqual(one.signatures.directories(), []);
  });
});

describe('keys that change', () => {
  test('rotation: a new key counts within a minute, a removed one no longer than the lifetime', async () => {
    const next = newSigningKey();
    await using one = await start(publish([KEY], { 'cache-control': 'max-age=3600' }));
    one.told(KEY);
    await one.settled(1);
    one.state.answer = publish([KEY, next], { 'cache-control': 'max-age=3600' });
    for (let i = 0; i < 20; i++) assert.equal(one.told(next), 'key_unknown');
    assert.equal(one.signatures.figures().fetches, 1);
    one.state.now += MINUTE;
    for (let i = 0; i < 20; i++) assert.equal(one.told(next), 'key_unknown');
    await one.settled(2);
    assert.deepEqual([one.told(KEY), one.told(next)], ['verified', 'verified']);
    one.state.answer = publish([next]);
    one.state.now += HOUR;
    assert.equal(one.told(KEY), 'keys_stale');
    await one.settled(3);
    assert.deepEqual([one.told(KEY), one.told(next)], ['key_unknown', 'verified']);
  });
  test('an empty set revokes all keys', async () => {
    await using one = await start(publish([KEY]));
    one.told(KEY);
    await one.settled(1);
    one.state.answer = publish([]);
    one.state.now += HOUR;
    one.told(KEY);
    await one.settled(2);
    assert.equal(one.told(KEY), 'key_unknown');
  });
  test('keys in use are refreshed before they expire, so no request meets stale ones', async () => {
    await using one = await start(publish([KEY], { 'cache-control': 'max-age=600' }));
    one.told(KEY);
    await one.settled(1);
    for (let refreshed = 1; refreshed < 4; refreshed++) {
      one.state.now += 0.95 * 10 * MINUTE;
      assert.equal(one.told(KEY), 'verified');
      await one.settled(refreshed + 1);
    }
  });
  test('keys of a short lifetime are there for an agent whose requests are rarer than that', async () => {
    await using one = await start(publish([KEY], { 'cache-control': 'max-age=60' }));
    one.told(KEY);
    await one.settled(1);
    for (let refreshed = 1; refreshed < 4; refreshed++) {
      // No request comes while the clock ticks.
      one.state.now += 55_000;
      await one.settled(refreshed + 1);
    }
    assert.equal(one.told(KEY), 'verified');
    one.state.now += HOUR - 1;
    await one.settled(5);
  });
  test('unknown key ids cause one fetch a minute at most, whoever sends them', async () => {
    await using one = await start(publish([KEY]));
    one.told(KEY);
    await one.settled(1);
    for (let second = 0; second < 600; second++) {
      one.state.now += 1_000;
      one.told(newSigningKey());
      await until('the end', () => one.signatures.directories().every(({ isFetching }) => !isFetching));
    }
    assert.ok(one.signatures.figures().fetches <= 12, `${one.signatures.figures().fetches}`);
  });
});

describe('a server that fails', () => {
  const FAILURES: Record<string, Answer> = {
    'HTTP 500': (response) => void response.writeHead(500).end(),
    'HTTP 404': (response) => void response.writeHead(404).end(),
    'a redirect': (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    'another content type': (response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('{"keys":[]}'),
    'no content type': (response) => void response.writeHead(200).end('{"keys":[]}'),
    'no JSON': (response) => void response.writeHead(200, { 'content-type': TYPE }).end('<html>'),
    'no key set': (response) => void response.writeHead(200, { 'content-type': TYPE }).end('{"a":1}'),
    'a huge answer': (response) => {
      response.writeHead(200, { 'content-type': TYPE }).end(`{"keys":[]${' '.repeat(200_000)}}`);
    },
    'too many keys': publish(Array.from({ length: 101 }, () => KEY)),
    'a closed connection': (response) => void response.destroy(),
  };
  for (const [name, failing] of Object.entries(FAILURES)) {
    test(`${name}: never evicts keys, and gives none`, async () => {
      await using one = await start(publish([KEY], { 'cache-control': 'max-age=60' }));
      one.told(KEY);
      await one.settled(1);
      one.state.answer = failing;
      one.state.now += 55_000;
      assert.equal(one.told(KEY), 'verified');
      await one.settled(2);
      one.state.now += 5_001;
      assert.equal(one.told(KEY), 'verified');
      const [directory] = one.signatures.directories();
      assert.ok((directory?.failures ?? 0) >= 1 && directory?.error !== null);
      await using fresh = await start(failing);
      fresh.told(KEY);
      await fresh.settled(1);
      assert.equal(fresh.told(KEY), 'keys_not_fetched');
      assert.equal(fresh.signatures.directories()[0]?.state, 'failing');
    });
  }
  test('keys count for 7 days without a refresh, then prove nothing until it succeeds', async () => {
    await using one = await start(publish([KEY], { 'cache-control': 'max-age=60' }));
    one.told(KEY);
    await one.settled(1);
    one.state.answer = FAILURES['HTTP 500'] as Answer;
    one.state.now += 55_000;
    one.told(KEY);
    await one.settled(2);
    one.state.now += 7 * DAY - 56_000;
    assert.equal(one.told(KEY), 'verified');
    await one.settled(3);
    one.state.now += 1_000;
    assert.equal(one.told(KEY), 'keys_stale');
    assert.equal(one.signatures.directories()[0]?.state, 'stale');
    one.state.answer = publish([KEY]);
    one.state.now += 5 * MINUTE;
    one.told(KEY);
    await one.settled(4);
    assert.equal(one.told(KEY), 'verified');
  });
  test('it is retried after seconds, then more rarely, and every five minutes in the end', async () => {
    await using one = await start(FAILURES['HTTP 500'] as Answer);
    const at: number[] = [];
    for (let second = 0; second < 3_600; second++) {
      const before = one.signatures.figures().fetches;
      one.told(KEY);
      if (one.signatures.figures().fetches > before) at.push(second);
      await until('the end', () => one.signatures.directories().every(({ isFetching }) => !isFetching));
      one.state.now += 1_000;
    }
    assert.ok((at[1] as number) <= 5, `${at}`);
    assert.ok(at.length >= 12 && at.length <= 36, `${at}`);
    assert.ok(Math.max(...at.map((second, i) => second - (at[i - 1] ?? 0))) <= 301, `${at}`);
  });
  test('Retry-After is respected up to five minutes', async () => {
    await using one = await start((response) => void response.writeHead(429, { 'retry-after': '86400' }).end());
    one.told(KEY);
    await one.settled(1);
    one.state.now += 5 * MINUTE - 1;
    one.told(KEY);
    assert.equal(one.signatures.figures().fetches, 1);
    one.state.now += 1;
    one.told(KEY);
    assert.equal(one.signatures.figures().fetches, 2);
  });
  test('one that never answers holds no request and no shutdown', async () => {
    const one = await start(() => undefined);
    for (let i = 0; i < 1_000; i++) assert.equal(one.told(KEY), 'keys_not_fetched');
    await until('the request', () => one.state.requests.length === 1);
    const from = performance.now();
    await one[Symbol.asyncDispose]();
    assert.ok(performance.now() - from < 5_000);
  });
});

describe('documents that are no directory of an origin', () => {
  test('a key set at its own address', async () => {
    await using one = await start(publish([KEY], { 'content-type': 'application/jwk-set+json' }), '/keys.json');
    one.told(KEY);
    await one.settled(1);
    assert.equal(one.told(KEY), 'verified');
    assert.deepEqual(one.state.requests, ['/keys.json']);
  });
  test('client metadata that contains a key set, or names one', async () => {
    const json = (value: unknown): Answer => {
      return (response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    await using one = await start(json({ client_name: 'Bot', jwks: { keys: [KEY.jwk] } }), '/client.json');
    one.told(KEY);
    await one.settled(1);
    assert.equal(one.told(KEY), 'verified');
    await using two = await start(() => undefined, '/client.json');
    two.state.answer = (response, path) =>
      path === '/client.json'
        ? json({ jwks_uri: two.agent.replace('client', 'jwks') })(response, path)
        : publish([KEY])(response, path);
    two.told(KEY);
    await two.settled(1);
    assert.equal(two.told(KEY), 'verified');
    assert.deepEqual(two.state.requests, ['/client.json', '/jwks.json']);
    // It leads no further, and the directory of an origin leads nowhere.
    for (const path of ['/client.json', '']) {
      await using loop = await start(() => undefined, path);
      loop.state.answer = json({ jwks_uri: `${new URL(loop.agent).origin}/client.json` });
      loop.told(KEY);
      await loop.settled(1);
      assert.equal(loop.told(KEY), 'keys_not_fetched');
      assert.equal(loop.state.requests.length, path === '' ? 1 : 2);
    }
  });
});

describe('addresses', () => {
  test('a directory on a private address is never connected to', async () => {
    await using server = await start(publish([KEY]));
    const { port } = new URL(server.agent);
    const lookup: LookupFunction = (_name, _options, callback) =>
      (callback as (error: null, all: object[]) => void)(null, [{ address: '127.0.0.1', family: 4 }]);
    const signatures = openSignatures({ userAgent: 'Postern/test', allowPrivate: false, lookup });
    const hosts = [
      `https://127.0.0.1:${port}`,
      `https://localhost:${port}`,
      `https://bot.example:${port}`,
      server.agent,
    ];
    signatures.track(new Set(hosts));
    await until('the fetches', () => signatures.figures().failures === hosts.length);
    for (const { error } of signatures.directories()) assert.match(error ?? '', /public address|https URL/);
    await signatures.close();
    assert.deepEqual(server.state.requests, []);
  });
  test('no growth: agents beyond the bound are not remembered, and few are fetched at a time', async () => {
    let lookups = 0;
    const lookup: LookupFunction = () => void lookups++;
    const signatures = openSignatures({ userAgent: 'Postern/test', allowPrivate: false, lookup });
    const agents = Array.from({ length: 5_000 }, (_, i) => `https://bot-${i}.example`);
    const everyAgent = { has: () => true };
    for (const agent of agents) {
      const headers = signRequest(KEY, { url: PAGE, headers: { 'signature-agent': `sig1="${agent}"` }, at: NOW });
      const request = { method: 'GET', authority: 'www.example.com', targetUri: PAGE, headers, at: NOW };
      assert.equal(signatures.verify(request, everyAgent).outcome, 'unknown');
    }
    await until('a look-up', () => lookups > 0);
    const { directories, fetches } = signatures.figures();
    assert.equal(directories, 2_000);
    assert.equal(fetches, 4);
    await signatures.close();
  });
});

test('the lifetime of keys follows HTTP, between a minute and a day', () => {
  const date = 'Sun, 22 Nov 2026 12:00:00 GMT';
  for (const [headers, lifetime] of [
    [{}, HOUR],
    [{ 'cache-control': 'max-age=600' }, 10 * MINUTE],
    [{ 'cache-control': 'public, max-age="600", must-revalidate' }, 10 * MINUTE],
    [{ 'cache-control': 'max-age=600', age: '300' }, 5 * MINUTE],
    [{ 'cache-control': 'max-age=0' }, MINUTE],
    [{ 'cache-control': 'no-store, max-age=600' }, MINUTE],
    [{ 'cache-control': 'no-cache' }, MINUTE],
    [{ 'cache-control': 'max-age=31536000' }, DAY],
    [{ 'cache-control': 's-maxage=600' }, HOUR],
    [{ expires: 'Sun, 22 Nov 2026 12:30:00 GMT', date }, 30 * MINUTE],
    [{ expires: 'Sun, 22 Nov 2026 11:30:00 GMT', date }, MINUTE],
    [{ expires: '0', date }, MINUTE],
    [{ expires: '0' }, MINUTE],
  ] as const) {
    assert.equal(readLifetime(headers), lifetime, JSON.stringify(headers));
  }
});
