/**
 * `postern content`: everything in the file is in the catalog afterwards or is reported. An interrupted or killed
 * import resumes and loses nothing. An export can be imported again.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { command, commandHere, type Options, startCommand } from '../../../kit/command.ts';
import * as fc from '../../../kit/fast-check.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { CONTENT_HEAD, contentRow, readCsv } from '../../../src/cli/import/csv.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-content-'));
const postern = await startTestService();
after(async () => {
  await postern[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
const put = (name: string, content: string | Uint8Array): string => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};
const item = (externalId: string, more: object = {}) => ({
  externalId,
  title: `Title of ${externalId}`,
  type: 'article',
  source: `https://example.com/${externalId}`,
  ...more,
});
const lines = (items: unknown[]): string => items.map((one) => `${JSON.stringify(one)}\n`).join('');
const get = async (externalId: string) =>
  (await postern.call('GET', `/v1/content/${encodeURIComponent(externalId)}`)).body;
const totalOf = async (query: string): Promise<number> =>
  (await postern.call('GET', `/v1/content?${query}`)).body.totalCount;
/** Runs a process where there is standard input; runs in this process otherwise. */
const load = (args: string[], more: Options = {}) =>
  more.input === undefined
    ? commandHere(['content', 'import', ...args], { cwd: folder, env: { ...env, ...more.env } })
    : command(['content', 'import', ...args], { env, cwd: folder, ...more });

describe('NDJSON', () => {
  test('all that is right comes in, all that is not is reported in order, and the end says so', async () => {
    const file = put(
      'mixed.ndjson',
      `\ufeff${lines([item('n1', { tags: ['a'], metadata: { k: [1] } })])}not json\n\n[1]\n${lines([item('n2', { title: '' }), item('n3', { type: 'artikel' }), item('n4')])}`,
    );
    const { status, stdout, stderr } = await load([file, '--failures', 'failed.ndjson', '--tag', 'new']);
    assert.deepEqual([status, stdout], [1, '6 items: 2 created, 0 updated, 4 failed\n']);
    assert.match(
      stderr,
      /^✗ line 2: not JSON.*\n✗ line 4: not a JSON object\n✗ line 5: `title`.*\n✗ line 6: `type` must be one of/,
    );
    const failed = readFileSync(join(folder, 'failed.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      failed.map(({ at, code, item: one }) => [at, code, one?.externalId]),
      [
        ['line 2', 'not_read', undefined],
        ['line 4', 'not_read', undefined],
        ['line 5', 'invalid_request', 'n2'],
        ['line 6', 'invalid_request', 'n3'],
      ],
    );
    assert.deepEqual((await get('n1')).tags, ['a', 'new']);
    assert.deepEqual((await get('n1')).metadata, { k: [1] });
    const again = await load([file, '--json']);
    // n1 loses the tag that only the first import gave it.
    assert.deepEqual(JSON.parse(again.stdout), {
      object: 'import',
      items: 6,
      created: 0,
      updated: 1,
      unchanged: 1,
      failed: 4,
    });
  });

  test('--type and --policy are for items that do not say it themselves', async () => {
    const { body: policy } = await postern.call('POST', '/v1/policies', { body: { name: 'Mine', rules: [] } });
    const { type: _, ...untyped } = item('p1');
    put('defaults.ndjson', lines([untyped, item('p2', { type: 'video', policyId: 'pol_default' })]));
    assert.equal((await load(['defaults.ndjson', '--type', 'report', '--policy', policy.id])).status, 0);
    const [one, two] = [await get('p1'), await get('p2')];
    assert.deepEqual([one.type, one.policyId, two.type, two.policyId], ['report', policy.id, 'video', 'pol_default']);
  });

  test('a dry run needs no service, checks what the service would, and sends nothing', async () => {
    const before = await totalOf('');
    const input = lines([
      item('d1'),
      item('d2', { source: 'no url' }),
      item('d1'),
      item('d3', { metadata: { n: 2 ** 60 } }),
    ]);
    const { status, stdout, stderr } = await load(['-', '--dry-run'], { env: {}, input });
    assert.deepEqual([status, stdout], [1, '4 items: 1 valid, 3 failed\n']);
    assert.match(
      stderr,
      /line 2: `source`.*\n.*line 3: The externalId is the same as at line 1\.\n.*line 4: .*cannot carry/,
    );
    assert.equal(await totalOf(''), before);
  });

  test('an archived item does not come in active', async () => {
    const { status, stderr } = await load(['-'], { input: lines([item('gone', { status: 'archived' })]) });
    assert.equal(status, 1);
    assert.match(stderr, /line 1: archived/);
    assert.equal((await get('gone')).error.code, 'content_not_found');
  });

  test('a policy that is not there is said once, and nothing is sent', async () => {
    const input = lines([item('p1'), item('p2')]);
    const { status, stdout, stderr } = await load(['-', '--policy', 'nope'], { input });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^There is no policy "nope"; .*\n$/);
    const { body } = await postern.call('POST', '/v1/api-keys', {
      body: { name: 'writer', type: 'secret', permissions: ['content:write'] },
    });
    const narrow = { ...env, POSTERN_KEY: body.key as string };
    assert.equal((await load(['-', '--policy', 'pol_default'], { input, env: narrow })).status, 0);
  });

  test('what cannot be an input is refused before anything is sent', async () => {
    for (const [args, input, why] of [
      [['gone.ndjson'], '', /^Cannot read gone\.ndjson: it does not exist\.$/m],
      [['.'], '', /is a folder/],
      [['-'], '[{}]', /JSON array.*jq/],
      [['-'], Uint8Array.from([0x7b, 0xff, 0xfe, 0x0a]), /not valid UTF-8/],
      [['-', '--resume'], '', /Only an import of a file can be resumed/],
      [['https://127.0.0.1:1/x', '--resume'], '', /Only an import of a file/],
    ] as const) {
      const { status, stderr } = await load([...args], { input });
      assert.equal(status, 2, stderr);
      assert.match(stderr, why);
    }
  });
});

describe('an interrupted import', () => {
  const TOTAL = 30_000;
  const file = put('large.ndjson', lines(Array.from({ length: TOTAL }, (_, i) => item(`l${i}`, { tags: ['large'] }))));
  const state = `${file}.import`;
  const done = (): number => {
    try {
      return JSON.parse(readFileSync(state, 'utf8')).done;
    } catch {
      return 0;
    }
  };

  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    test(`by ${signal} goes on with --resume, and every item is there once`, async () => {
      await postern.call('POST', '/v1/content/bulk-delete', { body: { ids: ['l0'] } });
      const { child, ended } = startCommand(['content', 'import', file], { env });
      const at = await until('it is under way', () => (done() >= 3000 ? done() : undefined));
      child.kill(signal);
      const { status, stderr } = await ended;
      assert.equal(status, signal === 'SIGINT' ? 130 : null);
      if (signal === 'SIGINT') assert.match(stderr, /Interrupted after [\d,]+ items\. Run it again with --resume/);
      const left = done();
      assert.ok(left >= at && left < TOTAL, `${left}`);
      const { status: resumed, stdout } = await load([file, '--resume', '--json']);
      assert.equal(resumed, 0);
      const { items, created, updated, unchanged } = JSON.parse(stdout);
      assert.deepEqual([items, created + unchanged, updated], [TOTAL, TOTAL, 0]);
      assert.equal(await totalOf('tag=large'), TOTAL);
      assert.throws(() => statSync(state));
    });
  }

  test('does not go on in a file that has changed, or that was never interrupted', async () => {
    const { child, ended } = startCommand(['content', 'import', file], { env });
    await until('it is under way', () => done() > 0);
    child.kill('SIGKILL');
    await ended;
    writeFileSync(file, lines([item('other')]));
    assert.match((await load([file, '--resume'])).stderr, /has changed since/);
    rmSync(state);
    const { status, stderr } = await load([file, '--resume']);
    assert.equal(status, 2);
    assert.match(stderr, /no import of this file was interrupted/);
  });
});

describe('CSV', () => {
  test('columns by name, tags, metadata, quotes; faults by line', async () => {
    const text = [
      'externalId,title,type,source,tags,metadata.section,metadata',
      'c1,"A ""quoted"", title",article,https://example.com/c1,a|b,news,"{""n"":1}"',
      'c2,"two\r\nlines",report,https://example.com/c2,,,',
      'c3,short',
      "c4,'=sum(),article,https://example.com/c4,,,",
      'c5,x,article,https://example.com/c5,,,[1]',
      '',
    ].join('\r\n');
    const { status, stdout, stderr } = await load(['-', '--type', 'video'], { input: text });
    assert.deepEqual([status, stdout], [1, '5 items: 3 created, 0 updated, 2 failed\n']);
    assert.match(stderr, /line 5: 2 cells in a table of 7 columns\n✗ line 7: the metadata is not a JSON object/);
    const c1 = await get('c1');
    assert.deepEqual([c1.title, c1.tags, c1.metadata], ['A "quoted", title', ['a', 'b'], { section: 'news', n: 1 }]);
    assert.equal((await get('c2')).title, 'two\r\nlines');
    assert.equal((await get('c4')).title, '=sum()');
  });

  test('an unknown or doubled column and an open quote are refused', async () => {
    for (const [text, why] of [
      ['externalId,titel\na,b\n', /column "titel"; did you mean title\?/],
      ['title,title\na,b\n', /"title" twice/],
      ['title\n"a\n', /record on line 2 has an unclosed quote/],
    ] as const) {
      const { status, stderr } = await commandHere(['content', 'import', put('bad.csv', text), '--dry-run']);
      assert.equal(status, 2);
      assert.match(stderr, why);
    }
  });

  test('bytes in any pieces', async () => {
    const bytes = (async function* () {
      for (const byte of Buffer.from('externalId,title\na,é😀\n')) yield Uint8Array.of(byte);
    })();
    assert.deepEqual((await Array.fromAsync(readCsv(bytes))).flat(), [
      { at: 'line 2', item: { externalId: 'a', title: 'é😀' } },
    ]);
  });

  test('what is written is read again as it was', async () => {
    const hard = fc.constantFrom(...'a=+-@\'"|;,[]{} \t\r\n\ufeffé😀＝');
    const text = fc.oneof(
      fc.string({ unit: hard, minLength: 1, maxLength: 12 }),
      fc.constantFrom('=launch', "'=launch", '@x', "'@x", '["a"]', '[]', ' a ', 'a|b', '-1', 'null', 'Größe'),
    );
    const written = fc.record({
      externalId: text,
      title: text,
      type: fc.constantFrom('article', 'report'),
      source: text,
      policyId: fc.option(text),
      tags: fc.array(text, { maxLength: 4 }),
      status: fc.constant('active'),
      metadata: fc.dictionary(
        text.filter((key) => key !== '__proto__'),
        fc.jsonValue(),
        { maxKeys: 3 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(written, { minLength: 1, maxLength: 5 }), async (items) => {
        const csv = `\ufeff${CONTENT_HEAD}${items.map((one) => contentRow(one as never)).join('')}`;
        const bytes = (async function* () {
          yield Buffer.from(csv);
        })();
        const read = (await Array.fromAsync(readCsv(bytes))).flat().map(({ item: one }) => one);
        const expected = items.map(({ status: _, policyId, tags, metadata, ...rest }) => ({
          ...rest,
          ...(policyId === null ? {} : { policyId }),
          ...(tags.length === 0 ? {} : { tags }),
          ...(Object.keys(metadata).length === 0 ? {} : { metadata: JSON.parse(JSON.stringify(metadata)) }),
        }));
        assert.deepEqual(read, expected);
      }),
      { numRuns: 500 },
    );
  });

  test('as a spreadsheet writes it', async () => {
    const file = put(
      'sheet.csv',
      '\ufeffExternal ID;TITLE;type;Source;Tags;METADATA.Author;;\r\n;;;;;;;\r\nsheet-1;Größe;article;https://example.com/s1;a|b;Åsa;;\r\n;;;;;;;\r\nsheet-2;"a;b";article;https://example.com/s2;;;;\r\n;;\r\n',
    );
    const { status, stdout, stderr } = await load([file]);
    assert.deepEqual([status, stdout], [0, '2 items: 2 created, 0 updated\n'], stderr);
    const [one, two] = [await get('sheet-1'), await get('sheet-2')];
    assert.deepEqual([one.title, one.tags, one.metadata], ['Größe', ['a', 'b'], { Author: 'Åsa' }]);
    assert.equal(two.title, 'a;b');
  });

  test('a repeated id is told, and the first one counts', async () => {
    const file = put(
      'twice.csv',
      'externalId,title,type,source\ntw-1,first,article,https://example.com/1\ntw-2,x,article,https://example.com/2\ntw-1,second,article,https://example.com/3\n',
    );
    const { status, stdout, stderr } = await load([file, '--failures', 'twice.ndjson']);
    assert.deepEqual([status, stdout], [1, '3 items: 2 created, 0 updated, 1 failed\n']);
    assert.match(stderr, /line 4: The externalId is the same as at line 2\./);
    assert.equal((await get('tw-1')).title, 'first');
    const failure = JSON.parse(readFileSync(join(folder, 'twice.ndjson'), 'utf8'));
    assert.deepEqual([failure.at, failure.code, failure.item.title], ['line 4', 'twice', 'second']);
    // Also across requests, which have a thousand items each.
    const many = Array.from({ length: 1500 }, (_, i) => item(`many-${i}`));
    const split = await load(['-'], { input: lines([...many, item('many-0', { title: 'again' })]) });
    assert.match(split.stderr, /line 1501: The externalId is the same as at line 1\./);
    assert.notEqual((await get('many-0')).title, 'again');
  });
});

describe('gzip', () => {
  const rows = (from: number, count: number): string =>
    lines(Array.from({ length: count }, (_, i) => item(`gz-${from + i}`)));
  const whole = gzipSync(rows(0, 2));
  const wrong = (at: number): Buffer => {
    const bytes = Buffer.from(whole);
    bytes[bytes.length + at] = (bytes.at(at) as number) ^ 0xff;
    return bytes;
  };

  for (const [name, bytes, why] of [
    ['cut', whole.subarray(0, whole.length - 12), /its end is missing/],
    ['cut-checksum', whole.subarray(0, whole.length - 6), /its end is missing/],
    ['checksum', wrong(-6), /does not match its checksum/],
    ['length', wrong(-2), /does not match its checksum/],
    ['trailing', Buffer.concat([whole, Buffer.from('<html>')]), /other bytes follow its end/],
    ['trailing-member', Buffer.concat([whole, whole.subarray(0, 20)]), /its end is missing/],
    ['header', Buffer.concat([Buffer.from([0x1f, 0x8b, 0x07]), whole.subarray(3)]), /damaged gzip/],
    ['middle', Buffer.concat([whole.subarray(0, 30), Buffer.alloc(30, 0xff), whole.subarray(60)]), /damaged gzip/],
  ] as const) {
    test(`a damaged file is refused in a sentence: ${name}`, async () => {
      const file = put(`${name}.ndjson.gz`, bytes);
      for (const args of [[file], [file, '--dry-run']]) {
        const { status, stdout, stderr } = await load(args);
        assert.deepEqual([status, stdout], [2, ''], stderr);
        assert.match(stderr, why);
        assert.match(
          stderr,
          new RegExp(`^(?:Nothing was imported\\.\\n)?\\S*${name}\\.ndjson\\.gz is a damaged gzip file`),
        );
        assert.doesNotMatch(stderr, /\n\s+at |node:/);
      }
    });
  }

  test('what was imported before the damage is told', async () => {
    const packed = gzipSync(rows(1000, 6000), { level: 0 });
    const { status, stderr } = await load([put('late.ndjson.gz', packed.subarray(0, packed.length - 12))]);
    assert.equal(status, 2);
    const said = /Interrupted after ([\d,]+) items\./.exec(stderr);
    assert.ok(said !== null, stderr);
    const there = Number((said[1] as string).replace(',', ''));
    assert.ok(there >= 1000 && there < 6000, stderr);
    assert.equal((await get(`gz-${999 + there}`)).status, 'active');
    assert.equal((await get(`gz-${1000 + there}`)).error.code, 'content_not_found');
  });

  test('members in a row and zeros at the end are sound', async () => {
    const bytes = Buffer.concat([gzipSync(rows(50, 1)), gzipSync(rows(51, 1)), Buffer.alloc(512)]);
    const { status, stdout, stderr } = await load([put('members.ndjson.gz', bytes)]);
    assert.deepEqual([status, stdout], [0, '2 items: 2 created, 0 updated\n'], stderr);
  });
});

describe('sitemaps and feeds', () => {
  const site = new Map<string, string | Uint8Array>();
  const server = createServer((request, response) => {
    const body = site.get(request.url ?? '');
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  let base = '';
  const ready = new Promise<void>((done) =>
    server.listen(0, '127.0.0.1', () => {
      base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    }),
  );
  after(() => server.close());
  const urlset = (...inner: string[]): string =>
    `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">${inner.join('')}</urlset>`;

  test('a sitemap over http: a page is its address; a title is what the sitemap or the address says', async () => {
    await ready;
    site.set(
      '/sitemap.xml',
      urlset(
        '<url><loc> https://example.com/news/high-tides_in%20may.html </loc><lastmod>2026-05-01</lastmod></url>',
        '<url><loc>https://example.com/?a=1&amp;b=2</loc><news:news><news:title><![CDATA[Tides & more]]></news:title></news:news></url>',
        `<url><loc>https://example.com/${'x'.repeat(300)}</loc></url>`,
        '<url><loc>/relative</loc></url>',
      ),
    );
    const { status, stdout, stderr } = await load([`${base}/sitemap.xml`, '--tag', 'site']);
    assert.deepEqual([status, stdout], [1, '4 items: 3 created, 0 updated, 1 failed\n']);
    assert.match(stderr, /\/relative: has no http\(s\) address/);
    const page = await get('https://example.com/news/high-tides_in%20may.html');
    assert.deepEqual(
      [page.title, page.source, page.type, page.metadata, page.tags],
      ['high tides in may', page.externalId, 'article', { lastmod: '2026-05-01' }, ['site']],
    );
    assert.equal((await get('https://example.com/?a=1&b=2')).title, 'Tides & more');
    assert.equal(await totalOf('tag=site'), 3);
    // The digest of a long address stays the same: nothing comes twice.
    assert.match((await load([`${base}/sitemap.xml`, '--tag', 'site'])).stdout, /0 created, 0 updated, 3 unchanged/);
  });

  test('an index of sitemaps, one of them packed', async () => {
    await ready;
    const pages = (from: number): string =>
      urlset(...Array.from({ length: 1500 }, (_, i) => `<url><loc>https://example.com/i/${from + i}</loc></url>`));
    site.set(
      '/index.xml',
      `<sitemapindex><sitemap><loc>${base}/1.xml</loc></sitemap><sitemap><loc>${base}/2.xml.gz</loc></sitemap></sitemapindex>`,
    );
    site.set('/1.xml', pages(0));
    site.set('/2.xml.gz', gzipSync(pages(1500)));
    const { status, stdout } = await load([`${base}/index.xml`, '--tag', 'indexed']);
    assert.deepEqual([status, stdout], [0, '3,000 items: 3,000 created, 0 updated\n']);
    assert.equal(await totalOf('tag=indexed'), 3000);
    site.set('/2.xml.gz', site.get('/index.xml') as string);
    assert.match((await load([`${base}/index.xml`])).stderr, /an index inside an index/);
    site.delete('/2.xml.gz');
    const gone = await load([`${base}/index.xml`]);
    assert.equal(gone.status, 1);
    assert.match(gone.stderr, /2\.xml\.gz answered with HTTP 404/);
  });

  test('prefixes of namespaces, text, and indexes of both', async () => {
    await ready;
    const NS = 'http://www.sitemaps.org/schemas/sitemap/0.9';
    const page = (path: string): string => `https://example.com/ns/${path}`;
    site.set(
      '/prefixed.xml',
      `<?xml version="1.0"?><sm:urlset xmlns:sm="${NS}" xmlns:n="http://www.google.com/schemas/sitemap-news/0.9" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><sm:url><sm:loc>${page('one')}</sm:loc><i:image><i:loc>${page('image')}</i:loc></i:image><n:news><n:title>Its title</n:title></n:news></sm:url></sm:urlset>`,
    );
    site.set('/undeclared.xml', `<x:urlset><x:url><x:loc>${page('two')}</x:loc></x:url></x:urlset>`);
    site.set('/pages.txt', `\ufeff${page('three')}\r\n\r\n${page('four')}\r\n`);
    site.set('/pages.txt.gz', gzipSync(`${page('five')}\n${page('one')}`));
    const child = (name: string): string => `<s:sitemap><s:loc>${base}/${name}</s:loc></s:sitemap>`;
    const all = ['prefixed.xml', 'undeclared.xml', 'pages.txt', 'pages.txt.gz'];
    site.set('/ns-index.xml', `<s:sitemapindex xmlns:s="${NS}">${all.map(child).join('')}</s:sitemapindex>`);
    const { status, stdout, stderr } = await load([`${base}/ns-index.xml`]);
    assert.deepEqual([status, stdout], [0, '5 items: 5 created, 0 updated, 1 repeated and left out\n'], stderr);
    assert.equal((await get(page('one'))).title, 'Its title');
    for (const name of all) assert.equal((await load([`${base}/${name}`])).status, 0, name);
    const atom = `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:id>${page('six')}</a:id><a:title>Six</a:title><a:link href="${page('6')}"/></a:entry></a:feed>`;
    assert.equal((await load([put('prefixed-atom.xml', atom)])).status, 0);
    assert.equal((await get(page('six'))).source, page('6'));
    const lone = await load([put('mixed.txt', `${page('seven')}\nno address\n`)]);
    assert.deepEqual([lone.status, lone.stdout], [1, '2 items: 1 created, 0 updated, 1 failed\n']);
    assert.match(lone.stderr, /line 2: not an http\(s\) address/);
  });

  test('a faulty sitemap of an index is named', async () => {
    await ready;
    const faults: [body: string | Uint8Array | undefined, why: RegExp][] = [
      ['<urlset><url>', /not well-formed/],
      ['<html></html>', /<html> is neither a sitemap nor a feed/],
      [gzipSync('<urlset></urlset>').subarray(0, 20), /damaged gzip file: its end is missing/],
      [Buffer.from('<urlset><url><loc>https://example.com/\xe9</loc></url></urlset>', 'latin1'), /not valid UTF-8/],
      ['<sitemapindex></sitemapindex>', /^/],
      [`<sitemapindex><sitemap><loc>${base}/x</loc></sitemap></sitemapindex>`, /an index inside an index/],
      ['no sitemap', /not well-formed/],
      [undefined, /HTTP 404/],
    ];
    for (const [body, why] of faults) {
      site.set('/child.xml', urlset('<url><loc>https://example.com/fine</loc></url>'));
      if (body === undefined) site.delete('/bad.xml');
      else site.set('/bad.xml', body);
      site.set(
        '/faulty.xml',
        `<sitemapindex><sitemap><loc>${base}/child.xml</loc></sitemap><sitemap><loc>${base}/bad.xml</loc></sitemap></sitemapindex>`,
      );
      const { status, stderr } = await load([`${base}/faulty.xml`]);
      if (body === '<sitemapindex></sitemapindex>') continue;
      assert.notEqual(status, 0, String(body));
      assert.match(stderr, why);
      assert.ok(stderr.includes(`${base}/bad.xml`), stderr);
    }
  });

  test('an answer that breaks off is named, and is no fault of its encoding', async () => {
    const cut = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('<urlset>');
      response.destroy();
    });
    await new Promise<void>((done) => cut.listen(0, '127.0.0.1', done));
    const address = `http://127.0.0.1:${(cut.address() as AddressInfo).port}/sitemap.xml`;
    const { status, stderr } = await load([address]);
    cut.close();
    assert.equal(status, 1);
    assert.ok(stderr.includes(address), stderr);
    assert.doesNotMatch(stderr, /UTF-8/);
  });

  test('RSS 2.0, RSS 1.0 and Atom', async () => {
    const rss = `<?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Paper</title><link>https://example.com</link>
<item><title>One &amp; only</title><link>https://example.com/r1</link><guid isPermaLink="false">urn:r1</guid><category>Sea</category><category>Sea</category><pubDate>Sat, 21 Nov 2026 09:30:00 GMT</pubDate><media:title>other</media:title></item>
<item><title>Two&nbsp;words</title><guid>https://example.com/r2</guid></item><item><title>No address</title></item></channel></rss>`;
    const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><channel><items/></channel><item rdf:about="x"><title>Old</title><link>https://example.com/r3</link></item></rdf:RDF>`;
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><entry><id>tag:example.com,2026:4</id><title>Four</title><link rel="self" href="https://example.com/self"/><link href="https://example.com/r4"/><category term="t" label="Tide"/><updated>2026-11-21T09:30:00Z</updated><author><name>N</name></author></entry></feed>`;
    const first = await load([put('feed.xml', rss)]);
    assert.deepEqual([first.status, first.stdout], [1, '3 items: 2 created, 0 updated, 1 failed\n']);
    assert.equal((await load([put('old.rdf', rdf)])).status, 0);
    assert.equal((await load([put('atom.xml', atom)])).status, 0);
    const one = await get('urn:r1');
    assert.deepEqual([one.title, one.source, one.tags], ['One & only', 'https://example.com/r1', ['Sea']]);
    assert.deepEqual(one.metadata, { published: 'Sat, 21 Nov 2026 09:30:00 GMT' });
    assert.equal((await get('https://example.com/r2')).title, 'Two words');
    assert.equal((await get('https://example.com/r3')).title, 'Old');
    const four = await get('tag:example.com,2026:4');
    assert.deepEqual(
      [four.source, four.tags, four.metadata.updated],
      ['https://example.com/r4', ['Tide'], '2026-11-21T09:30:00Z'],
    );
  });

  test('other encodings, broken XML, entities of its own, other XML', async () => {
    const latin = Buffer.from(
      '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><item><title>Caf\xe9</title><link>https://example.com/latin</link></item></channel></rss>',
      'latin1',
    );
    assert.equal((await load([put('latin.xml', latin)])).status, 0);
    assert.equal((await get('https://example.com/latin')).title, 'Café');
    const bomb = `<!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><item><title>&b;</title></item></channel></rss>`;
    for (const [text, why] of [
      ['<urlset><url></urlset>', /not well-formed/],
      [bomb, /not well-formed.*(?:undefined )?entity/i],
      ['<html></html>', /<html> is neither a sitemap nor a feed/],
    ] as const) {
      const { status, stderr } = await commandHere(['content', 'import', put('bad.xml', text), '--dry-run']);
      assert.equal(status, 2);
      assert.match(stderr, why);
    }
  });
});

describe('export and list', () => {
  test('what is exported, as NDJSON or CSV, changes nothing when it is imported again', async () => {
    const input = lines([
      item('e1', { tags: ['round', 'trip'], metadata: { a: { b: 1 } } }),
      item('e2', { title: '=1+1, "x"', tags: ['round'] }),
    ]);
    assert.equal((await load(['-'], { input })).status, 0);
    const before = [await get('e1'), await get('e2')];
    for (const format of ['ndjson', 'csv']) {
      const exported = await command(['content', 'export', '--tag', 'round', '--format', format], { env });
      assert.equal(exported.status, 0);
      const { status, stdout } = await load(['-'], { input: exported.stdout });
      assert.deepEqual([status, stdout], [0, '2 items: 0 created, 0 updated, 2 unchanged\n']);
      const then = [await get('e1'), await get('e2')];
      const same = ({ updated: _, stats: __, ...rest }: Record<string, unknown>) => rest;
      assert.deepEqual(then.map(same), before.map(same));
    }
  });

  test('to a file; all pages; filters', async () => {
    const file = join(folder, 'out.ndjson');
    assert.equal((await command(['content', 'export', '--tag', 'indexed', '--output', file], { env })).status, 0);
    const ids = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).externalId);
    assert.equal(new Set(ids).size, 3000);
    const { stdout } = await command(['content', 'list', '--tag', 'indexed', '--limit', '150', '--json'], { env });
    assert.equal(JSON.parse(stdout).length, 150);
    const nowhere = await command(['content', 'export', '--output', '/nowhere/x'], { env });
    assert.equal(nowhere.status, 2);
  });
});
