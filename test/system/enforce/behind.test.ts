/**
 * Signed requests over TLS, through a proxy in front of real nginx and Caddy, each with its page's configuration: what
 * the visitor signed reaches Postern through both.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { generate } from 'selfsigned';
import { freePort } from '../../../kit/port.ts';
import { startTestService } from '../../../kit/service.ts';
import { agentComponent, newSigningKey, signRequest } from '../../../kit/signing.ts';
import { until } from '../../../kit/until.ts';
import { folderOf, startNginx } from '../../../kit/web-server.ts';
import { made, makePolicy } from '../../http/given.ts';
import { SERVERS } from './servers.ts';

const HOST = 'www.example.com';
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const postern = stack.use(await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } }));

const KEY = newSigningKey();
const RSA = newSigningKey('rsa-pss-sha512');
const directory = createServer((_, response) => {
  const headers = { 'content-type': 'application/http-message-signatures-directory+json' };
  response.writeHead(200, headers).end(JSON.stringify({ keys: [KEY.jwk, RSA.jwk] }));
});
await new Promise<void>((listening) => directory.listen(0, '127.0.0.1', listening));
stack.defer(() => void directory.close());
const AGENT = `http://127.0.0.1:${(directory.address() as AddressInfo).port}`;

const { id: policyId } = await makePolicy(postern, [
  { action: 'allow', conditions: { requesterVerified: ['signature', 'token', 'ip'] } },
]);
await made(postern, '/v1/collections', { name: 'All', hosts: [HOST], paths: ['/'], policyId });
await made(postern, '/v1/requesters', { id: 'partner', identities: [{ kind: 'signature', agent: AGENT }] });
const { token } = await made(postern, '/v1/requesters/partner/tokens', { name: 'T' });

const certificate = await generate([{ name: 'commonName', value: HOST }], {
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: HOST }] }],
});

/** A proxy that ends TLS and forwards to another server. */
async function startFront(inner: string): Promise<number> {
  const port = await freePort();
  const folder = folderOf({ 'own.crt': certificate.cert, 'own.key': certificate.private });
  const front = await startNginx(
    port,
    `server {
       listen 127.0.0.1:${port} ssl;
       ssl_certificate ${join(folder, 'own.crt')};
       ssl_certificate_key ${join(folder, 'own.key')};
       location / {
         proxy_pass ${inner};
         proxy_http_version 1.1;
         proxy_set_header Host $host;
         proxy_set_header X-Forwarded-For $remote_addr;
         proxy_set_header X-Forwarded-Proto https;
       }
     }`,
  );
  stack.use(front);
  return port;
}

function visitTls(port: number, path: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { hostname: '127.0.0.1', port, path, method, servername: HOST, ca: certificate.cert, agent: false };
    const sent = request({ ...options, headers: { host: HOST, ...headers } }, (got) => {
      got.resume();
      got.on('end', () => resolve(got.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const COVERED = ['@method', '@target-uri', '@authority', '@path', '@query', agentComponent('sig1')];
/** Signs a request as its visitor makes it. */
function signed(path: string, { method = 'GET', key = KEY, host = HOST } = {}): Record<string, string> {
  const headers = { 'signature-agent': `sig1="${AGENT}"` };
  return signRequest(key, { url: `https://${host}${path}`, method, headers, components: COVERED, at: Date.now() });
}

for (const [name, start] of SERVERS) {
  describe(`TLS and a proxy in front of ${name}`, async () => {
    const pages = ['tides.html', 'tides today.html', 'tides,today.html'];
    const site = folderOf(Object.fromEntries(pages.map((page) => [page, 'the page'])));
    const inner = stack.use(await start({ asked: new URL(postern.url).host, key: postern.key, site }));
    const port = await startFront(inner.url);
    const PATH = '/tides%20today.html?b=%2F&a=1&a=%20';

    test('a signature over everything verifies, with either kind of key and by any method', async () => {
      const ask = (key = KEY, method = 'GET') => visitTls(port, PATH, signed(PATH, { key, method }), method);
      await until('the keys of the agent', async () => (await ask()) === 200);
      assert.equal(await ask(RSA), 200);
      assert.equal(await ask(KEY, 'HEAD'), 200);
      assert.equal(await visitTls(port, '/tides%2Ctoday.html', signed('/tides%2Ctoday.html')), 200);
    });

    test('one for another method, host, path, query or scheme does not', async () => {
      await until('the keys of the agent', async () => (await visitTls(port, PATH, signed(PATH))) === 200);
      const wrong: [string, Record<string, string>][] = [
        ['a method', signed(PATH, { method: 'POST' })],
        ['a host', signed(PATH, { host: 'other.example.com' })],
        ['a port', signed(PATH, { host: `${HOST}:${port}` })],
        ['a path', signed(PATH.replace('today', 'tomorrow'))],
        ['a query', signed(PATH.replace('&a=1', ''))],
        ['a decoded query', signed(PATH.replace('%2F', '/'))],
        ['nothing', {}],
      ];
      for (const [what, headers] of wrong) assert.equal(await visitTls(port, PATH, headers), 403, what);
      // What a proxy would say of another request counts only from a proxy.
      const forged = { 'x-original-uri': PATH, 'x-forwarded-uri': PATH, 'x-forwarded-host': HOST };
      assert.equal(await visitTls(port, '/tides.html', { ...signed(PATH), ...forged }), 403);
    });

    test('a token comes through both', async () => {
      assert.equal(await visitTls(port, PATH, { authorization: `Bearer ${token}` }), 200);
      assert.notEqual(await visitTls(port, PATH, { authorization: `Bearer ${token}a` }), 200);
    });
  });
}

describe('the address of a visitor behind two proxies', async () => {
  const [, nginx] = SERVERS[0];
  await made(postern, '/v1/requesters', {
    id: 'ranged',
    userAgents: ['RangedBot'],
    identities: [{ kind: 'ip', ranges: ['192.0.2.0/24'] }],
  });
  const site = folderOf({ 'tides.html': 'the page' });
  const asked = new URL(postern.url).host;
  const trusting = 'set_real_ip_from 127.0.0.1;\nreal_ip_header X-Forwarded-For;\nserver_name www.example.com;';
  const inner = stack.use(
    await nginx({ asked, key: postern.key, site, changes: { 'server_name www.example.com;': trusting } }),
  );
  const port = await startFront(inner.url);

  test('is not the one that it claims', async () => {
    const headers = { 'user-agent': 'RangedBot', 'x-forwarded-for': '192.0.2.7', 'x-real-ip': '192.0.2.7' };
    assert.equal(await visitTls(port, '/tides.html', headers), 403);
    const { data } = (await postern.call('GET', '/v1/access/decisions?limit=1')).body;
    assert.deepEqual([data[0].spoofed, data[0].claimed, data[0].requesterId], [true, 'ranged', null]);
    assert.equal(data[0].context.ip, '127.0.0.1', 'the one that the front proxy saw');
  });
});
