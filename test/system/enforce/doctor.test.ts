/** `postern doctor URL` through real nginx and Caddy: with their pages' configurations, and with faults in them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { command } from '../../../kit/command.ts';
import { freePort } from '../../../kit/port.ts';
import { startTestService } from '../../../kit/service.ts';
import { folderOf, startCaddy, startNginx, type WebServer } from '../../../kit/web-server.ts';
import { configurationOf, visit } from '../../enforce/visiting.ts';
import { assertError, assertStatus, made, makeKey, makePolicy } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const asked = new URL(postern.url).host;
const { id: policyId } = await makePolicy(postern, [{ action: 'allow', conditions: {} }]);
await made(postern, '/v1/collections', { name: 'All', paths: ['/'], policyId });
const site = folderOf({ 'index.html': 'the page', 'news/index.html': 'the news' });

/** Replaces texts of the page's configuration, in which `HERE` stands for the server's own host and port. */
type Faults = Record<string, string>;

async function nginx(faults: Faults = {}): Promise<WebServer> {
  const port = await freePort();
  const keyFile = join(folderOf({}), 'postern-key.conf');
  const write = configurationOf('nginx', 'sh', {
    'sudo ': '',
    '/etc/nginx/postern-key.conf': keyFile,
    '$(npx postern keys create nginx --permission access:check)': postern.key,
  });
  execFileSync('sh', ['-euc', write], { env: { PATH: process.env.PATH } });
  const texts = {
    'origin=https://www.example.com': 'origin=http://$http_host',
    ...faults,
    '127.0.0.1:8080': asked,
    'listen 80': `listen 127.0.0.1:${port}`,
    '/etc/nginx/postern-key.conf': keyFile,
    '/var/www/site': site,
  };
  return startNginx(port, configurationOf('nginx', 'nginx', texts));
}

async function caddy(faults: Faults = {}): Promise<WebServer> {
  const port = await freePort();
  const texts = {
    'origin=https://www.example.com': `origin=http://127.0.0.1:${port}`,
    ...faults,
    '127.0.0.1:8080': asked,
    'www.example.com {': `http://127.0.0.1:${port} {`,
    '/var/www/site': site,
  };
  return startCaddy(port, configurationOf('caddy', 'caddyfile', texts), { POSTERN_KEY: postern.key });
}

interface Finding {
  what: string;
  state: string;
  says: string;
}
async function doctor(url: string, key = postern.key): Promise<{ status: number | null; findings: Finding[] }> {
  const { status, stdout, stderr } = await command(['doctor', url, '--json'], {
    env: { POSTERN_URL: postern.url, POSTERN_KEY: key },
  });
  assert.notEqual(stdout, '', stderr);
  return { status, findings: JSON.parse(stdout) };
}
const faultsOf = (findings: Finding[]) => findings.filter(({ state }) => state !== 'good');
const decisions = async () => (await postern.call('GET', '/v1/access/decisions')).body.totalCount;

for (const [name, start] of [
  ['nginx', nginx],
  ['Caddy', caddy],
] as const) {
  describe(name, () => {
    test('as its page says: everything arrives, and only the visit of a reader is a decision', async () => {
      const before = await decisions();
      await using server = await start();
      const { status, findings } = await doctor(`${server.url}/news/?a=%2F`);
      assert.deepEqual(faultsOf(findings), []);
      assert.deepEqual(
        findings.map(({ what }) => what),
        ['service', 'site', 'url', 'method', 'address', 'headers', 'cache'],
      );
      assert.equal(status, 0);
      assert.equal(await decisions(), before + 1);
    });
  });
}

const LOST: [name: string, open: () => Promise<WebServer>, what: string, says: RegExp, status: number][] = [
  [
    'nginx without a header of signatures',
    () => nginx({ 'proxy_set_header Signature-Agent $http_signature_agent;': '' }),
    'headers',
    /^Signature-Agent does not arrive/,
    1,
  ],
  [
    'nginx without the method',
    () => nginx({ 'proxy_set_header X-Original-Method $request_method;': '' }),
    'method',
    /does not arrive/,
    0,
  ],
  [
    'nginx with another path',
    () => nginx({ 'X-Original-URI $request_uri': 'X-Original-URI /x$request_uri' }),
    'url',
    /undecoded/,
    1,
  ],
  [
    'nginx with another host',
    () => nginx({ 'origin=https://www.example.com': 'origin=https://www.example.com' }),
    'url',
    /pass the host and the scheme/,
    1,
  ],
  [
    'nginx without the address',
    () => nginx({ 'proxy_set_header X-Forwarded-For $remote_addr;': '' }),
    'address',
    /X-Forwarded-For/,
    1,
  ],
  ['nginx that does not ask', () => nginx({ 'auth_request /_postern;': '' }), 'site', /Postern was not asked/, 1],
  [
    'nginx that does not enforce',
    () => nginx({ 'return 403 $page;': 'return 200 $page;' }),
    'site',
    /denials are not enforced/,
    1,
  ],
];
describe('faults', () => {
  for (const [name, open, what, says, expected] of LOST) {
    test(name, async () => {
      await using server = await open();
      const { status, findings } = await doctor(`${server.url}/a%20b/`);
      const found = faultsOf(findings);
      assert.deepEqual(
        found.map((one) => one.what),
        [what],
        JSON.stringify(found),
      );
      assert.match(found[0]?.says ?? '', says);
      assert.equal(status, expected);
    });
  }
  test('a site that is not there', async () => {
    const { status, findings } = await doctor(`http://127.0.0.1:${await freePort()}/`);
    assert.match(faultsOf(findings)[0]?.says ?? '', /ECONNREFUSED/);
    assert.equal(status, 1);
  });
  test('as text, and without a key', async () => {
    await using server = await nginx();
    const env = { POSTERN_URL: postern.url };
    const told = await command(['doctor', server.url], { env: { ...env, POSTERN_KEY: postern.key } });
    assert.match(told.stdout, /✓ headers {3}Signature, Signature-Input and Signature-Agent arrive\n/);
    const { status, stdout } = await command(['doctor', server.url], { env });
    assert.match(stdout, /✗ key .*set POSTERN_KEY/);
    assert.equal(status, 1);
    assert.equal((await command(['doctor', 'example.com'], { env })).status, 2);
  });
});

describe('a probe', () => {
  const create = () => postern.call('POST', '/v1/proxy-probes');
  test('keeps only the first request with its mark, for a minute; others are decided as ever', async () => {
    await using server = await nginx();
    const { id, mark, arrived } = (await create()).body;
    assert.equal(arrived, null);
    const read = async () => (await postern.call('GET', `/v1/proxy-probes/${id}`)).body.arrived;
    await visit(server.url, `/?${mark}0`, {});
    await visit(server.url, `/?postern-probe=${'0'.repeat(32)}`, {});
    assert.equal(await read(), null);
    await visit(server.url, `/first?${mark}&a=1`, { headers: { 'user-agent': 'one' } });
    await visit(server.url, `/second?${mark}`, { headers: { 'user-agent': 'two' } });
    const { url, userAgent, method } = await read();
    assert.deepEqual([new URL(url).pathname, userAgent, method], ['/first', 'one', 'GET']);
  });
  test('is bounded in number, and needs a secret key with access:check', async () => {
    const first = (await create()).body;
    for (let i = 0; i < 20; i++) assertStatus(await create(), 201);
    assertError(await postern.call('GET', `/v1/proxy-probes/${first.id}`), 'proxy_probe_not_found');
    const key = await makeKey(postern, { permissions: ['content:read'] });
    assertError(await postern.call('POST', '/v1/proxy-probes', { key }), 'insufficient_permissions');
    const { findings } = await doctor('http://127.0.0.1:9/', key);
    assert.match(faultsOf(findings)[0]?.says ?? '', /access:check/);
  });
});
