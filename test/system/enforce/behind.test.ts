/**
 * A proxy in front of real nginx and Caddy, each with its page's configuration. Promise: Postern receives
 * what the visitor signed, over TLS too, and its address, which it cannot make up.
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
import { folderOf, startCaddy, startNginx } from '../../../kit/web-server.ts';
import { configurationOf, visit } from '../../enforce/visiting.ts';
import { made, makePolicy } from '../../http/given.ts';
import { SERVERS } from './servers.ts';

const HOST = 'www.example.com';
/** Addresses of this machine: of two visitors, and of the proxy in front of Caddy. */
const [VISITOR, OTHER, FRONT] = ['127.0.0.3', '127.0.0.4', '127.0.0.9'];
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const postern = stack.use(
  await startTestService({
    env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true', POSTERN_TRUSTED_PROXIES: FRONT },
  }),
);

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

/** The documented configuration of each server, behind the other one as a CDN that appends the visitor's address. */
const BEHIND = [
  {
    server: SERVERS[0],
    lines: () => configurationOf('nginx', 'nginx-behind', { '198.51.100.0/24': '127.0.0.1' }),
    before: 'location / {',
    front: (port: number, inner: string) =>
      startCaddy(
        port,
        `http://:${port} {\n\treverse_proxy ${inner} {\n\t\ttrusted_proxies ${VISITOR} ${OTHER}\n\t}\n}\n`,
        {},
      ),
  },
  {
    server: SERVERS[1],
    lines: () => configurationOf('caddy', 'caddy-behind', { '198.51.100.0/24': FRONT }),
    before: 'header_up X-Postern-Key',
    front: (port: number, inner: string) =>
      startNginx(
        port,
        `server {
           listen 127.0.0.1:${port};
           location / {
             proxy_pass ${inner};
             proxy_bind ${FRONT};
             proxy_set_header Host $host;
             proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
           }
         }`,
      ),
  },
] as const;

const RANGED = { 'user-agent': 'RangedBot' };
await made(postern, '/v1/requesters', {
  id: 'ranged',
  userAgents: ['RangedBot'],
  identities: [{ kind: 'ip', ranges: [`${VISITOR}/32`] }],
});

for (const { server, lines, before, front } of BEHIND) {
  const [name, start] = server;
  describe(`the address of a visitor, where another proxy stands in front of ${name}`, async () => {
    const site = folderOf({ 'tides.html': 'the page' });
    const given = { asked: new URL(postern.url).host, key: postern.key, site };
    const inner = stack.use(await start({ ...given, changes: { [before]: `${lines()}\n${before}` } }));
    const outer = stack.use(await front(await freePort(), inner.url));
    /** Returns the status of a visit, and the visitor as the log has it. */
    const visited = async (url: string, from: string, headers: Record<string, string>) => {
      const { status } = await visit(url, '/tides.html', { from, headers });
      const [{ context, requesterId, spoofed = false }] = (await postern.call('GET', '/v1/access/decisions?limit=1'))
        .body.data;
      return { status, ip: context.ip, verified: context.verified ?? null, requesterId, spoofed };
    };
    const ACCUSED = { status: 403, verified: null, requesterId: null, spoofed: true };

    test('arrives, and published ranges prove who it is', async () => {
      const proven = { status: 200, ip: VISITOR, verified: 'ip', requesterId: 'ranged', spoofed: false };
      assert.deepEqual(await visited(outer.url, VISITOR, RANGED), proven, inner.log());
    });

    test('is not the one that it claims, through the proxy in front or past it', async () => {
      for (const claim of [VISITOR, `${VISITOR}, ${FRONT}`, `${VISITOR}, 127.0.0.1`, `${VISITOR},`]) {
        const forged = { ...RANGED, 'x-forwarded-for': claim, 'x-real-ip': VISITOR, forwarded: `for=${VISITOR}` };
        for (const { url } of [outer, inner]) {
          assert.deepEqual(await visited(url, OTHER, forged), { ...ACCUSED, ip: OTHER }, `${claim} at ${url}`);
        }
      }
    });

    test('without these lines is that of the proxy in front, and the genuine one stands accused', async () => {
      await using bare = await start(given);
      await using its = await front(await freePort(), bare.url);
      const { ip, ...rest } = await visited(its.url, VISITOR, RANGED);
      assert.deepEqual(rest, ACCUSED);
      assert.notEqual(ip, VISITOR);
    });

    test('a signature comes through both', async () => {
      const ask = async (path: string, headers: Record<string, string>) =>
        (await visit(outer.url, path, { headers, from: OTHER })).status;
      await until('the keys of the agent', async () => (await ask('/tides.html', signed('/tides.html'))) === 200);
      assert.equal(await ask('/tides.html?a=1', signed('/tides.html')), 403);
    });
  });
}
