/** The adapter of Netlify by the table of cases, in Deno, which runs its edge functions. */
import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before } from 'node:test';
import { freePort } from '../../../kit/port.ts';
import { folderOf, startServer } from '../../../kit/web-server.ts';
import { visit } from '../../enforce/visiting.ts';
import type { World } from '../../enforce/world.ts';
import { installClient } from './bundle.ts';
import { type Site, testPlatform } from './cases.ts';

/** Netlify itself, as far as a function sees it. What the platform knows comes in a header that it takes away. */
const NETLIFY = `
globalThis.Netlify = { env: { toObject: () => Deno.env.toObject() } };
const { default: guard, config } = await import('./netlify/edge-functions/postern.ts');
if (config.path !== '/*' || config.onError !== 'fail') throw new Error('it would never run, or fail open');
const origin = Deno.env.get('ORIGIN');
Deno.serve({ hostname: '127.0.0.1', port: Number(Deno.env.get('PORT')), onListen() {} }, async (request) => {
  const headers = new Headers(request.headers);
  const { ip, country } = JSON.parse(headers.get('x-platform') ?? '{}');
  headers.delete('x-platform');
  const next = (sent = request) => {
    const { pathname, search } = new URL(sent.url);
    return fetch(origin + pathname + search, { method: sent.method, headers: sent.headers, redirect: 'manual' });
  };
  const waitUntil = () => {};
  return guard(new Request(request, { headers }), { ip, geo: { country: { code: country } }, next, waitUntil });
});`;

const folder = folderOf({ 'package.json': '{"type": "module"}' });
after(() => rmSync(folder, { recursive: true, force: true }));
before(() => {
  installClient(folder);
  cpSync('adapters/netlify', folder, { recursive: true });
  writeFileSync(join(folder, 'netlify.js'), NETLIFY);
});

async function start(world: World, environment: Record<string, string>): Promise<Site> {
  const [deno = ''] = globSync('node_modules/@deno/*/deno{,.exe}');
  const port = await freePort();
  const env = { ...environment, ORIGIN: world.origin, PORT: String(port), DENO_NO_UPDATE_CHECK: '1' };
  const args = [
    'run',
    '--allow-net=127.0.0.1',
    '--allow-env',
    '--allow-read',
    '--node-modules-dir=manual',
    '--no-prompt',
  ];
  const server = await startServer(resolve(deno), [...args, join(folder, 'netlify.js')], {
    port,
    folder: folderOf({}),
    env,
  });
  return {
    async visit(path, { method = 'GET', headers = {}, ip, country } = {}) {
      const platform = { 'x-platform': JSON.stringify({ ip, country }) };
      const page = await visit(server.url, path, { method, headers: { ...headers, ...platform } });
      return { status: page.status, headers: new Headers(page.headers as Record<string, string>), text: page.text };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

testPlatform({ name: 'Netlify', start, lacks: ['bot'] });
