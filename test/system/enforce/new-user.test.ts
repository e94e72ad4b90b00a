/**
 * docs/protect-a-site.md, as a new user would go through it: from an empty folder with only the packed packages, every
 * command of the page in its order, a real nginx and a real Caddy with the configurations of their pages, and what the
 * page says comes out.
 */

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import crawlerUserAgents from 'crawler-user-agents';
import { assertBackgroundWorked } from '../../../kit/background.ts';
import { freePort } from '../../../kit/port.ts';
import { until } from '../../../kit/until.ts';
import { folderOf, startCaddy, startNginx, type WebServer } from '../../../kit/web-server.ts';
import { configurationOf, visit } from '../../enforce/visiting.ts';

const page = readFileSync('docs/protect-a-site.md', 'utf8');

interface Block {
  language: string;
  text: string;
}
const blocksOf = (text: string): Block[] =>
  [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map((match) => ({ language: match[1] ?? '', text: match[2] ?? '' }));

/** The crawlers of the page, with user agents that were seen of them. */
const instances: readonly { pattern: string; instances: string[] }[] = crawlerUserAgents;
const crawlers = ['GPTBot', 'ClaudeBot', 'CCBot'].map((name) => ({
  name,
  userAgents: instances
    .flatMap((one) => one.instances)
    .filter((text) => text.toLowerCase().includes(name.toLowerCase())),
}));

/** Without the Node.js that `npm ci` put in front, and without what this checkout is set up with. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((part) => !part.includes('node_modules'))
  .join(delimiter);
const outside = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:POSTERN|NODE|npm)_/i.test(name)),
);

/** Opens one shell for all blocks, as a user does: variables of a block are set in the next one. */
function openShell(cwd: string, env: Record<string, string>) {
  const shell = spawn('sh', ['-s'], { cwd, env: { ...outside, PATH, ...env }, stdio: 'pipe', detached: true });
  let out = '';
  let err = '';
  shell.stdout.on('data', (chunk) => (out += chunk));
  shell.stderr.on('data', (chunk) => (err += chunk));
  const ended = new Promise<void>((done) => shell.once('exit', () => done()));
  let count = 0;
  return {
    /** Runs a block and returns its output; throws when one of its commands fails. */
    async run(text: string): Promise<string> {
      const mark = `end-of-block-${++count}`;
      const begun = out.length;
      shell.stdin.write(`set -e\n${text}\necho ${mark}\n`);
      for (;;) {
        const end = out.indexOf(mark, begun);
        if (end !== -1) return out.slice(begun, end);
        if (shell.exitCode !== null) throw new Error(`a command failed in\n${text}\n${out.slice(begun)}\n${err}`);
        await Promise.race([once(shell.stdout, 'data'), ended]);
      }
    },
    async close(): Promise<void> {
      // The service that a block left in the background is in the same group.
      if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGTERM');
      await ended;
    },
  };
}

test('the page is about real crawlers', () => {
  for (const { name, userAgents } of crawlers) {
    assert.ok(page.includes(`ask ${name} /`), name);
    assert.ok(userAgents.length > 0, name);
  }
});

/** Visits the site as every user agent of every crawler, and as a reader. */
async function assertCrawlersAreDenied(site: string, status: number): Promise<void> {
  for (const { name, userAgents } of crawlers) {
    for (const userAgent of userAgents) {
      const headers = { 'user-agent': userAgent };
      const denied = await visit(site, '/tides.html', { headers });
      assert.deepEqual(
        [denied.status, denied.headers['x-postern-reason']],
        [status, 'no_license'],
        `${name} ${userAgent}`,
      );
      assert.match(denied.text, /AI crawlers need a license\. Write to licensing@example\.com\./);
    }
  }
  const reader = await visit(site, '/', { headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } });
  assert.deepEqual([reader.status, reader.text], [200, '<h1>The coast</h1>\n']);
}

/** Caddy with the configuration of its page, in front of the same site and service as nginx. */
async function startCaddyOf(folder: string, posternPort: number): Promise<WebServer> {
  const port = await freePort();
  const key = /svc_sk_\w+/.exec(readFileSync(join(folder, 'postern-key.conf'), 'utf8'))?.[0] ?? '';
  const caddyfile = configurationOf('caddy', 'caddyfile', {
    '127.0.0.1:8080': `127.0.0.1:${posternPort}`,
    'www.example.com {': `http://www.example.com:${port} {`,
    '/var/www/site': join(folder, 'site'),
  });
  return startCaddy(port, caddyfile, { POSTERN_KEY: key });
}

function assertReported(command: string, said: string): void {
  if (command.includes('postern usage')) assert.match(said, /GPTBot/);
  if (command.includes('postern policies impact')) assert.match(said, /3 allowed ones would be denied/);
}

test('every step of the page', async (t) => {
  const packages = mkdtempSync(join(tmpdir(), 'postern-packed-'));
  const pack = (cwd: string): string => {
    const said = execFileSync('npm', ['pack', '--json', '--pack-destination', packages], { cwd, encoding: 'utf8' });
    const [{ filename }] = JSON.parse(said.slice(said.search(/^\[/m))) as [{ filename: string }];
    return join(packages, filename);
  };
  // npm runs no scripts here, so what it would run first is run.
  for (const script of ['build', 'build-client'])
    execFileSync(process.execPath, [`scripts/${script}.ts`], { stdio: 'pipe' });
  const [server, client] = [pack('.'), pack('client')];

  const folder = folderOf({});
  const [port, sitePort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const changes: [string, string][] = [
    [
      'npm install ~/postern/postern-0.1.0.tgz ~/postern/postern-client-0.1.0.tgz',
      `npm install --prefer-offline --no-audit --no-fund ${server} ${client}`,
    ],
    ['sudo ', ''],
    ['/etc/nginx/postern-key.conf', join(folder, 'postern-key.conf')],
    ['http://www.example.com', `http://127.0.0.1:${sitePort}`],
  ];
  for (const [from] of changes) assert.ok(page.includes(from), from);
  const tried = (text: string): string => changes.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);

  const shell = openShell(folder, { POSTERN_PORT: String(port), POSTERN_URL: url });
  t.after(async () => {
    await shell.close();
    await until('the service has ended', () =>
      fetch(`${url}/livez`).then(
        () => false,
        () => true,
      ),
    );
    for (const made of [folder, packages]) rmSync(made, { recursive: true, force: true, maxRetries: 5 });
  });
  const [before = '', after = ''] = page.split(/^Copy the configuration/m);
  for (const { language, text } of blocksOf(before)) if (language === 'sh') await shell.run(tried(text));

  await using nginx = await startNginx(
    sitePort,
    configurationOf('nginx', 'nginx', {
      '127.0.0.1:8080': `127.0.0.1:${port}`,
      'listen 80': `listen 127.0.0.1:${sitePort}`,
      '/etc/nginx/postern-key.conf': join(folder, 'postern-key.conf'),
      '/var/www/site': join(folder, 'site'),
    }),
  );

  let said = '';
  let shown = 0;
  for (const { language, text } of blocksOf(after)) {
    if (language === 'sh') said = await shell.run(tried(text));
    else if (language === 'text') {
      assert.equal(said, text, nginx.log());
      shown++;
    }
    assertReported(text, said);
  }
  assert.equal(shown, 3);
  assert.equal(readFileSync(join(folder, 'decisions.ndjson'), 'utf8').trim().split('\n').length, 4);

  await assertCrawlersAreDenied(nginx.url, 403);
  await using caddy = await startCaddyOf(folder, port);
  await assertCrawlersAreDenied(caddy.url, 401);
  const leads = await shell.run(tried('npx postern decisions export --reason no_license'));
  for (const { name } of crawlers) assert.ok(leads.includes(`"crawler":"${name}"`), name);
  assertBackgroundWorked(readFileSync(join(folder, 'postern.log'), 'utf8'));
});
