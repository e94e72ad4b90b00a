/**
 * Reach: what a requester may have now, and who may have an item or the pages of a collection. Over random worlds, the
 * answers are those of a check for every requester and every item, also while items are still being placed.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { pluck } from '../../kit/pluck.ts';
import { type Random, runSeed, seeded, shuffled } from '../../kit/random.ts';
import { startTestService, type TestService, testClock, testEngine } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { bindCursor } from '../../src/api/http/cursor.ts';
import { toCursor } from '../../src/db/page.ts';
import { ALL_KEYS, policyArbitrary, VOCABULARY } from '../oracle/arbitrary.ts';
import { assertError, assertStatus, item, made, makeKey, makePolicy } from './given.ts';
import { holdPlacing, isPlaced } from './placing.ts';

type Any = any;

/** Worlds; each has 5,000 cells of a requester and an item. */
const WORLDS = Number(process.env.CASES ?? 3);
const ITEMS = 100;
const REQUESTERS = 50;

/** Walks all pages. */
async function walk(postern: TestService, path: string, limit = 100): Promise<Any[]> {
  const found: Any[] = [];
  const join = path.includes('?') ? '&' : '?';
  let cursor: string | null = null;
  do {
    const more = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await postern.call('GET', `${path}${join}limit=${limit}${more}`);
    assertStatus(answer, 200, path);
    assert.ok(answer.body.data.length <= limit);
    assert.equal(answer.body.hasMore, answer.body.nextCursor !== null);
    found.push(...answer.body.data);
    cursor = answer.body.nextCursor;
  } while (cursor !== null);
  return found;
}

const some = <T>(values: readonly T[], random: Random, share = 0.4): T[] => values.filter(() => random.chance(share));
const METADATA = [{}, { section: 'news' }, { section: 'sport', tier: 1 }, { tier: 2, premium: true }];

interface World {
  random: Random;
  items: Any[];
  requesterIds: string[];
}

/** Fills a service: its rules and licenses name what is there. */
async function fill(postern: TestService, seed: number): Promise<World> {
  const random = seeded(seed);
  const v = VOCABULARY;
  const collections: string[] = [];
  for (const name of v.collections) {
    collections.push((await made(postern, '/v1/collections', { name, paths: [`/${name}/`] })).id);
  }
  const policies: string[] = [];
  for (const { rules, defaultAction } of fc.sample(policyArbitrary(ALL_KEYS), { numRuns: 7, seed })) {
    const text = JSON.stringify(rules);
    const named = v.collections.reduce((all, id, i) => all.replaceAll(id, collections[i] as string), text);
    policies.push((await makePolicy(postern, JSON.parse(named), { defaultAction })).id);
  }
  const externalIds = v.contents.map(({ externalId }) => externalId);
  const items = Array.from({ length: ITEMS }, (_, i) =>
    item({
      externalId: externalIds[i] ?? `item-${i}`,
      type: random.pick(v.contentTypes),
      tags: some(v.tags, random),
      metadata: random.pick(METADATA),
      source: random.pick([...v.urls.flat(), ...v.sources]),
      ...(random.chance(0.4) ? { policyId: random.pick(policies) } : {}),
    }),
  );
  await postern.call('PATCH', `/v1/policies/${policies[0]}`, { body: { isDefault: true } });
  await made(postern, '/v1/content/bulk-upsert', { items: shuffled(items, random) }, 200);
  const stored = await walk(postern, '/v1/content');
  for (const { id } of stored) {
    if (random.chance(0.05)) await postern.call('PATCH', `/v1/content/${id}`, { body: { status: 'archived' } });
  }
  if (seed % 2 === 1) await holdPlacing(postern);
  const requesterIds = await fillRequesters(postern, random, { collections, policies, items: stored });
  await select(postern, random, { collections, policies });
  return { random, items: stored, requesterIds };
}

async function fillRequesters(
  postern: TestService,
  random: Random,
  { collections, policies, items }: { collections: string[]; policies: string[]; items: Any[] },
): Promise<string[]> {
  const v = VOCABULARY;
  const ids = Array.from({ length: REQUESTERS }, (_, i) => v.requesterIds[i] ?? `q${i}`);
  // Rules may name one that is not registered.
  const registered = random.chance(0.5) ? ids : ids.slice(1);
  for (const id of shuffled(registered, random)) {
    await made(postern, '/v1/requesters', {
      id,
      ...(random.chance(0.8) ? { type: random.pick(v.requesterTypes) } : {}),
      tags: some(v.tags, random),
      metadata: random.pick(METADATA),
      status: random.chance(0.05) ? 'suspended' : 'active',
    });
    for (let n = random.int(-1, 2); n > 0; n--) {
      const lists = {
        contentIds: some(pluck(items, random.pick(['id', 'externalId'])), random, 0.5),
        contentTypes: some(v.contentTypes, random, 0.5),
        tags: some(v.tags, random),
        policyIds: some(policies, random),
        collectionIds: some(collections, random),
      };
      const scope = Object.fromEntries(some(Object.entries(lists), random, 0.25).filter(([, list]) => list.length > 0));
      await made(postern, '/v1/licenses', {
        requesterId: id,
        type: random.pick(v.licenseTypes),
        features: some(v.features, random),
        scope: Object.keys(scope).length === 0 ? null : scope,
        expiresAt: random.pick([null, '2026-11-20T00:00:00Z', '2026-12-31T00:00:00Z']),
        status: random.chance(0.1) ? 'suspended' : 'active',
      });
    }
  }
  return ids;
}

/** Gives policies and selectors to the collections, which moves the items. */
async function select(
  postern: TestService,
  random: Random,
  { collections, policies }: { collections: string[]; policies: string[] },
): Promise<void> {
  for (const id of collections) {
    const selectors = {
      hosts: some(VOCABULARY.hosts, random, 0.3),
      paths: some(VOCABULARY.paths, random, 0.3),
      contentTypes: random.chance(0.2) ? ['article'] : [],
      contentTags: random.chance(0.2) ? ['a'] : [],
    };
    const isEmpty = Object.values(selectors).every(({ length }) => length === 0);
    const body = {
      ...selectors,
      ...(isEmpty ? { paths: ['/'] } : {}),
      policyId: random.pick([null, ...policies]),
      mode: random.pick(['enforce', 'enforce', 'observe']),
    };
    assertStatus(await postern.call('PATCH', `/v1/collections/${id}`, { body }), 200);
  }
}

/** Decides a dry check for each requester and item; returns the allowed ones by requester and item. */
async function bruteForce(postern: TestService, { items, requesterIds }: World, stated: object) {
  const allowed = new Map<string, Any>();
  for (const requesterId of requesterIds) {
    const checks = items.map(({ id }) => ({ contentId: id, requesterId, dryRun: true, ...stated }));
    const { data } = await made(postern, '/v1/access/check/batch', { checks }, 200);
    for (const one of data) if (one.allowed) allowed.set(`${requesterId} ${one.contentId}`, one);
  }
  return allowed;
}

const granted = ({ permissions, licenseId, matchedRule, enforced }: Any) => ({
  permissions,
  licenseId,
  matchedRule,
  enforced,
});

async function assertEqual(postern: TestService, world: World, stated: Record<string, string>, where: string) {
  const { random, items, requesterIds } = world;
  const query = `?${new URLSearchParams(stated)}`;
  const expected = await bruteForce(postern, world, stated);
  const collectionIds = [...new Set(pluck(await walk(postern, '/v1/content'), 'collectionId'))];
  for (const requesterId of requesterIds) {
    const path = `/v1/requesters/${requesterId}/reach${query}`;
    const reached = (await walk(postern, path, random.pick([3, 20, 100]))).filter((one) => one.contentId !== null);
    const wanted = items.filter(({ id }) => expected.has(`${requesterId} ${id}`));
    assert.deepEqual(pluck(reached, 'contentId'), pluck(wanted, 'id'), `${where} ${requesterId}`);
    for (const one of reached) {
      assert.deepEqual(granted(one), granted(expected.get(`${requesterId} ${one.contentId}`)), where);
    }
    const id = random.pick(collectionIds);
    if (id === null) continue;
    const within = (await walk(postern, `${path}&collectionId=${id}`)).filter((one) => one.contentId !== null);
    const inside = reached.filter((one) => one.collectionId === id);
    assert.deepEqual(pluck(within, 'contentId'), pluck(inside, 'contentId'), `${where} ${requesterId} in ${id}`);
  }
  const known = new Set(requesterIds);
  for (const { id } of items) {
    const readers = await walk(postern, `/v1/content/${id}/readers${query}`, random.pick([3, 20, 100]));
    const asked = readers.filter(({ requesterId }) => known.has(requesterId));
    const wanted = requesterIds.filter((one) => expected.has(`${one} ${id}`));
    // A requester that no rule names and that is not registered may have what strangers may.
    const listed = new Set(pluck(asked, 'requesterId'));
    const { anonymous } = (await postern.call('GET', `/v1/content/${id}/readers${query}`)).body;
    const strangers = wanted.filter((one) => !listed.has(one));
    if (strangers.length > 0) assert.deepEqual([strangers, anonymous.allowed], [[requesterIds[0]], true], where);
    assert.deepEqual([...listed].toSorted(), wanted.filter((one) => listed.has(one)).toSorted(), `${where} ${id}`);
    for (const one of asked) assert.deepEqual(granted(one), granted(expected.get(`${one.requesterId} ${id}`)), where);
  }
  return { cells: items.length * requesterIds.length, allowed: expected.size };
}

test('both lists are those of a check for every requester and item', async (t) => {
  t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
  let [cells, allowed] = [0, 0];
  for (let number = 0; number < WORLDS; number++) {
    await using postern = await startTestService({ clock: testClock() });
    const world = await fill(postern, runSeed + number);
    const { random } = world;
    const stated = {
      ...(random.chance(0.3) ? { purpose: random.pick(VOCABULARY.purposes) } : {}),
      ...(random.chance(0.3) ? { permission: random.pick(VOCABULARY.permissions) } : {}),
    };
    const isHeld = (runSeed + number) % 2 === 1;
    if (isHeld) assert.equal(await isPlaced(postern), false);
    else await until('items are placed', () => isPlaced(postern));
    const counted = await assertEqual(postern, world, stated, `seed ${runSeed}, world ${number}`);
    cells += counted.cells;
    allowed += counted.allowed;
  }
  t.diagnostic(`${cells} cells, ${allowed} allowed, on ${testEngine()}`);
  assert.ok(allowed > cells / 20);
});

describe('one partner and its places', async () => {
  const postern = await startTestService({ clock: testClock() });
  after(() => postern[Symbol.asyncDispose]());
  const get = async (path: string): Promise<Any> => {
    const answer = await postern.call('GET', path);
    assertStatus(answer, 200, path);
    return answer.body;
  };
  const rules = [
    { action: 'deny', conditions: { countryNot: 'DE', purpose: 'training' } },
    { action: 'allow', conditions: { path: '/open/' }, permissions: ['preview_only'] },
    { action: 'allow', conditions: { licenseType: 'gold' }, permissions: ['training'] },
    { action: 'allow', conditions: { requesterId: ['unknown', 'acme'] }, permissions: ['inference'] },
  ];
  const { id: policyId } = await makePolicy(postern, rules);
  const news = await made(postern, '/v1/collections', {
    name: 'News',
    hosts: ['www.example.com'],
    paths: ['/news/', '/open/'],
    policyId,
  });
  const kinds = await made(postern, '/v1/collections', { name: 'Videos', contentTypes: ['video'], policyId });
  const source = 'https://www.example.com/news/a';
  const article = await made(postern, '/v1/content', item({ title: 'Tides', source }));
  const open = await made(postern, '/v1/content', item({ source: 'https://www.example.com/open/b' }));
  await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
  await made(postern, '/v1/requesters', { id: 'gold', name: 'Gold' });
  const license = await made(postern, '/v1/licenses', {
    requesterId: 'gold',
    type: 'gold',
    terms: {
      currency: 'EUR',
      timezone: 'UTC',
      period: 'month',
      unit: 'decision',
      quota: { units: 1, onExceed: 'deny' },
      tiers: [{ upTo: null, unitPriceMicros: 1 }],
    },
  });

  test('what it may have: pages of collections, then items, with what they rest on', async () => {
    const body = await get('/v1/requesters/gold/reach');
    const [pages, ...items] = body.data;
    assert.deepEqual(
      [pages.contentId, pages.collectionId, pages.title, pages.permissions, pages.licenseId],
      [null, news.id, 'News', ['training'], license.id],
    );
    assert.deepEqual(pages.dependsOn, ['country', 'path', 'purpose']);
    assert.deepEqual(pluck(items, 'contentId'), [open.id, article.id]);
    assert.deepEqual(items[0].permissions, ['preview_only']);
    assert.deepEqual(items[1], {
      object: 'reach',
      contentId: article.id,
      externalId: article.externalId,
      collectionId: news.id,
      title: 'Tides',
      type: 'article',
      source,
      policyId,
      permissions: ['training'],
      licenseId: license.id,
      matchedRule: { index: 2, priority: 3 },
      enforced: true,
      dependsOn: ['country', 'purpose'],
    });
    assert.deepEqual([body.requesterId, body.registered, body.totalCount], ['gold', true, null]);
    assert.deepEqual(body.assumptions, [
      { condition: 'country', taken: 'unknown' },
      { condition: 'path', taken: 'unknown' },
      { condition: 'purpose', taken: 'unknown' },
    ]);
    assert.deepEqual((await get('/v1/requesters/gold/reach?purpose=training')).data, []);
    const reading = await get('/v1/requesters/gold/reach?purpose=reading&permission=training');
    assert.deepEqual(pluck(reading.data, 'contentId'), [null, article.id]);
    assert.deepEqual(reading.data[1].dependsOn, []);
    assert.deepEqual((await get(`/v1/requesters/gold/reach?collectionId=${kinds.id}`)).data, []);
    const walked = await walk(postern, '/v1/requesters/gold/reach', 1);
    assert.deepEqual(walked, body.data);
  });

  test('a stranger is decided as one, and says so', async () => {
    const body = await get('/v1/requesters/unknown/reach');
    assert.deepEqual([body.registered, pluck(body.data, 'contentId')], [false, [null, open.id, article.id]]);
    assert.deepEqual(pluck((await get('/v1/requesters/nobody/reach')).data, 'contentId'), [open.id]);
  });

  test('who may have it: the registered ones, those that only a rule names, and everybody', async () => {
    const body = await get(`/v1/content/${article.externalId}/readers`);
    assert.deepEqual(
      body.data.map(({ requesterId, name, permissions }: Any) => [requesterId, name, permissions]),
      [
        ['gold', 'Gold', ['training']],
        ['acme', 'Acme', ['inference']],
        ['unknown', null, ['inference']],
      ],
    );
    assert.deepEqual([body.contentId, body.collectionId, body.policyId], [article.id, news.id, policyId]);
    assert.deepEqual(body.anonymous, {
      allowed: false,
      permissions: [],
      matchedRule: null,
      dependsOn: ['country', 'purpose'],
    });
    assert.deepEqual(pluck(await walk(postern, `/v1/content/${article.id}/readers`, 1), 'requesterId'), [
      'gold',
      'acme',
      'unknown',
    ]);
    const ofOpen = await get(`/v1/content/${open.id}/readers`);
    assert.deepEqual([ofOpen.anonymous.allowed, ofOpen.anonymous.permissions], [true, ['preview_only']]);
  });

  test('who may have the pages of a collection, as checks of its URLs have it', async () => {
    const body = await get(`/v1/collections/${news.id}/readers?permission=training`);
    assert.deepEqual(pluck(body.data, 'requesterId'), ['gold']);
    assert.deepEqual([body.contentId, body.collectionId], [null, news.id]);
    assert.deepEqual(pluck(body.assumptions, 'condition'), ['country', 'path', 'purpose']);
    const url = 'https://www.example.com/news/never-registered';
    for (const requesterId of ['gold', 'acme', 'unknown', 'nobody']) {
      const one = await made(
        postern,
        '/v1/access/check',
        { url, requesterId, permission: 'training', dryRun: true },
        200,
      );
      assert.equal(one.allowed, requesterId === 'gold');
    }
    assertError(await postern.call('GET', '/v1/collections/col_0/readers'), 'collection_not_found');
    assertError(await postern.call('GET', '/v1/content/none/readers'), 'content_not_found');
  });

  test('no decision is recorded; a used-up quota and a limit are left out, an expired license counts no more', async () => {
    const spent = await made(postern, '/v1/access/check', { contentId: article.id, requesterId: 'gold' }, 200);
    assert.equal(spent.allowed, true);
    const over = await made(postern, '/v1/access/check', { contentId: article.id, requesterId: 'gold' }, 200);
    assert.equal(over.allowed, false);
    const before = (await get('/v1/access/decisions')).totalCount;
    const ids = async () => pluck((await get('/v1/requesters/gold/reach')).data, 'contentId');
    assert.deepEqual(await ids(), [null, open.id, article.id]);
    await get(`/v1/content/${article.id}/readers`);
    assert.equal((await get('/v1/access/decisions')).totalCount, before);
    const body = { expiresAt: '2026-11-21T09:00:00Z' };
    assertStatus(await postern.call('PATCH', `/v1/licenses/${license.id}`, { body }), 200);
    assert.deepEqual(await ids(), [open.id]);
  });

  test('it takes both permissions, never a public key', async () => {
    const paths = [
      '/v1/requesters/acme/reach',
      `/v1/content/${article.id}/readers`,
      `/v1/collections/${news.id}/readers`,
    ];
    const both = await makeKey(postern, { permissions: ['policies:read', 'content:read'] });
    const anyKey = await makeKey(postern, { type: 'public', permissions: ['policies:read', 'content:read'] });
    for (const path of paths) {
      assertStatus(await postern.call('GET', path, { key: both }), 200);
      assertError(await postern.call('GET', path, { key: anyKey }), 'insufficient_permissions');
    }
  });

  test('a cursor is of its list and its filters', async () => {
    const { nextCursor } = await get('/v1/requesters/gold/reach?limit=1');
    const refused = [
      `/v1/requesters/acme/reach?cursor=${nextCursor}`,
      `/v1/requesters/gold/reach?permission=training&cursor=${nextCursor}`,
      `/v1/content/${article.id}/readers?cursor=${nextCursor}`,
    ];
    for (const path of refused) assertError(await postern.call('GET', path), 'invalid_cursor', 'cursor', path);
    const list = { routeOptions: { url: '/v1/content/:id/readers' }, params: { id: article.id }, query: {} };
    for (const position of ['x', '0', '1e3', '!ü', '!a b', `!${'a'.repeat(129)}`, '9'.repeat(40)]) {
      const cursor = bindCursor(list, toCursor(position));
      const path = `/v1/content/${article.id}/readers?cursor=${encodeURIComponent(cursor)}`;
      assertError(await postern.call('GET', path), 'invalid_cursor', 'cursor', position);
    }
  });
});

test('a long search is cut into pages, and nothing is missed', async () => {
  await using postern = await startTestService();
  const { id: policyId } = await makePolicy(postern, [
    { action: 'allow', conditions: { contentTags: 'rare', requesterTags: 'rare' } },
    { action: 'allow', conditions: { contentId: ['i-0-500', 'i-8-500'], requesterId: 'named' } },
    { action: 'allow', conditions: { licenseType: 'articles' } },
  ]);
  const wanted: string[] = [];
  for (let n = 0; n < 9; n++) {
    const items = Array.from({ length: 1_000 }, (_, i) =>
      item({ externalId: `i-${n}-${i}`, policyId, tags: i === 500 ? ['rare'] : [] }),
    );
    await made(postern, '/v1/content/bulk-upsert', { items }, 200);
    wanted.unshift(`i-${n}-500`);
  }
  await made(postern, '/v1/requesters', { id: 'rare', tags: ['rare'] });
  // Items that rules or licenses name are not searched for.
  const scope = { contentIds: ['i-1-500', 'none'] };
  await made(postern, '/v1/requesters', { id: 'named' });
  await made(postern, '/v1/licenses', { requesterId: 'named', type: 'articles', scope });
  const named = (await postern.call('GET', '/v1/requesters/named/reach')).body;
  assert.deepEqual([pluck(named.data, 'externalId'), named.hasMore], [['i-8-500', 'i-1-500', 'i-0-500'], false]);
  const first = (await postern.call('GET', '/v1/requesters/rare/reach?limit=100')).body;
  assert.ok(first.hasMore && first.data.length < wanted.length);
  assert.deepEqual(pluck(await walk(postern, '/v1/requesters/rare/reach'), 'externalId'), wanted);
});
