/**
 * A visitor cannot choose what a proxy asks Postern: request targets that are no path lead nowhere, neither at Postern
 * nor, through the documented configurations, at an application that resolves them itself.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { startTestService } from '../../../kit/service.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { visit } from '../../enforce/visiting.ts';
import { item, made, makePolicy } from '../../http/given.ts';
import { proxied, SERVERS } from './servers.ts';

const SECRET = 'the protected text';
const postern = await startTestService();
const app = createServer((_request, response) => response.end(SECRET));
await new Promise<void>((listening) => app.listen(0, '127.0.0.1', listening));
const application = `127.0.0.1:${(app.address() as AddressInfo).port}`;
after(async () => {
  app.close();
  await postern[Symbol.asyncDispose]();
});
const { id: policyId } = await makePolicy(postern, [{ action: 'deny', conditions: {} }]);
await made(
  postern,
  '/v1/content',
  item({ externalId: 'secret', source: 'https://www.example.com/secret.html', policyId }),
);

/** Routes of Postern that answer 200 to everybody. */
const OPEN = ['/console', '/console/x', '/docs', '/livez', '/readyz', '/metrics', '/openapi.json', '/'];

test('Postern answers no request for an absolute target', async () => {
  for (const path of OPEN) {
    for (const target of [`http://a${path}`, `x:http://a${path}`, `https://a${path}`, path.slice(1) || '*']) {
      const { status } = await visit(postern.url, target, { headers: { accept: 'text/html' } });
      assert.ok(status >= 400, `${target}: ${status}`);
    }
  }
  const headers = { authorization: `Bearer ${postern.key}` };
  assert.equal((await visit(postern.url, 'http://a/v1/content', { headers })).status, 404);
});

for (const [name, start] of SERVERS) {
  test(`${name} asks for no target that is no path`, async (t) => {
    const site = folderOf({ 'secret.html': SECRET });
    for (const part of [{}, { application: proxied(application) }]) {
      const server = await start({ asked: new URL(postern.url).host, key: postern.key, site, ...part });
      t.after(() => server[Symbol.asyncDispose]());
      assert.equal((await visit(server.url, '/secret.html')).status, 403, server.log());
      for (const path of OPEN) {
        for (const target of [
          `x:http://a${path}/../secret.html`,
          `http:http://a${path}/../secret.html`,
          `x:http://a${path}/%2e%2e/secret.html`,
          `x:http://a${path}/../secret.html?x`,
          `x:http://a${path}`,
        ]) {
          const page = await visit(server.url, target);
          assert.ok(page.status >= 300 || page.status === 0, `${target}: ${page.status}`);
          assert.ok(!page.text.includes(SECRET), target);
        }
      }
    }
  });
}
