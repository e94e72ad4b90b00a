/**
 * The adapter of Next.js in a real `next start`, by the table of cases, and in front of what Next.js serves by itself:
 * pages that were made by the build, their data, files of `public/`, and images that it makes smaller.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runOutside } from '../../../kit/npm.ts';
import { freePort } from '../../../kit/port.ts';
import { folderOf, startServer } from '../../../kit/web-server.ts';
import { visit } from '../../enforce/visiting.ts';
import { startWorld, TEXT, type World } from '../../enforce/world.ts';
import { installClient } from './bundle.ts';
import { type Site, testPlatform } from './cases.ts';

/** Passes everything on to the origin, as the site. */
const ROUTE = `
export const dynamic = 'force-dynamic';
async function pass(request) {
  const { pathname, search } = new URL(request.url);
  const { method } = request;
  const headers = [...request.headers].filter(([name]) => !/^(?:host|connection|content-length|transfer-encoding)$/.test(name));
  const answer = await fetch(process.env.ORIGIN + pathname + search, { method, headers });
  return new Response(method === 'HEAD' ? null : await answer.text(), { headers: { 'content-type': 'text/html' } });
}
export { pass as GET, pass as HEAD, pass as POST, pass as DELETE, pass as OPTIONS };`;
const PAGE = `export default function Page() { return <p>${TEXT}</p>; }`;
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const FILES = {
  'package.json': '{"private": true, "type": "module"}',
  'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>;',
  'app/shut/page.js': PAGE,
  'app/open/page.js': PAGE,
  'app/[...path]/route.js': ROUTE,
  'public/shut/file.txt': TEXT,
  'public/open/file.txt': TEXT,
};

const folder = folderOf(FILES);
after(() => rmSync(folder, { recursive: true, force: true }));
const NEXT = join(folder, 'node_modules/next/dist/bin/next');

before(async () => {
  const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'next@16', 'react@19', 'react-dom@19'];
  const installed = await runOutside('npm', npm, { cwd: folder, withinMs: 400_000 });
  assert.equal(installed.status, 0, installed.stderr);
  installClient(folder);
  cpSync('adapters/next/proxy.ts', join(folder, 'proxy.ts'));
  for (const place of ['shut', 'open']) {
    mkdirSync(dirname(join(folder, 'public', place, 'a.png')), { recursive: true });
    writeFileSync(join(folder, 'public', place, 'a.png'), Buffer.from(PIXEL, 'base64'));
  }
  const env = { NEXT_TELEMETRY_DISABLED: '1' };
  const built = await runOutside(process.execPath, [NEXT, 'build'], { cwd: folder, env, withinMs: 400_000 });
  assert.equal(built.status, 0, `${built.stdout}\n${built.stderr}`);
});

async function start(world: World, environment: Record<string, string>): Promise<Site> {
  const port = await freePort();
  const env = { ...environment, ORIGIN: world.origin, POSTERN_IP_HEADER: 'x-real-ip', NEXT_TELEMETRY_DISABLED: '1' };
  const args = [NEXT, 'start', folder, '-H', '127.0.0.1', '-p', String(port)];
  const server = await startServer(process.execPath, args, { port, folder: folderOf({}), env });
  return {
    async visit(path, { method = 'GET', headers = {}, ip } = {}) {
      // A proxy in front overwrites the address.
      const from: Record<string, string> = ip === undefined ? {} : { 'x-real-ip': ip };
      const page = await visit(server.url, path, { method, headers: { ...headers, ...from } });
      return { status: page.status, headers: new Headers(page.headers as Record<string, string>), text: page.text };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

testPlatform({
  name: 'Next.js',
  start,
  lacks: ['country', 'bot', 'answers of the origin', 'preflights'],
  owns: ['x-real-ip'],
});

describe('what Next.js serves by itself', () => {
  let world: World;
  let site: Site;
  before(async () => {
    world = await startWorld();
    const own = { POSTERN_URL: world.proxy.url, POSTERN_KEY: world.postern.key, POSTERN_TIMEOUT_MS: '20000' };
    const settings = { POSTERN_ORIGIN: 'https://site.example', POSTERN_ASK: 'everyone', POSTERN_ON_ERROR: 'deny' };
    site = await start(world, { ...own, ...settings });
  });
  after(async () => {
    await site?.[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  test('pages of the build, their data, and files', async () => {
    for (const path of ['/open', '/open/file.txt']) assert.match((await site.visit(path)).text, new RegExp(TEXT), path);
    const page = await site.visit('/open');
    assert.doesNotMatch(page.headers.get('cache-control') ?? '', /public|s-maxage/);
    const tried: [path: string, headers?: Record<string, string>][] = [
      ['/shut'],
      ['/shut/'],
      ['/shut', { rsc: '1' }],
      ['/shut', { rsc: '1', 'next-router-prefetch': '1' }],
      ['/shut?_rsc=abc', { rsc: '1', 'next-router-segment-prefetch': '/_tree' }],
      ['/shut.rsc'],
      ['/shut.segments/_full.segment.rsc'],
      ['/_next/data/x/shut.json', { 'x-nextjs-data': '1' }],
      ['/shut', { 'x-middleware-subrequest': 'proxy' }],
      ['/shut', { 'x-middleware-next': '1', 'x-middleware-rewrite': '/open' }],
      ['/shut', { 'x-matched-path': '/open', 'x-now-route-matches': '1=open', 'x-invoke-path': '/open' }],
      ['/shut/file.txt'],
      ['/_next/static/../../shut/file.txt'],
      ['/_next/static/%2e%2e/%2e%2e/shut/file.txt'],
      ['/_next/static/..%2f..%2fshut/file.txt'],
      ['/_next/static//../../shut'],
    ];
    for (const [path, headers = {}] of tried) {
      const { text } = await site.visit(path, { headers });
      assert.ok(!text.includes(TEXT), `${path} ${JSON.stringify(headers)}`);
    }
  });

  test('images that it makes smaller', async () => {
    const image = (url: string): string => `/_next/image?url=${encodeURIComponent(url)}&w=64&q=75`;
    assert.equal((await site.visit(image('/open/a.png'))).status, 200);
    for (const path of [image('/shut/a.png'), image('/open/../shut/a.png'), image('/%73hut/a.png')])
      assert.ok((await site.visit(path)).status >= 400, path);
    for (const path of [`${image('/open/a.png')}&url=%2Fshut%2Fa.png`, image('//site.example/shut/a.png')])
      assert.ok((await site.visit(path)).status >= 400, path);
    assert.ok((await site.visit(image('/shut/a.png').replace('image', '%69mage'))).status >= 400);
  });

  test('without an origin it serves nothing: visitors choose their host', async () => {
    await using open = await start(world, { POSTERN_URL: world.proxy.url, POSTERN_KEY: 'k', POSTERN_ASK: 'programs' });
    assert.equal((await open.visit('/open')).status, 500);
  });
});
