/**
 * Counts of requests that are not registered, the same for every engine: exact below the bound on several nodes, whole
 * beyond it, and in bounded rows.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listCounts, sweepUnregistered, type UnregisteredQuery } from '../../src/content/unregistered/store.ts';
import { openUnregistered, type UnregisteredRequest } from '../../src/content/unregistered/unregistered.ts';
import { type Db, Unavailable } from '../../src/db/db.ts';

export interface Store extends AsyncDisposable {
  /** The store of each node. */
  nodes: readonly [Db, Db];
}

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 21, 12);
const request = (more: Partial<UnregisteredRequest> = {}): UnregisteredRequest => ({
  host: 'www.example.com',
  segment: 'news',
  crawler: null,
  requesterId: null,
  at: NOON,
  ...more,
});
const fail = (error: unknown): never => {
  throw error;
};

async function all(db: Db, query: UnregisteredQuery = {}) {
  const rows = [];
  let cursor: string | undefined;
  do {
    const page = await listCounts(db, { ...query, cursor });
    rows.push(...page.data);
    cursor = page.nextCursor ?? undefined;
    assert.equal(page.hasMore, cursor !== undefined);
    if (cursor === undefined) assert.equal(page.totalCount, rows.length);
  } while (cursor !== undefined);
  return rows;
}

const sum = (rows: readonly { requests: number }[]): number => rows.reduce((total, row) => total + row.requests, 0);
const brief = (rows: Awaited<ReturnType<typeof all>>) =>
  rows.map(({ host, path, crawler, requesterId, requests }) => [host, path, crawler, requesterId, requests]);

export function unregisteredContract(engine: string, open: () => Promise<Store>): void {
  describe(`requests that are not registered, ${engine}`, () => {
    test('several nodes count by host, segment, crawler, requester and hour', async () => {
      await using store = await open();
      const nodes = store.nodes.map((db) => openUnregistered(db, fail));
      const seen = [
        request(),
        request({ segment: '' }),
        request({ crawler: 'GPTBot' }),
        request({ requesterId: "o'brien" }),
        request({ host: 'shop.example.com:8443' }),
        request({ at: NOON + HOUR }),
      ];
      for (let round = 0; round < 5; round++) {
        for (const [i, one] of seen.entries()) {
          for (const node of nodes) for (let n = 0; n <= i; n++) node.count({ ...one, at: one.at + round * 1000 });
        }
        await Promise.all(nodes.map((node) => node.flush()));
      }
      const [db] = store.nodes;
      assert.deepEqual(brief(await all(db)), [
        ['www.example.com', '/news', null, null, 10 + 60],
        ['shop.example.com:8443', '/news', null, null, 50],
        ['www.example.com', '/news', null, "o'brien", 40],
        ['www.example.com', '/news', 'GPTBot', null, 30],
        ['www.example.com', '/', null, null, 20],
      ]);
      assert.deepEqual(brief(await all(db, { from: NOON + HOUR + 1, to: NOON + HOUR + 2 })), [
        ['www.example.com', '/news', null, null, 60],
      ]);
      assert.deepEqual(brief(await all(db, { to: NOON + HOUR, host: 'shop.example.com:8443' })), [
        ['shop.example.com:8443', '/news', null, null, 50],
      ]);
      const [latest] = await all(db, { sort: 'lastSeen' });
      assert.equal(latest?.lastSeen, '2026-11-21T13:00:00.000Z');
      assert.equal(latest?.firstSeen, '2026-11-21T12:00:00.000Z');
      for (const sort of ['requests', 'lastSeen'] as const) {
        assert.deepEqual(await all(db, { sort, limit: 1 }), await all(db, { sort }), sort);
      }
      for (const node of nodes) await node.close();
    });

    test('beyond the bound, requests are counted by host, then together; none is lost', async () => {
      await using store = await open();
      const nodes = store.nodes.map((db) => openUnregistered(db, fail));
      const known = request({ segment: 'first' });
      for (const node of nodes) node.count(known);
      await Promise.all(nodes.map((node) => node.flush()));
      let counted = 2;
      for (const [n, node] of nodes.entries()) {
        for (let i = 0; i < 900; i++) node.count(request({ segment: `made-up-${n}-${i}` }));
        for (let i = 0; i < 900; i++) node.count(request({ host: `${n}-${i}.example.com` }));
        node.count(known);
        counted += 1801;
      }
      await Promise.all(nodes.map((node) => node.flush()));
      const [db] = store.nodes;
      const rows = await all(db, { limit: 100 });
      assert.equal(sum(rows), counted);
      assert.ok(rows.length >= 1_000 && rows.length <= 1_101, `${rows.length} rows`);
      assert.equal(rows.find(({ path }) => path === '/first')?.requests, 4);
      assert.ok(rows.some(({ host, path }) => host === 'www.example.com' && path === null));
      assert.ok(rows.some(({ host, path }) => host === null && path === null));
      // The next hour has room again.
      nodes[0]?.count(request({ segment: 'later', at: NOON + HOUR }));
      await nodes[0]?.flush();
      assert.deepEqual(brief(await all(db, { from: NOON + HOUR })), [['www.example.com', '/later', null, null, 1]]);
      for (const node of nodes) await node.close();
    });

    test('the rest of a host belongs to that host, in memory and in the records', async () => {
      await using store = await open();
      const [db] = store.nodes;
      const node = openUnregistered(db, fail);
      const hosts = Array.from({ length: 250 }, (_, i) => `h${i}.example.com`);
      const visit = (segments: number, from: number) => {
        for (const host of hosts) {
          for (let i = 0; i < segments; i++) node.count(request({ host, segment: `s${from + i}` }));
        }
      };
      visit(4, 0);
      await node.flush();
      // The hour's rows are full; what comes fills the memory, too.
      visit(20, 4);
      await node.flush();
      const rows = await all(db, { limit: 100 });
      assert.equal(sum(rows), hosts.length * 24);
      for (const host of hosts) {
        const own = rows.filter((row) => row.host === host);
        assert.equal(sum(own), 24, host);
        assert.equal(own.find(({ path }) => path === null)?.requests, 20, host);
      }
      await node.close();
    });

    test('a store that fails is tried again, and closing writes what is left', async () => {
      await using store = await open();
      const [db] = store.nodes;
      let fails = true;
      const failing: Db = {
        ...db,
        engine: db.engine,
        atomic: async (steps) => {
          if (fails) throw new Unavailable('not now');
          return db.atomic(steps);
        },
      };
      const counts = openUnregistered(failing, fail);
      for (let i = 0; i < 300; i++) counts.count(request({ segment: `s${i}` }));
      await assert.rejects(counts.flush(), Unavailable);
      counts.count(request({ segment: 's0' }));
      fails = false;
      await counts.close();
      const rows = await all(db, { limit: 100 });
      assert.deepEqual([rows.length, rows[0]?.path, rows[0]?.requests, sum(rows)], [300, '/s0', 2, 301]);
    });

    test('texts that the store refuses hold up nobody; long segments are cut', async () => {
      await using store = await open();
      const [db] = store.nodes;
      const counts = openUnregistered(db, fail);
      counts.count(request({ requesterId: 'a\0b' }));
      counts.count(request({ segment: '\ud800' }));
      counts.count(request({ segment: 'x'.repeat(101) }));
      counts.count(request({ segment: 'x'.repeat(2000) }));
      await counts.close();
      assert.deepEqual(brief(await all(db)), [
        [null, null, null, null, 2],
        ['www.example.com', `/${'x'.repeat(100)}`, null, null, 2],
      ]);
    });

    test('counts of ninety days are kept', async () => {
      await using store = await open();
      const [db] = store.nodes;
      const counts = openUnregistered(db, fail);
      counts.count(request({ segment: 'old' }));
      counts.count(request({ segment: 'new', at: NOON + HOUR }));
      await counts.close();
      await sweepUnregistered(db, NOON + HOUR + 90 * 24 * HOUR);
      assert.deepEqual(
        (await all(db)).map(({ path }) => path),
        ['/new'],
      );
    });
  });
}
