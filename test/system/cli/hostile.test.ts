/**
 * Text that others wrote (a feed, a table, a policy file in a change) cannot command the terminal. It cannot reach the
 * inner network, fill the memory, or have other files shown.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createGzip } from 'node:zlib';
import { command } from '../../../kit/command.ts';
import { harmless } from '../../../src/cli/terminal.ts';
import { paint, plain } from '../../../src/lib/terminal-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-hostile-'));
const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});
const put = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return name;
};
const load = (...args: string[]) => command(['content', 'import', '--dry-run', ...args], { cwd: folder });

describe('the terminal', () => {
  const ESCAPES = '\x1b]0;owned\x07\x1b[2J\x9b31m\u202eabc\b\r';

  test('messages carry no control characters, wherever they came from', async () => {
    const csv = await load(put('heads.csv', `externalId,${ESCAPES}\n`));
    assert.equal(csv.status, 2);
    assert.match(csv.stderr, /names a column/);
    const xml = await load(put('index.xml', '<sitemapindex><sitemap><loc>&#x9b;31m</loc></sitemap></sitemapindex>'));
    assert.equal(xml.status, 2);
    const cells = await load(put('cells.csv', `externalId,title\n${ESCAPES},t\n`));
    for (const { stderr } of [csv, xml, cells])
      assert.doesNotMatch(stderr, /[^\P{Cc}\n]|\u202e/u, JSON.stringify(stderr));
  });

  test('data that is written to a terminal keeps lines, tabs and our own colors only', () => {
    const colored = paint({ color: true }, 'red', 'x');
    assert.equal(harmless(`a\t${colored}\r\n\r\x1b[K`), `a\t${colored}\r\n\r\x1b[K`);
    assert.equal(harmless(`{"title":"${ESCAPES}"}\n`), `{"title":"${plain(ESCAPES)}"}\n`);
  });
});

describe('addresses that nobody typed', () => {
  /** Counts what reaches it. */
  async function listen(host: string, answer: (path: string) => { location?: string; body?: string }) {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const { location, body } = answer(request.url ?? '');
      response
        .writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { location })
        .end(body ?? '');
    });
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, host, done));
    return { url: `http://${host}:${(server.address() as AddressInfo).port}`, asked };
  }
  const PAGE = '<urlset><url><loc>https://example.com/a</loc></url></urlset>';
  const indexOf = (url: string): string => `<sitemapindex><sitemap><loc>${url}</loc></sitemap></sitemapindex>`;

  test('an index, a file or a redirect leads to no other place of the inner network', async () => {
    const inner = await listen('127.0.0.2', () => ({ body: PAGE }));
    const site = await listen('127.0.0.1', (path) =>
      path === '/redirect' ? { location: `${inner.url}/x` } : { body: indexOf(`${inner.url}/x`) },
    );
    const named = [`${site.url}/index.xml`, `${site.url}/redirect`, put('away.xml', indexOf(`${inner.url}/x`))];
    for (const name of named) {
      const { status, stderr } = await load(name);
      assert.equal(status, 2, stderr);
      assert.match(stderr, /is on a private network and was not named on the command line/);
    }
    for (const scheme of ['file:///etc/passwd', 'ftp://127.0.0.1/']) {
      const odd = await listen('127.0.0.1', () => ({ location: scheme }));
      assert.match((await load(odd.url)).stderr, /not an http\(s\) address/);
    }
    assert.deepEqual(inner.asked, []);
  });

  test('the site that was named is read, its redirects and its index too', async () => {
    const site: { url: string; asked: string[] } = await listen('127.0.0.1', (path) => {
      if (path === '/') return { location: '/index.xml' };
      return { body: path === '/index.xml' ? indexOf(`${site.url}/pages.xml`) : PAGE };
    });
    const { status, stdout, stderr } = await load(`${site.url}/`);
    assert.deepEqual([status, stdout], [0, '1 item: 1 valid\n'], stderr);
    assert.deepEqual(site.asked, ['/', '/index.xml', '/pages.xml']);
    const loop = await listen('127.0.0.1', () => ({ location: '/again' }));
    assert.match((await load(loop.url)).stderr, /redirects more than 5 times/);
    assert.equal(loop.asked.length, 6);
  });
});

test('small files that unpack to large ones are refused early', { timeout: 120_000 }, async () => {
  const MIB = 1 << 20;
  const bombs: [name: string, begin: string, fill: string, message: RegExp][] = [
    ['quote.csv.gz', 'externalId,title\n"', 'a', /more than 1 MiB or 5000 cells/],
    ['cells.csv.gz', 'externalId,title\n', ',', /more than 1 MiB or 5000 cells/],
    ['names.csv.gz', '', 'metadata.a,', /more than 1 MiB or 5000 cells/],
    ['line.ndjson.gz', '{"title":"', 'a', /a line of more than 1 MiB/],
    ['deep.xml.gz', '<urlset>', '<a>', /nested more than 100 levels/],
    ['wide.xml.gz', '<urlset><url>', '<a/>', /more than 10000 elements/],
    ['tag.xml.gz', '<urlset a="', 'a', /a tag, comment or text of more than 4 MiB/],
    ['comment.xml.gz', '<urlset><!--', 'a', /a tag, comment or text of more than 4 MiB/],
  ];
  for (const [name, begin, fill, message] of bombs) {
    const gzip = createGzip({ level: 1 });
    const packed = gzip.toArray();
    gzip.write(begin);
    const block = fill.repeat(MIB);
    for (let i = 0; i < 64; i++) gzip.write(block.slice(0, MIB - (MIB % fill.length)));
    gzip.end();
    put(name, Buffer.concat((await packed) as Buffer[]));
    const { status, stderr } = await load(name);
    assert.equal(status, 2, stderr);
    assert.match(stderr, message, name);
  }
});

test('a policy file that is a link shows nothing of what it leads to', async () => {
  mkdirSync(join(folder, 'change/policies'), { recursive: true });
  put('secret.env', 'TOKEN=hunter2\nhunter3: "x\n');
  put('secret.json', '"hunter4" hunter5');
  for (const name of ['secret.env', 'secret.json']) {
    const link = join(folder, 'change/policies', `${name}.${name.endsWith('json') ? 'json' : 'yaml'}`);
    symlinkSync(join(folder, name), link);
    const { status, stderr } = await command(['policies', 'lint', link], { cwd: join(folder, 'change') });
    assert.equal(status, 2);
    assert.match(stderr, /a link to another folder/);
    // Also where the file itself is named, as a mistake would.
    const direct = await command(['policies', 'lint', name], { cwd: folder });
    assert.equal(direct.status, 2);
    assert.doesNotMatch(stderr + direct.stderr, /hunter/);
  }
  put('change/policies/real.yaml', 'name: x\nrules: []\n');
  symlinkSync('policies/real.yaml', join(folder, 'change/linked.yaml'));
  const inside = await command(['policies', 'lint', 'linked.yaml'], { cwd: join(folder, 'change') });
  assert.equal(inside.status, 0, inside.stderr);
});
