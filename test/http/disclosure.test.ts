/** An answer never discloses what its key may not read. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { OWN, openLink } from '../users/trip.ts';
import { assertError, assertStatus, check, made, makeItem, makeKey, PRICED } from './given.ts';

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

describe('an explanation', () => {
  const conditions = {
    purpose: 'training',
    crawler: 'GPTBot',
    collection: 'col_01kb0000000000000000000000',
    requesterTags: 'gold',
    contentTags: 'gold',
    contentMetadata: { desk: 'x' },
    licenseTypeNot: 'x',
  };
  const unknowns = async (more: object, key = postern.key) => {
    const { id } = await makeItem(postern, [{ action: 'allow', conditions }]);
    const { body } = await ask(key, { contentId: id, ...more });
    const all = body.explanation.rules[0].conditions as { key: string; unknown?: true }[];
    return all.filter(({ unknown }) => unknown).map((one) => one.key);
  };
  test('says which facts the check does not know, and which it knows to be none', async () => {
    await made(postern, '/v1/requesters', { id: 'plain' });
    const nothing = await unknowns({ requesterId: undefined });
    assert.deepEqual(nothing, ['purpose', 'crawler', 'requesterTags', 'contentMetadata', 'licenseTypeNot']);
    const context = { userAgent: 'Mozilla/5.0' };
    const known = await unknowns({ requesterId: 'plain', purpose: 'search', context, license: { type: 'y' } });
    assert.deepEqual(known, ['contentMetadata']);
  });
  test('does not say so of what the key may not read', async () => {
    const key = await keyOf(['access:check', 'policies:read']);
    assert.ok(!(await unknowns({ requesterId: undefined }, key)).includes('contentMetadata'));
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

describe('a public key that reads analytics is told nothing of visitors, and names no partner', () => {
  const SENT = ['198.51.100.23', 'SecretBrowser', 'Globex Holding', 'globex-id', 'secret-vouched'];
  const places: string[] = [];
  const given = async () => {
    const rules = [{ action: 'allow', conditions: { licenseType: 'research' } }];
    const { id } = await makeItem(postern, rules);
    await made(postern, '/v1/requesters', { id: 'globex-id', name: 'Globex Holding', userAgents: ['GlobexBot'] });
    const context = { ip: '198.51.100.23', userAgent: 'SecretBrowser GPTBot/1.0', country: 'DE' };
    const body = { contentId: id, requesterId: 'globex-id', context, license: { type: 'secret-vouched' } };
    const decision = await made(postern, '/v1/access/check', body, 200);
    // It claims the name of the partner, from another address.
    await postern.call('PATCH', '/v1/requesters/globex-id', {
      body: { identities: [{ kind: 'ip', ranges: ['192.0.2.1'] }] },
    });
    const visitor = { ip: '198.51.100.23', userAgent: 'GlobexBot' };
    await postern.call('POST', '/v1/access/check', { body: { contentId: id, context: visitor, visitor: {} } });
    await postern.call('POST', '/v1/access/check', {
      body: { url: 'https://nowhere.example/x', requesterId: 'globex-id' },
    });
    places.push(
      '/v1/access/decisions',
      '/v1/access/decisions?expand=names',
      '/v1/access/decisions?spoofed=true',
      `/v1/access/decisions/${decision.id}?expand=names`,
      ...['day', 'crawler', 'license', 'purpose', 'rule'].map((by) => `/v1/analytics/usage?groupBy=${by}`),
      '/v1/analytics/demand',
      '/v1/analytics/demand?groupBy=collection,purpose,licenseType&limit=1',
      '/v1/analytics/unregistered',
      '/v1/attention',
    );
    return decision.id as string;
  };
  test('in the log, reports and files', async () => {
    const id = await given();
    const key = await keyOf(['analytics:read', 'content:read'], 'public');
    for (const path of places) {
      for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
        const open = await postern.call('GET', path, { key, headers: { accept } });
        assertStatus(open, 200, path);
        const cursor = Buffer.from(open.body?.nextCursor ?? '', 'base64url').toString();
        for (const secret of SENT)
          assert.ok(!(open.text + cursor).includes(secret), `${secret} in ${path}: ${open.text}`);
      }
    }
    const { body } = await postern.call('GET', `/v1/access/decisions/${id}?expand=names`, { key });
    assert.deepEqual([body.context, body.license, body.requesterId, body.names.requester], [null, null, null, null]);
    assert.deepEqual([body.crawler, body.reason], ['GPTBot', 'no_license']);
    const [row] = (await postern.call('GET', '/v1/analytics/unregistered', { key })).body.data;
    assert.deepEqual([row.host, row.requesterId], ['nowhere.example', null]);
  });
  test('by no filter and no list of partners', async () => {
    const key = await keyOf(['analytics:read'], 'public');
    for (const path of [
      '/v1/access/decisions?requesterId=globex-id',
      '/v1/access/decisions?program=globexbot',
      '/v1/analytics/usage?requesterId=globex-id',
      '/v1/analytics/demand?requesterId=globex-id',
      '/v1/analytics/demand?q=Globex',
      '/v1/analytics/demand?groupBy=requester',
      '/v1/analytics/requesters',
      '/v1/analytics/programs',
    ]) {
      const answer = await postern.call('GET', path, { key });
      assertError(answer, 'insufficient_permissions', undefined, path);
    }
  });
  test('a secret key, and a person who views, read all of it', async () => {
    const key = await keyOf(['analytics:read']);
    const texts = await Promise.all(places.map((path) => postern.call('GET', path, { key })));
    const all = texts.map(({ text }) => text).join('');
    for (const secret of SENT) assert.ok(all.includes(secret), secret);
  });
});

test('the log shows used quotas and what is planned to those alone who may read both elsewhere', async () => {
  const { id, policyId: ofItem } = await makeItem(postern, [
    { action: 'allow', conditions: { hasValidLicense: true } },
  ]);
  await made(postern, '/v1/requesters', { id: 'metered', name: 'Metered' });
  const terms = { ...PRICED, quota: { units: 70_707, onExceed: 'deny' } };
  await made(postern, '/v1/licenses', { requesterId: 'metered', type: 'gold', terms });
  const put = await postern.call('PUT', `/v1/policies/${ofItem}/candidate`, {
    body: { rules: [], defaultAction: 'deny' },
  });
  assert.ok(put.status < 300, put.text);
  const { id: decision } = await check(postern, { contentId: id, requesterId: 'metered' });
  const { session } = await openLink(
    postern,
    (await made(postern, '/v1/users/links', { name: 'V', role: 'viewer' })).path,
  );
  const readers: [who: string, options: object, quota: boolean, candidate: boolean][] = [
    ['a key', {}, true, true],
    ['analytics alone', { key: await keyOf(['analytics:read']) }, false, false],
    ['analytics and requesters', { key: await keyOf(['analytics:read', 'requesters:read']) }, true, false],
    ['a public key', { key: await keyOf(['analytics:read', 'policies:read'], 'public') }, false, false],
    ['a viewer', { key: null, headers: { ...OWN, cookie: session } }, false, false],
  ];
  const ndjson = { accept: 'application/x-ndjson' };
  for (const [who, options, quota, candidate] of readers) {
    const one = await postern.call('GET', `/v1/access/decisions/${decision}`, options);
    assert.deepEqual(
      [one.body.quota?.units, one.body.candidate?.allowed],
      [quota ? 70_707 : undefined, candidate ? false : undefined],
      who,
    );
    const { headers = {} } = options as { headers?: object };
    const list = await postern.call('GET', `/v1/access/decisions?contentId=${id}`, {
      ...options,
      headers: { ...headers, ...ndjson },
    });
    assert.deepEqual([list.text.includes('70707'), list.text.includes('"candidate"')], [quota, candidate], who);
  }
});

test('a requester cannot have an id that clients resolve in paths; three dots are fine', async () => {
  for (const id of ['.', '..']) {
    const answer = await postern.call('POST', '/v1/requesters', { body: { id } });
    assertError(answer, 'invalid_request', 'id');
  }
  assertStatus(await postern.call('POST', '/v1/requesters', { body: { id: '...' } }), 201);
});
