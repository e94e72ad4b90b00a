/** The console's files: a strict policy, for good where the name has a hash, and small enough for a first visit. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { CONDITIONS as SHOWN } from '../../console/src/policies/condition-table.ts';
import { startTestService } from '../../kit/service.ts';
import { consoleFiles } from '../../src/api/http/console-files.ts';
import { createServer } from '../../src/api/http/server.ts';
import { CONDITIONS } from '../../src/rules/conditions/conditions.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(postern.url + path, { headers, redirect: 'manual' });

test('a visitor is led to the console, a program is told that there is nothing', async () => {
  const visitor = await get('/', { accept: 'text/html,application/xhtml+xml' });
  assert.equal(visitor.status, 302);
  assert.equal(visitor.headers.get('location'), '/console');
  const program = await get('/', { accept: '*/*' });
  assert.equal(program.status, 404);
});

test('every address of the console is the page, with a policy that allows nothing inline', async () => {
  const nonces = new Set<string>();
  for (const path of [
    '/console',
    '/console/',
    '/console/content/cnt_x',
    '/console/policies/pol_default?tab=versions',
  ]) {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[A-Za-z0-9+/=]+';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    const page = await answer.text();
    assert.ok(page.includes(nonce) && !page.includes('__POSTERN'));
    assert.doesNotMatch(
      page,
      /<script(?![^>]* src=)|<style|https?:\/\/(?!www\.w3\.org)/,
      'nothing inline, nothing from elsewhere',
    );
    nonces.add(nonce);
  }
  assert.equal(nonces.size, 4, 'a nonce is used once');
});

test('only what is there is served, and only to be read', async () => {
  for (const path of [
    '/console/assets/none.js',
    '/console/assets/../index.html',
    '/console/assets/%2e%2e/index.html',
    '/console/assets/',
  ]) {
    const answer = await get(path);
    assert.ok(answer.status === 404 || (answer.headers.get('content-type') ?? '').startsWith('text/html'), path);
  }
  assert.equal((await get('/console/assets/none.js')).status, 404);
  const posted = await postern.call('POST', '/console/content', { body: {} });
  assert.ok(posted.status >= 400);
});

test('files with a hash are kept for good, and come compressed', async () => {
  const page = await (await get('/console')).text();
  const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
  const plain = await get(script, { 'accept-encoding': 'identity' });
  assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(plain.headers.get('x-content-type-options'), 'nosniff');
  assert.match(plain.headers.get('content-type') ?? '', /javascript/);
  const small = await get(script, { 'accept-encoding': 'br' });
  assert.equal(small.headers.get('content-encoding'), 'br');
  assert.equal(await small.text(), await plain.text());
});

test('a console that is built while the service runs is served as it is now', async () => {
  const dist = mkdtempSync(join(tmpdir(), 'postern-console-'));
  const build = (script: string) => {
    rmSync(dist, { recursive: true });
    mkdirSync(join(dist, 'assets'), { recursive: true });
    writeFileSync(join(dist, 'assets', script), script);
    for (const page of ['index', 'partner']) {
      writeFileSync(join(dist, `${page}.html`), `<script src="/console/assets/${script}"></script>`);
    }
  };
  await using app = createServer(pino({ enabled: false }));
  consoleFiles(app, dist);
  const missing = await app.inject('/console/content');
  assert.equal(missing.statusCode, 404);
  assert.match(missing.json().error.message, /npm run console/);
  for (const script of ['index-first.js', 'index-second.js']) {
    build(script);
    for (const page of ['/console', '/console/content', '/partner']) {
      const [, named = ''] = /src="([^"]+)"/.exec((await app.inject(page)).payload) ?? [];
      assert.equal((await app.inject(named)).payload, script, page);
    }
  }
  assert.equal((await app.inject('/console/assets/index-first.js')).statusCode, 404);
  rmSync(dist, { recursive: true });
});

test('the editor offers every condition there is', () => {
  const shown = Object.fromEntries(SHOWN.map(({ key, negatable }) => [key, negatable]));
  const known = Object.fromEntries(Object.entries(CONDITIONS).map(([key, { negatable }]) => [key, negatable]));
  assert.deepEqual(Object.keys(shown).toSorted(), Object.keys(known).toSorted());
  for (const key of Object.keys(known)) assert.equal(shown[key], known[key], key);
});
