/**
 * Requests that prepare others: a denied page stays denied, whichever pages a visitor requested before. Sites where
 * unregistered pages are open, behind real nginx and Caddy with their pages' configurations.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../../kit/service.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { visit } from '../../enforce/visiting.ts';
import { made, makePolicy } from '../../http/given.ts';
import { SERVERS } from './servers.ts';

const ORIGIN = 'https://www.example.com';
const SECRET = 'the protected text';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const { id: policyId } = await makePolicy(postern, [{ action: 'deny', conditions: {} }]);
await made(postern, '/v1/content', {
  externalId: 'secret',
  title: 'Secret',
  type: 'article',
  source: `${ORIGIN}/secret.html`,
  policyId,
});
const site = folderOf({ 'open.html': 'open to all', 'secret.html': SECRET });

for (const [name, start] of SERVERS) {
  test(`no page of ${name} is opened by what was asked for before`, async (t) => {
    const opened = { 'origin=https://www.example.com': `origin=${ORIGIN}&unknown=allow` };
    const server = await start({ asked: new URL(postern.url).host, key: postern.key, site, changes: opened });
    t.after(() => server[Symbol.asyncDispose]());
    assert.equal((await visit(server.url, '/open.html')).text, 'open to all', server.log());
    for (const [first, then] of [
      ['/secret.html%3Fz1', '/secret.html?z1?'],
      ['/secret.html%3F', '/secret.html??'],
      ['/secret.html%3Fa%3Fb', '/secret.html?a?b?'],
      ['/secret.html%3Fa%3F', '/secret.html?a??'],
      ['/secret.html%3F?', '/secret.html??'],
      ['/secret.html%3Fa?b', '/secret.html?a?b'],
    ] as const) {
      await visit(server.url, first);
      const page = await visit(server.url, then);
      assert.equal(page.status, 403, `${first} and then ${then}`);
      assert.ok(!page.text.includes(SECRET), then);
    }
  });
}
