/** A site with more patterns than are rendered in the thread of checks. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { made, makePolicy } from '../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

test('every pattern of a large site is in its file; one that would be too long closes more, and says so', async () => {
  const host = 'large.example.com';
  const deny = await makePolicy(postern, [{ action: 'deny' }]);
  const paths = (length: number) => Array.from({ length: 1000 }, (_, i) => `/${'x'.repeat(length)}/${i}/`);
  const body = { name: 'C', hosts: [host], policyId: deny.id, paths: paths(3) };
  const { id } = await made(postern, '/v1/collections', body);
  await postern.call('PUT', `/v1/sites/${host}`, { body: {} });
  const read = () => postern.call('GET', `/v1/sites/${host}/signals/robots.txt`);
  const { text } = await read();
  assert.equal(text.match(/^Disallow: \/xxx\/\d+\/$/gm)?.length, 1000);
  await postern.call('PATCH', `/v1/collections/${id}`, { body: { paths: paths(450) } });
  await made(postern, '/v1/collections', { ...body, paths: paths(451) });
  const answer = await read();
  assert.equal(answer.status, 200);
  assert.ok(Buffer.byteLength(answer.text) <= 500 * 1024);
  assert.match(answer.text, /^User-agent: \*\n[^]*^Disallow: \/$/m);
  const { body: report } = await postern.call('GET', `/v1/sites/${host}/signals/report?limit=1`);
  assert.match(JSON.stringify(report.cannotExpress), /500 KiB/);
  assert.deepEqual(report.contradictions, []);
});
