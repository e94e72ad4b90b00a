/**
 * The WordPress plugin in a network of sites. Promise: each site has its own settings, items and queue, also one that
 * was made after the activation; and what happens to one site changes nothing for another.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { freePort } from '../../../kit/port.ts';
import { startTestService } from '../../../kit/service.ts';
import { made, makeKey, makePolicy } from '../../http/given.ts';
import { CRAWLER, counted, startWordPress } from './wordpress.ts';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const postern = stack.use(await startTestService());
const wp = stack.use(await startWordPress());

const policy = await makePolicy(postern, [
  { action: 'deny', conditions: { crawler: 'GPTBot' } },
  { action: 'allow', conditions: {} },
]);
await made(postern, '/v1/collections', { name: 'All', hosts: [wp.host], paths: ['/'], policyId: policy.id });
const SETTINGS = {
  url: postern.url,
  key: await makeKey(postern, { permissions: ['access:check'] }),
  content_key: await makeKey(postern, { permissions: ['content:write'] }),
  ask: 'programs',
  on_error: 'deny',
  mode: 'enforce',
  timeout_ms: 10_000,
};
const ADMIN = `require_once ABSPATH . 'wp-admin/includes/plugin.php'; require_once ABSPATH . 'wp-admin/includes/file.php';
  require_once ABSPATH . 'wp-admin/includes/upgrade.php'; require_once ABSPATH . 'wp-admin/includes/network.php';`;
const within = (site: number, code: string): Promise<unknown> =>
  wp.php(`switch_to_blog( ${site} ); $answer = ( function () { ${code} } )(); restore_current_blog(); return $answer;`);
const set = (site: number, settings: object) =>
  within(site, `Postern\\Plugin::change( json_decode( '${JSON.stringify(settings)}', true ) );`);
/** WordPress drops the colon before a port. */
const addSite = (path: string): Promise<number> =>
  wp.php(`$site = wp_insert_site( array( 'domain' => 'site.example', 'path' => '${path}', 'title' => 'S', 'user_id' => 1 ) );
    $GLOBALS['wpdb']->update( $GLOBALS['wpdb']->blogs, array( 'domain' => '${wp.host}' ), array( 'blog_id' => $site ) );
    clean_blog_cache( $site );
    foreach ( array( 'home', 'siteurl' ) as $name ) { update_blog_option( $site, $name, 'http://${wp.host}${path.slice(0, -1)}' ); }
    return $site;`);
const isScheduled = (site: number) => within(site, `return wp_get_schedule( 'postern_sync' );`);
const visit = async (path: string): Promise<number> => (await wp.get(path, { as: CRAWLER })).status;

await wp.php(`${ADMIN} deactivate_plugins( 'postern/postern.php' );
  foreach ( $GLOBALS['wpdb']->tables( 'ms_global' ) as $name => $table ) { $GLOBALS['wpdb']->$name = $table; }
  install_network(); populate_network( 1, '${wp.host}', 'editor@example.com', 'Tides', '/', false );`);
wp.configure(`define( 'MULTISITE', true ); define( 'SUBDOMAIN_INSTALL', false );
  define( 'DOMAIN_CURRENT_SITE', '${wp.host}' ); define( 'PATH_CURRENT_SITE', '/' );
  define( 'SITE_ID_CURRENT_SITE', 1 ); define( 'BLOG_ID_CURRENT_SITE', 1 );`);
await wp.php(`foreach ( array( 'home', 'siteurl' ) as $name ) { update_option( $name, 'http://${wp.host}' ); }`);
const north = await addSite('/north/');
await wp.php(`${ADMIN} $found = activate_plugin( 'postern/postern.php', '', true );
  return is_wp_error( $found ) ? $found->get_error_message() : null;`);
const south = await addSite('/south/');

test('each site has its own settings', async () => {
  assert.equal(await visit('/north/'), 200, 'nothing is set');
  await set(north, SETTINGS);
  await set(south, { ...SETTINGS, mode: 'off' });
  assert.deepEqual(await Promise.all(['/', '/north/', '/south/'].map(visit)), [200, 403, 200]);
  const before = await counted(postern);
  await set(south, SETTINGS);
  assert.deepEqual(await Promise.all(['/', '/north/', '/south/'].map(visit)), [200, 403, 403]);
  assert.equal(await counted(postern), before + 2);
});

test('a site whose Postern is away changes nothing for the others', async () => {
  await set(south, { ...SETTINGS, url: `http://127.0.0.1:${await freePort()}` });
  for (let i = 0; i < 4; i++) assert.equal(await visit('/south/'), 503);
  assert.equal(await visit('/north/'), 403);
  await set(south, SETTINGS);
});

test('each site registers its own posts, also those that another site writes', async () => {
  const insert = `return wp_insert_post( array( 'post_title' => 'Tides', 'post_status' => 'publish' ) );`;
  await set(south, { ...SETTINGS, items: false });
  const [post, silent] = [await within(north, insert), await within(south, insert)];
  assert.equal(await isScheduled(north), 'hourly');
  await wp.cron('/north/');
  await wp.cron('/south/');
  const { body } = await postern.call('GET', `/v1/content/wp-${north}-${post}`);
  assert.match(body.source, new RegExp(`^http://${wp.host}/north/`));
  assert.equal((await postern.call('GET', `/v1/content/wp-${south}-${silent}`)).status, 404);
});

test('deactivation and uninstalling leave nothing in any site', async () => {
  await wp.php(`${ADMIN} deactivate_plugins( 'postern/postern.php' );`);
  assert.deepEqual(await Promise.all([1, north, south].map(isScheduled)), [false, false, false]);
  await wp.php(`${ADMIN} delete_plugins( array( 'postern/postern.php' ) );`);
  for (const site of [1, north, south]) {
    const left = `global $wpdb; return $wpdb->get_col( "SELECT option_name FROM $wpdb->options
      WHERE option_name LIKE '%postern%' OR option_value LIKE '%postern\\_%'" );`;
    assert.deepEqual(await within(site, left), [], `site ${site}`);
  }
  assert.ok(!existsSync(join(wp.folder, 'wp-content/postern')));
  assert.equal(await visit('/north/'), 200);
});
