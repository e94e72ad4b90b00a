/** A crawler that is no requester proves nothing of one: no file denies it what proven requesters alone are denied. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { check, item, made } from '../http/given.ts';

const HOST = 'www.example.com';
const source = `https://${HOST}/press/1`;

test('robots.txt allows a crawler what checks allow it, with each proof', async () => {
  await using postern = await startTestService();
  const conditions = { requesterVerified: true, crawler: ['ChatGPT-User'] };
  const { id: policyId } = await made(postern, '/v1/policies', {
    name: 'No proven requester',
    rules: [{ action: 'deny', conditions }],
    defaultAction: 'allow',
  });
  await made(postern, '/v1/content', item({ source, policyId }));
  const context = { userAgent: 'ChatGPT-User/1.0' };
  for (const proof of [{}, { verified: 'signature' }, { verified: 'token' }]) {
    assert.equal((await check(postern, { url: source, context: { ...context, ...proof } })).allowed, true);
  }
  await postern.call('PUT', `/v1/sites/${HOST}`, { body: { signals: { robots: 'replace' } } });
  const { text } = await postern.call('GET', `/v1/sites/${HOST}/signals/robots.txt`);
  assert.doesNotMatch(text, /press/);
});
