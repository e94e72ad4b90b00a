/**
 * Measures the plugin in a real WordPress with MariaDB and php-fpm: the processor time of a reader's page with the
 * plugin and without any, in alternating requests; the time that it adds to saving a post; and the first import.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../kit/launch.ts';
import { startWordPress, type WordPress } from '../test/system/enforce/wordpress.ts';
import { type Figure, median, type Part } from './figure.ts';
import { createPolicy, KEY, startPostern } from './service.ts';

const READER_RATIO = 1.01;
const SAVE_MS = 50;
const IMPORT_S = 60;

/** Loaded before all plugins. The constant of WordPress keeps the plugin out of a page. */
const MEASURING = `<?php
$GLOBALS['used'] = function () { $use = getrusage();
  return $use['ru_utime.tv_sec'] * 1e6 + $use['ru_utime.tv_usec'] + $use['ru_stime.tv_sec'] * 1e6 + $use['ru_stime.tv_usec']; };
$GLOBALS['before'] = $GLOBALS['used']();
if ( isset( $_GET['bare'] ) ) { add_filter( 'option_active_plugins', '__return_empty_array' ); }
add_action( 'shutdown', function () { echo '@', $GLOBALS['used']() - $GLOBALS['before']; }, 99 );
`;

async function measureReader(wp: WordPress, rounds: number): Promise<Figure> {
  const folder = join(wp.folder, 'wp-content/mu-plugins');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'measuring.php'), MEASURING);
  const used = async (query: string): Promise<number> =>
    Number((await wp.get(`/tides/?${query}=1`)).text.split('@').at(-1)) / 1000;
  for (const query of ['bare', 'full']) for (let i = 0; i < rounds / 10; i++) await used(query);
  const times: Record<'bare' | 'full', number[]> = { bare: [], full: [] };
  for (let round = 0; round < rounds; round++)
    for (const query of ['bare', 'full'] as const) times[query].push(await used(query));
  rmSync(folder, { recursive: true });
  const [bare, full] = [median(times.bare), median(times.full)];
  return {
    what: "a reader's page, processor time",
    value: full,
    unit: 'ms',
    against: { what: 'without plugins', value: bare, ratio: full / bare },
    target: { text: `≤ ${READER_RATIO}`, met: full / bare <= READER_RATIO },
  };
}

/** Saves a post again and again, in one process, with the hooks of the plugin and without. */
async function measureSaves(wp: WordPress, rounds: number): Promise<Figure> {
  const times = (await wp.php(`$post = wp_insert_post( array( 'post_title' => 'Saved', 'post_status' => 'publish' ) );
    $times = array( array(), array() );
    for ( $i = 0; $i < ${rounds}; $i++ ) {
      foreach ( array( 1, 0 ) as $with ) {
        if ( $with ) { add_action( 'wp_after_insert_post', array( 'Postern\\Changes', 'saved' ), 10, 4 ); }
        else { remove_action( 'wp_after_insert_post', array( 'Postern\\Changes', 'saved' ), 10 ); }
        $begun = microtime( true );
        wp_update_post( array( 'ID' => $post, 'post_title' => "Saved $i $with" ) );
        $times[ $with ][] = ( microtime( true ) - $begun ) * 1000;
      }
    }
    return $times;`)) as [number[], number[]];
  const [bare, full] = [median(times[0]), median(times[1])];
  return {
    what: 'added to the save of a post',
    value: full - bare,
    unit: 'ms',
    against: { what: `without the plugin (of ${full.toFixed(1)} ms)`, value: bare, ratio: full / bare },
    target: { text: `≤ ${SAVE_MS} ms`, met: full - bare <= SAVE_MS },
  };
}

async function measureImport(wp: WordPress, posts: number): Promise<Figure> {
  await wp.php(`global $wpdb;
    for ( $i = 0; $i < ${posts / 500}; $i++ ) {
      $wpdb->query( "INSERT INTO $wpdb->posts (post_title, post_name, post_content, post_excerpt, to_ping, pinged, post_content_filtered, post_date, post_date_gmt, post_modified, post_modified_gmt)
        SELECT CONCAT('Post ', seq), CONCAT('post-', seq), 'x', '', '', '', '', NOW(), NOW(), NOW(), NOW() FROM seq_" . ( $i * 500 + 1 ) . '_to_' . ( $i * 500 + 500 ) );
    }`);
  const script = `$_SERVER += array( 'HTTP_HOST' => '${wp.host}' ); require '${wp.folder}/wp-load.php';
    Postern\\Import::begin();
    do { $error = Postern\\Queue::run(); if ( null !== $error ) { exit( $error ); } }
    while ( null !== Postern\\Import::state() || Postern\\Queue::count() > 0 );`;
  const begun = performance.now();
  const { stdout } = await promisify(execFile)('php', ['-r', script]);
  if (stdout !== '') throw new Error(stdout);
  const seconds = (performance.now() - begun) / 1000;
  const target = { text: `≤ ${IMPORT_S} s`, met: seconds <= IMPORT_S };
  return { what: `first import of ${posts.toLocaleString('en')} posts`, value: seconds, unit: 's', target };
}

export const wordpressPart: Part = {
  name: 'wordpress',
  about: 'What the plugin costs a WordPress: pages of readers, saves and the first import',
  async run({ quick }) {
    using dir = temporaryFolder();
    await using postern = await startPostern({ dataDir: join(dir.path, 'data') });
    const policyId = await createPolicy(postern, 'Open', [{ action: 'allow', conditions: {} }]);
    await postern.post('/v1/collections', { name: 'All', paths: ['/'], policyId });
    await using wp = await startWordPress();
    const service = { url: `http://127.0.0.1:${postern.port}`, key: KEY, content_key: KEY };
    await wp.set({ ...service, ask: 'programs', on_error: 'deny', mode: 'enforce', timeout_ms: 5000 });
    await wp.php(
      "wp_insert_post( array( 'post_title' => 'Tides', 'post_content' => 'x', 'post_status' => 'publish' ) );",
    );
    return {
      figures: [
        await measureReader(wp, quick ? 20 : 600),
        await measureSaves(wp, quick ? 5 : 60),
        await measureImport(wp, quick ? 500 : 10_000),
      ],
      notes: [
        "WordPress of Debian with a theme of three lines: a real theme makes the plugin's share of a page smaller.",
        "Processor time of PHP from before the first plugin to the end; the page is not cached, the plugin's files are.",
      ],
    };
  },
};
