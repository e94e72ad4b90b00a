/** A page walk under inserts, edits and deletes never repeats an item and never skips one that was there throughout. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestService, type TestService, testClock } from '../../../kit/service.ts';
import { allowAll, check, item, made, makeItem, makeKey, makePolicy, next } from '../../http/given.ts';

interface Kind {
  path: string;
  prepare?: (postern: TestService) => Promise<void>;
  add(postern: TestService): Promise<string>;
  remove?: (postern: TestService, id: string) => Promise<unknown>;
  edit?: (postern: TestService, id: string) => Promise<unknown>;
}

const KINDS: Record<string, Kind> = {
  content: {
    path: '/v1/content?',
    add: async (postern) => (await made(postern, '/v1/content', item())).id,
    remove: (postern, id) => postern.call('DELETE', `/v1/content/${id}`),
    edit: (postern, id) => postern.call('PATCH', `/v1/content/${id}`, { body: { title: `T${next()}` } }),
  },
  'content with a filter': {
    path: '/v1/content?tag=even&q=title&status=active&',
    add: async (postern) => {
      await made(postern, '/v1/content', item({ tags: ['odd'] }));
      return (await made(postern, '/v1/content', item({ tags: ['even'] }))).id;
    },
    remove: (postern, id) => postern.call('PATCH', `/v1/content/${id}`, { body: { status: 'archived' } }),
    edit: (postern, id) => postern.call('PATCH', `/v1/content/${id}`, { body: { metadata: { n: next() } } }),
  },
  policies: {
    path: '/v1/policies?',
    add: async (postern) => (await makePolicy(postern, [])).id,
    remove: (postern, id) => postern.call('DELETE', `/v1/policies/${id}`),
    edit: (postern, id) => postern.call('PATCH', `/v1/policies/${id}`, { body: { name: `N${next()}` } }),
  },
  keys: {
    path: '/v1/api-keys?',
    add: async (postern) => {
      await makeKey(postern, { permissions: ['content:read'] });
      return (await postern.call('GET', '/v1/api-keys?limit=1')).body.data[0].id;
    },
    remove: (postern, id) => postern.call('DELETE', `/v1/api-keys/${id}`),
  },
  decisions: {
    path: '/v1/access/decisions?',
    prepare: async (postern) => void (await makeItem(postern, [allowAll], { externalId: 'paged' })),
    add: async (postern) => (await check(postern, { contentId: 'paged' })).id,
  },
};

const page = async (postern: TestService, path: string, limit: number, cursor: string | null) => {
  const more = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const answer = await postern.call('GET', `${path}limit=${limit}${more}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

interface Walk {
  round: number;
  /** Items that exist from the first page to the last. */
  throughout: Set<string>;
  seen: readonly string[];
  ids: readonly string[];
}

/** Between two pages: adds an item, deletes the last one shown and one still to come, and edits on either side. */
async function interfere(postern: TestService, kind: Kind, { round, throughout, seen, ids }: Walk): Promise<void> {
  await kind.add(postern);
  const last = seen.at(-1) as string;
  if (kind.remove !== undefined && round % 2 === 0 && throughout.delete(last)) await kind.remove(postern, last);
  const ahead = ids.find((id) => throughout.has(id) && !seen.includes(id));
  if (kind.remove !== undefined && round % 3 === 0 && ahead !== undefined) {
    throughout.delete(ahead);
    await kind.remove(postern, ahead);
  }
  const left = [...throughout];
  for (const id of [left.find((one) => seen.includes(one)), left.find((one) => !seen.includes(one))]) {
    if (id !== undefined) await kind.edit?.(postern, id);
  }
}

for (const [name, kind] of Object.entries(KINDS)) {
  describe(name, () => {
    for (const still of [true, false]) {
      for (const limit of [1, 5]) {
        test(`pages of ${limit}, ${still ? 'all made in one millisecond' : 'made over time'}`, async () => {
          const clock = testClock();
          await using postern = await startTestService({ clock });
          await kind.prepare?.(postern);
          const ids: string[] = [];
          for (let i = 0; i < 24; i++) {
            ids.push(await kind.add(postern));
            if (!still && i % 3 === 0) clock.advance(1000);
          }
          const throughout = new Set(ids);
          const seen: string[] = [];
          const shownAt: string[] = [];
          let cursor: string | null = null;
          for (let round = 0; round < 200; round++) {
            const got: {
              data: { id: string; created?: string; createdAt?: string }[];
              hasMore: boolean;
              nextCursor: string | null;
            } = await page(postern, kind.path, limit, cursor);
            assert.equal(got.hasMore, got.nextCursor !== null);
            assert.ok(got.data.length <= limit);
            seen.push(...got.data.map((one) => one.id));
            shownAt.push(...got.data.map((one) => one.created ?? one.createdAt ?? ''));
            if (got.nextCursor === null) break;
            cursor = got.nextCursor;
            await interfere(postern, kind, { round, throughout, seen, ids });
          }
          assert.equal(new Set(seen).size, seen.length, 'repeats');
          for (const id of throughout) assert.ok(seen.includes(id), `skips ${id}`);
          assert.deepEqual(shownAt, shownAt.toSorted().toReversed(), 'newest first');
        });
      }
    }
    test('while others really work at the same time', async () => {
      await using postern = await startTestService();
      await kind.prepare?.(postern);
      const ids: string[] = [];
      for (let i = 0; i < 20; i++) ids.push(await kind.add(postern));
      const walk = { done: false };
      const busy = (async () => {
        while (!walk.done) {
          const id = await kind.add(postern);
          if (kind.remove !== undefined) await kind.remove(postern, id);
        }
      })();
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const got: { data: { id: string }[]; nextCursor: string | null } = await page(postern, kind.path, 2, cursor);
        seen.push(...got.data.map((one) => one.id));
        cursor = got.nextCursor;
      } while (cursor !== null);
      walk.done = true;
      await busy;
      assert.equal(new Set(seen).size, seen.length);
      for (const id of ids) assert.ok(seen.includes(id));
    });
  });
}

test('a cursor of one collection is none of another, and costs no 5xx', async () => {
  await using postern = await startTestService();
  await makeItem(postern, [allowAll], { externalId: 'paged' });
  const paths = ['/v1/content', '/v1/policies', '/v1/api-keys', '/v1/access/decisions'];
  const cursors: string[] = [];
  for (const path of paths) {
    for (let i = 0; i < 3; i++)
      await Object.values(KINDS)
        .find((kind) => kind.path === `${path}?`)
        ?.add(postern);
    cursors.push((await page(postern, `${path}?`, 1, null)).nextCursor);
  }
  for (const path of paths) {
    for (const cursor of cursors) {
      const { status, text } = await postern.call('GET', `${path}?limit=1&cursor=${encodeURIComponent(cursor)}`);
      assert.ok(status === 200 || status === 400, text);
    }
  }
});
