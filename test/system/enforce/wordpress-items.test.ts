/**
 * Posts as items, in a real WordPress. Promise: what everybody may read is an item, as it is now; nothing that is not
 * public ever was registered; no change is lost while Postern is away; and nothing is left after uninstalling.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { startReceiver } from '../../../kit/receiver.ts';
import { startRelay } from '../../../kit/relay.ts';
import { startTestService } from '../../../kit/service.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { made, makeKey } from '../../http/given.ts';
import { startWordPress } from './wordpress.ts';

const MANY = 10_000;
const MANY_WITHIN_MS = 60_000;
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const postern = stack.use(await startTestService());
const relay = stack.use(await startRelay(Number(new URL(postern.url).port)));
const wp = stack.use(await startWordPress());
await made(postern, '/v1/collections', { name: 'Site', hosts: [wp.host], paths: ['/'] });
await wp.set({
  url: `http://127.0.0.1:${relay.port}`,
  key: await makeKey(postern, { permissions: ['access:check'] }),
  content_key: await makeKey(postern, { permissions: ['content:write', 'analytics:read'] }),
  ask: 'programs',
  on_error: 'deny',
  timeout_ms: 10_000,
});

interface Item {
  externalId: string;
  title: string;
  type: string;
  source: string;
  tags: string[];
  status: string;
}

/** The items that Postern has, after what is due was sent. */
async function items(): Promise<Map<number, Item>> {
  await wp.cron();
  const found = new Map<number, Item>();
  let cursor: string | null = '';
  do {
    const { body } = await postern.call('GET', `/v1/content?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    for (const item of body.data as Item[]) found.set(Number(item.externalId.split('-').at(-1)), item);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return found;
}
const add = (fields: string): Promise<number> =>
  wp.php(
    `return wp_insert_post( array( 'post_title' => 'Tides', 'post_content' => 'x', 'post_status' => 'publish', ${fields} ) );`,
  );

/** `wp postern …` by a stand-in for WP-CLI, which is in no package of Debian. */
async function cli(command: string): Promise<string> {
  const script = `<?php define( 'WP_CLI', true ); $_SERVER['HTTP_HOST'] = '${wp.host}';
    class WP_CLI {
      static $classes; static function add_command( $name, $class ) { self::$classes[ $name ] = $class; }
      static function line( $text ) { echo "$text\\n"; } static function success( $text ) { echo "Success: $text\\n"; }
      static function warning( $text ) { echo "Warning: $text\\n"; }
      static function error( $text ) { echo "Error: $text\\n"; exit( 1 ); }
    }
    require '${wp.folder}/wp-load.php'; ( new WP_CLI::$classes['postern'] )->${command}();`;
  const { stdout } = await promisify(execFile)('php', [join(folderOf({ 'cli.php': script }), 'cli.php')]);
  return stdout;
}

test('a post is an item with its title, type, address, categories and tags', async () => {
  const post = await add(
    `'post_title' => 'Tides &amp; <b>storms</b>', 'tags_input' => array( 'sea' ), 'post_category' => array( wp_create_category( 'News' ) )`.replace(
      'wp_create_category',
      `( function () { require_once ABSPATH . 'wp-admin/includes/taxonomy.php'; return 'wp_create_category'; } )()`,
    ),
  );
  const page = await add(`'post_type' => 'page', 'post_title' => ''`);
  const image =
    await wp.php(`return wp_insert_attachment( array( 'post_title' => 'A photo', 'post_mime_type' => 'image/png',
    'post_status' => 'inherit', 'guid' => 'x' ), false, ${post} );`);
  const found = await items();
  const { title, type, tags, source, status } = found.get(post) as Item;
  assert.deepEqual([title, type, status], ['Tides & storms', 'article', 'active']);
  assert.deepEqual(tags.toSorted(), ['News', 'sea', 'type:post']);
  assert.equal(source, await wp.php(`return get_permalink( ${post} );`));
  assert.equal(found.get(page)?.title, `Post ${page}`);
  assert.equal(found.get(image)?.type, 'image');
});

test('drafts, private posts and revisions never were registered', async () => {
  const hidden = [
    await add(`'post_status' => 'draft'`),
    await add(`'post_status' => 'private'`),
    await add(`'post_password' => 'a'`),
    await add(`'post_status' => 'pending'`),
    await add(`'post_status' => 'future', 'post_date' => '2099-01-01 00:00:00'`),
    await add(`'post_type' => 'nav_menu_item'`),
  ];
  await wp.php(
    `wp_update_post( array( 'ID' => ${hidden[0]}, 'post_title' => 'Still a draft' ) ); wp_trash_post( ${hidden[0]} );`,
  );
  const found = await items();
  for (const id of hidden) assert.ok(!found.has(id), String(id));
});

test('saving, trashing, restoring, deleting and bulk edits are kept in step while Postern is away', async () => {
  const [kept, trashed, restored, deleted, hidden, parent] = [
    await add(`'post_name' => 'kept'`),
    await add(''),
    await add(''),
    await add(''),
    await add(''),
    await add(''),
  ] as [number, number, number, number, number, number];
  const child = await wp.php(`return wp_insert_attachment( array( 'post_title' => 'a', 'post_mime_type' => 'text/plain',
    'post_status' => 'inherit' ), false, ${parent} );`);
  assert.equal((await items()).get(child)?.status, 'active');
  relay.cut();
  await wp.php(`wp_update_post( array( 'ID' => ${kept}, 'post_title' => 'Another title' ) );
    wp_set_post_tags( ${kept}, 'moon' );
    wp_trash_post( ${trashed} ); wp_trash_post( ${restored} );
    wp_update_post( array( 'ID' => ${hidden}, 'post_status' => 'private' ) );
    wp_update_post( array( 'ID' => ${parent}, 'post_status' => 'draft' ) );
    wp_delete_post( ${deleted}, true );`);
  await wp.cron();
  const state = await wp.php(`return array( Postern\\Queue::count(), Postern\\Queue::state() );`);
  assert.ok(state[0] >= 6 && state[1].failures > 0 && state[1].error !== '', JSON.stringify(state));
  // An editor who works on, and a retry that is not due yet.
  await wp.php(`wp_untrash_post( ${restored} ); wp_publish_post( ${restored} ); wp_clear_scheduled_hook( 'postern_sync', array( 'soon' ) );
    wp_schedule_single_event( time() - 1, 'postern_sync', array( 'soon' ) );`);
  relay.open();
  const found = await items();
  assert.deepEqual([found.get(kept)?.title, found.get(kept)?.tags.includes('moon')], ['Another title', true]);
  const statuses = [trashed, restored, hidden, parent, child].map((id) => found.get(id)?.status);
  assert.deepEqual(statuses, ['archived', 'active', 'archived', 'archived', 'archived']);
  assert.ok(!found.has(deleted));
  assert.deepEqual(await wp.php(`return array( Postern\\Queue::count(), Postern\\Queue::state()['error'] );`), [0, '']);
});

test('a change is kept while an ingress answers that does not reach Postern', async () => {
  const hidden = await add('');
  assert.equal((await items()).get(hidden)?.status, 'active');
  await using ingress = await startReceiver();
  ingress.status(404, {}, 'default backend - 404');
  relay.cut();
  relay.open(Number(new URL(ingress.url).port));
  await wp.php(`wp_update_post( array( 'ID' => ${hidden}, 'post_status' => 'private' ) );`);
  await wp.cron();
  assert.ok(ingress.received.some(({ method }) => method === 'PATCH'));
  assert.equal(await wp.php(`return Postern\\Queue::count();`), 1);
  // As if its retry were due.
  await wp.php(`wp_clear_scheduled_hook( 'postern_sync', array( 'soon' ) );
    wp_schedule_single_event( time() - 1, 'postern_sync', array( 'soon' ) );`);
  relay.open(Number(new URL(postern.url).port));
  assert.equal((await items()).get(hidden)?.status, 'archived');
});

test('bulk edits and another structure of addresses', async () => {
  const many = [await add(''), await add(''), await add('')];
  await items();
  await wp.php(`require_once ABSPATH . 'wp-admin/includes/admin.php'; wp_set_current_user( 1 );
    bulk_edit_posts( array( 'post' => array( ${many} ), 'post_type' => 'post', '_status' => 'private', 'post_author' => 1, 'comment_status' => '',
    'ping_status' => '', 'post_view' => 'list', 'tax_input' => array() ) );`);
  const hidden = await items();
  assert.deepEqual(
    many.map((id) => hidden.get(id)?.status),
    ['archived', 'archived', 'archived'],
  );
  await wp.php(`$GLOBALS['wp_rewrite']->set_permalink_structure( '/archive/%post_id%/' );`);
  const moved = await items();
  assert.match(moved.get(1)?.source ?? '', /\/archive\/1\/$/);
  await wp.php(`wp_update_term( get_option( 'default_category' ), 'category', array( 'name' => 'Everything' ) );`);
  assert.ok((await items()).get(1)?.tags.includes('Everything'));
});

test(`${MANY} posts are imported within a minute, with progress`, async (t) => {
  await wp.php(`global $wpdb;
    for ( $i = 0; $i < ${MANY / 500}; $i++ ) {
      $wpdb->query( "INSERT INTO $wpdb->posts (post_title, post_name, post_content, post_excerpt, to_ping, pinged, post_content_filtered, post_date, post_date_gmt, post_modified, post_modified_gmt)
        SELECT CONCAT('Post ', seq), CONCAT('post-', seq), 'x', '', '', '', '', NOW(), NOW(), NOW(), NOW() FROM seq_" . ( $i * 500 + 1 ) . '_to_' . ( $i * 500 + 500 ) );
    }`);
  const began = performance.now();
  const output = await cli('sync');
  const took = performance.now() - began;
  t.diagnostic(`${Math.round(took)} ms`);
  assert.match(output, /500 of \d+\n1000 of|\d+ of \d+\n.*Success/s, output);
  assert.ok(took < MANY_WITHIN_MS, `${took} ms`);
  const { body } = await postern.call('GET', '/v1/content?status=active&limit=1');
  assert.ok(body.totalCount >= MANY, String(body.totalCount));
});

test('the command', async () => {
  assert.match(await cli('status'), /POSTERN_MODE +observe[^]*Changes to send +0/);
  assert.match(await cli('enforce'), /Success/);
  assert.match(await cli('status'), /POSTERN_MODE +enforce/);
  assert.match(await cli('test'), /ok +Postern answers[^]*ok +Programs are asked about[^]*Success/);
  assert.match(await cli('observe'), /Success/);
});

test('the last decisions on the dashboard', async () => {
  await wp.get('/', { as: 'GPTBot/1.2' });
  const html = await wp.php(`ob_start(); Postern\\Dashboard::show(); return ob_get_clean();`);
  assert.match(html, /<td[^>]*>GPTBot<\/td>/);
});

test('uninstalling leaves nothing', async () => {
  await wp.php(`return Postern\\EarlyLoader::write();`);
  assert.ok(existsSync(join(wp.folder, 'wp-content/postern/early.php')));
  await add('');
  await wp.php(`require_once ABSPATH . 'wp-admin/includes/plugin.php'; require_once ABSPATH . 'wp-admin/includes/file.php';
    deactivate_plugins( 'postern/postern.php' );`);
  writeFileSync(join(wp.folder, 'wp-content/postern/answer-1.php'), '');
  const left =
    await wp.php(`require_once ABSPATH . 'wp-admin/includes/plugin.php'; require_once ABSPATH . 'wp-admin/includes/file.php';
    delete_plugins( array( 'postern/postern.php' ) ); global $wpdb;
    return array( $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%postern%' OR option_value LIKE '%postern\\_%'" ),
      $wpdb->get_col( "SELECT meta_key FROM $wpdb->postmeta WHERE meta_key LIKE '%postern%'" ), is_dir( WP_PLUGIN_DIR . '/postern' ) );`);
  assert.deepEqual(left, [[], [], false]);
  assert.ok(!existsSync(join(wp.folder, 'wp-content/postern')));
  assert.equal((await wp.get('/', { as: 'GPTBot/1.2' })).status, 200);
});
