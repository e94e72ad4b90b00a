/** `crawlerPurpose: unknown`: programs that the directory does not name, in checks, previews and robots.txt. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertError, assertStatus, made, makePolicy } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const HOST = 'www.example.com';
const deny = { action: 'deny', conditions: { crawlerPurpose: ['training', 'unknown'] } };
const policy = await makePolicy(postern, [deny], { defaultAction: 'allow' });
await made(postern, '/v1/collections', { name: 'Site', hosts: [HOST], policyId: policy.id });

const AGENTS: [userAgent: string | undefined, allowed: boolean][] = [
  ['Mozilla/5.0 (compatible; UnnamedBot/1.0; +https://nobody.example)', false],
  ['unnamed-tool/2', false],
  ['GPTBot/1.2', false],
  ['Googlebot/2.1', true],
  ['curl/8.5.0', true],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', true],
  ['', true],
  [undefined, true],
];
const check = (userAgent: string | undefined) => ({ url: `https://${HOST}/a`, context: { userAgent } });

test('checks and previews', async () => {
  for (const [userAgent, allowed] of AGENTS) {
    const { body } = await postern.call('POST', '/v1/access/check', { body: check(userAgent) });
    assert.equal(body.allowed, allowed, `${userAgent}`);
  }
  const open = [{ action: 'deny', conditions: { crawlerPurposeNot: ['unknown', 'training'] } }];
  const answer = await postern.call('POST', `/v1/policies/${policy.id}/impact`, {
    body: { policy: { rules: open, defaultAction: 'allow' } },
  });
  assertStatus(answer, 200, 'impact');
  // A deny rule holds where the crawler is not known, too.
  const denied = AGENTS.filter(([, allowed]) => allowed).length;
  assert.deepEqual([answer.body.allowToDeny, answer.body.denyToAllow], [denied, AGENTS.length - denied]);
});

test('robots.txt says it to everybody whom it does not name', async () => {
  await postern.call('PUT', `/v1/sites/${HOST}`, { body: { signals: { robots: 'replace' } } });
  const robots = await postern.call('GET', `/v1/sites/${HOST}/signals/robots.txt`);
  assertStatus(robots, 200, 'robots.txt');
  assert.match(robots.text, /^User-agent: \*\n(?!Allow)[^]*?Disallow: \/$/im);
});

test('no other word is taken', async () => {
  const body = { name: 'x', rules: [{ action: 'deny', conditions: { crawlerPurpose: 'Unknown' } }] };
  assertError(
    await postern.call('POST', '/v1/policies', { body }),
    'invalid_request',
    'rules[0].conditions.crawlerPurpose',
  );
});
