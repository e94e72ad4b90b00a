/**
 * Hundreds of URLs that lead into the service's own network are refused when a webhook is created, and again when a
 * delivery is sent. Listeners on this machine count connections: there are none.
 */
import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { spawnService } from '../../../kit/process.ts';
import { startReceiver } from '../../../kit/receiver.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { words } from '../../../kit/words.ts';
import { made } from '../../../test/http/given.ts';
import { isPublicAddress } from '../../lib/outgoing/address.ts';
import { openSender, type SendOutcome } from './send.ts';

let connections = 0;
const listener = createServer((socket) => {
  connections++;
  socket.destroy();
});
await new Promise<void>((listening) => listener.listen(0, '::', listening));
after(() => void listener.close());
const { port } = listener.address() as AddressInfo;

/** Addresses that are not public, by reason. */
const NOT_PUBLIC: Record<string, readonly string[]> = {
  'this network': ['0.0.0.0', '0.0.0.1', '0.255.255.255'],
  private: words(`
    10.0.0.0 10.0.0.1 10.255.255.255 172.16.0.1 172.20.1.1 172.31.255.255 192.168.0.1 192.168.255.255
  `),
  shared: ['100.64.0.1', '100.100.100.200', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.0.0.2', '127.1.2.3', '127.255.255.255'],
  'link-local': ['169.254.0.1', '169.254.169.254', '169.254.170.2', '169.254.255.255'],
  metadata: ['168.63.129.16', '192.0.0.192'],
  protocols: ['192.0.0.1', '192.0.0.170', '192.0.0.255'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.255'],
  relays: ['192.88.99.1'],
  benchmarking: ['198.18.0.1', '198.19.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255'],
  reserved: ['240.0.0.1', '255.255.255.254', '255.255.255.255'],
};
const V4 = Object.values(NOT_PUBLIC).flat();
const V6 = words(`
  :: ::1 0:0:0:0:0:0:0:1 ::2 fe80::1 febf::1 fec0::1 fc00::1 fd00::1 fd00:ec2::254 fdff::1 ff00::1 ff02::1 ff05::2
  ffff::1 100::1 5f00::1 4000::1 8000::1 e000::1 2001::1 2001:2::1 2001:10::1 2001:20::1 2001:1ff::1 2001:db8::1
  2001:db8:ffff::1 3fff::1 3fff:fff::1
`);
const octets = (text: string) => text.split('.').map(Number) as [number, number, number, number];
const number = (text: string) => octets(text).reduce((sum, part) => sum * 256 + part, 0);
const groups = (text: string) => {
  const value = number(text);
  return `${Math.floor(value / 65_536).toString(16)}:${(value % 65_536).toString(16)}`;
};
/** IPv6 forms of IPv4: mapped, compatible, translated, NAT64 (also of a network’s own), 6to4, Teredo. */
const carried = (text: string): string[] => [
  `::ffff:${text}`,
  `::ffff:${groups(text)}`,
  `::${groups(text)}`,
  `::ffff:0:${groups(text)}`,
  `64:ff9b::${groups(text)}`,
  `64:ff9b:1::${groups(text)}`,
  `2002:${groups(text)}::1`,
  `2001:0:${groups(text)}::1`,
];
/** Returns other spellings that programs read as the same address. */
const written = (text: string): string[] => {
  const [a, b, c, d] = octets(text);
  const hex = (part: number) => `0x${part.toString(16)}`;
  const octal = (part: number) => `0${part.toString(8)}`;
  return [
    `${number(text)}`,
    hex(number(text)),
    `${octal(a)}.${octal(b)}.${octal(c)}.${octal(d)}`,
    `${hex(a)}.${hex(b)}.${hex(c)}.${hex(d)}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${b * 65_536 + c * 256 + d}`,
    `${text}.`,
    text.replaceAll('.', '。'),
    [...text].map((one) => (one === '.' ? '．' : String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xfee0))).join(''),
    [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join(''),
  ];
};
const SAMPLE = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.0.1', '172.16.0.1', '100.64.0.1', '0.0.0.0'];
const NAMES = words(`
  localhost LOCALHOST localhost. a.localhost a.b.localhost. localhost.localdomain ｌｏｃａｌｈｏｓｔ loc%61lhost printer.local
  router.local. metadata.google.internal a.internal nas.home.arpa
`);
const bracketed = (text: string) => `[${text}]`;

const HOSTS = [
  ...V4,
  ...SAMPLE.flatMap(written),
  ...V6.map(bracketed),
  ...SAMPLE.flatMap(carried).map(bracketed),
  ...NAMES,
];
const HOSTILE = [
  ...HOSTS.map((host) => `https://${host}:${port}/hook`),
  ...HOSTS.filter((_, i) => i % 3 === 0).map((host) => `https://${host}/`),
  // A zone, a fragment and a backslash that others read as the end of the host, credentials that look like a host.
  ...['[fe80::1%25eth0]', '[fe80::1%eth0]', '[::1%25lo]'].map((host) => `https://${host}:${port}/`),
  ...[
    'example.com@127.0.0.1',
    'example.com:443@127.0.0.1',
    'a:b@example.com',
    '@127.0.0.1',
    'example.com%40127.0.0.1',
  ].map((host) => `https://${host}:${port}/`),
  ...[
    '127.0.0.1#@example.com/',
    '127.0.0.1\\@example.com/',
    '127.0.0.1?@example.com/',
    '127.0.0.1:80:80/',
    '127.0.0.1 /',
  ].map((rest) => `https://${rest}`),
  // Never without TLS, and nothing but https.
  'http://example.com/',
  'http://8.8.8.8/',
  `http://127.0.0.1:${port}/`,
  `http://localhost:${port}/`,
  `HTTP://[::1]:${port}/`,
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:70/',
  'data:text/plain,x',
  'javascript:1',
  'unix:/run/docker.sock',
  'ws://127.0.0.1/',
  'wss://example.com/',
  '//127.0.0.1/',
  'https:127.0.0.1',
  'https:/127.0.0.1/',
  'https:///127.0.0.1/',
  'blob:https://127.0.0.1/x',
  ' https://127.0.0.1/',
  'https://',
  'https://[',
  '',
];

/** Names as a hostile server may answer for them. */
const answers = (found: readonly string[]): LookupFunction & { calls: number } => {
  const lookup = (_name: string, _options: object, callback: (error: null, all: LookupAddress[]) => void) => {
    lookup.calls++;
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  lookup.calls = 0;
  return lookup;
};

const post = async (
  url: string,
  lookup?: LookupFunction,
  allowPrivate = false,
  signal = new AbortController().signal,
): Promise<SendOutcome> => {
  const sender = openSender({ allowPrivate, ...(lookup === undefined ? {} : { lookup }) });
  try {
    return await sender.post(url, { 'content-type': 'application/json' }, '{}', signal);
  } finally {
    await sender.close();
  }
};
const refused = ({ statusCode, error }: SendOutcome, what: string) => {
  assert.equal(statusCode, null, what);
  assert.match(error ?? '', /not a public address|must /, what);
};

test('there are enough of them', () => {
  assert.ok(new Set(HOSTILE).size >= 300, `${new Set(HOSTILE).size}`);
});

test('the listener would notice: with the guard off, the same URLs reach it', async () => {
  const before = connections;
  const reach = [
    `https://127.0.0.1:${port}/`,
    `https://[::1]:${port}/`,
    `https://2130706433:${port}/`,
    `https://[::ffff:127.0.0.1]:${port}/`,
  ];
  for (const url of reach) await post(url, undefined, true);
  await post(`https://example.com:${port}/`, answers(['127.0.0.1']), true);
  assert.equal(connections - before, reach.length + 1);
});

describe('nobody is asked', () => {
  test('a webhook that leads there is not made, and none is led there', async () => {
    const before = connections;
    await using postern = await startTestService();
    const { id } = await made(postern, '/v1/webhooks', {
      url: 'https://example.com/hook',
      events: ['content.created'],
    });
    for (const url of new Set(HOSTILE)) {
      const answer = await postern.call('POST', '/v1/webhooks', { body: { url, events: ['*'] } });
      assert.equal(answer.status, 400, `${url} ${answer.text}`);
      assert.equal(answer.body.error.param, 'url', url);
      assert.equal((await postern.call('PATCH', `/v1/webhooks/${id}`, { body: { url } })).status, 400, url);
    }
    assert.equal((await postern.call('GET', '/v1/webhooks')).body.totalCount, 1);
    assert.equal(connections, before);
  });

  test('nor sent there, should one have got in', async () => {
    const before = connections;
    const parsed = [...new Set(HOSTILE)].filter((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol));
    assert.ok(parsed.length >= 250, `${parsed.length}`);
    // Names are not looked up on this machine: a hostile server says loopback for each.
    const lookup = answers(['127.0.0.1']);
    for (const url of parsed) refused(await post(url, lookup), url);
    assert.equal(connections, before);
  });

  test('names that lead there: all answers, mixed answers in every order', async () => {
    const before = connections;
    const url = `https://hooks.example.com:${port}/`;
    const bad = [...V4, ...V6, ...SAMPLE.flatMap(carried), 'fe80::1%eth0', 'nonsense', ''];
    for (const address of bad) {
      refused(await post(url, answers([address])), address);
      refused(await post(url, answers(['93.184.216.34', address])), `public, ${address}`);
      refused(await post(url, answers([address, '2606:4700::1111'])), `${address}, public`);
    }
    refused(await post(url, answers([])), 'no address at all');
    assert.equal(connections, before);
  });

  test('the answer is the same for every address and name: nothing of the network is told', async () => {
    const url = `https://hooks.example.com:${port}/`;
    const found = [...V4, ...V6].map((address) => post(url, answers([address])));
    const literal = ['127.0.0.1', '10.0.0.1', '[::1]', 'localhost', 'printer.local', 'db.internal'];
    const all = await Promise.all([...found, ...literal.map((host) => post(`https://${host}:${port}/`))]);
    assert.deepEqual(
      [...new Set(all.map(({ error }) => error))],
      ['The URL must lead to a public address; nothing was sent.'],
    );
  });

  test('rebinding: one look-up for a connection, and what it said is what was judged', async () => {
    const before = connections;
    let calls = 0;
    // In the public block, and not routed.
    const lookup = ((name: string, options: object, callback: never) =>
      answers([calls++ === 0 ? '3ffe::1' : '127.0.0.1'])(name, options, callback)) as unknown as LookupFunction;
    const sender = openSender({ allowPrivate: false, lookup });
    const url = `https://rebind.example.com:${port}/`;
    const first = await sender.post(url, {}, '{}', AbortSignal.timeout(1_000));
    assert.equal(first.statusCode, null);
    assert.equal(calls, 1, 'not looked up again between the judgement and the connection');
    assert.doesNotMatch(first.error ?? '', /not a public/);
    const again = openSender({ allowPrivate: false, lookup });
    refused(await again.post(url, {}, '{}', new AbortController().signal), 'the second time');
    assert.equal(calls, 2);
    await Promise.all([sender.close(), again.close()]);
    assert.equal(connections, before);
  });

  test('what was allowed in development is refused once it is not: at the next delivery, visibly', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-guard-'));
    await using receiver = await startReceiver();
    const urls = [receiver.url, `https://127.0.0.1:${port}/`, `https://localhost:${port}/`, 'http://example.com/'];
    const env = { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' };
    const before = connections;
    const development = await startTestService({ env, dataDir });
    const key = development.key;
    const hooks: string[] = [];
    for (const url of urls)
      hooks.push((await made(development, '/v1/webhooks', { url, events: ['license.expired'] })).id);
    await development[Symbol.asyncDispose]();
    const production = await startTestService({ dataDir });
    for (const id of hooks) {
      const sent = await production.call('POST', `/v1/webhooks/${id}/test`, { key });
      const attempt = await until('an attempt', async () => {
        const { body } = await production.call('GET', `/v1/webhooks/${id}/deliveries/${sent.body.id}`, { key });
        return body.attempts[0];
      });
      assert.equal(attempt.statusCode, null);
      assert.match(attempt.error, /public address|https/);
    }
    await production[Symbol.asyncDispose]();
    rmSync(dataDir, { recursive: true, force: true });
    assert.equal(connections, before);
    assert.equal(receiver.connections(), 0);
  });

  test('proxies in the environment are not asked', async () => {
    await using receiver = await startReceiver();
    const proxy = `http://127.0.0.1:${port}`;
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
    const before = connections;
    await using run = await spawnService({
      ...Object.fromEntries(names.map((name) => [name, proxy])),
      NODE_USE_ENV_PROXY: '1',
      POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true',
    });
    const headers = { authorization: `Bearer ${run.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ url: receiver.url, events: ['license.expired'] });
    const { id } = (await (await fetch(`${run.url}/v1/webhooks`, { method: 'POST', headers, body })).json()) as {
      id: string;
    };
    await fetch(`${run.url}/v1/webhooks/${id}/test`, {
      method: 'POST',
      headers: { authorization: headers.authorization },
    });
    await until('the delivery', () => receiver.received[0]);
    assert.equal(connections, before);
  });
});

describe('addresses', () => {
  for (const [why, addresses] of Object.entries(NOT_PUBLIC)) {
    test(`${why} is not public`, () => {
      for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
    });
  }
  test('IPv6 that is not, and IPv4 in IPv6', () => {
    for (const address of [...V6, ...V4.flatMap(carried)]) assert.equal(isPublicAddress(address), false, address);
  });
  test('those around the ranges, and well-known ones, are public', () => {
    for (const address of words(`
      1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
      169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0
      198.17.255.255 198.20.0.0 198.51.99.255 203.0.112.255 203.0.114.0 223.255.255.255 168.63.129.15 192.88.98.255
      2606:4700:4700::1111 2001:4860:4860::8888 2001:200::1 2003::1 2a00:1450::1 2620:fe::fe 3ffe::1
    `)) {
      assert.equal(isPublicAddress(address), true, address);
    }
  });
});
