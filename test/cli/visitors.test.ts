/** `postern visitors`: who reads which pages, as tables and as JSON. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { commandHere, type Ran } from '../../kit/command.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { allowAll, made, makePolicy } from '../http/given.ts';

const postern = await startTestService({ clock: testClock(Date.parse('2026-11-20T12:00:00Z')) });
after(() => postern[Symbol.asyncDispose]());
const policy = await makePolicy(postern, [allowAll]);
await made(postern, '/v1/collections', { name: 'Site', hosts: ['www.example.com'], policyId: policy.id });
const checks = [
  ['news-tool/1', '/news/a'],
  ['news-tool/2', '/news/a'],
  ['news-tool/2', '/sports'],
  ['GPTBot/1.2', '/news/b'],
].map(([userAgent, path]) => ({ url: `https://www.example.com${path}`, context: { userAgent } }));
await made(postern, '/v1/access/check/batch', { checks }, 200);
const run = (...args: string[]): Promise<Ran> =>
  commandHere(['visitors', ...args], { env: { POSTERN_URL: postern.url, POSTERN_KEY: postern.key } });

test('tables of visitors and pages, and how many more there are', async () => {
  const { status, stdout, stderr } = await run('--limit', '1', '--pages', '1');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^visitor +requests +allowed +denied +verified +spoofed +most of all\n/);
  assert.match(stdout, /\nnews-tool +3 +3 +0 +0 +0 +www\.example\.com\/news\/a\n1 more visitor\n\nPages\n/);
  assert.match(stdout, /\nwww\.example\.com\/news\/a +2 +2 +0 +0 +0\n2 more pages\n$/);
});

test('those below a page, or of one page, as JSON', async () => {
  const read = async (...args: string[]) => {
    const { status, stdout, stderr } = await run('--json', ...args);
    assert.equal(status, 0, stderr);
    const { visitors } = JSON.parse(stdout);
    return visitors.map(({ who, requests }: { who: { name: string }; requests: number }) => [who.name, requests]);
  };
  assert.deepEqual(await read('--under', 'https://www.example.com/news'), [
    ['news-tool', 2],
    ['GPTBot', 1],
  ]);
  assert.deepEqual(await read('--page', 'www.example.com/sports'), [['news-tool', 1]]);
  assert.deepEqual(await read('--to', '2026-11-19'), []);
  assert.deepEqual(await read('--observed'), []);
});

test('an invalid number or period is refused', async () => {
  assert.equal((await run('--limit', 'many')).status, 1);
  assert.equal((await run('--period', 'ever')).status, 2);
});
