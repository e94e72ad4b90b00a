/** Published lists: fetched daily, kept, judged by their age; held back when they shrink. On real servers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hurry } from '../../kit/hurry.ts';
import { startTestService, type TestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertError, assertStatus, made } from '../http/given.ts';
import { openWithIdentities, serveList } from './opened.ts';

hurry();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const json = (...ranges: string[]): string =>
  JSON.stringify({
    creationTime: '2026-11-01T00:00:00',
    prefixes: ranges.map((one) => (one.includes(':') ? { ipv6Prefix: one } : { ipv4Prefix: one })),
  });
const OURS = json('203.0.113.0/24', '2001:db8::/32');
const INSIDE = '203.0.113.7';
const OUTSIDE = '198.51.100.1';

const OK = { verified: 'ip', failed: false };
const SPOOFED = { verified: null, failed: true };
const UNKNOWN = { verified: null, failed: false };

type Opened = Awaited<ReturnType<typeof openWithIdentities>>;
const judged = (opened: Opened, address: string) => opened.identities.identify({ address, requesterId: 'bot' });
const fetched = (opened: Opened, count: number) =>
  until(
    `${count} fetches`,
    () => opened.identities.figures().fetches >= count && opened.identities.figures().lists > 0,
  );

/** Opens identities with a requester whose list is served. */
async function openWithList(text: string) {
  const stack = new AsyncDisposableStack();
  const list = stack.use(await serveList(text));
  const opened = stack.use(await openWithIdentities());
  await opened.register('bot', [{ kind: 'ip', list: list.url }]);
  return { list, opened, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe('forms', () => {
  for (const [form, text] of [
    ['JSON with v4 and v6', OURS],
    ['geofeed', '# Meta\n203.0.113.0/24,US,US-CA,Menlo Park,\r\n2001:db8::/32,US,,,\n'],
    ['plain', '203.0.113.0/24\n2001:db8::/32\n\n'],
    ['JSON of texts', '["203.0.113.0/24", "2001:db8::/32"]'],
  ] as const) {
    test(form, async () => {
      await using all = await openWithList(text);
      await until('verified', () => judged(all.opened, INSIDE).verified === 'ip');
      assert.deepEqual(judged(all.opened, '2001:db8::1'), OK);
      assert.deepEqual(judged(all.opened, '::ffff:203.0.113.7'), OK);
      assert.deepEqual(judged(all.opened, OUTSIDE), SPOOFED);
      assert.deepEqual(judged(all.opened, '2001:db9::1'), SPOOFED);
      assert.deepEqual(judged(all.opened, 'nonsense'), UNKNOWN);
    });
  }
  for (const [what, text] of [
    ['an HTML page', '<html>blocked</html>'],
    ['nothing', ''],
    ['an empty list', '{"prefixes": []}'],
    ['one bad range', json('203.0.113.0/24', '203.0.113.1/24')],
    ['everything of IPv4', json('0.0.0.0/0')],
    ['half of IPv6', json('203.0.113.0/24', '8000::/1')],
    ['more than 2 MiB', `${OURS}${' '.repeat(2 * 1024 * 1024)}`],
    ['another shape', '{"prefixes": [{"service": "x"}]}'],
  ] as const) {
    test(`unusable: ${what} verifies no visitor and fails none`, async () => {
      await using all = await openWithList(text);
      await fetched(all.opened, 1);
      assert.equal(all.opened.identities.figures().failures, 1);
      assert.deepEqual([judged(all.opened, INSIDE), judged(all.opened, OUTSIDE)], [UNKNOWN, UNKNOWN]);
    });
  }
});

describe('age', () => {
  test('fetched once a day; older than seven days it verifies no visitor and fails none', async () => {
    await using all = await openWithList(OURS);
    const { opened, list } = all;
    await until('verified', () => judged(opened, INSIDE).verified === 'ip');
    list.status = 500;
    opened.clock.advance(DAY_MS - 1);
    await opened.reopen();
    assert.deepEqual(judged(opened, INSIDE), OK, 'a restart has it');
    assert.equal(list.requests, 1);
    opened.clock.advance(1);
    await until('failed', () => opened.identities.figures().failures === 1);
    assert.equal(list.requests, 2);
    opened.clock.advance(6 * DAY_MS - 1);
    assert.deepEqual([judged(opened, INSIDE), judged(opened, OUTSIDE)], [OK, SPOOFED]);
    opened.clock.advance(1);
    assert.deepEqual([judged(opened, INSIDE), judged(opened, OUTSIDE)], [UNKNOWN, UNKNOWN]);
    assert.equal(opened.identities.figures().stale, 1);
    list.status = 200;
    opened.clock.advance(DAY_MS);
    await until('fresh again', () => judged(opened, INSIDE).verified === 'ip');
    assert.equal(opened.identities.figures().stale, 0);
  });
  test('of several lists all must be fresh for a claim to fail', async () => {
    await using all = await openWithList(OURS);
    const { opened, list } = all;
    await using other = await serveList('');
    await opened.edit('bot', [
      { kind: 'ip', list: list.url },
      { kind: 'ip', list: other.url },
    ]);
    await until('one of them', () => judged(opened, INSIDE).verified === 'ip');
    assert.deepEqual(judged(opened, OUTSIDE), UNKNOWN);
    other.text = '192.0.2.0/24';
    opened.clock.advance(DAY_MS);
    await until('both', () => judged(opened, '192.0.2.1').verified === 'ip');
    assert.deepEqual(judged(opened, OUTSIDE), SPOOFED);
  });
  test('only the node with the lease fetches, and only what is named', async () => {
    let ours = false;
    await using list = await serveList(OURS);
    await using opened = await openWithIdentities({ isOurs: () => ours });
    await opened.register('bot', [{ kind: 'ip', list: list.url }]);
    await using watched = await serveList(OURS);
    await opened.register('stated', [{ kind: 'ip', ranges: ['203.0.113.0/24'] }]);
    opened.clock.advance(DAY_MS);
    assert.deepEqual(judged(opened, INSIDE), UNKNOWN);
    assert.equal(list.requests, 0);
    ours = true;
    await until('verified', () => judged(opened, INSIDE).verified === 'ip');
    await opened.remove('bot');
    await until('forgotten', () => opened.identities.figures().lists === 0);
    assert.deepEqual(judged(opened, INSIDE), UNKNOWN);
    assert.equal(watched.requests, 0);
  });
});

describe('a list that shrinks by more than half', () => {
  const start = async (text: string) => {
    const stack = new AsyncDisposableStack();
    const list = stack.use(await serveList(text));
    const service = stack.use(await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } }));
    await made(service, '/v1/requesters', { id: 'bot', identities: [{ kind: 'ip', list: list.url }] });
    return { list, service, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  };
  const known = async (of: TestService) => (await of.call('GET', '/v1/identity-lists')).body.data[0];
  const makeDue = (of: TestService) =>
    of.tamper({ sql: 'update identity_lists set attempted_at = 0' }).then(() => of.restart());
  const suspicious = async (of: TestService) =>
    (await of.call('GET', '/v1/events?type=identity.list_suspicious')).body.data;

  test('is held back, announced once, and accepted', async () => {
    await using all = await start(json('203.0.113.0/24', '198.51.100.0/24', '192.0.2.0/24'));
    const { service, list } = all;
    await until('fetched', async () => (await known(service))?.ranges === 3);
    list.text = json('203.0.113.0/24');
    for (let day = 0; day < 2; day++) {
      const before = list.requests;
      await makeDue(service);
      await until('fetched again', () => list.requests > before);
      await until('held', async () => (await known(service)).held?.ranges === 1);
    }
    assert.equal((await known(service)).ranges, 3);
    const events = await suspicious(service);
    assert.deepEqual([events.length, events[0].data.object.url], [1, list.url]);
    const accept = (url: string) => service.call('POST', '/v1/identity-lists/accept', { body: { url } });
    assertError(await accept('https://example.com/'), 'invalid_request', 'url');
    const accepted = await accept(list.url);
    assertStatus(accepted, 200);
    assert.deepEqual([accepted.body.ranges, accepted.body.held, accepted.body.fresh], [1, null, true]);
    assert.deepEqual(await known(service), accepted.body);
    assertError(await accept(list.url), 'invalid_request', 'url');
    const [entry] = (await service.call('GET', '/v1/audit-log?kind=identity.list_accepted')).body.data;
    assert.equal(entry.before.ranges, 3);
  });
  test('counts in addresses, not in ranges; each family for itself', async () => {
    await using all = await start(json('203.0.113.0/25', '203.0.113.128/25', '2001:db8::/32'));
    const { service, list } = all;
    await until('fetched', async () => (await known(service))?.ranges === 3);
    list.text = json('203.0.113.0/24', '2001:db8::/33');
    await makeDue(service);
    await until('in force', async () => (await known(service)).ranges === 2);
    list.text = json('203.0.113.0/24');
    await makeDue(service);
    await until('held', async () => (await known(service)).held?.ranges === 1);
    list.text = json('203.0.113.0/24', '2001:db8::/32');
    await makeDue(service);
    await until('back', async () => (await known(service)).held === null);
  });
});
