/**
 * A real WordPress of Debian's package: its own MariaDB, php-fpm and nginx, installed without a browser, with the
 * plugin in its folder. Nothing of WordPress is in this repository; the theme here shows posts and nothing else.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../kit/port.ts';
import type { TestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { folderOf, requireCommand, startNginx, startServer } from '../../../kit/web-server.ts';
import { type Page, type Visit, visit } from '../../enforce/visiting.ts';

const FPM = 'php-fpm8.2';
const SOURCE = '/usr/share/wordpress';
export const PASSWORD = 'a password of the test';
export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
export const CRAWLER =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)';

export interface WordPress extends AsyncDisposable {
  url: string;
  /** Host and port, as collections name it. */
  host: string;
  /** The folder of WordPress. */
  folder: string;
  /** Visits as this user agent; a browser by default. */
  get(path: string, options?: Visit & { as?: string }): Promise<Page>;
  /** Runs PHP within WordPress on the command line, and returns the JSON of what `return` names. */
  php(code: string): Promise<any>;
  /** Writes settings of the plugin. */
  set(settings: Record<string, unknown>): Promise<void>;
  /** Writes wp-config.php, with these lines above the one that loads WordPress. */
  configure(lines?: string): void;
  /** Runs what the scheduler of WordPress has to run, of the site at this path. */
  cron(path?: string): Promise<void>;
  /** Starts nginx again, with this configuration around and within its server. */
  serve(http: string, scripts: string): Promise<void>;
  /** Forgets that Postern did not answer. */
  calm(): void;
  log(): string;
}

/** The number of decisions so far. A machine that is busy may not count them at once. */
export const counted = (postern: TestService): Promise<number> =>
  until('the log', async () => (await postern.call('GET', '/v1/access/decisions?limit=1')).body.totalCount as number);

const THEME = `<?php
get_header();
while ( have_posts() ) { the_post(); the_title( '<h1>', '</h1>' ); the_content(); }
`;

export async function startWordPress(): Promise<WordPress> {
  requireCommand('mariadbd', 'mariadb-server');
  requireCommand(FPM, 'php-fpm');
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await startMariaDb());
  const folder = folderOf({});
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  copyWordPress(folder);
  const fpm = stack.use(await startFpm());
  const port = await freePort();
  let nginx = await startServerOf(folder, port, fpm.port);
  stack.defer(() => nginx[Symbol.asyncDispose]());
  const host = `localhost:${port}`;
  const configure = (lines = ''): void =>
    writeFileSync(join(folder, 'wp-config.php'), configuration(database.port, host, lines));
  configure();
  const get: WordPress['get'] = (path, { as = BROWSER, headers = {}, ...options } = {}) =>
    visit(`http://127.0.0.1:${port}`, path, { ...options, headers: { host, 'user-agent': as, ...headers } });
  const php: WordPress['php'] = async (code) => {
    const script = `<?php $_SERVER += array( 'HTTP_HOST' => '${host}' ); ob_start(); require '${folder}/wp-load.php';
      $answer = json_encode( ( function () { ${code} } )() ); ob_end_clean(); echo $answer;`;
    const { stdout } = await promisify(execFile)('php', [join(folderOf({ 'run.php': script }), 'run.php')]);
    return JSON.parse(stdout);
  };
  await install(get);
  await php(`switch_theme( 'plain' ); $GLOBALS['wp_rewrite']->set_permalink_structure( '/%postname%/' );
    update_option( 'rewrite_rules', '' ); require_once ABSPATH . 'wp-admin/includes/plugin.php';
    return is_wp_error( activate_plugin( 'postern/postern.php' ) );`);
  const held = stack.move();
  return {
    url: `http://${host}`,
    host,
    folder,
    get,
    php,
    configure,
    async set(settings) {
      const json = Buffer.from(JSON.stringify(settings)).toString('base64');
      await php(`Postern\\Plugin::change( json_decode( base64_decode( '${json}' ), true ) );`);
    },
    async cron(path = '/') {
      const env = { PATH: process.env.PATH, HTTP_HOST: host, REQUEST_URI: `${path}wp-cron.php` };
      await promisify(execFile)('php', [join(folder, 'wp-cron.php')], { env });
    },
    async serve(http, scripts) {
      await nginx[Symbol.asyncDispose]();
      nginx = await startServerOf(folder, port, fpm.port, { http, scripts });
    },
    calm() {
      for (const file of globSync(join(folder, 'wp-content/postern/breaker-*'))) rmSync(file);
    },
    log: () => `${nginx.log()}\n${fpm.log()}`,
    async [Symbol.asyncDispose]() {
      await held.disposeAsync();
    },
  };
}

function copyWordPress(folder: string): void {
  cpSync(SOURCE, folder, { recursive: true, dereference: true });
  cpSync('adapters/wordpress', join(folder, 'wp-content/plugins/postern'), { recursive: true });
  const theme = folderOf({
    'index.php': THEME,
    'header.php': '<?php wp_head();',
    'style.css': '/* Theme Name: Plain */',
  });
  cpSync(theme, join(folder, 'wp-content/themes/plain'), { recursive: true });
}

const startServerOf = (folder: string, port: number, fpm: number, more = { http: '', scripts: '' }) =>
  startNginx(
    port,
    `${more.http}
    server {
      listen 127.0.0.1:${port}; root ${folder}; index index.php; client_max_body_size 8m;
      location / { try_files $uri $uri/ /index.php$is_args$args; }
      location ~ \\.php$ {
        try_files $uri =404;
        include /etc/nginx/fastcgi_params;
        fastcgi_param HTTP_HOST $http_host;
        fastcgi_param SCRIPT_FILENAME ${folder}$fastcgi_script_name;
        fastcgi_pass 127.0.0.1:${fpm};
        ${more.scripts}
      }
    }`,
  );

/** Without InnoDB and without accounts, so that it starts at once in an empty folder. */
async function startMariaDb() {
  const [port, folder] = [
    await freePort(),
    folderOf({ 'init.sql': 'CREATE DATABASE wordpress;\n', 'data/mysql/.keep': '' }),
  ];
  const owner = process.getuid?.() === 0 ? ['--user=root'] : [];
  const own = [
    '--no-defaults',
    ...owner,
    `--datadir=${join(folder, 'data')}`,
    `--init-file=${join(folder, 'init.sql')}`,
  ];
  const quick = ['--skip-grant-tables', '--innodb=OFF', '--default-storage-engine=Aria', '--skip-log-bin'];
  const listen = ['--bind-address=127.0.0.1', `--port=${port}`, `--socket=${join(folder, 'socket')}`];
  const server = await startServer('mariadbd', [...own, ...quick, ...listen], { port, folder });
  return { port, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function startFpm() {
  const [port, folder] = [await freePort(), folderOf({})];
  const conf = join(folder, 'fpm.conf');
  const owner = process.getuid?.() === 0 ? 'user = root\ngroup = root\n' : '';
  writeFileSync(
    conf,
    `[global]\nerror_log = ${join(folder, 'error.log')}\ndaemonize = no\n[www]\n${owner}listen = 127.0.0.1:${port}
pm = static\npm.max_children = 4\ncatch_workers_output = yes\nphp_admin_value[opcache.revalidate_freq] = 0\n`,
  );
  const server = await startServer(FPM, ['-R', '-F', '-y', conf], { port, folder });
  const log = (): string => readFileSync(join(folder, 'error.log'), 'utf8');
  return { port, log, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const SALTS = ['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT'];

const configuration = (port: number, host: string, lines: string): string => `<?php
define( 'DB_NAME', 'wordpress' ); define( 'DB_USER', 'root' ); define( 'DB_PASSWORD', '' );
define( 'DB_HOST', '127.0.0.1:${port}' ); define( 'DB_CHARSET', 'utf8mb4' ); define( 'DB_COLLATE', '' );
${[...SALTS, 'LOGGED_IN_SALT', 'NONCE_SALT'].map((name) => `define( '${name}', 'test ${name}' );`).join(' ')}
${lines.includes('MULTISITE') ? '' : `define( 'WP_HOME', 'http://${host}' ); define( 'WP_SITEURL', 'http://${host}' );`}
define( 'DISABLE_WP_CRON', true ); define( 'WP_ENVIRONMENT_TYPE', 'local' ); define( 'WP_HTTP_BLOCK_EXTERNAL', true ); define( 'WP_ACCESSIBLE_HOSTS', '127.0.0.1' );
 define( 'AUTOMATIC_UPDATER_DISABLED', true );
$table_prefix = 'wp_';
defined( 'ABSPATH' ) || define( 'ABSPATH', __DIR__ . '/' );
${lines}
require_once ABSPATH . 'wp-settings.php';
`;

async function install(get: WordPress['get']): Promise<void> {
  const form = new URLSearchParams({
    weblog_title: 'Tides',
    user_name: 'editor',
    admin_password: PASSWORD,
    admin_password2: PASSWORD,
    pw_weak: '1',
    admin_email: 'editor@example.com',
    blog_public: '1',
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const page = await get('/wp-admin/install.php?step=2', { method: 'POST', headers, body: form.toString() });
  assert.equal(page.status, 200, page.text);
  assert.match(page.text, /Success!/, page.text);
}
