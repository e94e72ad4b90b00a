/**
 * The WordPress plugin in a real WordPress. Promise: programs get only what Postern allows, at every address of the
 * content; readers, editors and files for crawlers are never asked about; no visitor can pretend to be another one.
 */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { command } from '../../../kit/command.ts';
import { startRelay } from '../../../kit/relay.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { words } from '../../../kit/words.ts';
import type { Page, Visit } from '../../enforce/visiting.ts';
import { assertStatus, made, makeKey, makePolicy } from '../../http/given.ts';
import { BROWSER, CRAWLER, counted, PASSWORD, startWordPress } from './wordpress.ts';

const SECRET = 'the tide tables of the northern coast';
const OTHER = 'Twitterbot/1.0';
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const postern = stack.use(await startTestService());
const relay = stack.use(await startRelay(Number(new URL(postern.url).port)));
const wp = stack.use(await startWordPress());

const policy = await makePolicy(postern, [
  { action: 'deny', conditions: { crawler: 'GPTBot' } },
  { action: 'deny', conditions: { crawler: 'CCBot', hasValidLicense: false } },
  { action: 'deny', conditions: { ip: '203.0.113.0/24' } },
  { action: 'deny', conditions: { country: 'FR' } },
  { action: 'allow', conditions: {} },
]);
await made(postern, '/v1/collections', { name: 'Site', hosts: [wp.host], paths: ['/'], policyId: policy.id });
const closed = (await makePolicy(postern, [{ action: 'deny', conditions: {} }])).id;
await made(postern, '/v1/requesters', { id: 'common', userAgents: ['CCBot'] });
const SETTINGS = {
  url: `http://127.0.0.1:${relay.port}`,
  key: await makeKey(postern, { permissions: ['access:check'] }),
  content_key: await makeKey(postern, { permissions: ['content:write', 'analytics:read'] }),
  ask: 'programs',
  on_error: 'deny',
  mode: 'enforce',
  timeout_ms: 10_000,
  proxy: 'none',
  proxies: [],
  items: false,
};
await wp.set(SETTINGS);
const post = await wp.php(`return wp_insert_post( array( 'post_title' => 'Tides', 'post_content' => '${SECRET}',
  'post_status' => 'publish', 'post_excerpt' => '${SECRET}' ) );`);

/** The page, and the decisions that were recorded for it. */
async function visited(path: string, options: Visit & { as?: string } = {}): Promise<{ page: Page; asked: number }> {
  const before = await counted(postern);
  const page = await wp.get(path, options);
  return { page, asked: (await counted(postern)) - before };
}

const ADDRESSES = words(`
  /tides/ /?p=${post} /?name=tides /index.php/tides/ /tides/?x=1 /tides/embed/ /?p=${post}&embed=1 / /?s=tides
  /feed/ /feed/rdf/ /feed/rss/ /feed/atom/ /?feed=rss2 /?feed=rdf /?p=${post}&feed=rss2&withoutcomments=1 /tides/feed/
  /wp-json/wp/v2/posts /wp-json/wp/v2/posts/${post} /?rest_route=/wp/v2/posts /?rest_route=/wp/v2/posts/${post}
  /index.php?rest_route=/wp/v2/posts /wp-json/wp/v2/search?search=tides /wp-json/oembed/1.0/embed?url=${wp.url}/tides/
  /wp-sitemap.xml /wp-sitemap-posts-post-1.xml /?sitemap=index /xmlrpc.php?rsd /wp-admin/admin-ajax.php?action=x
  /?robots=1 /robots.txt?rest_route=/wp/v2/posts/${post} /robots.txt?robots=&feed=rss2 /favicon.ico?rest_route=/wp/v2/posts
  /.well-known/x?rest_route=/wp/v2/posts/${post} /license.xml?rest_route=/wp/v2/posts /robots.txt?v=1&rest_route=/wp/v2/posts
  /robots.txt/../tides/ /wp-login.php/../tides/ /.well-known/../tides/ /index.php/wp-login.php/
`);

test('programs that are denied get nothing, at any address', async () => {
  for (const path of ADDRESSES) {
    const { page, asked } = await visited(path, { as: CRAWLER });
    assert.equal(page.status, 403, `${path} ${page.status} ${page.text.slice(0, 200)} ${wp.log()}`);
    assert.ok(!page.text.includes(SECRET), path);
    assert.equal(page.headers['cache-control'], 'no-store', path);
    // An address that servers read in several ways is refused without a decision.
    assert.equal(asked, path.includes('..') ? 0 : 1, path);
  }
});

test('readers are not asked about, and see the site', async () => {
  for (const path of ADDRESSES) {
    const { page, asked } = await visited(path);
    assert.equal(asked, 0, path);
    assert.ok(page.status < 500 && page.status !== 403, `${path} ${page.status}`);
    assert.equal(page.headers['x-postern-decision'], undefined, path);
  }
  assert.ok((await wp.get('/tides/')).text.includes(SECRET));
});

test('what is never asked about', async () => {
  for (const path of ['/robots.txt', '/wp-login.php', '/wp-cron.php', '/.well-known/x', '/favicon.ico']) {
    const { page, asked } = await visited(path, { as: CRAWLER });
    assert.equal(asked, 0, path);
    assert.notEqual(page.status, 403, path);
  }
});

describe('answers', () => {
  const refusals: [string, Visit & { as: string }, number][] = [
    ['a crawler that is allowed', { as: OTHER }, 200],
    ['a crawler without a license', { as: 'CCBot/2.0' }, 401],
    ['HEAD', { as: CRAWLER, method: 'HEAD' }, 403],
    ['POST', { as: CRAWLER, method: 'POST', body: 'a=b' }, 403],
    ['OPTIONS', { as: CRAWLER, method: 'OPTIONS', headers: { origin: 'https://a.example' } }, 403],
    ['Range', { as: CRAWLER, headers: { range: 'bytes=0-99' } }, 403],
    ['no user agent', { as: '', headers: { from: 'x' } }, 200],
    ['a forged cookie', { as: CRAWLER, headers: { cookie: 'wordpress_logged_in_x=editor|9999999999|a|b' } }, 403],
    ['a forged sign-in', { as: CRAWLER, headers: { authorization: 'Basic ZWRpdG9yOng=' } }, 403],
    ['a browser that signs', { as: BROWSER, headers: { 'signature-input': 'sig1=()' } }, 200],
  ];
  for (const [name, options, status] of refusals) {
    test(name, async () => {
      const { page, asked } = await visited('/tides/', options);
      assert.equal(page.status, status, `${page.text.slice(0, 300)} ${wp.log()}`);
      assert.equal(page.text.includes(SECRET), status === 200);
      assert.equal(asked, 1);
      if (options.method === 'HEAD') assert.equal(page.text, '');
    });
  }

  test('a license opens, and each page view is one decision', async () => {
    await made(postern, '/v1/licenses', { requesterId: 'common', type: 'crawling' });
    const { token } = await made(postern, '/v1/requesters/common/tokens', { name: 'a' });
    const headers = { authorization: `Bearer ${token}` };
    const { page, asked } = await visited('/tides/', { as: 'CCBot/2.0', headers });
    assert.equal(page.status, 200, page.text);
    assert.equal(asked, 1);
    assert.match(String(page.headers.vary), /User-Agent/);
  });

  test('a refusal is a page for people, and problem details for programs', async () => {
    const html = await wp.get('/tides/', { as: CRAWLER, headers: { accept: 'text/html' } });
    assert.match(html.text, /<h1>Access denied<\/h1>/);
    const problem = await wp.get('/tides/', { as: CRAWLER });
    assert.equal(problem.headers['content-type'], 'application/problem+json');
    assert.equal(JSON.parse(problem.text).reason, 'policy_denied');
  });

  test('a token proves who a browser is', async () => {
    const { token } = await made(postern, '/v1/requesters/common/tokens', { name: 'a' });
    const { page, asked } = await visited('/tides/', { headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual([page.status, asked], [200, 1]);
    const refused = await wp.get('/tides/', { headers: { authorization: `Bearer svc_rt_${'a'.repeat(49)}` } });
    assert.equal(refused.status, 401, refused.text);
  });
});

test('an item that is denied has no other address in a site that is open', async (t) => {
  const item = await made(postern, '/v1/content', {
    externalId: `wp-1-${post}`,
    title: 'Tides',
    type: 'article',
    source: `${wp.url}/tides/`,
    policyId: closed,
  });
  t.after(async () => assertStatus(await postern.call('DELETE', `/v1/content/${item.id}`), 200));
  for (const path of words(`/tides/ /?name=tides /?p=${post} /index.php/tides/ /tides/embed/ /?rest_route=/wp/v2/posts/${post}
    /wp-json/wp/v2/posts/${post} /wp-json/wp/v2/posts/${post}/revisions`)) {
    const page = await wp.get(path, { as: OTHER });
    assert.ok(!page.text.includes(SECRET) && (page.status === 403 || page.status === 301), `${path} ${page.status}`);
  }
  assert.equal((await wp.get('/', { as: OTHER })).status, 200);
});

test('a page that is denied by its path has no other address, also without items', async (t) => {
  const paths = ['/tides/'];
  const one = await made(postern, '/v1/collections', { name: 'Tides', hosts: [wp.host], paths, policyId: closed });
  t.after(async () => assertStatus(await postern.call('DELETE', `/v1/collections/${one.id}`), 200));
  for (const path of words(`/tides/ /?p=${post}&feed=rss2&withoutcomments=1 /?name=tides&embed=1 /index.php/tides/ /?p=${post}
    /?rest_route=/wp/v2/posts/${post} /wp-json/wp/v2/posts/${post} /other/?rest_route=/wp/v2/posts/${post}`)) {
    const page = await wp.get(path, { as: OTHER });
    assert.ok(!page.text.includes(SECRET) && (page.status === 403 || page.status === 301), `${path} ${page.status}`);
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const body of [`p=${post}`, 'name=tides', 'name=tides&embed=1', `p=${post}&feed=rss2&withoutcomments=1`]) {
    const page = await wp.get('/', { as: OTHER, method: 'POST', headers, body });
    assert.equal(page.status, 403, `${body} ${page.text.slice(0, 200)}`);
  }
  assert.equal((await wp.get('/', { as: OTHER })).status, 200);
});

test('lists that are closed are closed in the body of a form too', async (t) => {
  const paths = words('/feed /*/feed /wp-json/ /*?rest_route= /*?feed= /*?sitemap=');
  const lists = await made(postern, '/v1/collections', { name: 'Lists', hosts: [wp.host], paths, policyId: closed });
  t.after(async () => assertStatus(await postern.call('DELETE', `/v1/collections/${lists.id}`), 200));
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const body of ['rest_route=/wp/v2/posts&_method=GET', 'feed=rss2', 'sitemap=index', 'rest_route=/']) {
    for (const path of ['/', '/?x=1', '/index.php']) {
      const page = await wp.get(path, { as: OTHER, method: 'POST', headers, body });
      assert.equal(page.status, 403, `${path} ${body} ${page.text.slice(0, 200)}`);
    }
  }
  for (const path of words('/feed/ /tides/feed/ /comments/feed/ /?feed=atom /wp-json/wp/v2/posts /?rest_route=/')) {
    assert.equal((await wp.get(path, { as: OTHER })).status, 403, path);
  }
  assert.equal((await wp.get('/tides/', { as: OTHER })).status, 200);
});

test('a reader costs no query, one option and one class', async () => {
  const counting = `<?php if ( isset( $_GET['bare'] ) ) { add_filter( 'option_active_plugins', '__return_empty_array' ); }
    add_action( 'shutdown', function () { echo '@', get_num_queries(), ' ',
      implode( ' ', preg_grep( '~^Postern~', get_declared_classes() ) ); } );`;
  mkdirSync(join(wp.folder, 'wp-content/mu-plugins'));
  writeFileSync(join(wp.folder, 'wp-content/mu-plugins/counting.php'), counting);
  const counts = async (path: string) => (await wp.get(path)).text.split('@').at(-1)?.split(' ') ?? [];
  await counts('/tides/?bare=1');
  const [bare] = await counts('/tides/?bare=1');
  const [queries, ...classes] = await counts('/tides/?full=1');
  rmSync(join(wp.folder, 'wp-content/mu-plugins'), { recursive: true });
  assert.equal(queries, bare);
  assert.deepEqual(classes, ['Postern\\Plugin', 'Postern\\Who']);
  const options = `SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'postern%' AND autoload = 'yes'`;
  assert.deepEqual(await wp.php(`global $wpdb; return $wpdb->get_col( "${options}" );`), ['postern']);
});

describe('editors', () => {
  const xml = (password: string): string =>
    `<?xml version="1.0"?><methodCall><methodName>wp.getPost</methodName><params>${[
      '1',
      'editor',
      password,
      String(post),
    ]
      .map((value) => `<param><value><string>${value}</string></value></param>`)
      .join('')}</params></methodCall>`;

  test('a session is never asked about, whatever it sends as its user agent', async () => {
    const body = new URLSearchParams({ log: 'editor', pwd: PASSWORD, testcookie: '1' }).toString();
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: 'wordpress_test_cookie=WP+Cookie+check',
    };
    const page = await wp.get('/wp-login.php', { method: 'POST', headers, body });
    const cookie = (page.headers['set-cookie'] ?? []).map((one) => one.split(';', 1)[0]).join('; ');
    assert.match(cookie, /wordpress_logged_in_/);
    const { page: own, asked } = await visited('/tides/', { as: CRAWLER, headers: { cookie } });
    assert.deepEqual([own.status, asked], [200, 0]);
  });

  test('an application password, and XML-RPC', async () => {
    const password = await wp.php(
      `return WP_Application_Passwords::create_new_application_password( 1, array( 'name' => 'a' ) )[0];`,
    );
    const authorization = `Basic ${Buffer.from(`editor:${password}`).toString('base64')}`;
    const rest = await visited('/wp-json/wp/v2/posts', { as: CRAWLER, headers: { authorization } });
    assert.deepEqual([rest.page.status, rest.asked], [200, 0], rest.page.text);
    const call = { method: 'POST', as: CRAWLER, headers: { 'content-type': 'text/xml' } };
    const own = await visited('/xmlrpc.php', { ...call, body: xml(PASSWORD) });
    assert.ok(own.page.text.includes(SECRET), own.page.text);
    assert.equal(own.asked, 0);
    assert.equal((await wp.get('/xmlrpc.php', { ...call, body: xml('wrong') })).status, 403);
  });
});

describe('addresses and countries', () => {
  const FORGED = {
    'x-forwarded-for': '203.0.113.9',
    'x-real-ip': '203.0.113.9',
    forwarded: 'for=203.0.113.9',
    'cf-connecting-ip': '203.0.113.9',
    'cf-ipcountry': 'FR',
    'fastly-client-ip': '203.0.113.9',
    'cloudfront-viewer-address': '203.0.113.9:1',
    'cloudfront-viewer-country': 'FR',
  };
  const proxy_secret = 'a secret of the proxy';
  const secret = { 'x-postern-proxy': proxy_secret };
  const cases: [string, object, Record<string, string>, number][] = [
    ['nothing in front', { proxy: 'none' }, FORGED, 200],
    ['not from Cloudflare', { proxy: 'cloudflare' }, FORGED, 200],
    ['Cloudflare', { proxy: 'cloudflare', proxies: ['127.0.0.1'] }, { 'cf-connecting-ip': '203.0.113.9' }, 403],
    [
      'its country',
      { proxy: 'cloudflare', proxies: ['127.0.0.1'] },
      { 'cf-ipcountry': 'FR', 'cf-connecting-ip': '192.0.2.1' },
      403,
    ],
    ['Fastly without the secret', { proxy: 'fastly', proxy_secret }, FORGED, 200],
    ['Fastly', { proxy: 'fastly', proxy_secret }, { ...secret, 'fastly-client-ip': '203.0.113.9' }, 403],
    [
      'CloudFront with a wrong secret',
      { proxy: 'cloudfront', proxy_secret },
      { ...FORGED, 'x-postern-proxy': 'x' },
      200,
    ],
    [
      'CloudFront',
      { proxy: 'cloudfront', proxy_secret },
      { ...secret, 'cloudfront-viewer-address': '203.0.113.9:443' },
      403,
    ],
    ['other proxies', { proxy: 'custom', proxies: ['10.0.0.0/8'] }, FORGED, 200],
    [
      'own proxies',
      { proxy: 'custom', proxies: ['127.0.0.0/8'] },
      { 'x-forwarded-for': '203.0.113.9, 127.0.0.2' },
      403,
    ],
    [
      'left of the last proxy',
      { proxy: 'custom', proxies: ['127.0.0.0/8'] },
      { 'x-forwarded-for': '203.0.113.9, 192.0.2.1' },
      200,
    ],
    ['unreadable', { proxy: 'custom', proxies: ['127.0.0.0/8'] }, { 'x-forwarded-for': 'unknown' }, 403],
  ];
  for (const [name, settings, headers, status] of cases) {
    test(name, async () => {
      await wp.set({ ...SETTINGS, ...settings });
      const page = await wp.get('/tides/', { as: OTHER, headers });
      assert.equal(page.status, status, `${page.text.slice(0, 300)} ${wp.log()}`);
    });
  }
  after(() => wp.set(SETTINGS));
});

describe('modes and outages', () => {
  after(async () => {
    relay.slow(0);
    relay.open();
    wp.calm();
    await wp.set(SETTINGS);
  });

  test('observe serves all, and asks beside', async () => {
    await wp.set({ ...SETTINGS, mode: 'observe' });
    const before = await counted(postern);
    assert.equal((await wp.get('/tides/', { as: CRAWLER })).status, 200);
    await until('the decision', async () => (await counted(postern)) === before + 1);
  });

  test('off asks nothing; without a choice nothing is asked either', async () => {
    for (const settings of [{ mode: 'off' }, { ask: '' }, { on_error: '' }]) {
      await wp.set({ ...SETTINGS, ...settings });
      const { page, asked } = await visited('/tides/', { as: CRAWLER });
      assert.deepEqual([page.status, asked], [200, 0]);
    }
  });

  test('everyone', async () => {
    await wp.set({ ...SETTINGS, ask: 'everyone' });
    const { page, asked } = await visited('/tides/');
    assert.deepEqual([page.status, asked], [200, 1]);
  });

  for (const [on_error, status] of [
    ['deny', 503],
    ['allow', 200],
  ] as const) {
    test(`an outage and a slow service: ${on_error}`, async () => {
      await wp.set({ ...SETTINGS, on_error, timeout_ms: 300 });
      for (const fault of [() => relay.cut(), () => relay.silence()]) {
        fault();
        wp.calm();
        for (let i = 0; i < 5; i++) {
          const page = await wp.get('/tides/', { as: CRAWLER });
          assert.equal(page.status, status, page.text);
          assert.equal(page.text.includes(SECRET), status === 200);
        }
        assert.equal((await wp.get('/tides/')).status, 200, 'a reader');
        relay.open();
      }
      await wp.set({ ...SETTINGS, on_error });
      await until('it asks again', async () => (await wp.get('/tides/', { as: CRAWLER })).status === 403);
    });
  }

  test('a flood of programs that wait for Postern leaves half of the workers to readers', async () => {
    await wp.set({ ...SETTINGS, timeout_ms: 10_000 });
    await wp.get('/tides/');
    relay.silence();
    wp.calm();
    const begun = performance.now();
    // Few enough that a busy machine refuses the others before the first one has waited for its ten seconds.
    let waiting = 12;
    const programs = Array.from({ length: waiting }, async () => {
      const { status } = await wp.get('/tides/', { as: CRAWLER });
      waiting--;
      return status;
    });
    // php-fpm has four workers here.
    await until('the others are refused', () => waiting === 2);
    for (let i = 0; i < 10; i++) assert.equal((await wp.get('/tides/')).status, 200, 'a reader');
    assert.equal(waiting, 2);
    assert.ok(performance.now() - begun < 9_000);
    // The relay ends their connections: then the slots are free again.
    relay.cut();
    assert.deepEqual(new Set(await Promise.all(programs)), new Set([503]));
    relay.open();
    wp.calm();
    assert.equal((await wp.get('/tides/', { as: CRAWLER })).status, 403);
  });

  test('a refused key never allows', async () => {
    await wp.set({ ...SETTINGS, on_error: 'allow', key: `svc_sk_${'a'.repeat(49)}` });
    assert.equal((await wp.get('/tides/', { as: CRAWLER })).status, 503);
  });
});

describe('the status', () => {
  const read = async (proof: string, path = '/.well-known/postern') => wp.get(`${path}?proof=${proof}`);
  const prove = async (host = wp.host, key = postern.key): Promise<string> =>
    (await postern.call('POST', '/v1/proxy-probes', { body: { host }, key })).body.adapterProof;

  test('is for an operator alone, and says why Postern is not asked', async () => {
    await wp.set(SETTINGS);
    const shown = async () => JSON.parse((await read(await prove())).text);
    const page = await read(await prove());
    assert.equal(page.headers['cache-control'], 'no-store');
    const settings = { version: '0.1.0', mode: 'enforce', ask: 'programs', onError: 'deny', unknown: 'deny' };
    assert.deepEqual(JSON.parse(page.text), { adapter: 'wordpress', ...settings, timeoutMs: 10_000, failure: null });
    relay.cut();
    assert.match((await shown()).failure, /could not be reached/);
    relay.open();
    await wp.set({ ask: '' });
    const { mode, failure } = await shown();
    assert.deepEqual([mode, failure], ['off', 'POSTERN_ASK must be one of programs, everyone.']);
    await wp.set({ ...SETTINGS, key: await makeKey(postern, { permissions: ['content:read'] }) });
    const [seconds, ...codes] = (await prove()).split('.');
    assert.equal((await read(`${seconds}.${codes.join('.')}`)).status, 404, 'a key that cannot ask');
    await wp.set(SETTINGS);
    const other = await makeKey(postern, { permissions: ['access:check'] });
    for (const one of [
      '',
      `${Number(seconds) + 1}.${codes.join('.')}`,
      await prove('x.example'),
      await prove(wp.host, other),
    ])
      assert.equal((await read(one)).status, 404, one);
    assert.equal((await wp.get(`/.well-known/postern?proof[]=${await prove()}`)).status, 404);
    assert.equal((await wp.get(`/.well-known/postern?proof=${await prove()}`, { method: 'POST' })).status, 404);
  });

  test('`postern doctor` asks for it', async () => {
    const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
    const { stdout } = await command(['doctor', wp.url], { env });
    assert.match(stdout, /✓ adapter {3}wordpress, version 0\.1\.0\n✓ mode {6}enforces/);
  });
});
