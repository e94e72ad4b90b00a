import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../kit/service.ts';

test('an item is registered, asked for, recorded and reported', async () => {
  await using postern = await startTestService();
  const item = { externalId: 'a/b ü', title: 'A', type: 'article', source: 'https://example.com/a' };
  assert.equal((await postern.call('POST', '/v1/content', { body: item })).status, 201);
  const decision = await postern.call('POST', '/v1/access/check', { body: { contentId: 'a/b ü' } });
  assert.equal(decision.status, 200);
  const usage = await postern.call('GET', '/v1/analytics/usage');
  assert.equal(usage.body.summary.totalRequests, 1);
});
