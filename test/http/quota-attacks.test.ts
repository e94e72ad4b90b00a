/** Quotas under edits, deletions, calendars and moves, on one node and on two: never a unit too many, none too few. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { testPostgres } from '../../kit/postgres.ts';
import { runSeed, seeded } from '../../kit/random.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { moveStore } from '../../src/service/storage/move.ts';
import { assertStatus, item, made, makePolicy } from './given.ts';

const licensed = { action: 'allow', conditions: { licenseType: 'commercial' } };
const TERMS = {
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  period: 'year',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 1 }],
};
const quota = (units: number, more: object = {}, terms: object = {}) => ({
  ...TERMS,
  ...terms,
  quota: { units, onExceed: 'deny', ...more },
});

interface Cluster extends AsyncDisposable {
  nodes: TestService[];
  call: TestService['call'];
}

/** Nodes of one installation; one of them on SQLite. */
async function started(count: number): Promise<Cluster> {
  const opened = new AsyncDisposableStack();
  if (count === 1) {
    const one = opened.use(await startTestService());
    return { nodes: [one], call: one.call, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }
  const database = opened.use(await (await testPostgres()).newDatabase());
  const nodes: TestService[] = [];
  for (let i = 0; i < count; i++) {
    nodes.push(opened.use(await startTestService({ env: { POSTERN_DATABASE_URL: database.url } })));
  }
  const [first] = nodes as [TestService];
  for (const one of nodes) one.key = first.key;
  for (const one of nodes) {
    const call = one.call.bind(one);
    one.call = (method, path, options) => call(method, path, { key: first.key, ...options });
  }
  return { nodes, call: first.call, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function stage({ nodes }: Cluster) {
  const [first] = nodes as [TestService];
  const { id: policyId } = await makePolicy(first, [licensed]);
  const items: string[] = [];
  for (let i = 0; i < 4; i++) items.push((await made(first, '/v1/content', item({ policyId }))).id);
  return { first, policyId, items };
}

async function holder(of: TestService, id: string, ...licenses: object[]): Promise<string[]> {
  await made(of, '/v1/requesters', { id });
  const ids: string[] = [];
  for (const one of licenses)
    ids.push((await made(of, '/v1/licenses', { requesterId: id, type: 'commercial', ...one })).id);
  return ids;
}

const recorded = async (of: Cluster, query: string): Promise<number> =>
  (await of.call('GET', `/v1/access/decisions?${query}&limit=1`)).body.totalCount;

for (const count of [1, 2]) {
  describe(count === 1 ? 'on SQLite' : 'on two nodes on PostgreSQL', () => {
    test('terms edited while checks are admitted: in the end exactly the quota was used', async () => {
      await using cluster = await started(count);
      const { first, items } = await stage(cluster);
      const [id] = await holder(first, 'r', { terms: quota(40) });
      let over = false;
      const answers: number[] = [];
      const ask = async (node: TestService) => {
        while (!over) {
          const answer = await node.call('POST', '/v1/access/check', {
            body: { contentId: items[0], requesterId: 'r' },
          });
          answers.push(answer.status);
        }
      };
      const asking = cluster.nodes.flatMap((node) => Array.from({ length: 6 }, () => ask(node)));
      const edits = [
        quota(60),
        quota(60, {}, { purposes: ['ai'] }),
        quota(90),
        quota(70),
        quota(90, { period: 'month' }),
        quota(130),
      ];
      for (const terms of edits) {
        const before = answers.length;
        await until('checks go on', () => answers.length > before + 30);
        assertStatus(await first.call('PATCH', `/v1/licenses/${id}`, { body: { terms, effective: 'now' } }), 200);
        // These checks have no purpose: they use nothing of that quota, and count for the next one.
        if ('purposes' in terms)
          await first.call('PATCH', `/v1/licenses/${id}`, { body: { terms: quota(5000), effective: 'now' } });
      }
      const units = (await recorded(cluster, `licenseId=${id}&allowed=true`)) + 100;
      await first.call('PATCH', `/v1/licenses/${id}`, { body: { terms: quota(units), effective: 'now' } });
      await until(
        'it is used up',
        async () => (await first.call('GET', `/v1/licenses/${id}/usage`)).body.quota.remaining === 0,
        30_000,
      );
      const before = answers.length;
      await until('more are denied', () => answers.length > before + 30);
      over = true;
      await Promise.all(asking);
      assert.deepEqual(new Set(answers), new Set([200]));
      assert.equal(await recorded(cluster, `licenseId=${id}&allowed=true`), units);
    });

    test('a license revoked and a requester deleted in the middle: no error, nothing allowed afterwards', async () => {
      await using cluster = await started(count);
      const { first, items } = await stage(cluster);
      const [id] = await holder(first, 'r', { terms: quota(100_000) });
      await holder(first, 'gone', { terms: quota(100_000) });
      let over = false;
      const seen: { node: TestService; requesterId: string; status: number; allowed: boolean; at: number }[] = [];
      const ask = async (node: TestService, requesterId: string) => {
        while (!over) {
          const at = performance.now();
          const { status, body } = await node.call('POST', '/v1/access/check', {
            body: { contentId: items[0], requesterId },
          });
          seen.push({ node, requesterId, status, allowed: body.allowed, at });
        }
      };
      const asking = cluster.nodes.flatMap((node) => ['r', 'r', 'gone', 'gone'].map((one) => ask(node, one)));
      await until('checks are admitted', () => seen.length > 60);
      assertStatus(await first.call('POST', `/v1/licenses/${id}/revoke`), 200);
      const { status } = await first.call('DELETE', '/v1/requesters/gone');
      const after = performance.now();
      // At once on the node that answered, on another within a second.
      const isKnown = ({ node, at }: (typeof seen)[number]) => at > after + (node === first ? 0 : 1000);
      await until('checks go on', () =>
        cluster.nodes.every((node) => seen.filter((one) => one.node === node && isKnown(one)).length > 30),
      );
      over = true;
      await Promise.all(asking);
      assert.ok(status < 300, String(status));
      assert.deepEqual(new Set(seen.map((one) => one.status)), new Set([200]));
      assert.deepEqual(
        seen.filter((one) => one.allowed && isKnown(one)),
        [],
      );
    });

    test('batches of 100 with many licenses through all nodes at once', async () => {
      await using cluster = await started(count);
      const { first, items } = await stage(cluster);
      const who = ['a', 'b', 'c', 'd'];
      for (const [i, one] of who.entries()) await holder(first, one, { terms: quota(30 + i) });
      await holder(first, 'e', { terms: quota(3, {}, { unit: 'distinct_content' }) });
      const random = seeded(runSeed);
      const batch = () => ({
        checks: Array.from({ length: 100 }, () => ({
          contentId: random.pick(items),
          requesterId: random.pick([...who, 'e']),
          ...(random.chance(0.2) ? { dryRun: true } : {}),
        })),
      });
      const batches = Array.from({ length: 6 }, (_, i) =>
        (cluster.nodes[i % count] as TestService).call('POST', '/v1/access/check/batch', { body: batch() }),
      );
      const decisions = (await Promise.all(batches)).flatMap(({ body }) => body.data);
      for (const [i, one] of who.entries()) {
        const allowed = decisions.filter((d: any) => d.requesterId === one && d.allowed && d.recorded);
        assert.equal(allowed.length, 30 + i, one);
        const used = allowed.map((d: any) => d.quota.used).toSorted((x: number, y: number) => x - y);
        assert.deepEqual(
          used,
          Array.from({ length: 30 + i }, (_, n) => n + 1),
        );
      }
      const distinct = decisions.filter((d: any) => d.requesterId === 'e' && d.allowed && d.recorded);
      assert.equal(new Set(distinct.map((d: any) => d.contentId)).size, 3);
    });
  });
}

test('a day of the quota ends at midnight of its zone, also when its clock changes then', async () => {
  const clock = testClock(Date.parse('2026-10-24T22:30:00Z'));
  await using own = await startTestService({ clock });
  const { id: policyId } = await makePolicy(own, [licensed]);
  const { id: contentId } = await made(own, '/v1/content', item({ policyId }));
  const ask = async (requesterId: string) =>
    (await own.call('POST', '/v1/access/check', { body: { contentId, requesterId } })).body;
  // The day has 25 hours in Berlin; in Beirut and Havana the clock changes at midnight.
  for (const [timezone, now, end] of [
    ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00.000Z'],
    ['America/Havana', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00.000Z'],
    ['Europe/Berlin', '2027-03-27T23:00:00Z', '2027-03-28T22:00:00.000Z'],
    ['Asia/Beirut', '2027-03-27T22:00:00Z', '2027-03-28T21:00:00.000Z'],
  ].toSorted((a, b) => Date.parse(a[1] as string) - Date.parse(b[1] as string)) as [string, string, string][]) {
    const name = `${timezone} ${now}`;
    const id = `z${Math.random()}`;
    if (Date.parse(now) > clock.now()) clock.advance(Date.parse(now) - clock.now());
    await holder(own, id, { terms: quota(1, { period: 'day' }, { timezone }) });
    const first = await ask(id);
    assert.deepEqual([first.allowed, first.quota.resetAt], [true, end], name);
    clock.advance(Date.parse(end) - 1 - clock.now());
    assert.equal((await ask(id)).reason, 'quota_exceeded', name);
    clock.advance(1);
    assert.deepEqual([(await ask(id)).allowed, (await ask(id)).allowed], [true, false], name);
  }
});

test('/v1/authorize answers 403 or 429 for a quota, and tells limit and quota in the fields', async () => {
  await using own = await startTestService();
  const { id: policyId } = await makePolicy(own, [{ ...licensed, rateLimit: { requests: 50, period: 'hour' } }]);
  await made(own, '/v1/collections', { name: 'n', hosts: ['news.example'], policyId });
  await holder(own, 'r', { terms: quota(1) });
  const ask = (more = '') =>
    own.call('GET', `/v1/authorize?origin=https://news.example&requesterHeader=x-who${more}`, {
      key: null,
      headers: { 'x-postern-key': own.key, 'x-original-uri': '/a', 'x-who': 'r' },
    });
  const first = await ask();
  assertStatus(first, 200);
  assert.match(first.headers.get('ratelimit-policy') ?? '', /^"access";q=50;w=3600, "license";q=1$/);
  assert.match(first.headers.get('ratelimit') ?? '', /^"access";r=49;t=\d+, "license";r=0;t=\d+$/);
  const denied = await ask();
  assertStatus(denied, 403);
  const natural = await ask('&denyStatus=429');
  assertStatus(natural, 429);
  for (const { headers } of [denied, natural]) {
    assert.equal(headers.get('x-postern-reason'), 'quota_exceeded');
    const t = Number(/"license";r=0;t=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    assert.ok(Number(headers.get('retry-after')) >= t && t > 0, `${headers.get('retry-after')} ${t}`);
  }
});

test('events of quotas have the pseudonym of an erased requester', async () => {
  await using own = await startTestService();
  const { id: policyId } = await makePolicy(own, [licensed]);
  const { id: contentId } = await made(own, '/v1/content', item({ policyId }));
  const ID = 'someone-to-forget';
  const [id] = await holder(own, ID, { terms: quota(1) });
  for (let i = 0; i < 2; i++) await own.call('POST', '/v1/access/check', { body: { contentId, requesterId: ID } });
  const erasing = await own.call('POST', `/v1/requesters/${ID}/erase`, { body: { confirm: ID } });
  assertStatus(erasing, 200);
  await until(
    'it is erased',
    async () => (await own.call('GET', '/v1/audit-log?kind=requester.erased')).body.data.length > 0,
    60_000,
  );
  const events = (await own.call('GET', `/v1/events?objectId=${id}&limit=100`)).body.data;
  const told = events.filter(
    ({ type }: any) => type === 'license.quota_exceeded' || type === 'license.threshold_reached',
  );
  assert.equal(told.length, 4);
  for (const { data } of told) assert.equal(data.object.requesterId, erasing.body.pseudonym);
  for (const table of ['limits', 'quota_contents', 'change_data', 'events', 'licenses', 'license_terms']) {
    assert.ok(!JSON.stringify(await own.rowsOf(table)).includes(ID), table);
  }
});

test('a move to PostgreSQL takes the counts along', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-quota-move-'));
  await using database = await (await testPostgres()).newDatabase();
  const embedded = await startTestService({ dataDir });
  const { id: policyId } = await makePolicy(embedded, [licensed]);
  const contents = [
    await made(embedded, '/v1/content', item({ policyId })),
    await made(embedded, '/v1/content', item({ policyId })),
  ];
  await holder(embedded, 'r', { terms: quota(3) });
  await holder(embedded, 'd', { terms: quota(1, {}, { unit: 'distinct_content' }) });
  const ask = async (of: TestService, requesterId: string, i = 0) => {
    const { body } = await of.call('POST', '/v1/access/check', {
      key: embedded.key,
      body: { contentId: contents[i].id, requesterId },
    });
    return [body.allowed, body.quota?.used];
  };
  assert.deepEqual(
    [await ask(embedded, 'r'), await ask(embedded, 'r'), await ask(embedded, 'd')],
    [
      [true, 1],
      [true, 2],
      [true, 1],
    ],
  );
  await embedded.service.close();
  await moveStore({ dataDir, url: database.url, say: () => {} });
  await using moved = await startTestService({ env: { POSTERN_DATABASE_URL: database.url } });
  assert.deepEqual(
    [await ask(moved, 'r'), await ask(moved, 'r')],
    [
      [true, 3],
      [false, 3],
    ],
  );
  assert.deepEqual(
    [await ask(moved, 'd'), await ask(moved, 'd', 1)],
    [
      [true, 1],
      [false, 1],
    ],
  );
});

test('random histories of licenses, purposes and edits agree with counting by hand', async () => {
  await using own = await startTestService();
  const { id: policyId } = await makePolicy(own, [licensed]);
  const contents: string[] = [];
  for (let i = 0; i < 3; i++) contents.push((await made(own, '/v1/content', item({ policyId }))).id);
  const random = seeded(runSeed);
  const PURPOSES = ['ai', 'search', null];
  for (let round = 0; round < 12; round++) {
    const draw = () => ({
      units: random.int(0, 12) || 1,
      unit: random.pick(['decision', 'distinct_content']),
      purposes: random.chance(0.3) ? ['ai'] : undefined,
    });
    const toTerms = ({ units, unit, purposes }: ReturnType<typeof draw>) =>
      quota(units, {}, { unit, ...(purposes && { purposes }) });
    const requesterId = `m${round}`;
    const held = Array.from({ length: random.int(1, 3) }, () => ({
      ...draw(),
      uses: [] as { purpose: string | null; content: string }[],
    }));
    const ids = await holder(
      own,
      requesterId,
      ...held.map((one, i) => ({ terms: toTerms(one), expiresAt: `20${40 + i}-01-01T00:00:00Z` })),
    );
    const counts = (one: (typeof held)[number], purpose: string | null) =>
      one.purposes === undefined || (purpose !== null && one.purposes.includes(purpose));
    const usedOf = (one: (typeof held)[number]) => {
      const counted = one.uses.filter(({ purpose }) => counts(one, purpose));
      return one.unit === 'decision' ? counted.length : new Set(counted.map(({ content }) => content)).size;
    };
    for (let step = 0; step < 5; step++) {
      const checks = Array.from({ length: random.int(1, 12) }, () => {
        const purpose = random.pick(PURPOSES);
        return {
          contentId: random.pick(contents),
          requesterId,
          ...(purpose === null ? {} : { purpose }),
          dryRun: random.chance(0.2),
        };
      });
      const { body } = await own.call('POST', '/v1/access/check/batch', { body: { checks } });
      for (const [i, check] of checks.entries()) {
        const purpose = check.purpose ?? null;
        const serving = held.findIndex((one) => {
          if (!counts(one, purpose)) return true;
          const isOld =
            one.unit === 'distinct_content' &&
            one.uses.some((use) => use.content === check.contentId && counts(one, use.purpose));
          return isOld || usedOf(one) < one.units;
        });
        if (serving >= 0 && !check.dryRun)
          (held[serving] as (typeof held)[number]).uses.push({ purpose, content: check.contentId });
        const { allowed, licenseId, quota: state } = body.data[i];
        const what = `seed ${runSeed} round ${round} step ${step} check ${i}`;
        assert.equal(allowed, serving >= 0, what);
        if (serving < 0) continue;
        const one = held[serving] as (typeof held)[number];
        assert.equal(licenseId, ids[serving], what);
        assert.equal(state?.used, counts(one, purpose) ? usedOf(one) : undefined, what);
      }
      if (random.chance(0.5)) {
        const i = random.int(0, held.length - 1);
        Object.assign(held[i] as object, draw());
        const terms = toTerms(held[i] as (typeof held)[number]);
        assertStatus(await own.call('PATCH', `/v1/licenses/${ids[i]}`, { body: { terms, effective: 'now' } }), 200);
      }
    }
  }
});
