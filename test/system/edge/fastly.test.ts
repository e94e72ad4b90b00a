/**
 * The adapter of Fastly by the table of cases. Its runtime comes without a local server here: the handler runs in
 * Node.js with stand-ins for its modules and backends, and the whole program is compiled by the compiler of the
 * platform, which also runs everything that happens before the first request.
 */
import assert from 'node:assert/strict';
import { cpSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runOutside } from '../../../kit/npm.ts';
import { folderOf } from '../../../kit/web-server.ts';
import type { World } from '../../enforce/world.ts';
import { bundleOf, installClient } from './bundle.ts';
import { type Site, testPlatform } from './cases.ts';

interface FetchEvent {
  request: Request;
  client: { address: string; geo: { country_code: string | undefined } };
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
}

const folder = folderOf({ 'package.json': '{"type": "module"}' });
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

/** Loads the program with the platform around it, and returns its listener. */
async function load(world: World, settings: Record<string, string>): Promise<(event: FetchEvent) => void> {
  const program = await bundleOf('adapters/fastly/src/index.js');
  const { POSTERN_KEY: key, ...config } = settings;
  // The platform has neither signals nor languages.
  const platform = `
    const { fetch: send } = globalThis;
    const [AbortController, AbortSignal, Intl] = [];
    class ConfigStore { get(name) { return ${JSON.stringify(config)}[name] ?? null; } }
    class SecretStore { async get() { return { plaintext: () => ${JSON.stringify(key)} }; } }
    export let listener;
    const addEventListener = (_, given) => { listener = given; };
    const fetch = (input, { backend, ...init } = {}) => {
      if (backend === 'postern') return send(input, init);
      if (backend !== 'origin') throw new TypeError('no such backend');
      const { pathname, search } = new URL(input.url);
      const { method, headers } = input;
      return send(${JSON.stringify(world.origin)} + pathname + search, { method, headers, redirect: 'manual' });
    };`;
  const file = join(folder, `program-${++count}.mjs`);
  const here = program.replaceAll(/^import \{[^}]*\} from "fastly:.*$/gm, '').replaceAll(/\bglobalThis\./g, '');
  writeFileSync(file, platform + here);
  return ((await import(file)) as { listener: (event: FetchEvent) => void }).listener;
}

async function start(world: World, environment: Record<string, string>): Promise<Site> {
  const listener = await load(world, environment);
  return {
    async visit(path, { method = 'GET', headers = {}, ip = '192.0.2.1', country } = {}) {
      const answer = await new Promise<Response>((done, fail) =>
        listener({
          request: new Request(`https://edge.example${path}`, { method, headers }),
          client: { address: ip, geo: { country_code: country } },
          waitUntil: () => {},
          respondWith: (response) => void response.then(done, fail),
        }),
      );
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    },
    async [Symbol.asyncDispose]() {},
  };
}

testPlatform({ name: 'Fastly', start, lacks: ['bot', 'memory'] });

test('the compiler of the platform takes it, and it is what the platform has that it uses', async () => {
  const place = folderOf({});
  cpSync('adapters/fastly', place, { recursive: true });
  const client = folderOf({});
  installClient(client);
  const packed = join(client, 'node_modules/@postern/client');
  const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--install-links', packed];
  const installed = await runOutside('npm', npm, { cwd: place, withinMs: 400_000 });
  assert.equal(installed.status, 0, installed.stderr);
  const compiler = join(place, 'node_modules/@fastly/js-compute/dist/cli/js-compute-runtime-cli.js');
  // It fails before the first request where the platform lacks a name.
  writeFileSync(
    join(place, 'src/main.js'),
    `for (const name of ['setTimeout', 'performance', 'Headers', 'URL', 'URLSearchParams', 'TextEncoder', 'btoa'])
       if (globalThis[name] === undefined) throw new Error('the platform has no ' + name);
     import './index.js';`,
  );
  const args = [compiler, 'src/main.js', 'main.wasm'];
  const compiled = await runOutside(process.execPath, args, { cwd: place, withinMs: 400_000 });
  assert.equal(compiled.status, 0, `${compiled.stdout}\n${compiled.stderr}`);
  assert.ok(statSync(join(place, 'main.wasm')).size > 1_000_000);
});
