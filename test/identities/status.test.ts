/** The state of what verifies visitors: in the status, in the metrics and on the command line. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { commandHere } from '../../kit/command.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { listVisitorMetrics, type VisitorParts } from '../../src/service/health/visitor-metrics.ts';
import { allowAll, check, made, makeItem } from '../http/given.ts';
import { openWithIdentities, serveList } from './opened.ts';

const DAY_MS = 86_400_000;
/** Metrics of lists read neither. */
const NO_SIGNATURES = {} as VisitorParts['signatures'];
const NO_DECISIONS = {} as VisitorParts['ledger'];
const clock = testClock();
const list = await serveList('203.0.113.0/24\n198.51.100.0/24\n192.0.2.0/24');
const directory = createServer((_, response) => response.writeHead(503).end());
await new Promise<void>((listening) => directory.listen(0, '127.0.0.1', listening));
const agent = `http://127.0.0.1:${(directory.address() as AddressInfo).port}`;
const env = { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true', POSTERN_CRAWLER_LISTS: 'false' };
const postern = await startTestService({ clock, env });
after(async () => {
  await postern[Symbol.asyncDispose]();
  await list[Symbol.asyncDispose]();
  directory.close();
});

await made(postern, '/v1/requesters', {
  id: 'bot',
  userAgents: ['TheirBot'],
  identities: [{ kind: 'ip', list: list.url }],
});
await made(postern, '/v1/requesters', { id: 'signer', identities: [{ kind: 'signature', agent }] });
const item = await makeItem(postern, [allowAll]);

const visitors = async () => (await postern.call('GET', '/v1/status')).body.visitors;
const listed = async () => (await visitors()).lists.data[0];
const metrics = async () => (await postern.call('GET', '/metrics', { key: null })).text;
const command = () => commandHere(['status'], { env: { POSTERN_URL: postern.url, POSTERN_KEY: postern.key } });

describe('a published list', () => {
  test('with its age, and since when it fails and why', async () => {
    await until('fetched', async () => (await listed())?.fresh === true);
    const { fetched, failures, failingSince, held, url } = await listed();
    assert.deepEqual([url, failures, failingSince, held], [list.url, 0, null, null]);
    list.status = 500;
    clock.advance(DAY_MS);
    const first = new Date(clock.now()).toISOString();
    await until('failed', async () => (await listed()).failures === 1);
    clock.advance(DAY_MS);
    await until('failed again', async () => (await listed()).failures === 2);
    const failing = await listed();
    assert.deepEqual([failing.failingSince, failing.fetched, failing.fresh], [first, fetched, true]);
    assert.match(failing.error, /HTTP 500/);
    assert.match(await metrics(), /^postern_identity_lists_failing 1$/m);
    await postern.restart();
    assert.equal((await listed()).failingSince, first, 'also after a restart');
    list.status = 200;
    clock.advance(DAY_MS);
    await until('fetched', async () => (await listed()).failures === 0);
    assert.equal((await listed()).failingSince, null);
  });

  test('that is held back says since when, however often it is fetched', async () => {
    list.text = '203.0.113.0/24';
    clock.advance(DAY_MS);
    await until('held', async () => (await listed()).held?.ranges === 1);
    const { since } = (await listed()).held;
    const before = list.requests;
    clock.advance(DAY_MS);
    await until('fetched again', () => list.requests > before);
    await until('stored', async () => (await listed()).attempted === new Date(clock.now()).toISOString());
    assert.equal((await listed()).held.since, since);
    const { stdout } = await command();
    assert.match(stdout, new RegExp(`${list.url} +3 .*1 range held back since ${since.slice(0, 10)}`));
    list.text = '192.0.2.0/25';
    clock.advance(DAY_MS);
    await until('held anew', async () => (await listed()).held?.since !== since);
  });
});

test('an agent whose keys cannot be fetched', async () => {
  const found = async () => (await visitors()).directories.data.find((one: { agent: string }) => one.agent === agent);
  await until('failed', async () => (await found())?.failures > 0);
  const { state, keys, fetched, failingSince, error } = await found();
  assert.deepEqual([state, keys, fetched], ['failing', 0, null]);
  assert.ok(Date.parse(failingSince) <= clock.now(), failingSince);
  assert.match(error, /HTTP 503/);
  assert.match(await metrics(), /^postern_signature_directories_failing 1$/m);
  assert.match((await command()).stdout, new RegExp(`${agent} +0 .*failing; \\d+ failed fetch`));
});

describe('names that were falsely claimed', () => {
  test('by requester in the status, by crawler of the directory in the metrics', async () => {
    await made(postern, '/v1/requesters', {
      id: 'secret-partner',
      userAgents: ['PartnerBot', 'GPTBot'],
      identities: [{ kind: 'ip', ranges: ['192.0.2.0/24'] }],
    });
    const ask = (userAgent: string) =>
      check(postern, {
        url: undefined,
        contentId: item.id,
        requesterId: 'secret-partner',
        context: { ip: '198.51.100.9', userAgent },
      });
    for (const userAgent of ['PartnerBot', 'GPTBot/1.2', 'GPTBot/1.2']) {
      assert.equal((await ask(userAgent)).claimed, 'secret-partner');
    }
    await until('counted', async () => ((await visitors()).spoofed ?? []).length > 0);
    const { spoofed } = await visitors();
    assert.deepEqual(
      spoofed.map(({ claimed, checks }: { claimed: string; checks: number }) => [claimed, checks]),
      [['secret-partner', 3]],
    );
    const text = await metrics();
    assert.match(text, /^postern_spoofed_checks_total\{crawler="GPTBot"\} 2$/m);
    assert.match(text, /^postern_spoofed_checks_total\{crawler=""\} 1$/m);
    assert.doesNotMatch(text, /secret-partner|PartnerBot|127\.0\.0\.1/, 'metrics need no key');
    assert.match((await command()).stdout, /^secret-partner +3 /m);
  });
});

test('lists of the directory have an age of their own, and none before they are fetched', async () => {
  await using opened = await openWithIdentities({ isOurs: () => false });
  const rows = listVisitorMetrics({ identities: opened.identities, signatures: NO_SIGNATURES, ledger: NO_DECISIONS });
  const ages = rows.filter(({ name }) => name === 'postern_crawler_list_age_seconds');
  const gptbot = ages.find(({ labels }) => labels?.list === 'openai.com/gptbot.json');
  assert.ok(ages.length > 10);
  assert.ok(Number.isNaN(gptbot?.read()));
  const put =
    'insert into identity_lists (url, texts, ranges, fetched_at, attempted_at, failures) values ($1, $2, 0, $3, $3, 2)';
  await opened.db.atomic([{ sql: put, params: ['https://openai.com/gptbot.json', '[]', opened.clock.now()] }]);
  opened.clock.advance(90_000);
  await opened.reopen();
  const again = listVisitorMetrics({ identities: opened.identities, signatures: NO_SIGNATURES, ledger: NO_DECISIONS });
  const read = (name: string) =>
    again.find((one) => one.name === name && one.labels?.list === 'openai.com/gptbot.json')?.read();
  assert.deepEqual([read('postern_crawler_list_age_seconds'), read('postern_crawler_list_failures')], [90, 2]);
});
