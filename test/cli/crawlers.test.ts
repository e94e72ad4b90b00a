/** `postern crawlers`: the whole directory, or that of a purpose, as a table and as JSON; as requesters. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { commandHere, type Ran } from '../../kit/command.ts';
import { startTestService } from '../../kit/service.ts';
import { CRAWLERS } from '../../src/rules/crawlers/directory.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
const run = (...args: string[]): Promise<Ran> => commandHere(['crawlers', 'list', ...args], { env });

test('a table of all, with the ways to verify each', async () => {
  const { status, stdout } = await run();
  assert.equal(status, 0);
  assert.equal(stdout.trimEnd().split('\n').length, CRAWLERS.length + 1);
  assert.match(stdout, /^name +operator +purpose +verified by\nGPTBot +OpenAI +training +ip\n/);
  assert.match(stdout, /^Googlebot +Google +search +ip dns$/m);
  assert.match(stdout, /^Bytespider +ByteDance +training +–$/m);
});

test('those of a purpose as JSON', async () => {
  const { stdout } = await run('--purpose', 'user_fetch', '--json');
  const expected = CRAWLERS.filter(({ purpose }) => purpose === 'user_fetch');
  assert.deepEqual(
    JSON.parse(stdout),
    expected.map((crawler) => ({ object: 'crawler', ...crawler, own: false })),
  );
});

test('those with a text in their name, operator or user agent', async () => {
  const names = async (...args: string[]) =>
    JSON.parse((await run('--json', ...args)).stdout).map(({ name }: { name: string }) => name);
  const has = (one: (typeof CRAWLERS)[number], part: string) =>
    [one.name, one.operator ?? '', ...one.userAgents].some((text) => text.toLowerCase().includes(part));
  for (const text of ['OpenAI', 'claude-', 'googlebot']) {
    const expected = CRAWLERS.filter((one) => has(one, text.toLowerCase())).map(({ name }) => name);
    assert.ok(expected.length > 1 && expected.length < 30, text);
    assert.deepEqual(await names('--search', text), expected);
  }
  assert.deepEqual(await names('--search', 'openai', '--purpose', 'user_fetch'), ['ChatGPT-User']);
  assert.deepEqual(await names('--search', 'no such bot'), []);
});

test('an unknown purpose is refused with the known ones', async () => {
  const { status, stderr } = await run('--purpose', 'evil');
  assert.equal(status, 2);
  assert.match(stderr, /training, search, user_fetch/);
});

test('registers crawlers as requesters, by name and by purpose', async () => {
  const register = (...args: string[]) => commandHere(['crawlers', 'register', ...args], { env });
  const made = await register('GPTBot', 'claudebot');
  assert.equal(made.stdout, 'gptbot\nclaudebot\n');
  assert.match(made.stderr, /2 registered, 0 already there/);
  const again = JSON.parse((await register('GPTBot', '--purpose', 'user_fetch', '--json')).stdout);
  assert.deepEqual([again.unchanged, again.created], [1, again.requesters.length - 1]);
  assert.equal((await register()).status, 2);
  assert.equal((await register('NoSuchBot')).status, 1);
});

test('identities of a requester', async () => {
  const create = ['requesters', 'create', 'partner', '--ip', '203.0.113.0/24', '--ip', '2001:db8::1', '--json'];
  const options = [
    '--ip-list',
    'https://example.com/a',
    '--dns',
    'a.example',
    '--signature-agent',
    'https://b.example',
  ];
  const made = await commandHere([...create, ...options], { env });
  assert.deepEqual(JSON.parse(made.stdout).identities, [
    { kind: 'ip', ranges: ['203.0.113.0/24', '2001:db8::1'] },
    { kind: 'ip', list: 'https://example.com/a' },
    { kind: 'dns', suffixes: ['a.example'] },
    { kind: 'signature', agent: 'https://b.example' },
  ]);
});
