/** Items without a policy of their own follow their collection: in checks, answers, lists, and as of past times. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { runSeed, seeded } from '../../kit/random.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import type { Collection } from '../../src/content/collections/collection.ts';
import { parseLocator } from '../../src/lib/urls/locator.ts';
import { mostSpecific } from '../oracle/collections.ts';
import { allowAll, assertStatus, check, item, made, makePolicy } from './given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const open = await makePolicy(postern, [allowAll]);
const shut = await makePolicy(postern, [{ action: 'deny', message: 'Shut.' }]);

const makeCollection = (body: object, of = postern) => made(of, '/v1/collections', { name: 'C', ...body });
const patch = async (path: string, body: object) => {
  const answer = await postern.call('PATCH', path, { body });
  assertStatus(answer, 200, path);
  return answer.body;
};
const remove = async (path: string) => assertStatus(await postern.call('DELETE', path), 200, path);
const placeOf = ({ policyId, policySource, collectionId }: Record<string, unknown>) => [
  policySource,
  policyId,
  collectionId,
];
const read = async (id: string) => (await postern.call('GET', `/v1/content/${id}`)).body;
const policyOf = async (id: string): Promise<string> => (await check(postern, { contentId: id })).policyId;

describe('an item', () => {
  test('follows its collection unless a policy was given to it', async () => {
    const { id: collectionId } = await makeCollection({ hosts: ['one.example'], policyId: open.id });
    const source = 'https://one.example/a';
    const follows = await made(postern, '/v1/content', item({ source }));
    const owns = await made(postern, '/v1/content', item({ source: 'https://one.example/b', policyId: shut.id }));
    const shown = await made(
      postern,
      '/v1/content',
      item({ source: 'https://one.example/c', policyId: 'pol_default' }),
    );
    const elsewhere = await made(postern, '/v1/content', item({ source: 'https://two.example/a' }));
    assert.deepEqual(placeOf(follows), ['collection', open.id, collectionId]);
    assert.deepEqual(placeOf(owns), ['content', shut.id, collectionId]);
    assert.deepEqual(placeOf(shown), ['content', 'pol_default', collectionId]);
    assert.deepEqual(placeOf(elsewhere), ['default', 'pol_default', null]);
    for (const one of [follows, owns, shown, elsewhere]) {
      assert.deepEqual(placeOf(await read(one.id)), placeOf(one));
      assert.equal(await policyOf(one.id), one.policyId);
    }
    assert.deepEqual(placeOf(await patch(`/v1/content/${owns.id}`, { policyId: null })), placeOf(follows));
    assert.equal(await policyOf(owns.id), open.id);
    assert.deepEqual(placeOf(await patch(`/v1/content/${owns.id}`, { source: elsewhere.source })), placeOf(elsewhere));
    assert.equal(await policyOf(owns.id), 'pol_default');
    assert.deepEqual(placeOf(await patch(`/v1/content/${follows.id}`, { policyId: open.id })), [
      'content',
      open.id,
      collectionId,
    ]);
  });

  test('an edit of a collection counts for the next check', async () => {
    const { id } = await made(postern, '/v1/content', item({ source: 'https://edit.example/news/a', tags: ['t'] }));
    assert.equal(await policyOf(id), 'pol_default');
    const wide = await makeCollection({ hosts: ['edit.example'], policyId: shut.id });
    assert.equal(await policyOf(id), shut.id);
    const narrow = await makeCollection({ hosts: ['edit.example'], paths: ['/news/'], policyId: open.id });
    assert.equal(await policyOf(id), open.id);
    await patch(`/v1/collections/${narrow.id}`, { paths: ['/sport/'] });
    assert.equal(await policyOf(id), shut.id);
    await patch(`/v1/collections/${narrow.id}`, { paths: ['/n*/a$'] });
    assert.equal(await policyOf(id), open.id);
    await patch(`/v1/collections/${narrow.id}`, { policyId: null });
    assert.equal(await policyOf(id), 'pol_default');
    await remove(`/v1/collections/${narrow.id}`);
    assert.equal(await policyOf(id), shut.id);
    await patch(`/v1/collections/${wide.id}`, { contentTags: ['other'] });
    assert.equal(await policyOf(id), 'pol_default');
    await patch(`/v1/collections/${wide.id}`, { contentTags: ['other', 't'] });
    assert.equal(await policyOf(id), shut.id);
    await remove(`/v1/collections/${wide.id}`);
    assert.equal(await policyOf(id), 'pol_default');
  });

  test('a collection whose policy asks for metadata decides with it', async () => {
    const gold = await makePolicy(postern, [{ action: 'allow', conditions: { contentMetadata: { tier: 'gold' } } }]);
    const source = 'https://gold.example/';
    const { id } = await made(postern, '/v1/content', item({ source, metadata: { tier: 'gold' } }));
    assert.equal((await check(postern, { contentId: id })).allowed, false);
    await makeCollection({ hosts: ['gold.example'], policyId: gold.id });
    assert.equal((await check(postern, { contentId: id })).allowed, true);
  });

  test('a license for a policy covers the items that follow it', async () => {
    const rules = [{ action: 'allow', conditions: { hasValidLicense: true } }];
    const licensed = await makePolicy(postern, rules);
    await makeCollection({ hosts: ['licensed.example'], policyId: licensed.id });
    const { id } = await made(postern, '/v1/content', item({ source: 'https://licensed.example/' }));
    const { id: requesterId } = await made(postern, '/v1/requesters', {});
    await made(postern, '/v1/licenses', { requesterId, type: 't', scope: { policyIds: [licensed.id] } });
    const asked = { contentId: id, requesterId };
    assert.equal((await check(postern, asked)).allowed, true);
    const simulated = await postern.call('POST', '/v1/policies/simulate', {
      body: { policy: { rules }, checks: [asked] },
    });
    assertStatus(simulated, 200);
    assert.equal(simulated.body.data[0].allowed, true);
  });

  test('its ETag tells that its collection gives it something else', async () => {
    const { id } = await made(postern, '/v1/content', item({ source: 'https://etag.example/' }));
    const path = `/v1/content/${id}`;
    const etag = async () => (await postern.call('GET', path)).headers.get('etag') ?? '';
    const isNew = async (since: string) =>
      (await postern.call('GET', path, { headers: { 'if-none-match': since } })).status === 200;
    const first = await etag();
    assert.equal(await isNew(first), false);
    const collection = await makeCollection({ hosts: ['etag.example'], policyId: open.id });
    assert.ok(await isNew(first));
    const second = await etag();
    await patch(`/v1/collections/${collection.id}`, { name: 'New name' });
    assert.equal(await isNew(second), false);
    await patch(`/v1/collections/${collection.id}`, { policyId: shut.id });
    assert.ok(await isNew(second));
    await remove(`/v1/collections/${collection.id}`);
    assert.equal(await etag(), first);
  });
});

test('the default policy: of now for a collection without one, of its registration for an item', async () => {
  await using fresh = await startTestService();
  const next = await makePolicy(fresh, [allowAll]);
  const outside = await made(fresh, '/v1/content', item({ source: 'https://out.example/' }));
  const inside = await made(fresh, '/v1/content', item({ source: 'https://in.example/' }));
  await makeCollection({ hosts: ['in.example'] }, fresh);
  const policies = async () => [
    (await check(fresh, { contentId: inside.id })).policyId,
    (await check(fresh, { contentId: outside.id })).policyId,
  ];
  assert.deepEqual(await policies(), ['pol_default', 'pol_default']);
  assertStatus(await fresh.call('POST', `/v1/policies/${next.id}/make-default`), 200);
  assert.deepEqual(await policies(), [next.id, 'pol_default']);
  const body = { policyId: null };
  assert.equal((await fresh.call('PATCH', `/v1/content/${outside.id}`, { body })).body.policyId, next.id);
  assert.deepEqual(await policies(), [next.id, next.id]);
  await fresh.restart();
  assert.deepEqual(await policies(), [next.id, next.id]);
});

test('in bulk: what is stored already is unchanged, and events and the audit log tell the place', async () => {
  const { id: collectionId } = await makeCollection({ hosts: ['bulk.example'], policyId: open.id });
  const items = [
    item({ source: 'https://bulk.example/1' }),
    item({ source: 'https://bulk.example/2', policyId: null }),
    item({ source: 'https://bulk.example/3', policyId: open.id }),
  ];
  const upsert = async (some: object[]) => {
    const { object: _, errors: _e, ...counts } = await made(postern, '/v1/content/bulk-upsert', { items: some }, 200);
    return counts;
  };
  assert.deepEqual(await upsert(items), { created: 3, updated: 0, unchanged: 0, failed: 0 });
  assert.deepEqual(await upsert(items), { created: 0, updated: 0, unchanged: 3, failed: 0 });
  const { data } = (await postern.call('GET', `/v1/content?collectionId=${collectionId}`)).body;
  assert.deepEqual(data.map(placeOf), [
    ['content', open.id, collectionId],
    ['collection', open.id, collectionId],
    ['collection', open.id, collectionId],
  ]);
  clock.advance(1);
  assert.deepEqual(await upsert([{ ...items[0], policyId: open.id }]), {
    created: 0,
    updated: 1,
    unchanged: 0,
    failed: 0,
  });
  const [event] = (await postern.call('GET', '/v1/events?limit=1')).body.data;
  assert.deepEqual(placeOf(event.data.object), ['content', open.id, collectionId]);
  assert.deepEqual(Object.keys(event.data.previous).toSorted(), ['policySource', 'updated']);
});

const HOSTS = ['a.example', 'b.a.example'];
const PATHS = ['/', '/news/', '/news/*', '/n', '/*.pdf$', '/news/a'];
const TYPES = ['article', 'video'] as const;
const random = seeded(runSeed);
const { pick } = random;
const some = <T>(values: readonly T[]): T[] => values.filter(() => random.chance(0.4));

const randomSelectors = () => {
  const selectors = {
    hosts: some([...HOSTS, '*.a.example']),
    paths: some(PATHS),
    contentTypes: some(TYPES),
    contentTags: some(['x', 'y']),
  };
  return Object.values(selectors).some((one) => one.length > 0) ? selectors : { ...selectors, paths: ['/'] };
};
const randomItem = () =>
  item({
    source: `https://${pick(HOSTS)}${pick(['/', '/news/', '/news/a', '/b.pdf', '/%6Eews/a', '/a//b'])}`,
    type: pick(TYPES),
    tags: some(['x', 'y']),
    ...(random.chance(0.3) ? { policyId: pick([open.id, shut.id]) } : {}),
  });

/** The answers of all items, each compared with the second implementation. */
async function assertPlaced(of: TestService, collections: readonly Collection[]): Promise<Record<string, unknown>[]> {
  const { data } = (await of.call('GET', '/v1/content?limit=100')).body;
  for (const one of data) {
    const subject = { url: parseLocator(one.source), item: { type: one.type, tags: one.tags } };
    const found = mostSpecific(collections, subject);
    assert.equal(one.collectionId, found?.id ?? null, JSON.stringify(one));
    if (one.policySource === 'collection') assert.equal(one.policyId, found?.policyId ?? 'pol_default');
    else if (one.policySource === 'default') assert.equal(found, undefined);
  }
  return data;
}

async function listAll(of: TestService): Promise<Collection[]> {
  const { data } = (await of.call('GET', '/v1/collections?limit=100')).body;
  return data.map((one: { created: string }) => ({ ...one, createdAt: Date.parse(one.created) }));
}

test('lists by collection and policy find what the answers say, after any edits at once', async (t) => {
  t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
  await using own = await startTestService();
  const policies = [await makePolicy(own, [allowAll]), await makePolicy(own, [])].map(({ id }) => id);
  const withPolicy = (body: object) => ({ ...body, ...('policyId' in body ? { policyId: pick(policies) } : {}) });
  const ids: string[] = [];
  const work: (() => Promise<unknown>)[] = [];
  for (let i = 0; i < 60; i++) work.push(() => own.call('POST', '/v1/content', { body: withPolicy(randomItem()) }));
  for (let i = 0; i < 30; i++) {
    work.push(async () => {
      const body = { name: 'C', policyId: pick([null, ...policies]), ...randomSelectors() };
      ids.push((await own.call('POST', '/v1/collections', { body })).body.id);
    });
    work.push(() => own.call('PATCH', `/v1/collections/${pick(ids)}`, { body: randomSelectors() }));
    work.push(() =>
      own.call('PATCH', `/v1/collections/${pick(ids)}`, { body: { policyId: pick([null, ...policies]) } }),
    );
    if (i % 4 === 0) work.push(() => own.call('DELETE', `/v1/collections/${pick(ids)}`));
  }
  const inOrder = work.map((one) => ({ one, at: random.next() })).toSorted((a, b) => a.at - b.at);
  for (let i = 0; i < inOrder.length; i += 6) await Promise.all(inOrder.slice(i, i + 6).map(({ one }) => one()));

  const collections = await listAll(own);
  const items = await assertPlaced(own, collections);
  assert.equal(items.length, 60);
  const found = async (query: string): Promise<string[]> => {
    const answer = await own.call('GET', `/v1/content?limit=100&${query}`);
    assertStatus(answer, 200, query);
    assert.equal(answer.body.totalCount, answer.body.data.length);
    return answer.body.data.map(({ id }: { id: string }) => id);
  };
  const idsOf = (name: string, id: string) => items.filter((one) => one[name] === id).map((one) => one.id);
  let inCollections = 0;
  for (const { id } of collections) {
    const expected = idsOf('collectionId', id);
    inCollections += expected.length;
    assert.deepEqual(await found(`collectionId=${id}`), expected);
  }
  assert.ok(inCollections > 20, String(inCollections));
  for (const id of [...policies, 'pol_default']) assert.deepEqual(await found(`policyId=${id}`), idsOf('policyId', id));
  assert.deepEqual(await found('collectionId=col_none'), []);
});

async function editSomeCollection(of: TestService, policies: readonly string[]): Promise<void> {
  const id = pick(await listAll(of))?.id;
  const policyId = pick([null, ...policies]);
  if (id === undefined || random.chance(0.4)) return makeCollection({ policyId, ...randomSelectors() }, of);
  const path = `/v1/collections/${id}`;
  const edits = [
    () => of.call('PATCH', path, { body: randomSelectors() }),
    () => of.call('PATCH', path, { body: { policyId } }),
    () => of.call('DELETE', path),
  ];
  assertStatus(await pick(edits)(), 200);
}

test('as of a past time, the collections of then decide', async (t) => {
  t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
  await using own = await startTestService({ clock });
  const policies = [await makePolicy(own, [allowAll]), await makePolicy(own, [])].map(({ id }) => id);
  const items: { id: string; source: string; type: string; tags: string[] }[] = [];
  for (let i = 0; i < 12; i++) {
    const { policyId: _, ...body } = randomItem();
    items.push(await made(own, '/v1/content', body));
  }
  const moments: { at: number; collections: Collection[]; defaultId: string }[] = [];
  let defaultId = 'pol_default';
  for (let i = 0; i < 25; i++) {
    clock.advance(1000);
    if (random.chance(0.1)) {
      defaultId = pick(policies);
      assertStatus(await own.call('POST', `/v1/policies/${defaultId}/make-default`), 200);
    } else await editSomeCollection(own, policies);
    clock.advance(1000);
    moments.push({ at: clock.now(), collections: await listAll(own), defaultId });
  }
  const bodies = moments.flatMap(({ at }) =>
    items.map(({ id }) => ({ contentId: id, dryRun: true, asOf: new Date(at).toISOString() })),
  );
  const { data } = (await own.call('POST', '/v1/access/check/batch', { body: { checks: bodies } })).body;
  const decided = { collection: 0, default: 0 };
  for (const [i, moment] of moments.entries()) {
    for (const [j, one] of items.entries()) {
      const subject = { url: parseLocator(one.source), item: { type: one.type, tags: one.tags } };
      const found = mostSpecific(moment.collections, subject);
      const expected = found === undefined ? 'pol_default' : (found.policyId ?? moment.defaultId);
      decided[found === undefined ? 'default' : 'collection']++;
      assert.equal(data[i * items.length + j].policyId, expected, JSON.stringify([one, moment.collections]));
    }
  }
  assert.ok(Math.min(decided.collection, decided.default) > 20, JSON.stringify(decided));
});
