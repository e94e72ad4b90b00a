/**
 * A front controller in PHP behind real nginx and Caddy, as docs/enforce/php.md sets them up, with php-fpm. Promise: no
 * address of a page leads around its policy: neither that of the script, nor a path after it, nor a parameter.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { freePort } from '../../../kit/port.ts';
import { startTestService } from '../../../kit/service.ts';
import { folderOf, requireCommand, startServer } from '../../../kit/web-server.ts';
import { words } from '../../../kit/words.ts';
import { decisions } from '../../enforce/asking.ts';
import { configurationOf, visit } from '../../enforce/visiting.ts';
import { assertStatus, made, makePolicy } from '../../http/given.ts';
import { fileServer, SERVERS, type Start } from './servers.ts';

const HOST = 'www.example.com';
const SECRET = 'the protected article';
const FPM = 'php-fpm8.2';
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const postern = stack.use(await startTestService());
const open = (await makePolicy(postern, [{ action: 'allow', conditions: {} }])).id;
const closed = (await makePolicy(postern, [{ action: 'deny', conditions: {} }])).id;

/** Finds its pages as WordPress and Symfony do: by the path, by what follows the script's name, or by a parameter. */
const FRONT = `<?php
$target = $_SERVER['PATH_INFO'] ?? '';
if ($target === '') $target = preg_replace('~^/index\\.php~', '', rawurldecode(strtok($_SERVER['REQUEST_URI'], '?')));
$target = preg_replace('~;[^/]*~', '', $target);
$who = $_SERVER['HTTP_X_POSTERN_REQUESTER'] ?? '';
if (trim($target, '/') === 'article-7' || ($_GET['p'] ?? '') === '7') echo '${SECRET}';
elseif (trim($target, '/') === 'robots.txt') echo 'the rules';
elseif (trim($target, '/') === '') echo "home $who";
else { http_response_code(404); echo "no page $who"; }
`;
const site = folderOf({
  'index.php': FRONT,
  'login.php': `<?php echo 'login ' . ($_SERVER['HTTP_X_POSTERN_REQUESTER'] ?? '');`,
  'admin/index.php': `<?php echo 'admin';`,
  'style.css': 'a {}',
  'wp-content/uploads/shell.php': `<?php echo '${SECRET}';`,
  '.env': SECRET,
});

async function startFpm(): Promise<number> {
  requireCommand(FPM, 'php-fpm');
  const [port, folder] = [await freePort(), folderOf({})];
  const conf = join(folder, 'fpm.conf');
  const owner = process.getuid?.() === 0 ? 'user = root\ngroup = root\n' : '';
  writeFileSync(
    conf,
    `[global]\nerror_log = ${join(folder, 'error.log')}\ndaemonize = no\n[www]\n${owner}listen = 127.0.0.1:${port}\npm = static\npm.max_children = 2\n`,
  );
  stack.use(await startServer(FPM, ['-R', '-n', '-F', '-y', conf], { port, folder }));
  return port;
}
const fpm = await startFpm();

/** The folder and the application of the page, in place of those of the other pages. */
function changesFor(name: string): Record<string, string> {
  if (name === 'Caddy') {
    return {
      [`\t\troot * ${site}\n\t\t${fileServer()}\n`]: configurationOf('php', 'caddy-php', {
        '/var/www/site': site,
        'unix//run/php/php-fpm.sock': `127.0.0.1:${fpm}`,
      }),
    };
  }
  const pass = configurationOf('php', 'nginx-php-pass', {
    'include fastcgi_params;': 'include /etc/nginx/fastcgi_params;',
    'unix:/run/php/php-fpm.sock': `127.0.0.1:${fpm}`,
  });
  const passFile = join(folderOf({ 'php.conf': pass }), 'php.conf');
  const page = configurationOf('nginx', 'nginx', { '/var/www/site': site });
  const replaced = page.slice(page.indexOf('    # One address for a folder'), page.indexOf('    location = /_postern'));
  return {
    [replaced]: configurationOf('php', 'nginx-php', {
      '/var/www/site': site,
      '/etc/nginx/postern-php.conf': passFile,
    }),
  };
}

const ADDRESSES = words(`
  /article-7 /article-7/ /article-7?x=1 /index.php/article-7 /index.php/article-7/ /index.php/article-7?x=1
  /%69ndex.php/article-7 /index%2ephp/article-7 /index.php//article-7 //index.php/article-7 /index.php/x/../article-7
  /index.php%2farticle-7 /index.php;/article-7 /index.php/article-7;x /%61rticle-7 /article%2d7 /article-7;x
  /login.php/article-7 /login.php/../index.php/article-7 /admin/index.php/article-7 /article-7%3bx /./article-7
  /x/../article-7 /index.php/index.php/article-7 /index.php/robots.txt/../article-7 /robots.txt/../article-7
  /robots.txt;/../article-7 /.env /%2eenv /wp-content/uploads/shell.php /wp-content/uploads/shell.php/x
`);
const PARAMETERS = words(
  '/.well-known/%61?p=7 /%2ewell-known/a?p=7 /index.php?p=7 /%69ndex.php?p=7 /?p=7 /index.php/?p=7 /robots.txt?p=7 /robots%2etxt?p=7 /x?p=7',
);

const rules = async (article: string, rest: string): Promise<() => Promise<void>> => {
  const collections = [
    await made(postern, '/v1/collections', { name: 'Site', hosts: [HOST], paths: ['/'], policyId: rest }),
    await made(postern, '/v1/collections', { name: 'Seven', hosts: [HOST], paths: ['/article-7'], policyId: article }),
  ];
  return async () => {
    for (const { id } of collections) assertStatus(await postern.call('DELETE', `/v1/collections/${id}`), 200);
  };
};
const start = (name: string, starter: (typeof SERVERS)[number][1], more: Partial<Start> = {}) =>
  starter({ asked: new URL(postern.url).host, key: postern.key, site, changes: changesFor(name), ...more });
await made(postern, '/v1/requesters', { id: 'known', userAgents: ['KnownBot'] });

for (const [name, starter] of SERVERS) {
  test(`${name}: nothing but the rules is served where everything is denied`, async (t) => {
    await using server = await start(name, starter);
    t.after(await rules(closed, closed));
    for (const path of [...ADDRESSES, ...PARAMETERS, '/', '/login.php', '/admin/', '/style.css', '/index.php']) {
      const page = await visit(server.url, path);
      const isFree = path.startsWith('/robots') && !/;|\.\.|\?/.test(path);
      assert.equal(page.status === 200, isFree, `${path} ${page.status} ${page.text} ${server.log()}`);
      assert.ok(!page.text.includes(SECRET), path);
    }
    assert.equal((await visit(server.url, '/robots.txt')).text, 'the rules', server.log());
  });

  test(`${name}: one article that is denied has no other address`, async (t) => {
    await using server = await start(name, starter);
    t.after(await rules(closed, open));
    for (const path of ADDRESSES) {
      const page = await visit(server.url, path);
      assert.ok(!page.text.includes(SECRET), `${path} ${page.status}`);
    }
  });

  test(`${name}: pages are served, each is asked about once, and the application learns who asks`, async (t) => {
    await using server = await start(name, starter);
    t.after(await rules(open, open));
    const headers = { 'user-agent': 'KnownBot' };
    for (const [path, status, text] of [
      ['/', 200, 'home known'],
      ['/article-7', 200, SECRET],
      ['/article-7?x=1', 200, SECRET],
      ['/none', 404, 'no page known'],
      ['/login.php', 200, 'login known'],
      ['/admin/', 200, 'admin'],
      ['/style.css', 200, 'a {}'],
    ] as const) {
      const before = await decisions(postern);
      const page = await visit(server.url, path, { headers });
      assert.deepEqual([page.status, page.text], [status, text], `${path} ${server.log()}`);
      assert.equal((await decisions(postern)) - before, 1, path);
      assert.match(String(page.headers['cache-control']), /private/, path);
    }
  });
}

test('nginx leads from the name of the script to the address of the page, and never to another site', async () => {
  const [name, starter] = SERVERS[0];
  await using server = await start(name, starter);
  for (const [path, location] of [
    ['/index.php', '/'],
    ['/index.php/', '/'],
    ['/index.php?p=7', '/?p=7'],
    ['/index.php/article-7?x=1', '/article-7?x=1'],
    ['/index.php//evil.example/', undefined],
    ['/index.php/\\evil.example/', undefined],
  ] as const) {
    assert.equal((await visit(server.url, path)).headers.location, location, path);
  }
});

test('nginx refuses the parameter as the page says', async (t) => {
  const [name, starter] = SERVERS[0];
  const lines = configurationOf('php', 'nginx-parameter', {});
  const changes = { ...changesFor(name), '    location = /_postern {': `${lines}    location = /_postern {` };
  await using server = await start(name, starter, { changes });
  t.after(await rules(closed, open));
  for (const path of [...PARAMETERS, '/?x=1&p=7', '/?p=8&p=7']) {
    assert.ok(!(await visit(server.url, path)).text.includes(SECRET), path);
  }
  assert.equal((await visit(server.url, '/?q=1')).status, 200);
});
