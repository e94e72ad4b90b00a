/**
 * The visitor's view of a site, behind real nginx and Caddy with their pages' configurations. A folder's index is
 * checked once; a denied visitor learns why and whom to contact.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../../kit/service.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { decisions } from '../../enforce/asking.ts';
import { visit } from '../../enforce/visiting.ts';
import { item, made, makePolicy } from '../../http/given.ts';
import { SERVERS } from './servers.ts';

const ORIGIN = 'https://www.example.com';
const LINK = '<https://licensing.example.com/>; rel="license"';
const SECRET = 'the protected text';
/** Text that would break out of a page, a header, or the languages of the two servers. */
const HOSTILE =
  '<script>alert("1")</script>\r\nSet-Cookie: a=b\r\n\r\n&amp; \'`$host${uri}{http.request.host}{{env "x"}}\\';
const LONG = 'ライセンスが必要です。'.repeat(45);

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

async function register(path: string, rules: object[]): Promise<void> {
  const { id: policyId } = await makePolicy(postern, rules);
  await made(postern, '/v1/content', item({ externalId: path, source: ORIGIN + path, policyId }));
}
for (const [name] of SERVERS) {
  const folder = name.toLowerCase();
  await register(`/${folder}/`, [{ action: 'allow', conditions: {}, rateLimit: { requests: 3, period: 'day' } }]);
}
await register('/', [{ action: 'allow', conditions: {} }]);
await register('/closed/', [{ action: 'deny', conditions: {} }]);
await register('/licensed.html', [
  { action: 'deny', conditions: { hasValidLicense: false }, message: 'Für Zugang: a & b, "c" — 100 %' },
]);
await register('/hostile.html', [{ action: 'deny', conditions: {}, message: HOSTILE }]);
await register('/long.html', [{ action: 'deny', conditions: {}, message: LONG }]);
await register('/once.html', [{ action: 'allow', conditions: {}, rateLimit: { requests: 1, period: 'day' } }]);

const site = folderOf({
  'index.html': 'home',
  'nginx/index.html': 'the index',
  'caddy/index.html': 'the index',
  'closed/index.html': SECRET,
  'licensed.html': SECRET,
  'hostile.html': SECRET,
  'long.html': SECRET,
  'once.html': 'once',
});

/** The text of an element, as a browser would show it. */
const paragraph = (html: string): string =>
  (/<p>([^]*?)<\/p>/.exec(html)?.[1] ?? '').replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));

for (const [name, start] of SERVERS) {
  describe(name, async () => {
    const server = await start({ asked: new URL(postern.url).host, key: postern.key, site });
    after(() => server[Symbol.asyncDispose]());
    const get = (path: string) => visit(server.url, path);

    test("a folder's index costs one decision", async () => {
      const folder = `/${name.toLowerCase()}/`;
      for (const more of ['', '?x=1', '']) {
        const before = await decisions(postern);
        const page = await get(folder + more);
        assert.deepEqual([page.status, page.text], [200, 'the index'], server.log());
        assert.equal(await decisions(postern), before + 1);
      }
      assert.equal((await get(folder)).status, 429, 'a limit of three is three pages');
      assert.deepEqual([(await get('/')).text, (await get('/?x')).text], ['home', 'home']);
    });

    test("a folder's index is denied as the folder is, under every name", async () => {
      for (const path of [
        '/closed/',
        '/closed',
        '/closed/index.html',
        '/closed//',
        '/closed/?',
        '/closed/%69ndex.html',
      ]) {
        const page = await get(path);
        assert.ok(!page.text.includes(SECRET), path);
        if (page.status === 308) assert.equal(page.headers.location, '/closed/', path);
        else assert.equal(page.status, 403, path);
      }
    });

    test("a folder's index is not served without its slash, where unregistered pages are open", async (t) => {
      const opened = { 'origin=https://www.example.com': `origin=${ORIGIN}&unknown=allow` };
      const open = await start({ asked: new URL(postern.url).host, key: postern.key, site, changes: opened });
      t.after(() => open[Symbol.asyncDispose]());
      for (const path of ['/closed', '/closed/']) {
        const { status, text } = await visit(open.url, path);
        assert.ok(status === 403 && !text.includes(SECRET), `${path}: ${status} ${text}`);
      }
    });

    test('a denial says why, and whom to ask', async () => {
      const page = await get('/licensed.html');
      assert.deepEqual([page.status, page.headers.link], [name === 'nginx' ? 403 : 401, LINK], server.log());
      assert.match(page.headers['content-type'] ?? '', /^text\/html; charset=utf-8$/);
      assert.equal(page.headers['x-postern-reason'], 'no_license');
      assert.equal(page.headers['cache-control'], 'no-store');
      const message = 'Für Zugang: a & b, "c" — 100 %';
      assert.equal(decodeURIComponent(String(page.headers['x-postern-message'])), message);
      assert.equal(paragraph(page.text), message);
      assert.match(page.text, /mailto:licensing@example\.com/);
      assert.ok(!page.text.includes(SECRET));
    });

    test('no message breaks out of the page or of a header', async () => {
      const page = await get('/hostile.html');
      assert.equal(page.status, 403);
      assert.equal(paragraph(page.text).replaceAll(/\r\n?/g, '\n'), HOSTILE.replaceAll(/\r\n?/g, '\n'));
      assert.ok(!/<script|{{|\$host|\{http/.test(page.text), page.text);
      assert.equal(page.headers['set-cookie'], undefined);
      assert.equal(decodeURIComponent(String(page.headers['x-postern-message'])), HOSTILE);
    });

    test('the longest message arrives', async () => {
      const page = await get('/long.html');
      assert.equal(page.status, 403, server.log());
      assert.equal(paragraph(page.text), LONG);
    });

    test('a limit that is used up, and what nobody registered, have a page as well', async () => {
      await get('/once.html');
      const over = await get('/once.html');
      assert.equal(over.status, 429);
      assert.ok(Number(over.headers['retry-after']) > 0);
      assert.match(paragraph(over.text), /limit/i);
      for (const path of ['/nothing.html', '/a/../b']) {
        const page = await get(path);
        assert.deepEqual([page.status, page.headers.link], [403, LINK], path);
        assert.match(paragraph(page.text), /\w+ .*\.$/, path);
      }
    });
  });
}
