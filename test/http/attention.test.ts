/** The list of what needs attention: each kind, the most severe first, and only what a key may read. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startReceiver } from '../../kit/receiver.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { failingAgents } from '../../src/reports/attention/services.ts';
import { allowAll, assertStatus, check, item, made, makeKey, makePolicy } from './given.ts';

const DAY_MS = 86_400_000;
/** Jumps are looked for this often. */
const LOOK_MS = 300_000;
const clock = testClock(Date.parse('2026-10-05T12:00:00Z'));
const postern = await startTestService({ clock, env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());

async function told(key?: string): Promise<any[]> {
  const answer = await postern.call('GET', '/v1/attention', key === undefined ? {} : { key });
  assertStatus(answer, 200);
  assert.equal(answer.body.object, 'attention');
  return answer.body.data;
}
const about = async (kind: string, subject: object, key?: string) =>
  (await told(key)).find(
    (one) => one.kind === kind && Object.entries(subject).every(([name, id]) => one.subject[name] === id),
  );
const inDays = (days: number): string => new Date(clock.now() + days * DAY_MS).toISOString();

const TERMS = {
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  period: 'month',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 1 }],
};
const { id: open } = await makePolicy(postern, [allowAll]);
const { id: licensed } = await makePolicy(postern, [{ action: 'allow', conditions: { licenseType: 'commercial' } }]);
const page = await made(postern, '/v1/content', item({ policyId: open }));
const article = await made(postern, '/v1/content', item({ policyId: licensed }));
for (const id of ['acme', 'beta']) await made(postern, '/v1/requesters', { id });

test('nothing, before anything happened', async () => {
  assert.deepEqual(await told(), []);
});

test('a crawler that comes for the first time, as long as something that it asked for is there', async () => {
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId: open }));
  await check(postern, { contentId, context: { userAgent: 'PetalBot/1.0' } });
  const crawler = 'PetalBot';
  const one = await until('it is announced', async () => (await about('crawler', { crawler })) ?? false);
  assert.equal(one.message, 'The crawler PetalBot came for the first time.');
  assert.equal((await postern.call('GET', one.path)).body.totalCount, 1);
  assertStatus(await postern.call('DELETE', `/v1/content/${contentId}`), 200);
  assert.equal(await about('crawler', { crawler }), undefined);
});

test('a user agent or an agent that signs which several partners have', async () => {
  const identities = [{ kind: 'signature', agent: 'https://bot.twins.example' }];
  await made(postern, '/v1/requesters', { id: 'twin-a', name: 'Twin A', userAgents: ['TwinBot'], identities });
  assert.equal(await about('shared_name', {}), undefined);
  for (const id of ['twin-b', 'twin-c']) await made(postern, '/v1/requesters', { id, userAgents: ['twinbot'] });
  const named = await about('shared_name', {});
  assert.deepEqual(
    [named.severity, named.subject, named.path, named.message],
    [
      'high',
      { requesterId: 'twin-a' },
      '/v1/requesters/twin-a',
      '`twinbot` names Twin A and 2 other partners: visitors with it are refused. Give it to one of them.',
    ],
  );
  await postern.call('PATCH', '/v1/requesters/twin-b', { body: { userAgents: [], identities } });
  await postern.call('DELETE', '/v1/requesters/twin-c');
  assert.match(
    (await about('shared_name', {})).message,
    /^`https:\/\/bot\.twins\.example` names Twin A and another partner/,
  );
  const key = await makeKey(postern, { permissions: ['analytics:read'] });
  const others = (await postern.call('GET', '/v1/attention', { key })).body.data;
  assert.deepEqual(
    others.filter(({ kind }: { kind: string }) => kind === 'shared_name'),
    [],
  );
  for (const id of ['twin-a', 'twin-b']) await postern.call('DELETE', `/v1/requesters/${id}`);
  assert.deepEqual(await told(), []);
});

describe('licenses', () => {
  test('of a partner that is named by its name', async () => {
    await made(postern, '/v1/requesters', { id: 'req-4711', name: 'Gamma AI' });
    const { id } = await made(postern, '/v1/licenses', {
      requesterId: 'req-4711',
      type: 'archive',
      expiresAt: inDays(3),
    });
    const { message, subject } = await about('license_ending', { licenseId: id });
    assert.deepEqual([message, subject.requesterId], ['The license `archive` of Gamma AI ends in 3 days.', 'req-4711']);
    await postern.call('PATCH', `/v1/licenses/${id}`, { body: { terms: { ...TERMS, reference: 'Contract 7' } } });
    const named = await about('license_ending', { licenseId: id });
    assert.equal(named.message, 'The license `Contract 7` of Gamma AI ends in 3 days.', 'as of any other kind');
    await postern.call('DELETE', `/v1/licenses/${id}`);
  });

  test('that end within 30 days, more urgently within seven', async () => {
    const make = (days: number, more: object = {}) =>
      made(postern, '/v1/licenses', { requesterId: 'acme', type: 'archive', expiresAt: inDays(days), ...more });
    const [soon, later, far, off] = [
      await make(3),
      await make(20),
      await make(40),
      await make(5, { status: 'suspended' }),
    ];
    const urgent = await about('license_ending', { licenseId: soon.id });
    assert.deepEqual(
      [urgent.severity, urgent.subject, urgent.path, urgent.message],
      [
        'high',
        { requesterId: 'acme', licenseId: soon.id },
        `/v1/licenses/${soon.id}`,
        'The license `archive` of acme ends in 3 days.',
      ],
    );
    assert.equal((await about('license_ending', { licenseId: later.id })).severity, 'medium');
    for (const { id } of [far, off]) assert.equal(await about('license_ending', { licenseId: id }), undefined);
    assertStatus(await postern.call('PATCH', `/v1/licenses/${soon.id}`, { body: { expiresAt: inDays(300) } }), 200);
    assert.equal(await about('license_ending', { licenseId: soon.id }), undefined);
  });

  test('whose quota is used to 80 % and beyond, until the next period', async () => {
    const { id: licenseId } = await made(postern, '/v1/licenses', {
      requesterId: 'beta',
      type: 'commercial',
      terms: { ...TERMS, reference: 'Contract 12', quota: { units: 5, onExceed: 'deny' } },
    });
    const use = (times: number) =>
      Promise.all(Array.from({ length: times }, () => check(postern, { contentId: article.id, requesterId: 'beta' })));
    await use(3);
    assert.equal(await about('quota', { licenseId }), undefined);
    await use(1);
    const most = await about('quota', { licenseId });
    assert.deepEqual(
      [most.severity, most.message],
      ['medium', 'The license `Contract 12` of beta has used most of its quota: 4 of 5 units.'],
    );
    await use(2);
    const all = await about('quota', { licenseId });
    assert.deepEqual(
      [all.severity, all.message],
      ['high', 'The license `Contract 12` of beta has used up its quota: 5 of 5 units.'],
    );
    assert.equal((await told())[0].kind, 'quota', 'the most severe first');
    clock.advance(30 * DAY_MS);
    assert.equal(await about('quota', { licenseId }), undefined);
  });

  test('that a partner asks for, until there is an answer', async () => {
    const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 'ours' });
    const asked = await postern.call('POST', '/v1/me/requests', { key: token, body: { licenseType: 'training' } });
    const { id: requestId } = asked.body;
    assert.deepEqual((await about('license_request', { requestId })).subject, { requesterId: 'acme', requestId });
    await postern.call('POST', `/v1/license-requests/${requestId}/decline`);
    assert.equal(await about('license_request', { requestId }), undefined);
  });
});

describe('visits', () => {
  const visit = (userAgent: string, ip = '203.0.113.7') =>
    check(postern, { contentId: page.id, context: { userAgent, ip }, visitor: {} });

  test('of a new crawler, for a week', async () => {
    const { created } = await visit('GPTBot/1.2');
    await until('the sighting', async () => (await about('crawler', { crawler: 'GPTBot' })) !== undefined, 30_000);
    const seen = await about('crawler', { crawler: 'GPTBot' });
    assert.deepEqual([seen.severity, seen.since], ['low', created]);
    clock.advance(8 * DAY_MS);
    assert.equal(await about('crawler', { crawler: 'GPTBot' }), undefined);
  });

  test('under a false name, for a day', async () => {
    await made(postern, '/v1/requesters', {
      id: 'named',
      userAgents: ['NamedBot'],
      identities: [{ kind: 'ip', ranges: ['203.0.113.0/24'] }],
    });
    await visit('NamedBot/1.0');
    assert.equal(await about('spoofing', { claimed: 'named' }), undefined);
    const first = await visit('NamedBot/1.0', '198.51.100.1');
    await visit('NamedBot/1.0', '198.51.100.2');
    const spoofed = await about('spoofing', { claimed: 'named' });
    assert.deepEqual(
      [spoofed.message, spoofed.since],
      ['The name named was falsely claimed 2 times within a day.', first.created],
    );
    clock.advance(2 * DAY_MS);
    assert.equal(await about('spoofing', { claimed: 'named' }), undefined);
  });

  test('of a requester that is denied far more often than before', async () => {
    const denied = (requesterId: string, times: number) =>
      Promise.all(Array.from({ length: times }, () => check(postern, { contentId: article.id, requesterId })));
    for (let day = 0; day < 7; day++) {
      await denied('steady', 10);
      assert.equal(await about('denials', { requesterId: 'steady' }), undefined, 'a day ends as the next one begins');
      clock.advance(DAY_MS);
    }
    await denied('steady', 20);
    await denied('sudden', 30);
    await denied('few', 19);
    const unnamed = { 'FooFetch/2.0': 25, 'GPTBot/1.2': 22, 'Mozilla/5.0 (X11; Linux) Gecko/1 Firefox/140.0': 21 };
    for (const [userAgent, times] of Object.entries(unnamed))
      for (let i = 0; i < times; i++) await check(postern, { contentId: article.id, context: { userAgent } });
    const jumped = await about('denials', { requesterId: 'sudden' });
    assert.equal(jumped.message, 'sudden: denied 30 times within a day, before that 0 times a day.');
    const messageAbout = async (subject: object) => (await about('denials', subject)).message;
    assert.match(await messageAbout({ program: 'foofetch' }), /^The program foofetch: denied 25 times within a day/);
    assert.match(await messageAbout({ crawler: 'GPTBot' }), /^The crawler GPTBot: denied 22 times within a day/);
    assert.match(await messageAbout({}), /^Browsers: denied 21 times within a day/);
    for (const requesterId of ['steady', 'few']) assert.equal(await about('denials', { requesterId }), undefined);

    const events = async () => (await postern.call('GET', '/v1/events?type=denials.jumped')).body.data;
    clock.advance(LOOK_MS);
    const announced = (...ids: string[]) =>
      until('the events', async () => {
        const found = await events();
        return ids.every((id) => found.some(({ data }: any) => data.object.id === id)) && found;
      });
    const found = await announced('sudden', 'program foofetch', 'crawler GPTBot', 'all browsers');
    const objects = new Map(found.map(({ data: { object } }: any) => [object.id, object]));
    const whoIn = (id: string) => (objects.get(id) as any).who;
    assert.deepEqual(whoIn('program foofetch'), { kind: 'program', id: 'foofetch', name: 'foofetch' });
    assert.deepEqual(whoIn('crawler GPTBot'), { kind: 'crawler', id: 'GPTBot', name: 'GPTBot', proof: 'none' });
    assert.deepEqual(whoIn('all browsers'), { kind: 'browsers', id: null, name: null });
    const { from, to, denied: times, ...object } = objects.get('sudden') as any;
    assert.deepEqual(object, {
      id: 'sudden',
      object: 'denials_jump',
      requesterId: 'sudden',
      who: null,
      usual: 0,
    });
    assert.ok(times >= 20 && times <= 30, `${times}: a look may fall between the denials`);
    assert.equal(Date.parse(to) - Date.parse(from), DAY_MS);
    await postern.restart();
    await denied('later', 40);
    clock.advance(LOOK_MS);
    await announced('later');
    const ids = (await events()).map(({ data }: any) => data.object.id);
    const once = ['all browsers', 'crawler GPTBot', 'later', 'program foofetch', 'sudden'];
    assert.deepEqual(ids.toSorted(), once, 'once a day, also over a restart; not those that did not jump');
  });
});

test('a webhook that fails, until it is delivered to', async () => {
  const { id: webhookId } = await made(postern, '/v1/webhooks', {
    url: 'http://127.0.0.1:9/secret-path',
    events: ['policy.created'],
  });
  await makePolicy(postern, [allowAll]);
  await until('a failure', async () => (await about('webhook', { webhookId })) !== undefined, 30_000);
  const { message, severity } = await about('webhook', { webhookId });
  assert.deepEqual([severity, message], ['medium', 'Deliveries to the webhook at 127.0.0.1:9 fail.']);
  await postern.call('PATCH', `/v1/webhooks/${webhookId}`, { body: { status: 'disabled' } });
  assert.equal(await about('webhook', { webhookId }), undefined, 'somebody disabled it');
});

test('a webhook whose endpoint is gone: one failure disables it', async () => {
  await using receiver = await startReceiver();
  receiver.status(410);
  const { id: webhookId } = await made(postern, '/v1/webhooks', { url: receiver.url, events: ['policy.created'] });
  assertStatus(await postern.call('POST', `/v1/webhooks/${webhookId}/test`), 200);
  await until('it is disabled', async () => (await about('webhook', { webhookId }))?.severity === 'high', 30_000);
  const { message } = await about('webhook', { webhookId });
  const { host } = new URL(receiver.url);
  assert.equal(message, `The webhook to ${host} was disabled, because its deliveries failed.`);
  await postern.call('DELETE', `/v1/webhooks/${webhookId}`);
});

test('lists that are held back or too old', async () => {
  const put = (url: string, at: number, failures: number, heldAt: number | null) => ({
    sql: `insert into identity_lists (url, texts, ranges, fetched_at, attempted_at, failures, held_at, held_ranges)
          values ($1, '[]', 0, $2, $2, $3, ${heldAt ?? 'null'}, 0)`,
    params: [url, at, failures],
  });
  const now = clock.now();
  await postern.tamper(
    put('https://lists.example/old', now - 8 * DAY_MS, 3, null),
    put('https://lists.example/held', now, 0, now),
    put('https://lists.example/good', now, 0, null),
  );
  const severityOf = async (name: string) =>
    (await about('identity_list', { url: `https://lists.example/${name}` }))?.severity;
  assert.deepEqual(
    [await severityOf('old'), await severityOf('held'), await severityOf('good')],
    ['high', 'medium', undefined],
  );
});

test('after a start without a network: nothing at once, then one item with the number of lists', async () => {
  const now = clock.now();
  const lists = Array.from({ length: 15 }, (_, i) => `https://never.example/${i}`);
  const failing = async (since: number) => {
    await postern.tamper(
      { sql: "delete from identity_lists where url like 'https://never.example/%'", params: [] },
      ...lists.map((url, i) => ({
        sql: `insert into identity_lists (url, texts, ranges, attempted_at, failures, failing_since)
              values ($1, '[]', 0, $2, 2, $3)`,
        params: [url, now, since + i],
      })),
    );
    return (await told()).filter(({ kind, subject }) => kind === 'identity_list' && subject.url === undefined);
  };
  assert.deepEqual(await failing(now - DAY_MS / 2), []);
  const afterTwoDays = await failing(now - 2 * DAY_MS);
  assert.deepEqual(
    afterTwoDays.map(({ severity, message, since }) => [severity, message, since]),
    [
      [
        'medium',
        '15 published lists could not be fetched for too long: they verify no visitors.',
        new Date(now - 2 * DAY_MS).toISOString(),
      ],
    ],
  );
  assert.deepEqual(
    (await failing(now - 8 * DAY_MS)).map(({ severity }) => severity),
    ['high'],
  );
  await postern.tamper({ sql: "delete from identity_lists where url like 'https://never.example/%'", params: [] });
});

test('agents whose keys cannot be fetched', () => {
  const state = { isFetching: false, keys: 0, ageMs: null, failingMs: null, error: 'x' };
  const items = failingAgents(
    [
      { ...state, agent: 'https://gone.example', state: 'failing', failures: 3 },
      { ...state, agent: 'https://first.example', state: 'fetching', failures: 0 },
      { ...state, agent: 'https://kept.example', state: 'fresh', failures: 2 },
      { ...state, agent: 'https://old.example', state: 'stale', failures: 9, ageMs: 1000 },
    ],
    5000,
  );
  assert.deepEqual(
    items.map(({ subject, since }) => [subject.agent, since]),
    [
      ['https://gone.example', null],
      ['https://old.example', 4000],
    ],
  );
  const many = Array.from({ length: 3 }, (_, i) => ({
    ...state,
    agent: `https://${i}.example`,
    state: 'failing' as const,
    failures: 1,
  }));
  const messages = (failingMs: number) =>
    failingAgents(
      many.map((one) => ({ ...one, failingMs })),
      5000,
    ).map(({ message }) => message);
  assert.deepEqual(messages(60_000), [], 'not for a minute');
  assert.deepEqual(messages(2 * 3_600_000), [
    'The keys of 3 agents cannot be fetched: their signatures prove nothing.',
  ]);
});

test('a key is told what it may read elsewhere, and a public one nothing of terms', async () => {
  const ending = await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'x', expiresAt: inDays(3) });
  const { id: licenseId } = await made(postern, '/v1/licenses', {
    requesterId: 'beta',
    type: 'commercial',
    terms: { ...TERMS, quota: { units: 1, onExceed: 'allow' } },
  });
  await made(postern, '/v1/requesters', { id: 'gamma' });
  const held = await made(postern, '/v1/licenses', {
    requesterId: 'gamma',
    type: 'commercial',
    terms: { ...TERMS, quota: { units: 1, onExceed: 'allow' } },
  });
  await check(postern, { contentId: article.id, requesterId: 'gamma' });
  assert.notEqual(licenseId, held.id);
  const kindsFor = async (type: string, ...permissions: string[]) =>
    new Set((await told(await makeKey(postern, { name: 'k', type, permissions }))).map(({ kind }) => kind));
  const alone = await kindsFor('secret', 'analytics:read');
  for (const kind of ['license_ending', 'quota', 'license_request', 'webhook', 'identity_list']) {
    assert.ok(!alone.has(kind), kind);
  }
  const reading = await kindsFor('secret', 'analytics:read', 'requesters:read');
  assert.ok(reading.has('license_ending') && reading.has('quota') && reading.has('identity_list'));
  const shown = await kindsFor('public', 'analytics:read', 'policies:read');
  assert.ok(shown.has('license_ending') && !shown.has('quota'));
  assert.ok(ending.id);
});

test('at most 100, and it says that there are more', async () => {
  for (let i = 0; i < 101; i++) {
    await made(postern, '/v1/licenses', { requesterId: 'acme', type: `t${i}`, expiresAt: inDays(1) });
  }
  const { body } = await postern.call('GET', '/v1/attention');
  assert.deepEqual([body.data.length, body.hasMore], [100, true]);
});
