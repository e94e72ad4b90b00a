/**
 * Host names of addresses, confirmed forward, in the background, on a real DNS server; and the name that a visitor
 * claims.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startDnsServer } from '../../kit/dns-server.ts';
import { until } from '../../kit/until.ts';
import { isDoubtful } from '../../src/requesters/identities/identities.ts';
import { openWithIdentities } from './opened.ts';

const UNKNOWN = { verified: null, failed: false };
const BY_DNS = { verified: 'dns', failed: false };
const BY_IP = { verified: 'ip', failed: false };
const SPOOFED = { verified: null, failed: true };
const ADDRESS = '66.249.66.1';
const PTR = '1.66.249.66.in-addr.arpa';
const SIX = '2a03:2880:f800::1';
const PTR_SIX = '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.f.0.8.8.2.3.0.a.2.ip6.arpa';
const SUFFIXES = [{ kind: 'dns' as const, suffixes: ['googlebot.com', 'crawl.example.org'] }];

async function start() {
  const stack = new AsyncDisposableStack();
  const dns = stack.use(await startDnsServer());
  const opened = stack.use(await openWithIdentities({ dnsServers: [dns.address] }));
  await opened.register('bot', SUFFIXES);
  const ask = (address = ADDRESS) => opened.identities.identify({ address, requesterId: 'bot' });
  /** Asks, and waits until the background has an answer. */
  const settled = async (address = ADDRESS) => {
    const { resolved, failed } = opened.identities.figures().dns;
    assert.deepEqual(ask(address), UNKNOWN, 'not known at once');
    await until('resolved', () => {
      const now = opened.identities.figures().dns;
      return now.resolved + now.failed > resolved + failed;
    });
    return ask(address);
  };
  return { dns, opened, ask, settled, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe('forward-confirmed', () => {
  test('a name that leads back, on IPv4 and IPv6', async () => {
    await using all = await start();
    all.dns.records.set(PTR, [{ type: 'PTR', data: 'crawl-66-249-66-1.googlebot.com' }]);
    all.dns.records.set('crawl-66-249-66-1.googlebot.com', [{ type: 'A', data: ADDRESS }]);
    assert.deepEqual(await all.settled(), BY_DNS);
    assert.deepEqual(all.ask(`::ffff:${ADDRESS}`), BY_DNS);
    all.dns.records.set(PTR_SIX, [{ type: 'PTR', data: 'a.crawl.example.org' }]);
    all.dns.records.set('a.crawl.example.org', [{ type: 'AAAA', data: '2a03:2880:f800:0:0:0:0:1' }]);
    assert.deepEqual(await all.settled(SIX), BY_DNS);
  });
  const failing: [string, string, string | undefined][] = [
    ['a name that does not resolve', 'crawl-66-249-66-1.googlebot.com', undefined],
    ['a name that leads elsewhere', 'crawl-66-249-66-1.googlebot.com', '66.249.66.2'],
    ['no label boundary', 'evilgooglebot.com', ADDRESS],
    ['the suffix in the middle', 'googlebot.com.evil.example', ADDRESS],
    ['another name', 'static.1.66.clients.example', ADDRESS],
    ['a parent of the suffix', 'example.org', ADDRESS],
  ];
  for (const [what, name, data] of failing) {
    test(`${what}: not verified, and no failed claim`, async () => {
      await using all = await start();
      all.dns.records.set(PTR, [{ type: 'PTR', data: name }]);
      if (data !== undefined) all.dns.records.set(name, [{ type: 'A', data }]);
      assert.deepEqual(await all.settled(), UNKNOWN);
    });
  }
  test('only names with a suffix are resolved forward', async () => {
    await using all = await start();
    all.dns.records.set(PTR, [{ type: 'PTR', data: 'victim.example.net' }]);
    await all.settled();
    assert.deepEqual(all.dns.asked, [PTR]);
  });
  test('a server that fails is no answer about the visitor; it is asked again after a minute', async () => {
    await using all = await start();
    all.dns.records.set(PTR, 'servfail');
    assert.deepEqual(await all.settled(), UNKNOWN);
    assert.equal(all.opened.identities.figures().dns.failed, 1);
    all.dns.records.set(PTR, [{ type: 'PTR', data: 'a.googlebot.com' }]);
    all.dns.records.set('a.googlebot.com', [{ type: 'A', data: ADDRESS }]);
    const { length } = all.dns.asked;
    all.opened.clock.advance(59_999);
    all.ask();
    assert.equal(all.dns.asked.length, length);
    all.opened.clock.advance(1);
    assert.deepEqual(await all.settled(), BY_DNS);
  });
});

describe('kept', () => {
  for (const [ttl, seconds] of [
    [5, 60],
    [300, 300],
    [1_000_000, 86_400],
  ] as const) {
    test(`a TTL of ${ttl} s counts as ${seconds} s`, async () => {
      await using all = await start();
      all.dns.records.set(PTR, [{ type: 'PTR', data: 'a.googlebot.com' }]);
      all.dns.records.set('a.googlebot.com', [{ type: 'A', data: ADDRESS, ttl }]);
      assert.deepEqual(await all.settled(), BY_DNS);
      all.opened.clock.advance(seconds * 1000 - 1);
      assert.deepEqual(all.ask(), BY_DNS);
      all.dns.records.delete(PTR);
      all.opened.clock.advance(1);
      assert.deepEqual(await all.settled(), UNKNOWN);
    });
  }
  test('an answer in use is resolved again before it expires, so its visitor stays verified', async () => {
    await using all = await start();
    all.dns.records.set(PTR, [{ type: 'PTR', data: 'a.googlebot.com' }]);
    all.dns.records.set('a.googlebot.com', [{ type: 'A', data: ADDRESS, ttl: 300 }]);
    assert.deepEqual(await all.settled(), BY_DNS);
    const resolved = () => all.opened.identities.figures().dns;
    for (let time = 1; time < 4; time++) {
      all.opened.clock.advance(290_000);
      assert.deepEqual(all.ask(), BY_DNS);
      await until('resolved', () => resolved().resolved === time + 1);
    }
    // A server that fails takes nothing away before that.
    all.dns.records.set(PTR, 'servfail');
    all.opened.clock.advance(290_000);
    assert.deepEqual(all.ask(), BY_DNS);
    await until('failed', () => resolved().failed === 1);
    assert.deepEqual(all.ask(), BY_DNS);
    all.opened.clock.advance(10_000);
    assert.deepEqual(all.ask(), UNKNOWN, 'the time is over');
  });
  test('no more than a bound waits, and a request never does', async () => {
    await using all = await start();
    for (let i = 0; i < 5000; i++) {
      const address = `66.${i >> 8}.${i & 255}.1`;
      const [c, b] = [i & 255, i >> 8];
      all.dns.records.set(`1.${c}.${b}.66.in-addr.arpa`, 'silent');
      assert.deepEqual(all.ask(address), UNKNOWN);
    }
    const { waiting, dropped } = all.opened.identities.figures().dns;
    assert.deepEqual([waiting, dropped], [1000, 4000]);
    assert.ok(all.dns.asked.length <= 16);
  });
  test('addresses that are not public are never asked for', async () => {
    await using all = await start();
    for (const address of ['127.0.0.1', '10.0.0.1', '::1', 'fe80::1', '169.254.169.254', 'x', '']) {
      assert.deepEqual(all.ask(address), UNKNOWN);
    }
    assert.equal(all.opened.identities.figures().dns.waiting, 0);
  });
});

describe('the name that is claimed', () => {
  test('a requester with its stated ranges, as fresh as an edit', async () => {
    await using opened = await openWithIdentities();
    const ask = (address: string, requesterId = 'partner') => opened.identities.identify({ address, requesterId });
    await opened.register('partner', [{ kind: 'ip', ranges: ['203.0.113.0/24', '2001:db8::/32'] }]);
    assert.deepEqual([ask('203.0.113.9'), ask('2001:db8::9'), ask('203.0.114.0')], [BY_IP, BY_IP, SPOOFED]);
    assert.deepEqual(ask('203.0.113.9', 'other'), UNKNOWN);
    await opened.edit('partner', [{ kind: 'ip', ranges: ['203.0.114.0/24'] }]);
    assert.deepEqual([ask('203.0.113.9'), ask('203.0.114.0')], [SPOOFED, BY_IP]);
    await opened.reopen();
    assert.deepEqual([ask('203.0.113.9'), ask('203.0.114.0')], [SPOOFED, BY_IP]);
    await opened.edit('partner', [{ kind: 'signature', agent: 'https://agent.example' }]);
    assert.deepEqual([ask('203.0.113.9'), ask('203.0.114.0')], [UNKNOWN, UNKNOWN]);
    await opened.remove('partner');
    assert.deepEqual(ask('203.0.114.0'), UNKNOWN);
  });
  test('a crawler of the directory, where the requester says nothing of its own', async () => {
    await using dns = await startDnsServer();
    await using opened = await openWithIdentities({ dnsServers: [dns.address] });
    const { identities } = opened;
    dns.records.set(PTR, [{ type: 'PTR', data: 'a.crawl.commoncrawl.org' }]);
    dns.records.set('a.crawl.commoncrawl.org', [{ type: 'A', data: ADDRESS }]);
    await opened.register('ccbot', []);
    const ask = (requesterId: string | null) =>
      identities.identify({ address: ADDRESS, requesterId, crawler: 'CCBot' });
    assert.deepEqual(ask('ccbot'), UNKNOWN);
    await until('resolved', () => ask('ccbot').verified === 'dns');
    assert.deepEqual(ask(null), BY_DNS);
    await opened.register('strict', [{ kind: 'ip', ranges: ['203.0.113.0/24'] }]);
    assert.deepEqual(ask('strict'), SPOOFED);
    assert.deepEqual(identities.identify({ address: ADDRESS, crawler: 'Bytespider' }), UNKNOWN);
    assert.deepEqual(identities.identify({ address: ADDRESS, crawler: '__proto__' }), UNKNOWN);
    assert.deepEqual(identities.identify({ address: ADDRESS }), UNKNOWN);
  });
  test('outside its ranges, but with its name: verified, once the name is known', async () => {
    await using all = await start();
    await all.opened.edit('bot', [{ kind: 'ip', ranges: ['203.0.113.0/24'] }, ...SUFFIXES]);
    all.dns.records.set(PTR, [{ type: 'PTR', data: 'a.googlebot.com' }]);
    all.dns.records.set('a.googlebot.com', [{ type: 'A', data: ADDRESS }]);
    assert.deepEqual(all.ask(), UNKNOWN);
    assert.ok(isDoubtful(all.ask()), 'until then, it is neither proven nor refuted');
    await until('resolved', () => all.ask().verified === 'dns');
    assert.ok(isDoubtful(all.ask('66.249.66.9')));
    await until('looked up', () => all.ask('66.249.66.9').failed);
  });
});
