/** The client for partners. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPartner } from '../../client/src/index.ts';
import { startTestService } from '../../kit/service.ts';
import { allowAll, made, makeItem } from '../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

test('a partner reads its own data with its token', async () => {
  const item = await makeItem(postern, [allowAll]);
  await made(postern, '/v1/requesters', { id: 'acme' });
  const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 'ours' });
  const partner = createPartner({ url: postern.url, token });
  assert.equal((await partner.me()).requester.id, 'acme');
  const { data } = await partner.access({ checks: [{ contentId: item.id }] });
  assert.equal((data[0] as { allowed: boolean }).allowed, true);
  const found: string[] = [];
  for await (const one of partner.content()) found.push(one.id);
  assert.deepEqual(found, [item.id]);
  await partner.requestLicense({ licenseType: 'training' });
  assert.equal((await partner.requests()).totalCount, 1);
});

test('an API key is refused before it is sent', () => {
  assert.throws(() => createPartner({ url: postern.url, token: postern.key }), TypeError);
});
