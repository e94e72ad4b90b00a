/** Several nodes on one database, from outside. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { testPostgres } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';

test('nodes that start at once on an empty database: one first key, which works on all of them', async () => {
  await using database = await (await testPostgres()).newDatabase();
  await using stack = new AsyncDisposableStack();
  const nodes = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'postern-node-'));
      stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
      return stack.use(await startTestService({ dataDir, env: { POSTERN_DATABASE_URL: database.url } }));
    }),
  );
  const [key, ...others] = nodes.map((node) => node.key).filter((text) => text !== '');
  assert.ok(key !== undefined && others.length === 0, `${others.length + 1} keys`);
  const externalId = 'one/article';
  const body = { externalId, title: 'One', type: 'article', source: 'https://example.org/one' };
  const answers = await Promise.all(nodes.map((node) => node.call('POST', '/v1/content', { key, body })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  const checks = await Promise.all(
    nodes.map((node) => node.call('POST', '/v1/access/check', { key, body: { contentId: externalId } })),
  );
  assert.equal(new Set(checks.map((check) => check.body.id)).size, 3);
  for (const node of nodes) {
    const { body: list } = await node.call('GET', '/v1/access/decisions', { key });
    assert.deepEqual(
      list.data.map((one: { id: string }) => one.id).sort(),
      checks.map((check) => check.body.id).sort(),
    );
    const again = await node.call('GET', `/v1/access/decisions/${checks[0]?.body.id}`, { key });
    assert.equal(again.body.id, checks[0]?.body.id);
  }
});
