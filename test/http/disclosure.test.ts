/** An answer never discloses what its key may not read. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertError, assertStatus, made, makeItem, makeKey } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const SECRETS = ['embargoed', 'hedge-fund', 'gold-tier', 'internal-note', 'of-the-item', 'unnamed-too'];
await made(postern, '/v1/requesters', {
  id: 'acme',
  type: 'hedge-fund',
  tags: ['gold-tier'],
  metadata: { segment: 'internal-note', other: 'unnamed-too' },
});
await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'secret-kind' });
const { id: contentId, policyId } = await makeItem(
  postern,
  [
    {
      action: 'deny',
      conditions: { requesterMetadata: { segment: ['elsewhere'] }, contentMetadataNot: { desk: 'x' } },
    },
    {
      action: 'allow',
      conditions: { contentMetadata: { desk: 'y', absent: 1 }, contentTags: 'z', contentType: 'video' },
    },
    { action: 'allow', conditions: { requesterType: 'person', requesterTags: 'gold', licenseType: 'research' } },
  ],
  { tags: ['embargoed'], metadata: { desk: 'of-the-item', other: 'unnamed-too' } },
);

const keyOf = (permissions: string[], type = 'secret') => makeKey(postern, { type, permissions });
const ask = async (key: string, more: object = {}) => {
  const body = { contentId, requesterId: 'acme', explain: true, dryRun: true, ...more };
  const answer = await postern.call('POST', '/v1/access/check', { key, body });
  assertStatus(answer, 200);
  return answer;
};
const actualsOf = (body: { explanation: { rules: { conditions: object[] }[] } }) =>
  Object.fromEntries(
    body.explanation.rules.flatMap(({ conditions }) =>
      (conditions as { key: string; actual: unknown; withheld?: string }[]).map(({ key, actual, withheld }) => [
        key,
        withheld === undefined ? actual : { actual, withheld },
      ]),
    ),
  );

describe('explain', () => {
  for (const type of ['secret', 'public']) {
    for (const more of [{}, { asOf: new Date().toISOString() }, { dryRun: false }]) {
      test(`${type} key that may only check, ${JSON.stringify(more)}: remedies, and nothing else`, async () => {
        const key = await keyOf(['access:check', 'content:read', 'analytics:read'], type);
        const { body, text } = await ask(key, more);
        assert.equal(body.explanation, null);
        assert.deepEqual(body.remedies, []);
        for (const secret of SECRETS) assert.ok(!text.includes(secret), `${secret} in ${text}`);
      });
    }
    test(`${type} key in a batch: the same`, async () => {
      const key = await keyOf(['access:check'], type);
      const checks = [
        { contentId, requesterId: 'acme', explain: true },
        { contentId: 'none', explain: true },
      ];
      const { body, text } = await postern.call('POST', '/v1/access/check/batch', { key, body: { checks } });
      assert.equal(body.data[0].explanation, null);
      assert.ok(Array.isArray(body.data[0].remedies));
      for (const secret of SECRETS) assert.ok(!text.includes(secret), secret);
    });
  }
  test('remedies are told to every key', async () => {
    const item = await makeItem(postern, [{ action: 'allow', conditions: { licenseType: 'research' } }]);
    const { body } = await ask(await keyOf(['access:check']), { contentId: item.id });
    assert.equal(body.explanation, null);
    assert.deepEqual(body.remedies[0].licenseType, ['research']);
  });
  test('with policies:read the rules; what the item is like is withheld without content:read', async () => {
    for (const type of ['secret', 'public']) {
      const { body, text } = await ask(await keyOf(['access:check', 'policies:read'], type));
      const withheld = { actual: null, withheld: 'content:read' };
      assert.deepEqual(actualsOf(body), {
        requesterMetadata: { segment: 'internal-note' },
        contentMetadataNot: withheld,
        contentMetadata: withheld,
        contentTags: withheld,
        contentType: withheld,
        requesterType: 'hedge-fund',
        requesterTags: ['gold-tier'],
        licenseType: ['secret-kind'],
      });
      for (const secret of ['embargoed', 'of-the-item', 'unnamed-too']) assert.ok(!text.includes(secret), secret);
    }
  });
  test('with content:read too all of it; of metadata only the keys that the condition names', async () => {
    const key = await keyOf(['access:check', 'policies:read', 'content:read']);
    for (const answer of [await ask(key), await ask(postern.key)]) {
      const { contentMetadata, contentMetadataNot, contentTags, contentType } = actualsOf(answer.body);
      assert.deepEqual(
        { contentMetadata, contentMetadataNot, contentTags, contentType },
        {
          contentMetadata: { desk: 'of-the-item' },
          contentMetadataNot: { desk: 'of-the-item' },
          contentTags: ['embargoed'],
          contentType: 'article',
        },
      );
      assert.ok(!answer.text.includes('unnamed-too'));
    }
  });
});

describe('rules of the asker', () => {
  const rules = [{ action: 'allow', conditions: { contentMetadataNot: { desk: 'guess' } } }];
  test('an impact preview needs policies:read and analytics:read, and nothing more', async () => {
    const preview = (key: string) =>
      postern.call('POST', `/v1/policies/${policyId}/impact`, { key, body: { policy: { rules } } });
    assertStatus(await preview(await keyOf(['policies:read', 'analytics:read'])), 200);
    assertError(await preview(await keyOf(['policies:read', 'content:read'])), 'insufficient_permissions');
    assertError(await preview(await keyOf(['analytics:read', 'content:read'])), 'insufficient_permissions');
  });
  test('simulate explains in full to a key that may ask', async () => {
    const key = await keyOf(['policies:read', 'content:read']);
    const body = { policy: { rules }, checks: [{ contentId, explain: true }] };
    const answer = await postern.call('POST', '/v1/policies/simulate', { key, body });
    assert.deepEqual(actualsOf(answer.body.data[0]), { contentMetadataNot: { desk: 'of-the-item' } });
  });
});
