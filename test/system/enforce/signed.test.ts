/**
 * Visitors that prove who they are, through real nginx and Caddy with their pages' configurations: what a signature
 * covers arrives, a token arrives, and the application learns both from Postern alone.
 */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../../kit/service.ts';
import { agentComponent, newSigningKey, signRequest } from '../../../kit/signing.ts';
import { until } from '../../../kit/until.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { words } from '../../../kit/words.ts';
import { visit } from '../../enforce/visiting.ts';
import { made, makePolicy } from '../../http/given.ts';
import { proxied, SERVERS, startHaproxy, startVarnish } from './servers.ts';

const postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
const closing = [() => postern[Symbol.asyncDispose]()];
after(async () => {
  for (const close of closing.toReversed()) await close();
});

async function listen(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const KEY = newSigningKey();
const type = 'application/http-message-signatures-directory+json';
const directory = await listen((_, response) => {
  response.writeHead(200, { 'content-type': type }).end(JSON.stringify({ keys: [KEY.jwk] }));
});
const AGENT = `http://${directory}`;
let reached: IncomingHttpHeaders[] = [];
const application = await listen((request, response) => {
  reached.push(request.headers);
  response.end('the page');
});

const { id: policyId } = await makePolicy(postern, [
  { action: 'allow', conditions: { requesterVerified: ['signature', 'token'] } },
]);
const place = { hosts: ['www.example.com'], paths: ['/'], policyId };
await made(postern, '/v1/collections', { name: 'Partners', ...place });
await made(postern, '/v1/collections', { name: 'Seen', ...place, paths: ['/seen/'], mode: 'observe' });
const identities = [{ kind: 'signature', agent: AGENT }];
await made(postern, '/v1/requesters', { id: 'partner', userAgents: ['PartnerBot'], identities });
const { token } = await made(postern, '/v1/requesters/partner/tokens', { name: 'T' });

const COVERED = ['@method', '@target-uri', '@authority', '@path', '@query'] as const;
/** Signs a request for the site as its visitors name it. */
function signed(path: string, method = 'GET'): Record<string, string> {
  const headers = { 'signature-agent': `sig1="${AGENT}"` };
  const components = [...COVERED, agentComponent('sig1')];
  return signRequest(KEY, { url: `https://www.example.com${path}`, method, headers, components, at: Date.now() });
}

const open = { asked: new URL(postern.url).host, key: postern.key };
for (const [name, start] of [
  ...SERVERS.map(([one, starter]) => [one, () => starter({ ...open, site: folderOf({}) })] as const),
  ['HAProxy', () => startHaproxy({ ...open, application })],
  ['Varnish', () => startVarnish({ ...open, application })],
] as const) {
  test(`${name} asks for a signature where one would turn the denial`, async () => {
    await using server = await start();
    const headers = { 'user-agent': 'PartnerBot' };
    const denied = await visit(server.url, '/', { headers });
    assert.equal(denied.status, 403);
    assert.match(String(denied.headers['accept-signature']), /^sig1=\("@authority" "signature-agent"\).*web-bot-auth/);
    assert.equal((await visit(server.url, '/')).headers['accept-signature'], undefined);
  });
}

for (const [name, start] of SERVERS) {
  describe(name, async () => {
    const asked = new URL(postern.url).host;
    const server = await start({ asked, key: postern.key, site: folderOf({}), application: proxied(application) });
    closing.push(() => server[Symbol.asyncDispose]());
    const learned = async (path: string, headers: Record<string, string>, method = 'GET') => {
      reached = [];
      const { status } = await visit(server.url, path, { method, headers });
      const names = ['requester', 'verified', 'crawler', 'would'];
      const told = reached.map((one) => names.map((field) => one[`x-postern-${field}`] || ''));
      return [status, ...told.flat()];
    };

    test('a real signature comes out verified, over the method, the host, the path and the query', async () => {
      const path = '/tides%20today?b=%2F&a=1';
      await until('the keys of the agent', async () => (await learned(path, signed(path)))[0] === 200);
      for (const method of ['GET', 'POST', 'PROPFIND']) {
        assert.deepEqual(await learned(path, signed(path, method), method), [200, 'partner', 'signature', '', '']);
      }
      const [status] = await learned(path, signed(path), 'POST');
      assert.equal(status, 403, 'signed for another method');
      for (const other of words('/tides%20today?b=/&a=1 /tides+today?b=%2F&a=1 /')) {
        assert.equal((await learned(other, signed(path)))[0], 403, other);
      }
      const forged = { ...signed(path), 'x-forwarded-method': 'POST', 'x-original-method': 'POST' };
      assert.equal((await learned(path, { ...forged, ...signed(path, 'POST') }))[0], 403, 'a method that is made up');
    });

    test('a token comes out verified, and a wrong one is refused', async () => {
      assert.deepEqual(await learned('/', { authorization: `Bearer ${token}` }), [200, 'partner', 'token', '', '']);
      const wrong = `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`;
      const [status] = await learned('/', { authorization: `Bearer ${wrong}`, 'user-agent': 'PartnerBot' });
      assert.ok(status === 401 || status === 403, `${status}`);
      assert.equal((await learned('/', { authorization: 'Basic dmlzaXRvcjpzZWNyZXQ=' }))[0], 403);
    });

    test('what is only observed passes, and the application learns nothing from the visitor', async () => {
      const madeUp = ['Requester', 'Verified', 'Crawler', 'Would'].flatMap((field) => [
        [`X-Postern-${field}`, 'made-up'],
        [`X_Postern_${field}`, 'made-up'],
      ]);
      const headers = { ...Object.fromEntries(madeUp), 'user-agent': 'GPTBot/1.2' };
      assert.deepEqual(await learned('/seen/tides', headers), [200, '', '', 'GPTBot', 'deny']);
      const all = reached.flatMap((one) => Object.entries(one)).filter(([, value]) => value === 'made-up');
      assert.deepEqual(all, []);
      const own = { ...headers, authorization: `Bearer ${token}` };
      assert.deepEqual(await learned('/seen/tides', own), [200, 'partner', 'token', 'GPTBot', '']);
    });
  });
}
