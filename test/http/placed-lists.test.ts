/**
 * Lists by collection and by policy after random edits, also while items are still being placed: an item is in the list
 * of the collection and of the policy that its own answer names.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pluck } from '../../kit/pluck.ts';
import { runSeed, seeded } from '../../kit/random.ts';
import { startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertStatus, item, made } from './given.ts';
import { holdPlacing, isPlaced, releasePlacing } from './placing.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

type Any = any;

const EDITS = 40;
/** Spellings of a few hosts. */
const HOSTS = [
  'www.a.example',
  'WWW.A.example',
  'www.a.example.',
  'www.a.example:8080',
  'www%2Ea.example',
  'www.ａ.example',
  'user@www.a.example',
  'b.a.example',
  'a.example',
  'bücher.example',
  'xn--bcher-kva.example',
  '127.0.0.1',
  '0x7f.1',
  '[::1]',
  '[0:0::1]:8080',
];
const PATHS = ['/', '/news/1', '/news/2;v=1', '/a%20b', '/x/../news/1', '/news/./1', '/ne%77s/2', '/News/1?q'];
const PATTERNS = ['/', '/news/', '/news/1$', '*1', '/a%20b'];
const SELECTED_HOSTS = [
  'www.a.example',
  '*.A.example',
  'a.example.',
  'www.a.example:8080',
  'XN--bcher-kva.example',
  '*.example',
  '127.0.0.1',
  '[::1]',
];
const TYPES = ['article', 'report', 'video'];
const TAGS = ['x', 'y'];

/** With small pages, a walk has several. */
async function all(query = '', limit = 100): Promise<Any[]> {
  const found: Any[] = [];
  let cursor: string | null = null;
  do {
    const { status, body } = await postern.call(
      'GET',
      `/v1/content?limit=${limit}${query}${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    assert.equal(status, 200);
    found.push(...(body.data as Any[]));
    cursor = body.nextCursor as string | null;
    if (cursor === null) assert.equal(body.totalCount, found.length);
  } while (cursor !== null);
  return found;
}

test('without a collection, everything is placed at once after an edit of the rules of a host', async () => {
  const { status } = await postern.call('PUT', '/v1/sites/alone.example', { body: { urls: { case: 'ignored' } } });
  assert.ok(status === 200 || status === 201, String(status));
  await until('all items are placed', () => isPlaced(postern));
  assert.deepEqual(
    postern.logs.filter((line) => line.includes('housekeeping failed')),
    [],
  );
});

test('every list has what the answers of the items say, after each of many edits', async (t) => {
  t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
  const random = seeded(runSeed);
  const policyIds = ['pol_default'];
  for (const name of ['One', 'Two']) policyIds.push((await made(postern, '/v1/policies', { name, rules: [] })).id);
  const items = HOSTS.flatMap((host) =>
    PATHS.map((path) =>
      item({
        source: `https://${host}${path}`,
        type: random.pick(TYPES),
        tags: [random.pick(TAGS)],
        ...(random.chance(0.2) ? { policyId: random.pick(policyIds) } : {}),
      }),
    ),
  );
  await made(postern, '/v1/content/bulk-upsert', { items }, 200);
  assert.equal((await all()).length, items.length);
  const some = (values: readonly string[], share: number): string[] => values.filter(() => random.chance(share));
  const selectors = () => {
    const body = {
      policyId: random.pick([null, ...policyIds]),
      hosts: some(SELECTED_HOSTS, random.pick([0, 0.15, 0.9])),
      paths: some(PATTERNS, 0.2),
      contentTypes: some(TYPES, 0.2),
      contentTags: some(TAGS, 0.1),
    };
    return Object.values(body).every((values) => values === null || typeof values === 'string' || values.length === 0)
      ? { ...body, paths: ['/'] }
      : body;
  };
  const ids: string[] = [];
  let moved = 0;
  for (let edit = 0; edit < EDITS; edit++) {
    const before = pluck(await all(), 'collectionId');
    const isHeld = edit % 2 === 0;
    if (isHeld) await holdPlacing(postern);
    // Several edits in a row are placed at once.
    for (let n = random.int(1, 3); n > 0; n--) {
      const id = random.pick(ids);
      const turn = random.int(1, 4);
      if (ids.length < 3 || turn === 1) {
        ids.push((await made(postern, '/v1/collections', { name: 'C', ...selectors() })).id);
      } else if (turn === 2) {
        assertStatus(await postern.call('DELETE', `/v1/collections/${id}`), 200);
        ids.splice(ids.indexOf(id), 1);
      } else assertStatus(await postern.call('PATCH', `/v1/collections/${id}`, { body: selectors() }), 200);
    }
    const found = await all();
    moved += found.filter(({ collectionId }, i) => collectionId !== before[i]).length;
    const assertListed = async (query: string, belongs: (item: Any) => boolean, limit?: number): Promise<void> => {
      const listed = await all(query, limit);
      const where = `seed ${runSeed}, edit ${edit}, ${isHeld ? 'held' : 'placed'}, ${query}`;
      assert.deepEqual(pluck(listed, 'id'), pluck(found.filter(belongs), 'id'), where);
    };
    if (!isHeld) await until('items are placed', () => isPlaced(postern));
    else assert.equal(await isPlaced(postern), false);
    for (const id of ids) await assertListed(`&collectionId=${id}`, ({ collectionId }) => collectionId === id);
    for (const id of policyIds) await assertListed(`&policyId=${id}`, ({ policyId }) => policyId === id);
    const [id, policyId, type, tag] = [ids, policyIds, TYPES, TAGS].map((list) => random.pick(list));
    const limit = random.int(3, 20);
    await assertListed(
      `&collectionId=${id}&type=${type}`,
      (one) => one.collectionId === id && one.type === type,
      limit,
    );
    await assertListed(
      `&policyId=${policyId}&tag=${tag}`,
      (one) => one.policyId === policyId && one.tags.includes(tag),
      limit,
    );
    await assertListed(
      `&policyId=${policyId}&collectionId=${id}`,
      (one) => one.policyId === policyId && one.collectionId === id,
      limit,
    );
    if (isHeld) await releasePlacing(postern);
  }
  assert.ok(moved > EDITS, `${moved} moved`);
});
