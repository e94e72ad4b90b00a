/** Nothing that the settings exclude is ever written, and checks still see the whole. On a real socket. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startTestService, type TestService, testEngine } from '../../kit/service.ts';
import { reduceUserAgent } from '../../src/decisions/ledger/inputs.ts';
import { parseIpPrecision, reduceIp } from '../../src/lib/ip-precision.ts';
import { CRAWLERS, findCrawler } from '../../src/rules/crawlers/directory.ts';
import { assertStatus, item, made } from '../http/given.ts';

const IP = '203.0.113.77';
const IP6 = '2001:db8:77aa:99::77';
const READER = 'Mozilla/5.0 (X11; Linux x86_64; unmistakable-reader)';
const BOT = 'Mozilla/5.0 (compatible; GPTBot/1.2; unmistakable-bot)';

/** Allows one address and one user agent alone, so that a check that saw less of them would be denied. */
const rules = [
  { action: 'allow', conditions: { ip: ['203.0.113.76/30', '2001:db8:77aa:99::/64'], userAgent: ['able-'] } },
  { action: 'deny', conditions: { default: true } },
];

async function decided(postern: TestService, context: object, headers = {}) {
  const { id } = await made(postern, '/v1/policies', { name: 'P', rules });
  const { id: contentId } = await made(postern, '/v1/content', { ...item(), policyId: id });
  const body = { contentId, context, explain: true };
  const answer = await postern.call('POST', '/v1/access/check', { body, headers });
  assertStatus(answer, 200);
  assert.equal(answer.body.allowed, true);
  const logged = await postern.call('GET', `/v1/access/decisions/${answer.body.id}`);
  assertStatus(logged, 200);
  return { logged: logged.body, answer: answer.body, policyId: id };
}

/** Everything in the files of the installation, and in the log. */
async function writtenBy(postern: TestService): Promise<string> {
  const tables = ['decisions', 'receipts', 'changes', 'change_data', 'events'];
  const rows = await Promise.all(tables.map((table) => postern.rowsOf(table)));
  const files = readdirSync(postern.dataDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const bytes = files.map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'));
  return [JSON.stringify(rows), ...postern.logs, ...bytes].join('\n');
}

const settings = (ip: string, userAgent: string) => ({
  env: { POSTERN_IP_PRECISION: ip, POSTERN_USER_AGENT: userAgent },
});

describe('what is kept', () => {
  test('by default, all of it', async () => {
    await using postern = await startTestService();
    const { logged } = await decided(postern, { ip: IP, userAgent: READER });
    assert.deepEqual(logged.context, { ip: IP, userAgent: READER });
    assert.equal(logged.reduced, undefined);
    assert.match(await writtenBy(postern), /unmistakable-reader/);
  });

  test('ranges of addresses, and the crawler of a user agent', async () => {
    await using postern = await startTestService(settings('/24,/48', 'crawler-only'));
    const both = ['context.ip', 'context.userAgent'];
    const bot = await decided(postern, { ip: IP6, userAgent: BOT, country: 'DE' }, { 'idempotency-key': 'one' });
    assert.deepEqual(bot.logged.context, { ip: '2001:db8:77aa::/48', userAgent: 'GPTBot', country: 'DE' });
    assert.deepEqual(bot.logged.reduced, both);
    assert.equal(bot.logged.crawler, 'GPTBot');
    const [trace] = bot.answer.explanation.rules;
    assert.deepEqual(
      trace.conditions.map(({ actual }: { actual: string }) => actual),
      ['2001:db8:77aa::/48', 'GPTBot'],
    );
    const reader = await decided(postern, { ip: IP, userAgent: READER });
    assert.deepEqual(reader.logged.context, { ip: '203.0.113.0/24' });
    assert.deepEqual(reader.logged.reduced, both);
    const status = await postern.call('GET', '/v1/status');
    const { ipPrecision, userAgent } = status.body.privacy;
    assert.deepEqual([ipPrecision, userAgent], ['/24,/48', 'crawler-only']);
    const written = await writtenBy(postern);
    for (const text of [IP, IP6, 'unmistakable-']) assert.ok(!written.includes(text), text);
    // The impact of rules that look at the address is unknown.
    const impact = await postern.call('POST', `/v1/policies/${bot.policyId}/impact`, {
      body: { policy: { rules: [{ action: 'allow', conditions: { ip: '2001:db8:77aa:99::/64' } }] } },
    });
    assertStatus(impact, 200);
    assert.deepEqual(impact.body.unknown, { decisions: 1, causes: [{ cause: 'inputs_reduced', count: 1 }] });
    const crawlers = await postern.call('POST', `/v1/policies/${bot.policyId}/impact`, {
      body: { policy: { rules: [{ action: 'allow', conditions: { crawler: 'GPTBot' } }] } },
    });
    assert.equal(crawlers.body.unknown.decisions, 0);
    assert.equal(crawlers.body.unchanged, 1);
  });

  test('nothing, of the authors of edits either', async () => {
    await using postern = await startTestService(settings('none', 'none'));
    const { logged } = await decided(postern, { ip: IP, userAgent: BOT });
    assert.deepEqual(logged.context, {});
    assert.equal(logged.crawler, 'GPTBot');
    const audit = await postern.call('GET', '/v1/audit-log?limit=100');
    assert.deepEqual([...new Set(audit.body.data.map(({ address }: { address: unknown }) => address))], [null]);
    if (testEngine() === 'sqlite') assert.ok(!(await writtenBy(postern)).includes(IP));
  });
});

test('a range keeps the prefix of every address, and nothing behind it', () => {
  const kept = (precision: string, ip: string) => reduceIp(parseIpPrecision(precision) ?? 'none', ip);
  assert.equal(kept('/24,/48', '::ffff:203.0.113.77'), '203.0.113.0/24');
  assert.equal(kept('/0,/0', '203.0.113.77'), '0.0.0.0/0');
  assert.equal(kept('/0,/0', '2001:db8::1'), '::/0');
  assert.equal(kept('/32,/128', '203.0.113.77'), '203.0.113.77');
  assert.equal(kept('/20,/52', '203.0.255.77'), '203.0.240.0/20');
  assert.equal(kept('/20,/52', '2001:db8:1:ffff::1'), '2001:db8:1:f000::/52');
  assert.equal(kept('/24,/48', 'not an address'), undefined);
  for (const text of ['/33,/48', '/24', '24,48', '/24,/129', 'some']) assert.equal(parseIpPrecision(text), undefined);
});

test('the token that stands for a crawler names the same crawler', () => {
  for (const crawler of CRAWLERS) {
    for (const userAgent of crawler.userAgents) {
      const named = findCrawler(userAgent);
      const kept = reduceUserAgent('crawler-only', userAgent);
      assert.equal(kept === undefined ? null : findCrawler(kept), named, userAgent);
    }
  }
});
