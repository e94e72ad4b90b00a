/**
 * Page caches in front of a real WordPress, and the files that the plugin serves. Promise: no cache gives a program the
 * page of a reader, readers keep their copies, and the plugin names the cache that would.
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startReceiver } from '../../../kit/receiver.ts';
import { startRelay } from '../../../kit/relay.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { configurationOf, type Page } from '../../enforce/visiting.ts';
import { assertStatus, made, makeKey, makePolicy } from '../../http/given.ts';
import { CRAWLER, counted, startWordPress } from './wordpress.ts';

const SECRET = 'the tide tables of the northern coast';
const OTHER = 'Twitterbot/1.0';
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const postern = stack.use(await startTestService());
const relay = stack.use(await startRelay(Number(new URL(postern.url).port)));
const wp = stack.use(await startWordPress());
const policy = await makePolicy(postern, [
  { action: 'deny', conditions: { crawler: 'GPTBot' } },
  { action: 'allow', conditions: {} },
]);
const site = await made(postern, '/v1/collections', { name: 'S', hosts: [wp.host], paths: ['/'], policyId: policy.id });
const url = `http://127.0.0.1:${relay.port}`;
const key = await makeKey(postern, { permissions: ['access:check'] });

/** The constants of the page, for this service. */
const constants = (mode: string): string =>
  configurationOf('wordpress', 'php', {
    'https://postern.example.com': url,
    'svc_sk_…': key,
    "'POSTERN_MODE', 'observe'": `'POSTERN_MODE', '${mode}'`,
  }).concat("define( 'POSTERN_TIMEOUT_MS', 10000 );\n");
wp.configure(constants('enforce'));
for (const name of ['tides', 'storms', 'fog', 'ice']) {
  await wp.php(
    `wp_insert_post( array( 'post_title' => '${name}', 'post_content' => '${SECRET}', 'post_status' => 'publish' ) );`,
  );
}

/** Keeps every page by its address alone, as page caches do, but for those that ask it not to. */
const DROP_IN = `<?php
// Cache Enabler, in short.
$file = WP_CONTENT_DIR . '/page-' . md5( $_SERVER['REQUEST_URI'] );
if ( 'GET' === $_SERVER['REQUEST_METHOD'] && ! str_contains( $_SERVER['REQUEST_URI'], 'wp-' ) ) {
  if ( is_file( $file ) ) { header( 'X-Page-Cache: hit' ); readfile( $file ); exit; }
  ob_start( function ( $page ) use ( $file ) {
    if ( ! defined( 'DONOTCACHEPAGE' ) ) { file_put_contents( $file, $page ); }
    return $page;
  } );
}
`;
const faults = (): Promise<string[]> =>
  wp.php(`return array_column( array_filter( Postern\\Health::run(), fn( $one ) => ! $one[0] ), 1 );`);

describe('a drop-in', () => {
  const cached = `define( 'WP_CACHE', true );\n`;
  let line = '';

  test('gives a crawler the page of a reader without the early loader, and is named', async () => {
    writeFileSync(join(wp.folder, 'wp-content/advanced-cache.php'), DROP_IN);
    wp.configure(`${cached}${constants('enforce')}`);
    await wp.get('/tides/');
    assert.equal((await wp.get('/tides/')).headers['x-page-cache'], 'hit');
    assert.ok((await wp.get('/tides/', { as: CRAWLER })).text.includes(SECRET));
    const [fault = '', ...others] = await faults();
    assert.match(fault, /Cache Enabler.*early loader/);
    assert.deepEqual(others, []);
  });

  test('gives it nothing with the early loader', async () => {
    line = await wp.php(`Postern\\EarlyLoader::write(); return Postern\\EarlyLoader::line();`);
    wp.configure(`${cached}${constants('enforce')}${line}\n`);
    const refused = await wp.get('/tides/', { as: CRAWLER });
    assert.equal(refused.status, 403, `${refused.text} ${wp.log()}`);
    assert.deepEqual(await faults(), []);
  });

  test('keeps the copies of readers, and asks once about a program that is allowed', async () => {
    const before = await counted(postern);
    assert.equal((await wp.get('/tides/')).headers['x-page-cache'], 'hit');
    assert.equal(await counted(postern), before);
    const page = await wp.get('/tides/', { as: OTHER });
    assert.deepEqual([page.status, page.headers['x-page-cache']], [200, 'hit']);
    assert.equal(await counted(postern), before + 1);
  });

  test('keeps neither a refusal nor what a program was given', async () => {
    const before = await counted(postern);
    assert.equal((await wp.get('/storms/', { as: CRAWLER })).status, 403);
    assert.equal((await wp.get('/storms/', { as: OTHER })).status, 200);
    assert.equal(await counted(postern), before + 2);
    const page = await wp.get('/storms/');
    assert.ok(page.text.includes(SECRET));
    assert.equal(page.headers['x-page-cache'], undefined);
  });

  test('gives nothing for a forged session', async () => {
    for (const cookie of ['wordpress_logged_in_a=b', 'wordpress_logged_in_=editor%7C9999999999%7Ca%7Cb']) {
      const page = await wp.get('/tides/', { as: CRAWLER, headers: { cookie } });
      assert.equal(page.status, 403, page.text);
    }
    const basic = await wp.get('/tides/', { as: CRAWLER, headers: { authorization: 'Basic YTpi' } });
    assert.equal(basic.status, 403);
  });

  test('is observed too', async () => {
    wp.configure(`${cached}${constants('observe')}${line}\n`);
    const before = await counted(postern);
    const page = await wp.get('/tides/', { as: CRAWLER });
    assert.deepEqual([page.status, page.headers['x-page-cache']], [200, 'hit']);
    await until('the decision', async () => (await counted(postern)) === before + 1);
    assert.deepEqual(await faults(), []);
  });

  test('nothing of the early loader is left after deactivation, and its line does no harm', async () => {
    await wp.php(`require_once ABSPATH . 'wp-admin/includes/plugin.php'; deactivate_plugins( 'postern/postern.php' );`);
    assert.ok(!existsSync(join(wp.folder, 'wp-content/postern/early.php')));
    assert.equal((await wp.get('/fog/', { as: CRAWLER })).status, 200);
    await wp.php(`require_once ABSPATH . 'wp-admin/includes/plugin.php'; activate_plugin( 'postern/postern.php' );`);
    wp.configure(constants('enforce'));
    assert.equal((await wp.get('/fog/', { as: CRAWLER })).status, 403);
  });
});

describe('fastcgi_cache of nginx', () => {
  const zone = (): string => `fastcgi_cache_path ${folderOf({})} keys_zone=pages:1m;`;
  const cache = `fastcgi_cache pages; fastcgi_cache_valid 200 10m; fastcgi_cache_key $host$request_uri;
    add_header X-FastCGI-Cache $upstream_cache_status;`;

  test('gives a crawler the page of a reader as it comes, and is named', async () => {
    await wp.serve(zone(), cache);
    await wp.get('/ice/');
    assert.ok((await wp.get('/ice/', { as: CRAWLER })).text.includes(SECRET));
    assert.match((await faults()).join(), /fastcgi_cache of nginx/);
  });

  test('gives it nothing with the lines of the page; readers keep their copies', async () => {
    const http = configurationOf('wordpress', 'nginx-http', {});
    await wp.serve(`${zone()}\n${http}`, `${cache}\n${configurationOf('wordpress', 'nginx-scripts', {})}`);
    assert.equal((await wp.get('/ice/')).headers['x-fastcgi-cache'], 'MISS');
    assert.equal((await wp.get('/ice/')).headers['x-fastcgi-cache'], 'HIT');
    const visits: Record<string, string>[] = [{}, { range: 'bytes=0-10' }, { 'accept-encoding': 'gzip' }];
    for (const headers of visits) {
      const page = await wp.get('/ice/', { as: CRAWLER, headers });
      assert.equal(page.status, 403, page.text);
    }
    assert.equal(
      (await wp.get('/ice/', { headers: { 'signature-input': 'sig1=()' } })).headers['x-fastcgi-cache'],
      'BYPASS',
    );
    assert.equal((await wp.get('/ice/')).headers['x-fastcgi-cache'], 'HIT');
    assert.deepEqual(await faults(), []);
  });
  after(() => wp.serve('', ''));
});

describe('files of the site', () => {
  const stale = (): Promise<void> =>
    wp.php(`$files = get_option( 'postern_files' ); foreach ( $files as &$file ) { $file['until'] = 0; }
      update_option( 'postern_files', $files );`);

  /** A busy service may need longer than the plugin waits for it: then the plugin fetches the file again. */
  const fetched = (path: string, is: (page: Page) => boolean): Promise<Page> =>
    until(
      path,
      async () => {
        await stale();
        return wp.get(path, { as: CRAWLER });
      },
      120_000,
      is,
    );

  test('robots.txt of WordPress, and then that of Postern, under a policy that denies everything', async () => {
    assert.doesNotMatch((await wp.get('/robots.txt')).text, /Postern/);
    const closed = (await makePolicy(postern, [{ action: 'deny', conditions: {} }])).id;
    assertStatus(await postern.call('PATCH', `/v1/collections/${site.id}`, { body: { policyId: closed } }), 200);
    const body = { signals: { public: true, license: true, tdmrep: true } };
    assertStatus(await postern.call('PUT', `/v1/sites/${encodeURIComponent(wp.host)}`, { body }), 201);
    await fetched('/robots.txt', ({ text }) => text.includes('BEGIN Postern'));
    for (const as of [CRAWLER, 'curl/8', '']) {
      const { status, text } = await wp.get('/robots.txt', { as });
      assert.equal(status, 200);
      assert.match(text, /Disallow: \/wp-admin\/[^]*# BEGIN Postern\n[^]*Disallow: \/\n[^]*# END Postern\n$/);
    }
    assert.equal((await wp.get('/tides/', { as: 'curl/8' })).status, 403);
  });

  test('license.xml and tdmrep.json, with their ETag', async () => {
    const license = await fetched('/license.xml', ({ status }) => status === 200);
    assert.equal(license.status, 200, license.text);
    assert.match(String(license.headers['content-type']), /rsl\+xml/);
    const again = await wp.get('/license.xml', { headers: { 'if-none-match': String(license.headers.etag) } });
    assert.deepEqual([again.status, again.text], [304, '']);
    const reserved = await fetched('/.well-known/tdmrep.json', ({ status }) => status === 200);
    assert.equal(reserved.status, 200);
    const [{ 'tdm-policy': page }] = JSON.parse(reserved.text);
    const { pathname } = new URL(page);
    await fetched(pathname, ({ status }) => status === 200);
  });

  test('the last good copy while Postern is away, and the new one after', async () => {
    relay.cut();
    await stale();
    assert.match((await wp.get('/robots.txt', { as: CRAWLER })).text, /BEGIN Postern/);
    assert.equal((await wp.get('/license.xml')).status, 200);
    // An ingress that does not reach it.
    await using ingress = await startReceiver();
    ingress.status(404, {}, 'default backend - 404');
    relay.open(Number(new URL(ingress.url).port));
    await stale();
    assert.match((await wp.get('/robots.txt', { as: CRAWLER })).text, /BEGIN Postern/);
    assert.ok(ingress.received.some(({ path }) => path.endsWith('/signals/robots.txt')));
    relay.open(Number(new URL(postern.url).port));
    assertStatus(
      await postern.call('PUT', `/v1/sites/${encodeURIComponent(wp.host)}`, { body: { signals: { public: true } } }),
      200,
    );
    await fetched('/license.xml', ({ status }) => status === 404);
  });

  test('a file in the folder hides it, which is said', async () => {
    writeFileSync(join(wp.folder, 'robots.txt'), 'User-agent: *\n');
    wp.calm();
    assert.match((await faults()).join(), /robots\.txt/);
  });
});
