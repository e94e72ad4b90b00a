/** The adapter of CloudFront by the table of cases, in plain Node.js, with the events of viewer requests. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folderOf } from '../../../kit/web-server.ts';
import { visit as visitRaw } from '../../enforce/visiting.ts';
import type { World } from '../../enforce/world.ts';
import { installClient } from './bundle.ts';
import { type Site, testPlatform } from './cases.ts';

const folder = folderOf({ 'package.json': '{"type": "module"}' });
after(() => rmSync(folder, { recursive: true, force: true }));
before(() => installClient(folder));

type Headers_ = Record<string, { key: string; value: string }[]>;
type Handler = (event: object) => Promise<{ status?: string; uri: string; headers: Headers_; body: string }>;
let count = 0;

/** Writes the settings into the function as the deployment does, and loads it. */
async function load(environment: Record<string, string>): Promise<Handler> {
  return ((await import(join(configure(environment), 'index.mjs'))) as { handler: Handler }).handler;
}

/** Returns the folder that is uploaded. */
function configure(environment: Record<string, string>): string {
  const place = join(folder, `function-${++count}`);
  cpSync('adapters/cloudfront', place, { recursive: true });
  execFileSync(process.execPath, ['configure.mjs'], { cwd: place, env: environment, stdio: 'pipe' });
  return place;
}

const eventOf = (request: object, eventType = 'viewer-request') => ({
  Records: [{ cf: { config: { eventType }, request } }],
});

async function start(world: World, environment: Record<string, string>): Promise<Site> {
  const handler = await load(environment);
  return {
    async visit(target, { method = 'GET', headers = {}, ip = '192.0.2.1' } = {}) {
      const [uri = '', querystring = ''] = target.split('?');
      const all = Object.entries({ host: 'www.site.example', ...headers });
      const sent = Object.fromEntries(all.map(([key, value]) => [key.toLowerCase(), [{ key, value }]]));
      const result = await handler(eventOf({ clientIp: ip, method, uri, querystring, headers: sent }));
      if (result.status !== undefined) {
        const got = Object.entries(result.headers).map(([name, [one]]) => [name, one?.value ?? ''] as [string, string]);
        return { status: Number(result.status), headers: new Headers(got), text: result.body };
      }
      // CloudFront fetches what the function returns.
      const passed = Object.entries(result.headers).map(([name, [one]]) => [name, one?.value ?? '']);
      const path = result.uri + (querystring === '' ? '' : `?${querystring}`);
      const page = await visitRaw(world.origin, path, { method, headers: Object.fromEntries(passed) });
      return { status: page.status, headers: new Headers(), text: page.text };
    },
    async [Symbol.asyncDispose]() {},
  };
}

testPlatform({
  name: 'CloudFront',
  start,
  lacks: ['country', 'bot', 'headers of pages', 'answers of the origin', 'preflights'],
});

test('other events are refused, and so is a function without its settings', async () => {
  const settings = { POSTERN_URL: 'https://postern.example', POSTERN_KEY: 'k', POSTERN_ASK: 'programs' };
  await assert.rejects(load(settings), /Set POSTERN_ORIGIN/);
  const handler = await load({ ...settings, POSTERN_ORIGIN: 'https://site.example', POSTERN_ON_ERROR: 'deny' });
  for (const type of ['origin-request', 'viewer-response', 'origin-response']) {
    const request = { clientIp: '192.0.2.1', method: 'GET', uri: '/', querystring: '', headers: {} };
    await assert.rejects(handler(eventOf(request, type)), /viewer requests/);
  }
});

test('nothing of the shell is uploaded but the settings of the adapter', () => {
  const settings = {
    POSTERN_URL: 'https://postern.example',
    POSTERN_KEY: 'k',
    POSTERN_ORIGIN: 'https://site.example',
    POSTERN_ASK: 'programs',
    POSTERN_ON_ERROR: 'deny',
    POSTERN_MODE: 'observe',
    POSTERN_UNKNOWN: 'allow',
    POSTERN_TIMEOUT_MS: '300',
    POSTERN_ASSETS: 'true',
    POSTERN_FILES: 'false',
    POSTERN_IP: 'false',
    POSTERN_COUNTRY: 'false',
  };
  const others = {
    POSTERN_DATABASE_URL: 'postgres://postern:secret@db/postern',
    POSTERN_OIDC_CLIENT_SECRET: 'secret',
    POSTERN_BOOTSTRAP_KEY: 'svc_sk_secret',
    POSTERN_KEY_FILE: '/run/secrets/key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  const text = readFileSync(join(configure({ ...settings, ...others }), 'config.mjs'), 'utf8');
  assert.deepEqual(JSON.parse(text.replace(/^export default ([^]*);\n$/, '$1')), settings);
});
