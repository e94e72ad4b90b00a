/** `postern signals`: writes the files of sites, and nothing else; says how the live ones differ. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandHere, type Ran } from '../../kit/command.ts';
import { startTestService } from '../../kit/service.ts';
import { startSite } from '../drift/site.ts';
import { check, made, makePolicy } from '../http/given.ts';

const postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
const site = await startSite();
const folder = mkdtempSync(join(tmpdir(), 'postern-signals-'));
after(async () => {
  await site[Symbol.asyncDispose]();
  await postern[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
const { host } = site;
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
const run = (...args: string[]): Promise<Ran> => commandHere(['signals', ...args], { env });
const put = (of: string, signals: object) => postern.call('PUT', `/v1/sites/${of}`, { body: { signals } });
const signal = async (kind: string) => (await postern.call('GET', `/v1/sites/${host}/signals/${kind}`)).text;

const { id: policyId } = await makePolicy(postern, [{ action: 'deny', conditions: { crawler: ['GPTBot'] } }]);
const { id } = await made(postern, '/v1/collections', { name: 'C', hosts: [host], paths: ['/'], policyId });
await put(host, { robots: 'replace', license: true, tdmrep: true });
await put('other.example', { robots: 'replace' });

test('shows each kind byte for byte', async () => {
  for (const kind of ['robots.txt', 'license.xml', 'tdmrep.json', 'tdm-policy', 'headers']) {
    const { status, stdout, stderr } = await run('show', kind, host);
    assert.deepEqual([status, stdout.trimEnd(), stderr], [0, (await signal(kind)).trimEnd(), ''], kind);
  }
});

const filesIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(root.length + 1))
    .toSorted();

test('writes the files of a site at their paths, only what changed, and nothing else', async () => {
  const root = join(folder, 'one');
  mkdirSync(root);
  for (const name of ['sitemap.xml', 'security.txt']) writeFileSync(join(root, name), name);
  const first = await run('write', root, '--site', host);
  assert.equal(first.status, 0, first.stderr);
  const policy = `.well-known/tdm-policy/${id}.json`;
  const expected = ['.well-known/tdmrep.json', 'license.xml', policy, 'robots.txt', 'security.txt', 'sitemap.xml'];
  assert.deepEqual(filesIn(root), expected.toSorted());
  for (const [kind, file] of [
    ['robots.txt', 'robots.txt'],
    ['license.xml', 'license.xml'],
    ['tdmrep.json', '.well-known/tdmrep.json'],
    [`tdm-policy?collectionId=${id}`, policy],
  ] as const) {
    assert.equal(readFileSync(join(root, file), 'utf8'), await signal(kind));
    assert.equal(statSync(join(root, file)).mode & 0o444, 0o444, 'the web server may read it');
  }
  const times = expected.map((file) => statSync(join(root, file)).ino);
  const again = await run('write', root, '--site', host, '--json');
  assert.ok(
    JSON.parse(again.stdout).every(({ state }: { state: string }) => state === 'unchanged'),
    again.stdout,
  );
  assert.deepEqual(
    expected.map((file) => statSync(join(root, file)).ino),
    times,
  );
});

test('a folder for each site', async () => {
  const root = join(folder, 'all');
  const { status, stderr } = await run('write', root);
  assert.equal(status, 0, stderr);
  assert.ok(existsSync(join(root, host, 'robots.txt')));
  assert.deepEqual(filesIn(join(root, 'other.example')), ['robots.txt']);
  assert.match(stderr, /other\.example\/license\.xml: off/);
});

test('another user may read what is written, however private the files of the command are', async () => {
  const before = process.umask(0o077);
  const root = join(folder, 'new/root');
  try {
    assert.equal((await run('write', root, '--site', host)).status, 0);
  } finally {
    process.umask(before);
  }
  const modes = ['..', '.', '.well-known', 'robots.txt', '.well-known/tdmrep.json'].map(
    (name) => statSync(join(root, name)).mode & 0o777,
  );
  assert.deepEqual(modes, [0o755, 0o755, 0o755, 0o644, 0o644]);
});

test('a robots.txt that Postern did not write stays', async () => {
  const root = join(folder, 'own');
  mkdirSync(root);
  const file = join(root, 'robots.txt');
  writeFileSync(file, 'User-agent: *\n');
  const { status, stderr } = await run('write', root, '--site', host);
  assert.equal(status, 1);
  assert.match(stderr, /robots\.txt: left as it is\. Put its text into `robotsBase`/);
  assert.equal(readFileSync(file, 'utf8'), 'User-agent: *\n');
  assert.equal((await run('write', root, '--site', host, '--replace-own')).status, 0);
  assert.equal(readFileSync(file, 'utf8'), await signal('robots.txt'));
});

test('a folder that cannot be written, and a site that is none', async () => {
  writeFileSync(join(folder, 'file'), '');
  const { status, stderr } = await run('write', join(folder, 'file'), '--site', host);
  assert.equal(status, 1);
  assert.match(stderr, /Cannot (read|write) /);
  assert.equal((await run('write', folder, '--site', 'none.example')).status, 1);
});

test('lists sites, and shows a file', async () => {
  assert.match((await run('list')).stdout, /^other\.example +replace +off +off +no/m);
  assert.equal((await run('show', 'robots.txt', host)).stdout, await signal('robots.txt'));
  assert.equal((await run('show', 'license.xml', 'other.example')).status, 1);
});

test('check: 0 the same, 1 they differ, 2 could not look', async () => {
  site.files.set('/robots.txt', await signal('robots.txt'));
  site.files.set('/license.xml', await signal('license.xml'));
  site.files.set('/.well-known/tdmrep.json', await signal('tdmrep.json'));
  site.files.set(`/.well-known/tdm-policy/${id}.json`, await signal(`tdm-policy?collectionId=${id}`));
  const same = await run('check', `https://${host}/`);
  assert.equal(same.status, 0, same.stdout);
  assert.match(same.stdout, /^robots\.txt: same$/m);
  site.files.set('/robots.txt', '');
  const differs = await run('check', host, '--lines');
  assert.equal(differs.status, 1);
  assert.match(differs.stdout, /may fetch \/; the policies deny it\./);
  assert.match(differs.stdout, /^ {2}- User-agent: \*$/m);
  assert.equal(JSON.parse((await run('check', host, '--json')).stdout).state, 'drifted');
  site.files.set('/robots.txt', 500);
  assert.equal((await run('check', host)).status, 2);
  for (const wrong of ['none.example', 'ftp://x', '']) assert.equal((await run('check', wrong)).status, 2, wrong);
  const down = await commandHere(['signals', 'check', host], { env: { ...env, POSTERN_URL: 'http://127.0.0.1:1' } });
  assert.equal(down.status, 2);
});

test('the log exports who broke robots.txt', async () => {
  for (const userAgent of ['GPTBot/1.2', 'Mozilla/5.0']) {
    await check(postern, { url: `https://${host}/broken`, context: { userAgent } });
  }
  const exported = async (how: string): Promise<unknown[]> => {
    const { status, stdout, stderr } = await commandHere(['decisions', 'export', '--robots', how], { env });
    assert.equal(status, 0, stderr);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line)).map(({ crawler, robots }) => [crawler, robots]);
  };
  assert.deepEqual(await exported('any'), [['GPTBot', 'within_24h']]);
  assert.deepEqual(await exported('within_24h'), [['GPTBot', 'within_24h']]);
  assert.deepEqual(await exported('broken'), []);
});
