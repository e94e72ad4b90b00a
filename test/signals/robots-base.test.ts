/**
 * Beside and within a site's own robots.txt: readers that take the first rule, readers with regular expressions, long
 * files, lines that contradict the policies, and crawlers that read the group of another.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertStatus, made, makePolicy } from '../http/given.ts';
import { readStatements } from './compare.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const HOST = 'www.example.com';
const RIGHTS = ['full_access', 'training', 'fine_tuning'];
const { id: open } = await makePolicy(postern, [{ action: 'allow', permissions: RIGHTS }]);
const { id: closed } = await makePolicy(postern, [{ action: 'deny' }]);
const { id: noGpt } = await makePolicy(postern, [
  { action: 'deny', conditions: { crawler: ['GPTBot', 'Googlebot', 'AI2Bot'] } },
  { action: 'allow', permissions: RIGHTS },
]);
let ids: string[] = [];

async function become(collections: [string, string][]): Promise<void> {
  for (const id of ids) await postern.call('DELETE', `/v1/collections/${id}`);
  ids = [];
  for (const [path, policyId] of collections) {
    ids.push((await made(postern, '/v1/collections', { name: 'C', hosts: [HOST], paths: [path], policyId })).id);
  }
}

async function render(base: string, more: object = {}) {
  const body = { signals: { public: true, robots: 'augment', robotsBase: base, ...more } };
  assert.ok((await postern.call('PUT', `/v1/sites/${HOST}`, { body })).status < 300);
  const { text, status } = await postern.call('GET', `/v1/sites/${HOST}/signals/robots.txt`);
  assert.equal(status, 200, text);
  const report = (await postern.call('GET', `/v1/sites/${HOST}/signals/report?limit=1`)).body;
  assert.deepEqual(report.contradictions, []);
  assert.doesNotMatch(text.slice(text.indexOf('# BEGIN')), /\*\*/, 'no run of stars');
  return { text, report, group: (token: string) => groupOf(text, token) };
}

/** The block of the file that names a token. */
const groupOf = (text: string, token: string): string =>
  text.split(/\n\n+/).find((block) => new RegExp(`^User-agent: ${token}$`, 'm').test(block)) ?? '';

/** A reader that takes the first group and the first rule: urllib of Python, where it is on this machine. */
function readFirstMatch(text: string, token: string, paths: string[]): boolean[] | undefined {
  const program = `import sys,json,urllib.robotparser as r
p=r.RobotFileParser();d=json.load(sys.stdin);p.parse(d["text"].splitlines())
print(json.dumps([p.can_fetch(d["token"],u) for u in d["paths"]]))`;
  const { stdout, status } = spawnSync('python3', ['-c', program], { input: JSON.stringify({ text, token, paths }) });
  return status === 0 ? JSON.parse(String(stdout)) : undefined;
}

/** The same by hand, so that the test needs no program. */
function firstMatch(group: string, path: string): boolean {
  for (const line of group.split('\n')) {
    const [, kind, text = ''] = /^(Allow|Disallow): (.+)$/.exec(line) ?? [];
    if (kind !== undefined && path.startsWith(text)) return kind === 'Allow';
  }
  return true;
}

test('lines of the site that allow are not repeated to a crawler that is denied', async () => {
  await become([['/', noGpt]]);
  const base = 'User-agent: *\nDisallow: /admin/\nAllow: /\nAllow: /admin/free\nCrawl-delay: 5\n';
  const { text, group } = await render(base);
  const own = group('GPTBot');
  assert.doesNotMatch(own, /^Allow: \/(admin\/free)?$/m, own);
  assert.match(own, /^Disallow: \/$/m);
  assert.match(own, /^Crawl-delay: 5$/m);
  for (const path of ['/', '/x', '/admin/free']) assert.equal(firstMatch(own, path), false, path);
  const read = readFirstMatch(text, 'GPTBot', ['/', '/x', '/admin/free']);
  assert.ok(read === undefined || read.every((one) => !one), `${read}`);
});

test('lines that allow stay where nothing is denied', async () => {
  await become([
    ['/', open],
    ['/premium/', noGpt],
  ]);
  const { text, group } = await render('User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/ajax.php\nAllow: /\n');
  const own = group('GPTBot');
  assert.match(own, /^Allow: \/wp-admin\/ajax\.php$/m);
  assert.doesNotMatch(own, /^Allow: \/$/m);
  const { robots } = readStatements(text);
  const may = (path: string) => robots.isAllowed(`https://${HOST}${path}`, 'GPTBot');
  assert.deepEqual(['/wp-admin/ajax.php', '/wp-admin/x', '/premium/1', '/x'].map(may), [true, false, false, true]);
});

test('no rule has a run of stars, and what the site allows stays denied all the same', async () => {
  await become([
    ['/', closed],
    ['/a/*********.php$', open],
  ]);
  const base =
    'User-agent: *\nAllow: /*.pdf$\nAllow: /a-very-long-path-that-is-allowed/\nAllow: /b$\nAllow: /*/x/*/y\n';
  const { text } = await render(base);
  const { robots } = readStatements(text);
  for (const path of ['/x.pdf', '/a-very-long-path-that-is-allowed/1', '/b', '/1/x/2/y', '/']) {
    assert.equal(robots.isAllowed(`https://${HOST}${path}`, 'StrangeBot'), false, `${path}\n${text}`);
  }
  assert.equal(robots.isAllowed(`https://${HOST}/a/1.php`, 'StrangeBot'), true, text);
});

test('lines of the site that contradict the policies are reported', async () => {
  await become([
    ['/', open],
    ['/premium/', closed],
  ]);
  const base =
    'User-agent: *\nAllow: /premium/teaser\nAllow: /news/\nContent-Signal: search=yes, ai-train=yes\nContent-Usage: train-ai=y\nContent-Usage: /news/ train-ai=y\nDisallow: /x\n';
  const { report } = await render(base);
  assert.deepEqual(
    report.baseContradicts.map(({ line, statement, crawler, pattern }: any) => [line, statement, crawler, pattern]),
    [
      [2, 'Allow: /premium/teaser', '*', '/premium/'],
      [4, 'Content-Signal: search=yes, ai-train=yes', '*', '/premium/'],
      [5, 'Content-Usage: train-ai=y', '*', '/premium/'],
    ],
  );
  assert.match(report.baseContradicts[0].message, /Line 2 of the site’s own robots\.txt/);
  assert.deepEqual((await render('User-agent: *\nDisallow: /admin\nAllow: /news/\n')).report.baseContradicts, []);
});

test('a crawler that would read the group of another one has its own name', async () => {
  await become([['/', noGpt]]);
  for (const base of ['', 'User-agent: Googlebot\nDisallow: /x\n']) {
    const { text, group, report } = await render(base);
    assert.match(group('Applebot'), /^User-agent: \*$|^Content-Signal/m, text);
    assert.doesNotMatch(group('Applebot'), /^User-agent: Googlebot$/m);
    assert.equal(readStatements(text).robots.isAllowed(`https://${HOST}/1`, 'Applebot'), true);

    assert.ok(
      report.cannotExpress.some(({ about, message }: any) => about.includes('AI2Bot') && /digits/.test(message)),
      'a name with digits',
    );
  }
});

test('crawlers that take no notice of everybody are named where something is denied', async () => {
  await become([['/', closed]]);
  assert.match((await render('')).group('AdsBot-Google'), /^Disallow: \/$/m);
  await become([['/', open]]);
  assert.equal((await render('')).group('AdsBot-Google'), '');
});

test('license.xml is announced where there is one', async () => {
  await become([['/', open]]);
  assert.match((await render('', { license: true })).text, /^License: https:/m);
  await become([]);
  const { text } = await render('', { license: true });
  const license = await postern.call('GET', `/v1/sites/${HOST}/signals/license.xml`);
  assert.equal(license.status === 200, /^License:/m.test(text));
});

test('tdmrep.json: a denied query closes its path and says so; each policy that it names exists', async () => {
  await become([
    ['/shop?id=', closed],
    ['/news/', open],
  ]);
  const { report } = await render('', { tdmrep: true });
  const { body } = await postern.call('GET', `/v1/sites/${HOST}/signals/tdmrep.json`);
  const first = body.find(({ location }: any) => location === '/shop?*');
  assert.equal(first?.['tdm-reservation'], 1, JSON.stringify(body));
  assert.ok(report.cannotExpress.some(({ kind, about }: any) => kind === 'tdmrep.json' && about.includes('/shop?id=')));
  await become([
    ['/*.pdf$', open],
    ['/docs/', closed],
  ]);
  await render('', { tdmrep: true });
  const entries = (await postern.call('GET', `/v1/sites/${HOST}/signals/tdmrep.json`)).body;
  for (const { 'tdm-policy': url } of entries.filter((one: any) => one['tdm-policy'] !== undefined)) {
    const id = /([^/]+)\.json$/.exec(url)?.[1];
    assertStatus(await postern.call('GET', `/v1/sites/${HOST}/signals/tdm-policy?collectionId=${id}`), 200);
  }
});

test('a long file of the site is read in linear time, and does not stop others', async () => {
  await become([
    ['/', noGpt],
    ['/press/', closed],
  ]);
  const rules = Array.from({ length: 17_000 }, (_, i) => `${i % 3 === 0 ? 'Allow' : 'Disallow'}: /folder-${i}/a*b`);
  const bases = [`User-agent: *\n${rules.join('\n')}\n`, `User-agent: *\n${' '.repeat(456_000)}x\n`];
  for (const base of bases) {
    const text = base.slice(0, 456_000);
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const { group } = await render(text);
    clearInterval(timer);
    assert.match(group('GPTBot'), /^Disallow: \/$/m);
    console.log(`the event loop stopped for ${Math.round(longest)} ms`);
    assert.ok(longest < 2_000, `the event loop stopped for ${longest} ms`);
  }
});

test('a file of the site that fills all that crawlers read', async () => {
  await become([['/', noGpt]]);
  const base = `User-agent: *\nDisallow: /x\n${'# comment\n'.repeat(51_190)}`;
  const { text, report } = await render(base);
  const read = text.slice(0, 500 * 1024);
  assert.ok(Buffer.byteLength(base) <= 512_000);
  assert.match(groupOf(read, 'GPTBot'), /^Disallow: \/$/m);
  assert.ok(text.includes(base));
  assert.match(JSON.stringify(report.cannotExpress), /500 KiB/);
});
