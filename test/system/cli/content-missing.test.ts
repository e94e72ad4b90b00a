/**
 * `postern content import --archive-missing`: a daily import archives what its source no longer has, and nothing that
 * another source, a person or a broken input is about.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { commandHere } from '../../../kit/command.ts';
import { startTestService } from '../../../kit/service.ts';
import { assertStatus } from '../../http/given.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-missing-'));
const postern = await startTestService();
const site = new Map<string, string>();
const server = createServer((request, response) => {
  const body = site.get(request.url ?? '');
  response.writeHead(body === undefined ? 404 : 200).end(body);
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(async () => {
  server.close();
  await postern[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
const load = (...args: string[]) => commandHere(['content', 'import', ...args], { cwd: folder, env });
const daily = (path: string, ...more: string[]) => load(`${base}${path}`, '--archive-missing', ...more);

const page = (path: string, n: number): string => `https://example.com${path}/${n}`;
const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i);
const publish = (path: string, pages: number[], more = ''): void => {
  const urls = pages.map((n) => `<url><loc>${page(path, n)}</loc></url>`).join('');
  site.set(path, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}${more}</urlset>`);
};
const get = async (externalId: string) =>
  (await postern.call('GET', `/v1/content/${encodeURIComponent(externalId)}`)).body;
const statuses = async (path: string, pages: number[]) =>
  Promise.all(pages.map(async (n) => (await get(page(path, n))).status));
const changeCount = async () => (await postern.call('GET', '/v1/audit-log?limit=1')).body.totalCount;

test('a page that is gone is archived once, and restored when it is back; the rest is not written', async () => {
  publish('/a', numbers(10));
  const first = await daily('/a');
  assert.deepEqual([first.status, first.stdout], [0, '10 items: 10 created, 0 updated, 0 archived\n']);
  assert.deepEqual((await get(page('/a', 0))).metadata, { importedFrom: `${base}/a` });

  publish('/a', numbers(9));
  const before = await changeCount();
  const second = await daily('/a', '--json');
  assert.deepEqual(JSON.parse(second.stdout), {
    object: 'import',
    items: 9,
    created: 0,
    updated: 0,
    unchanged: 9,
    failed: 0,
    archived: 1,
    restored: 0,
  });
  assert.equal(await changeCount(), before + 1);
  const gone = await get(page('/a', 9));
  assert.equal(gone.status, 'archived');
  assert.match(gone.metadata.missingSince, /^\d{4}-/);
  assert.match((await daily('/a')).stdout, /9 unchanged, 0 archived/);
  assert.equal(await changeCount(), before + 1);

  publish('/a', numbers(11));
  assert.match((await daily('/a')).stdout, /1 created, 0 updated, 10 unchanged, 0 archived, 1 restored/);
  const back = await get(page('/a', 9));
  assert.deepEqual([back.status, back.metadata], ['active', { importedFrom: `${base}/a` }]);
});

test('what a person archived stays archived, and what a person took over stays', async () => {
  publish('/p', numbers(10));
  await daily('/p');
  const edit = async (n: number, body: object) =>
    assertStatus(await postern.call('PATCH', `/v1/content/${encodeURIComponent(page('/p', n))}`, { body }), 200);
  await edit(0, { status: 'archived' });
  await edit(1, { metadata: { importedFrom: null } });
  publish('/p', [0, ...numbers(8, 2)]);
  assert.match((await daily('/p')).stdout, /0 archived\n$/);
  assert.deepEqual(await statuses('/p', [0, 1, 2]), ['archived', 'active', 'active']);
});

test('what a person restored stays active until it was in the input again', async () => {
  publish('/q', numbers(10));
  await daily('/q');
  publish('/q', numbers(9));
  assert.match((await daily('/q')).stdout, /1 archived/);
  const path = `/v1/content/${encodeURIComponent(page('/q', 9))}`;
  assertStatus(await postern.call('PATCH', path, { body: { status: 'active' } }), 200);
  assert.match((await daily('/q')).stdout, /0 archived\n$/);
  assert.deepEqual(await statuses('/q', [9]), ['active']);
  publish('/q', numbers(10));
  assert.match((await daily('/q')).stdout, /0 archived\n$/);
  assert.equal((await get(page('/q', 9))).metadata.missingSince, undefined);
  publish('/q', numbers(9));
  assert.match((await daily('/q')).stdout, /1 archived/);
});

test('items of other sources, and of imports without the option, are never archived', async () => {
  publish('/one', numbers(10));
  publish('/two', numbers(10));
  publish('/plain', numbers(10));
  for (const path of ['/one', '/two']) assert.equal((await daily(path)).status, 0);
  assert.equal((await load(`${base}/plain`)).status, 0);
  // One page of each is gone; only one source is imported. The page of the other one has its own name.
  for (const path of ['/one', '/two', '/plain']) publish(path, numbers(9));
  assert.match((await daily('/one')).stdout, /1 archived/);
  assert.deepEqual(await statuses('/one', [8, 9]), ['active', 'archived']);
  assert.deepEqual(await statuses('/two', [8, 9]), ['active', 'active']);
  // The first import with the option marks what the input has; what was gone before is not known.
  assert.match((await daily('/plain')).stdout, /9 updated, 0 archived/);
  assert.deepEqual(await statuses('/plain', [8, 9]), ['active', 'active']);
  // An item that two sources list belongs to the one that brought it last.
  publish('/one', [...numbers(9)], `<url><loc>${page('/two', 0)}</loc></url>`);
  await daily('/one');
  publish('/two', numbers(8, 1));
  assert.match((await daily('/two')).stdout, /1 archived/);
  assert.deepEqual(await statuses('/two', [0, 9]), ['active', 'archived']);
});

describe('nothing is archived', () => {
  test('if more than 20 % would go, unless the number is given', async () => {
    publish('/b', numbers(10));
    await daily('/b');
    publish('/b', numbers(7));
    const stopped = await daily('/b');
    assert.equal(stopped.status, 1);
    assert.equal(stopped.stdout, '7 items: 0 created, 0 updated, 7 unchanged, 0 archived\n');
    assert.match(
      stopped.stderr,
      /^Nothing was archived: 3 of 10 items from .*\/b are not in the input, more than 20 %\./m,
    );
    assert.match(stopped.stderr, /pass --archive-max 3\.$/m);
    assert.match((await daily('/b', '--archive-max', '2')).stderr, /more than --archive-max 2\./);
    assert.deepEqual(await statuses('/b', [7, 8, 9]), ['active', 'active', 'active']);
    const forced = await daily('/b', '--archive-max', '3');
    assert.deepEqual([forced.status, /3 archived/.test(forced.stdout)], [0, true]);
    publish('/b', []);
    assert.match((await daily('/b')).stderr, /7 of 7 items/);
    // 20 % may go, also to none with an explicit number.
    publish('/b', numbers(6));
    assert.match((await daily('/b', '--archive-max', '0')).stderr, /1 of 7 items .*more than --archive-max 0/);
    assert.match((await daily('/b')).stdout, /1 archived/);
  });

  test('if the input is cut off, missing, or has an entry that cannot be read', async () => {
    publish('/c', numbers(10));
    await daily('/c');
    const whole = site.get('/c') as string;
    site.set('/c', whole.replace(`<url><loc>${page('/c', 9)}</loc></url></urlset>`, ''));
    assert.match((await daily('/c')).stderr, /not well-formed/);
    site.set('/c', whole.replace(page('/c', 9), '/relative'));
    const unread = await daily('/c');
    assert.equal(unread.status, 1);
    assert.match(unread.stderr, /Nothing was archived: 1 of 10 items .*\/relative cannot be read/);
    site.set('/c', `<sitemapindex><sitemap><loc>${base}/nowhere</loc></sitemap></sitemapindex>`);
    assert.match((await daily('/c')).stderr, /answered with HTTP 404/);
    site.delete('/c');
    assert.equal((await daily('/c')).status, 1);
    assert.deepEqual(new Set(await statuses('/c', numbers(10))), new Set(['active']));
  });

  test('by feeds and news sitemaps, which list only recent pages', async () => {
    site.set('/rss', '<rss><channel><item><link>https://example.com/r</link></item></channel></rss>');
    publish('/news', [], `<url><loc>${page('/news', 1)}</loc><news:news><news:title>N</news:title></news:news></url>`);
    site.set('/news', (site.get('/news') as string).replace('<urlset ', '<urlset xmlns:news="http://news.example" '));
    for (const path of ['/rss', '/news']) {
      const { status, stderr } = await daily(path);
      assert.equal(status, 2, stderr);
      assert.match(stderr, /list only recent pages/);
      assert.equal((await load(`${base}${path}`)).status, 0);
    }
  });

  test('without a name that is the same in every run', async () => {
    const file = join(folder, 'catalog.ndjson');
    const line = (n: number) =>
      JSON.stringify({ externalId: `f${n}`, title: 'F', type: 'article', source: page('/f', n) });
    const put = (count: number) => writeFileSync(file, `${numbers(count).map(line).join('\n')}\n`);
    put(10);
    for (const [input, ...more] of [
      [file],
      ['-'],
      [`${base}/a?token=secret`],
      ['http://user:secret@127.0.0.1/a'],
      [file, '--source-name', ' '],
      [file, '--source-name', 'x', '--dry-run'],
      [file, '--source-name', 'x', '--archive-max', 'all'],
    ] as const) {
      const { status, stderr } = await load(input, '--archive-missing', ...more);
      assert.equal(status, 2, stderr);
      assert.doesNotMatch(stderr, /secret/);
    }
    assert.equal((await load(file, '--source-name', 'x')).status, 2);
    assert.equal((await load(file, '--archive-missing', '--source-name', 'The catalog')).status, 0);
    put(9);
    assert.match((await load(file, '--archive-missing', '--source-name', 'The catalog')).stdout, /1 archived/);
    const { status, metadata } = await get('f9');
    assert.deepEqual([status, metadata.importedFrom], ['archived', 'The catalog']);
  });
});

test('a resumed import knows the items that the first run sent', async () => {
  const file = join(folder, 'resumed.ndjson');
  const line = (n: number) =>
    JSON.stringify({ externalId: `r${n}`, title: 'R', type: 'article', source: page('/r', n) });
  writeFileSync(file, `${numbers(12).map(line).join('\n')}\n`);
  const options = ['--archive-missing', '--source-name', 'Resumed'];
  assert.equal((await load(file, ...options)).status, 0);
  const { size, mtimeMs } = statSync(file);
  const of = `${size} bytes of ${new Date(mtimeMs).toISOString()}`;
  writeFileSync(`${file}.import`, JSON.stringify({ of, done: 11, created: 0, updated: 0, unchanged: 11, failed: 0 }));
  const { status, stdout } = await load(file, ...options, '--resume');
  assert.deepEqual([status, stdout], [0, '12 items: 0 created, 0 updated, 12 unchanged, 0 archived\n']);
});
