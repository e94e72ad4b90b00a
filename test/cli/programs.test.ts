/** `postern programs`: those that the crawler directory does not name, as a table and as JSON. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { commandHere, type Ran } from '../../kit/command.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { allowAll, made, makePolicy } from '../http/given.ts';

const postern = await startTestService({ clock: testClock(Date.parse('2026-11-20T12:00:00Z')) });
after(() => postern[Symbol.asyncDispose]());
const policy = await makePolicy(postern, [allowAll]);
await made(postern, '/v1/collections', { name: 'Site', hosts: ['www.example.com'], policyId: policy.id });
const checks = ['news-tool/1', 'news-tool/2', 'GPTBot/1.2', 'quiet-tool/1'].map((userAgent, n) => ({
  url: `https://www.example.com/p${n}`,
  context: { userAgent, ip: '192.0.2.1' },
}));
await made(postern, '/v1/access/check/batch', { checks }, 200);
const run = (...args: string[]): Promise<Ran> =>
  commandHere(['programs', ...args], { env: { POSTERN_URL: postern.url, POSTERN_KEY: postern.key } });

test('a table of those with the most requests, and how many more there are', async () => {
  const { status, stdout, stderr } = await run('--limit', '1');
  assert.equal(status, 0, stderr);
  assert.match(
    stdout,
    /^program +requests +denied +pages +≈ addresses +robots\.txt +first seen +last seen\nnews-tool +2 +0 +2 +1 +– +2026-11-20 +2026-11-20\n1 more program\n$/,
  );
});

test('those of a period with a text in their name, as JSON', async () => {
  const named = async (...args: string[]) => {
    const { status, stdout, stderr } = await run('--json', ...args);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout).map(({ program }: { program: string }) => program);
  };
  assert.deepEqual(await named(), ['news-tool', 'quiet-tool']);
  assert.deepEqual(await named('--search', 'QUIET', '--sort', 'pages', '--from', '2026-11-20'), ['quiet-tool']);
  assert.deepEqual(await named('--to', '2026-11-19'), []);
  assert.deepEqual(await named('--observed'), []);
});

test('an invalid limit or order is refused', async () => {
  assert.equal((await run('--limit', 'many')).status, 1);
  assert.equal((await run('--sort', 'addresses')).status, 2);
});
