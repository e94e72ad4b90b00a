/** Entries of one's own in the crawler directory: what they change at once, and what changes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandHere } from '../../kit/command.ts';
import { crawlerRow, dayAfter, newDirectoryFile, writeDirectory } from '../../kit/crawler-directory.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { PACKAGED } from '../../src/rules/crawlers/directory.ts';
import { assertError, check, made, makeItem, makePolicy } from '../http/given.ts';

const day = (days: number): string => dayAfter(PACKAGED.date, days);
const add = (postern: TestService, body: object) => made(postern, '/v1/crawlers', body);
const remove = (postern: TestService, token: string) =>
  postern.call('DELETE', `/v1/crawlers/${encodeURIComponent(token)}`);

const FOOBOT = {
  token: 'FooBot',
  name: 'Foo',
  operator: 'Foo Ltd',
  purpose: 'training',
  url: 'https://foo.example/bot',
};

/** An item that crawlers that train may not read. */
async function closedToTraining(postern: TestService) {
  const { id } = await makeItem(postern, [
    { action: 'deny', conditions: { crawlerPurpose: 'training' } },
    { action: 'allow', conditions: {} },
  ]);
  return (userAgent: string) => check(postern, { contentId: id, context: { userAgent, ip: '198.51.100.7' } });
}

test('an entry decides at once, everywhere where the directory does, until it is removed', async () => {
  await using postern = await startTestService();
  const ask = await closedToTraining(postern);
  assert.equal((await ask('foobot/1.0')).allowed, true);
  const entry = await add(postern, FOOBOT);
  assert.deepEqual(
    { ...entry },
    {
      object: 'crawler',
      name: 'Foo',
      operator: 'Foo Ltd',
      purpose: 'training',
      userAgents: ['FooBot'],
      identities: [],
      url: FOOBOT.url,
      source: null,
      own: true,
    },
  );
  const decided = await ask('Mozilla/5.0 (compatible; foobot/1.0; +https://foo.example)');
  assert.deepEqual([decided.allowed, decided.crawler, decided.crawlerVerified ?? null], [false, 'Foo', null]);
  const policy = await makePolicy(postern, [
    { action: 'deny', conditions: { crawler: 'Foo' } },
    { action: 'deny', conditions: { crawlerOperator: 'Foo Ltd' } },
    { action: 'allow', conditions: {} },
  ]);
  const site = 'www.example.com';
  await postern.call('PUT', `/v1/sites/${site}`, { body: { signals: { robots: 'replace' } } });
  await made(postern, '/v1/collections', { name: 'all', hosts: [site], policyId: policy.id });
  const robots = async () => (await postern.call('GET', `/v1/sites/${site}/signals/robots.txt`)).text;
  assert.match(await robots(), /^User-agent: FooBot$/m);
  const { requesters } = await made(postern, '/v1/crawlers/register', { names: ['foo'] }, 200);

  const { body } = await postern.call('GET', '/v1/crawlers?own=true');
  assert.deepEqual([body.data, body.totalCount], [[entry], 1]);
  assert.equal((await postern.call('GET', '/v1/crawlers?own=false')).body.totalCount, PACKAGED.crawlers.length);
  assert.equal((await postern.call('GET', '/v1/crawlers')).body.totalCount, PACKAGED.crawlers.length + 1);

  assert.deepEqual((await remove(postern, 'foobot')).body, { object: 'crawler', token: 'FooBot', deleted: true });
  assert.equal((await ask('foobot/1.0')).crawler, null);
  assert.doesNotMatch(await robots(), /FooBot/);
  const requester = (await postern.call('GET', `/v1/requesters/${requesters[0].requesterId}`)).body;
  assert.deepEqual([requester.userAgents, requester.identities], [['FooBot'], []], 'a requester keeps what it has');
  assertError(await remove(postern, 'foobot'), 'crawler_not_found');
});

test('what cannot be added says why', async () => {
  await using postern = await startTestService();
  await add(postern, FOOBOT);
  const refused = async (body: object) => (await postern.call('POST', '/v1/crawlers', { body })).body.error;
  const exists: [body: object, message: RegExp][] = [
    [{ token: 'gptbot', purpose: 'other' }, /^"gptbot" is in the crawler directory already\. Rules can name it\.$/],
    [{ token: 'FOOBOT', purpose: 'other' }, /^"foobot" is an entry of your own already as Foo/],
    [{ token: 'foo2', name: 'FOO', purpose: 'other' }, /^Foo is an entry of your own already\. Choose another `name`/],
    [{ token: 'foo2', name: 'gptBOT', purpose: 'other' }, /^GPTBot is in the crawler directory already/],
  ];
  for (const [body, message] of exists) {
    const error = await refused(body);
    assert.deepEqual([error.code, message.test(error.message)], ['crawler_exists', true], error.message);
  }
  const invalid = ['', 'a'.repeat(65), 'a b', 'a/b', 'a#b', '*', 'é', 'www.foo'];
  const browsers = ['mozilla', 'Chrome', 'safari', 'Windows', 'like', 'Gecko', 'Mobile', 'compatible', 'Linux', 'lynx'];
  for (const token of [...invalid, ...browsers]) {
    const error = await refused({ token, name: 'n', purpose: 'other' });
    assert.deepEqual([error.code, error.param], ['invalid_request', 'token'], token);
  }
  assert.equal((await refused({ token: 'x', purpose: 'unknown' })).param, 'purpose');
  const identities = [{ kind: 'ip', list: 'http://127.0.0.1/' }];
  assert.equal((await refused({ token: 'x', purpose: 'other', identities })).param, 'identities[0].list');
  assert.match((await remove(postern, 'GPTBot')).body.error.message, /only a newer directory changes/);
});

test('only proof makes it verified', async () => {
  await using postern = await startTestService();
  const { id } = await makeItem(postern, [{ action: 'allow', conditions: { crawlerVerified: true } }]);
  const ask = async (ip: string) =>
    (await check(postern, { contentId: id, context: { userAgent: 'FooBot/1', ip } })).allowed;
  await add(postern, FOOBOT);
  assert.equal(await ask('192.0.2.1'), false);
  await remove(postern, 'foobot');
  await add(postern, { ...FOOBOT, identities: [{ kind: 'ip', ranges: ['192.0.2.0/24'] }] });
  assert.deepEqual([await ask('192.0.2.1'), await ask('198.51.100.1')], [true, false]);
});

test('entries are bounded, and all of them are there after a restart', async () => {
  await using postern = await startTestService();
  const values = Array.from({ length: 999 }, (_, i) => `('t${i}', 't${i}', 't${i}', 'other', '[]', 1)`).join();
  await postern.tamper({
    sql: `insert into own_crawlers (id, token, name, purpose, identities, created_at) values ${values}`,
  });
  await postern.restart();
  const ask = await closedToTraining(postern);
  assert.equal((await ask('t998/1.0')).crawler, 't998');
  await add(postern, FOOBOT);
  const full = await postern.call('POST', '/v1/crawlers', { body: { token: 'more', purpose: 'other' } });
  assertError(full, 'too_many_crawlers');
  await postern.restart();
  assert.deepEqual([(await ask('foobot')).crawler, (await ask('t0')).crawler], ['Foo', 't0']);
});

test('a newer directory leaves what an entry says, and adds to it as long as it has a row of its token or name', async () => {
  using directory = newDirectoryFile();
  const { file } = directory;
  const clock = testClock(Date.parse(PACKAGED.date) + 100 * 86_400_000);
  await using postern = await startTestService({ clock, env: { POSTERN_CRAWLER_DIRECTORY: file } });
  const ask = await closedToTraining(postern);
  await add(postern, FOOBOT);
  await add(postern, { token: 'other-bot', purpose: 'search' });
  const replace = async (date: string, ...rows: Parameters<typeof crawlerRow>[]) => {
    writeDirectory(
      file,
      date,
      rows.map((row) => crawlerRow(...row)),
    );
    await until('it is in force', async () => (await postern.call('GET', '/v1/crawlers')).body.directory.date === date);
  };
  await replace(day(1));
  assert.deepEqual([(await ask('foobot/1')).crawler, (await ask('other-bot/1')).crawler], ['Foo', 'other-bot']);

  const identities = [{ kind: 'ip' as const, ranges: ['192.0.2.0/24'] }];
  await replace(
    day(2),
    ['Foobot by Foo', { userAgents: ['Foobot-Image', 'foobot'], purpose: 'search', identities }],
    ['Other-Bot', { userAgents: ['Otherbot'], purpose: 'training' }],
  );
  for (const userAgent of ['foobot/1', 'foobot-image/1']) {
    const { crawler, allowed } = await ask(userAgent);
    assert.deepEqual([crawler, allowed], ['Foo', false], userAgent);
  }
  for (const userAgent of ['other-bot/1', 'otherbot/1']) {
    assert.deepEqual([(await ask(userAgent)).crawler, (await ask(userAgent)).allowed], ['other-bot', true], userAgent);
  }
  const { data } = (await postern.call('GET', '/v1/crawlers?own=true')).body;
  const shown = data.map(({ object: _, source: __, own: ___, ...entry }: Record<string, unknown>) => entry);
  const { token: _, ...foo } = FOOBOT;
  assert.deepEqual(shown, [
    { ...foo, userAgents: ['FooBot', 'Foobot-Image'], identities },
    {
      name: 'other-bot',
      operator: 'Example',
      purpose: 'search',
      userAgents: ['other-bot', 'Otherbot'],
      identities: [],
      url: null,
    },
  ]);
  const image = { token: 'foobot-image', purpose: 'other' };
  assertError(await postern.call('POST', '/v1/crawlers', { body: image }), 'crawler_exists');

  await postern.restart();
  assert.equal((await ask('foobot-image/1')).crawler, 'Foo');
  await replace(day(3));
  assert.deepEqual([(await ask('foobot/1')).crawler, (await ask('foobot-image/1')).crawler], ['Foo', null]);
  await replace(day(4), ['Foobot by Foo', { userAgents: ['foobot'] }]);
  await remove(postern, 'foobot');
  assert.equal((await ask('foobot/1')).crawler, 'Foobot by Foo');
  assert.equal((await postern.call('GET', '/v1/crawlers?own=true&q=foobot')).body.totalCount, 0);
});

test('the list of programs has it until it is added; the command does both', async () => {
  await using postern = await startTestService();
  const ask = await closedToTraining(postern);
  await ask('FooBot/1.0');
  const programs = async () =>
    (await postern.call('GET', '/v1/analytics/programs')).body.data.map(({ program }: { program: string }) => program);
  assert.deepEqual(await programs(), ['foobot']);
  const run = (...args: string[]) =>
    commandHere(['crawlers', ...args], { env: { POSTERN_URL: postern.url, POSTERN_KEY: postern.key } });
  const added = await run('add', 'foobot', '--name', 'Foo', '--operator', 'Foo Ltd', '--purpose', 'training');
  assert.deepEqual([added.stdout, added.stderr], ['foobot\n', 'Rules can name it as Foo.\n']);
  assert.deepEqual(await programs(), []);
  assert.match((await run('list', '--own')).stdout, /^Foo +Foo Ltd +training/m);
  const again = await run('add', 'foobot', '--purpose', 'training');
  assert.equal(again.status, 1);
  assert.match(again.stderr, /"foobot" is an entry of your own already as Foo/);
  assert.equal((await run('remove', 'foobot')).stderr, 'foobot is no entry of your own any more.\n');
  assert.deepEqual(await programs(), ['foobot']);
});
