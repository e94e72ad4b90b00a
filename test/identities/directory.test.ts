/** A newer crawler directory, from a file or a URL: what it changes, and what one that is refused does not. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { commandHere } from '../../kit/command.ts';
import {
  crawlerRow,
  dayAfter,
  directoryText,
  newDirectoryFile,
  newSigningKey,
  writeDirectory,
} from '../../kit/crawler-directory.ts';
import { hurry } from '../../kit/hurry.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { directorySchemaText } from '../../scripts/crawler-directory-schema.ts';
import { PACKAGED } from '../../src/rules/crawlers/directory.ts';
import { ConfigError, readConfig } from '../../src/service/config.ts';
import { check, made, makeItem, makePolicy } from '../http/given.ts';

hurry();

const DAY_MS = 86_400_000;
const day = (days: number): string => dayAfter(PACKAGED.date, days);
/** Every date here is past. */
const clockAfter = () => testClock(Date.parse(PACKAGED.date) + 100 * DAY_MS);

const directoryOf = async (postern: TestService) => (await postern.call('GET', '/v1/status')).body.directory;
const untilDate = (postern: TestService, date: string) =>
  until('the directory is in force', async () => (await directoryOf(postern)).date === date);
const untilFailed = (postern: TestService, error: RegExp) =>
  until('the fault is told', async () => error.test((await directoryOf(postern)).error ?? ''));

/** An item that all may read, but no crawler that trains. */
async function closedToTraining(postern: TestService) {
  const item = await makeItem(postern, [
    { action: 'deny', conditions: { crawlerPurpose: 'training' } },
    { action: 'allow', conditions: {} },
  ]);
  return async (userAgent: string): Promise<boolean> =>
    (await check(postern, { contentId: item.id, context: { userAgent } })).allowed;
}

test('a newer file decides at once, and its date is shown', async () => {
  using directory = newDirectoryFile();
  const { file } = directory;
  await using postern = await startTestService({ clock: clockAfter(), env: { POSTERN_CRAWLER_DIRECTORY: file } });
  const first = await directoryOf(postern);
  assert.deepEqual([first.date, first.source, first.error], [PACKAGED.date, 'package', null]);
  const allowed = await closedToTraining(postern);
  const [registered] = (await made(postern, '/v1/crawlers/register', { names: ['GPTBot'] }, 200)).requesters;
  const identities = async () =>
    (await postern.call('GET', `/v1/requesters/${registered.requesterId}`)).body.identities;
  const before = await identities();
  assert.equal(await allowed('Newbot/1.0'), true);
  const site = 'www.example.com';
  const { id: policyId } = await makePolicy(postern, [{ action: 'deny', conditions: { crawlerPurpose: 'training' } }]);
  assert.ok(
    (await postern.call('PUT', `/v1/sites/${site}`, { body: { signals: { robots: 'replace' } } })).status < 300,
  );
  await made(postern, '/v1/collections', { name: 'all', hosts: [site], policyId });
  const robots = async () => (await postern.call('GET', `/v1/sites/${site}/signals/robots.txt`)).text;
  assert.doesNotMatch(await robots(), /Newbot/);

  writeDirectory(file, day(1), [crawlerRow('Newbot')]);
  await untilDate(postern, day(1));
  assert.equal(await allowed('Newbot/1.0'), false);
  assert.equal(await allowed('Newbots/1.0'), true, 'tokens match as a whole');
  const { body } = await postern.call('GET', '/v1/crawlers?q=newbot');
  assert.deepEqual([body.data[0]?.name, body.directory], ['Newbot', { date: day(1), source: 'file' }]);
  assert.deepEqual(await identities(), before, 'requesters keep their identities');
  assert.ok(postern.logs.some((line) => line.includes('the crawler directory was replaced')));
  const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
  assert.match(
    (await commandHere(['status'], { env })).stdout,
    new RegExp(`^Crawler directory of ${day(1)}, from your file$`, 'm'),
  );
  const listed = await commandHere(['crawlers', 'list', '--search', 'newbot'], { env });
  assert.match(listed.stdout, /^Newbot +Example +training/m);
  assert.match(listed.stderr, new RegExp(`The directory is of ${day(1)}, from your file`));
  const policy = await postern.call('POST', '/v1/policies', {
    body: { name: 'n', rules: [{ action: 'deny', conditions: { crawler: 'Newbot' } }] },
  });
  assert.equal(policy.status, 201, 'conditions may name it');
});

test('the log keeps the name that a crawler had when it was decided', async () => {
  using directory = newDirectoryFile();
  writeDirectory(directory.file, day(1), [crawlerRow('Newbot')]);
  await using postern = await startTestService({
    clock: clockAfter(),
    env: { POSTERN_CRAWLER_DIRECTORY: directory.file },
  });
  const item = await makeItem(postern, [{ action: 'allow', conditions: {} }]);
  const ask = () => check(postern, { contentId: item.id, context: { userAgent: 'Newbot/1.0' } });
  const { crawler: former } = await ask();
  writeDirectory(directory.file, day(2), [crawlerRow('Laterbot', { userAgents: ['Newbot'] })]);
  await untilDate(postern, day(2));
  const { crawler: later } = await ask();
  assert.deepEqual([former, later], ['Newbot', 'Laterbot']);
  const { body } = await postern.call('GET', '/v1/access/decisions');
  assert.deepEqual(
    body.data.map(({ crawler }: { crawler: string }) => crawler),
    ['Laterbot', 'Newbot'],
  );
});

test('the preview of an impact knows it too', async () => {
  using directory = newDirectoryFile();
  const clock = clockAfter();
  await using postern = await startTestService({ clock, env: { POSTERN_CRAWLER_DIRECTORY: directory.file } });
  const item = await makeItem(postern, [{ action: 'allow', conditions: {} }]);
  await check(postern, { contentId: item.id, context: { userAgent: 'Newbot/1.0' } });
  const newlyDenied = async () => {
    const rules = [
      { action: 'deny', conditions: { crawlerPurpose: 'training' } },
      { action: 'allow', conditions: {} },
    ];
    clock.advance(1000);
    return (await made(postern, `/v1/policies/${item.policyId}/impact`, { policy: { rules } }, 200)).allowToDeny;
  };
  assert.equal(await newlyDenied(), 0);
  writeDirectory(directory.file, day(1), [crawlerRow('Newbot')]);
  await untilDate(postern, day(1));
  assert.equal(await newlyDenied(), 1);
});

test('an invalid or older one changes nothing, and is told', async () => {
  using directory = newDirectoryFile();
  const { file } = directory;
  writeDirectory(file, day(5), [crawlerRow('Newbot')]);
  await using postern = await startTestService({ clock: clockAfter(), env: { POSTERN_CRAWLER_DIRECTORY: file } });
  const allowed = await closedToTraining(postern);
  assert.equal(await allowed('Newbot/1.0'), false, 'a file is there before the first check');
  const bad: [text: string, error: RegExp][] = [
    [directoryText(day(4)), /before that of the last one/],
    [directoryText(day(5)), /other rows than the last one/],
    [directoryText(day(500)), /in the future/],
    [directoryText('2026-02-30'), /is no day/],
    ['{', /not valid JSON/],
    [JSON.stringify({ date: day(6), crawlers: [] }), /crawlers/],
    [directoryText(day(6), [crawlerRow('GPTbot')]), /Two crawlers have the name/],
    [directoryText(day(6), [crawlerRow('Other', { userAgents: ['gptbot'] })]), /share the user agent gptbot/],
    [directoryText(day(6), [crawlerRow('Short', { userAgents: ['abc'] })]), /userAgents/],
    [directoryText(day(6), [{ ...crawlerRow('More'), more: 1 } as never]), /more/],
    ['x'.repeat(4 * 1024 * 1024 + 1), /larger than 4096 KiB/],
  ];
  for (const [text, error] of bad) {
    writeFileSync(file, text);
    await untilFailed(postern, error);
    assert.equal(await allowed('Newbot/1.0'), false);
    assert.equal((await directoryOf(postern)).date, day(5));
  }
  rmSync(file);
  await untilFailed(postern, /cannot be read \(ENOENT\)/);
  assert.ok(postern.logs.some((line) => line.includes('could not be renewed') && line.includes('ENOENT')));
  const attention = (await postern.call('GET', '/v1/attention')).body.data;
  const told = attention.find(({ kind }: { kind: string }) => kind === 'crawler_directory');
  assert.equal(told?.message, `The crawler directory cannot be renewed: the one of ${day(5)} stays in force.`);
  assert.match((await postern.call('GET', '/metrics')).text, /^postern_crawler_directory_failures [1-9]/m);
  const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key, POSTERN_DATA_DIR: postern.dataDir };
  assert.match((await commandHere(['doctor'], { env })).stdout, /crawlers +directory of .*cannot be renewed/);

  await postern.restart();
  assert.equal(await allowed('Newbot/1.0'), false, 'a restart has the last one');
  writeDirectory(file, day(7));
  await untilDate(postern, day(7));
  assert.equal(await allowed('Newbot/1.0'), true);
  const { failures, failingSince, error } = await directoryOf(postern);
  assert.deepEqual([failures, failingSince, error], [0, null, null]);
});

test('a version that brings a newer one uses its own; without the setting, always', async () => {
  using directory = newDirectoryFile();
  const { file } = directory;
  writeDirectory(file, day(-1), [crawlerRow('Newbot')]);
  const started = await startTestService({ clock: clockAfter(), env: { POSTERN_CRAWLER_DIRECTORY: file } });
  await using postern = started;
  const { date, source, error } = await directoryOf(postern);
  assert.deepEqual([date, source, error], [PACKAGED.date, 'package', null]);
});

/** Serves a directory and its signature. */
async function serveDirectory(): Promise<AsyncDisposable & { url: string; files: Map<string, string> }> {
  const files = new Map<string, string>();
  const server = createServer((request, response) => {
    const text = files.get(request.url ?? '');
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/crawlers.json`;
  return {
    url,
    files,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

test('a URL is read once a day, and only what the key has signed counts', async () => {
  await using served = await serveDirectory();
  const { url, files } = served;
  const key = newSigningKey();
  const put = (text: string, signature = key.sign(text)) => {
    files.set('/crawlers.json', text);
    files.set('/crawlers.json.sig', signature);
  };
  put(directoryText(day(1), [crawlerRow('Newbot')]));
  const clock = clockAfter();
  const env = {
    POSTERN_CRAWLER_DIRECTORY: url,
    POSTERN_CRAWLER_DIRECTORY_KEY: key.publicKey,
    POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  await using postern = await startTestService({ clock, env });
  await untilDate(postern, day(1));
  assert.equal((await directoryOf(postern)).source, 'url');
  const allowed = await closedToTraining(postern);
  assert.equal(await allowed('Newbot/1.0'), false);

  const forged: [text: string, signature: string | undefined, error: RegExp][] = [
    [directoryText(day(2)), newSigningKey().sign(directoryText(day(2))), /not of the key/],
    [directoryText(day(2)), key.sign(directoryText(day(3))), /not of the key/],
    [directoryText(day(2)), '', /not of the key/],
    [directoryText(day(2)), 'x'.repeat(2000), /signature: The answer is larger/],
    ['x'.repeat(4 * 1024 * 1024 + 1), undefined, /larger than 4096 KiB/],
    [directoryText(day(0)), undefined, /before that of the last one/],
  ];
  for (const [text, signature, error] of forged) {
    put(text, signature);
    clock.advance(DAY_MS);
    await untilFailed(postern, error);
    assert.equal((await directoryOf(postern)).date, day(1));
  }
  files.clear();
  await postern.restart();
  assert.equal(await allowed('Newbot/1.0'), false, 'a restart without the URL has the last one');
  put(directoryText(day(3)));
  clock.advance(DAY_MS);
  await untilDate(postern, day(3));
  assert.equal(await allowed('Newbot/1.0'), true);
});

test('a URL leads to no private address', async () => {
  const { publicKey: POSTERN_CRAWLER_DIRECTORY_KEY } = newSigningKey();
  const env = { POSTERN_CRAWLER_DIRECTORY: 'https://127.0.0.1/crawlers.json', POSTERN_CRAWLER_DIRECTORY_KEY };
  await using postern = await startTestService({ clock: clockAfter(), env });
  await untilFailed(postern, /must lead to a public address/);
});

test('settings that cannot work are refused', () => {
  const faultsOf = (env: Record<string, string>): string => {
    try {
      readConfig(env);
      return '';
    } catch (error) {
      return (error as ConfigError).message;
    }
  };
  const KEY = 'POSTERN_CRAWLER_DIRECTORY_KEY';
  const url = { POSTERN_CRAWLER_DIRECTORY: 'https://example.com/crawlers.json' };
  assert.match(faultsOf(url), /KEY: is missing; a directory from a URL must be signed/);
  assert.match(faultsOf({ ...url, [KEY]: 'abc' }), /must be an Ed25519 public key/);
  assert.match(faultsOf({ [KEY]: newSigningKey().publicKey }), /has no effect without/);
  assert.match(faultsOf({ POSTERN_CRAWLER_DIRECTORY: 'ftp://example.com/x' }), /must be a file or an https URL/);
  assert.equal(faultsOf({ ...url, [KEY]: newSigningKey().publicKey }), '');
  assert.equal(faultsOf({ POSTERN_CRAWLER_DIRECTORY: './crawlers.json' }), '');
});

test('the commands of the page make and sign one that the service takes', async () => {
  using directory = newDirectoryFile();
  const cwd = dirname(directory.file);
  rmSync(directory.file);
  const page = readFileSync('docs/crawlers.md', 'utf8');
  const [, block = ''] = /## A directory of your own[\s\S]*?```sh\n([\s\S]*?)```/.exec(page) ?? [];
  let publicKey = '';
  for (const line of block.trim().split('\n')) {
    const [program, ...rest] = line.replace(/ > .*$/, '').split(' ');
    assert.equal(program, 'npx');
    const ran = await commandHere(rest.slice(1), { cwd });
    assert.equal(ran.status, 0, ran.stderr);
    const target = / > (.*)$/.exec(line)?.[1];
    if (target !== undefined) {
      const row = JSON.stringify(crawlerRow('Newbot'));
      const text = ran.stdout.replace(PACKAGED.date, day(1)).replace('"crawlers": [\n', `"crawlers": [\n${row},\n`);
      writeFileSync(join(cwd, target), text);
    } else publicKey = ran.stdout.trim();
  }
  assert.ok(existsSync(`${directory.file}.sig`));
  const env = { POSTERN_CRAWLER_DIRECTORY: directory.file, POSTERN_CRAWLER_DIRECTORY_KEY: publicKey };
  await using postern = await startTestService({ clock: clockAfter(), env });
  assert.equal((await directoryOf(postern)).date, day(1));
  assert.equal((await postern.call('GET', '/v1/crawlers?q=newbot')).body.totalCount, 1);
});

test('the schema in the docs is that of the file', () => {
  const command = '`npm exec -- node scripts/crawler-directory-schema.ts > docs/crawler-directory.schema.json`';
  const page = JSON.parse(readFileSync('docs/crawler-directory.schema.json', 'utf8'));
  assert.deepEqual(page, JSON.parse(directorySchemaText()), `Run ${command}`);
});
