/** Demand: the requesters and the licenses they lack, exact, complete, in order, page by page and as a file. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { pluck } from '../../kit/pluck.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, item, made, makePolicy } from './given.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-09-01T00:00:00Z');
const DAYS = 60;
const clock = testClock(START);
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

type Any = any;
const read = async (path: string): Promise<Any> => {
  const answer = await postern.call('GET', `/v1/analytics/${path}`);
  assertStatus(answer, 200, path);
  return answer.body;
};

/** Deterministic, and different from one run of the file to none. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const policy = await makePolicy(postern, [
  { action: 'allow', conditions: { licenseType: 'training' } },
  { action: 'allow', conditions: { purpose: 'search' } },
  { action: 'deny', conditions: { purpose: 'spam' } },
]);
const items: Any[] = [];
for (let i = 0; i < 6; i++) {
  const type = i % 2 === 0 ? 'article' : 'report';
  items.push(await made(postern, '/v1/content', item({ title: `Title ${i}`, type, policyId: policy.id })));
}
for (const [id, more] of [
  ['partner-1', { name: 'Acme GmbH', type: 'ai', tags: ['eu', 'big'] }],
  ['partner-2', { name: 'Globex', status: 'suspended' }],
  ['quiet-1', { name: 'Never asked' }],
] as const) {
  await made(postern, '/v1/requesters', { id, ...more });
}
await made(postern, '/v1/licenses', { requesterId: 'partner-1', type: 'training', expiresAt: '2026-09-20T00:00:00Z' });

interface Asked {
  at: number;
  requesterId: string | null;
  purpose: string | null;
  item: Any;
  reason: string | null;
}
const asked: Asked[] = [];
const pick = random(7);
for (let day = 0; day < DAYS; day++) {
  const checks = Array.from({ length: 12 }, () => {
    const who = pick(9);
    const purpose = [null, 'training', 'search', 'spam', 'training'][pick(5)] as string | null;
    return { who: who === 0 ? null : who < 3 ? `partner-${who}` : `Crawler-${who}`, purpose, item: items[pick(6)] };
  });
  const { data } = await made(
    postern,
    '/v1/access/check/batch',
    {
      checks: checks.map(({ who, purpose, item: { id } }) => ({
        contentId: id,
        ...(who === null ? {} : { requesterId: who }),
        ...(purpose === null ? {} : { purpose }),
      })),
    },
    200,
  );
  for (const [i, one] of checks.entries()) {
    const at = Date.parse(data[i].created);
    asked.push({ at, requesterId: one.who, purpose: one.purpose, item: one.item, reason: data[i].reason });
  }
  clock.advance(DAY);
}
const NOW = START + DAYS * DAY;
const WANTING = ['no_license', 'license_expired'];
const countBy = <K>(keys: readonly K[]): Map<K, number> => {
  const counts = new Map<K, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};
/** The most frequent first, equals by their text, none before any. */
const most = <K extends string | null>(keys: readonly K[]): [K, number][] =>
  [...countBy(keys)].toSorted(([a, m], [b, n]) => n - m || ((a ?? '') < (b ?? '') ? -1 : 1));

async function walk(path: string, limit: number): Promise<Any[]> {
  const rows: Any[] = [];
  let cursor: string | null = null;
  do {
    const page: Any = await read(`${path}&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
    rows.push(...page.data);
    assert.equal(page.hasMore, page.nextCursor !== null);
    assert.equal(page.object, 'list');
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

test('the story has what the tests are about', () => {
  assert.ok(asked.some(({ reason }) => reason === 'license_expired'));
  assert.ok(asked.some(({ reason }) => reason === 'no_license'));
  assert.ok(asked.some(({ requesterId, reason }) => requesterId === null && reason === 'no_license'));
});

describe('who asked', () => {
  test('a key that reads reports alone learns names and counts, and nothing else of a record', async () => {
    const { key } = await made(postern, '/v1/api-keys', { name: 'r', type: 'secret', permissions: ['analytics:read'] });
    const { body } = await postern.call('GET', '/v1/analytics/requesters?limit=100', { key });
    const acme = body.data.find(({ id }: Any) => id === 'partner-1');
    const { name, registered, status, type, tags } = acme;
    assert.deepEqual([name, registered, status, type, tags], ['Acme GmbH', true, null, null, []]);
    const filtered = await postern.call('GET', '/v1/analytics/requesters?status=suspended', { key });
    assertError(filtered, 'insufficient_permissions');
  });

  /** Everybody, the slow way. */
  const expected = (from: number, to: number, sort: (row: Any) => number) => {
    const registered: Record<string, Any> = {
      'partner-1': { name: 'Acme GmbH', status: 'active', type: 'ai', tags: ['eu', 'big'] },
      'partner-2': { name: 'Globex', status: 'suspended', type: null, tags: [] },
      'quiet-1': { name: 'Never asked', status: 'active', type: null, tags: [] },
    };
    const inSpan = asked.filter(({ at, requesterId }) => requesterId !== null && at >= from && at < to);
    const ids = new Set([...Object.keys(registered), ...inSpan.map(({ requesterId }) => requesterId as string)]);
    return [...ids]
      .map((id) => {
        const own = inSpan.filter(({ requesterId }) => requesterId === id);
        const allowed = own.filter(({ reason }) => reason === null).length;
        const last = Math.max(...own.map(({ at }) => at));
        return {
          id,
          ...(registered[id] ?? { name: id, status: null, type: null, tags: [] }),
          registered: id in registered,
          requests: own.length,
          allowed,
          denied: own.length - allowed,
          verified: 0,
          lastSeen: own.length === 0 ? null : new Date(last).toISOString(),
        };
      })
      .toSorted((a, b) => sort(b) - sort(a) || (a.id < b.id ? -1 : 1));
  };
  const SORTS: Record<string, (row: Any) => number> = {
    requests: (row) => row.requests,
    denied: (row) => row.denied,
    lastSeen: (row) => (row.lastSeen === null ? -1 : Date.parse(row.lastSeen)),
  };

  for (const [sort, value] of Object.entries(SORTS)) {
    test(`everybody by ${sort}, on pages of any length`, async () => {
      const all = expected(0, Number.POSITIVE_INFINITY, value);
      for (const limit of [1, 4, 100]) assert.deepEqual(await walk(`requesters?sort=${sort}`, limit), all);
      const { totalCount } = await read('requesters?limit=1');
      assert.equal(totalCount, all.length);
    });
  }

  test('in a span: who did not ask in it is there only if registered', async () => {
    const [from, to] = [START + 10 * DAY, START + 11 * DAY];
    const span = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
    assert.deepEqual(await walk(`requesters?${span}`, 3), expected(from, to, SORTS.requests as never));
  });

  test('by parts of ids and names, registered or not, by status', async () => {
    const ids = async (query: string) => (await walk(`requesters?${query}`, 100)).map(({ id }) => id).toSorted();
    assert.deepEqual(await ids('q=CRAWLER-3'), ['Crawler-3']);
    assert.deepEqual(await ids('q=acme'), ['partner-1']);
    assert.deepEqual(await ids('q=partner'), ['partner-1', 'partner-2']);
    assert.deepEqual(await ids("q=%25' or 1=1 --"), []);
    assert.deepEqual(await ids('registered=true'), ['partner-1', 'partner-2', 'quiet-1']);
    assert.deepEqual(
      await ids('registered=false'),
      [3, 4, 5, 6, 7, 8].map((n) => `Crawler-${n}`),
    );
    assert.deepEqual(await ids('status=suspended'), ['partner-2']);
  });

  test('a requester is there as soon as it is registered, as it was edited, and not when deleted', async () => {
    const found = async () => (await read('requesters?q=newcomer')).data;
    await made(postern, '/v1/requesters', { id: 'newcomer', name: 'New' });
    assert.deepEqual(pluck(await found(), 'name', 'requests'), [['New', 0]]);
    await postern.call('PATCH', '/v1/requesters/newcomer', { body: { name: 'Newer', tags: ['x'] } });
    assert.deepEqual(pluck(await found(), 'name', 'tags'), [['Newer', ['x']]]);
    await postern.call('DELETE', '/v1/requesters/newcomer');
    assert.deepEqual(await found(), []);
  });

  test('decisions made during a walk change none of its pages', async () => {
    const all = (await read('requesters?limit=100')).data;
    const first = await read('requesters?limit=2');
    const checks = Array.from({ length: 200 }, () => ({ contentId: items[0].id, requesterId: all.at(-3).id }));
    const wanted = all.slice(2);
    // The walk must not count these 200 decisions; the log shows that they exist.
    const { body: before } = await postern.call('GET', '/v1/access/decisions?limit=1');
    await made(postern, '/v1/access/check/batch', { checks: checks.map((one) => ({ ...one, dryRun: false })) }, 200);
    const { body: now } = await postern.call('GET', '/v1/access/decisions?limit=1');
    assert.equal(now.totalCount, before.totalCount + 200);
    const rest: Any[] = [];
    for (let { nextCursor } = first; nextCursor !== null; ) {
      const page = await read(`requesters?limit=2&cursor=${nextCursor}`);
      rest.push(...page.data);
      nextCursor = page.nextCursor;
    }
    assert.deepEqual(rest, wanted);
    for (let i = 0; i < 200; i++)
      asked.push({ at: NOW, requesterId: all.at(-3).id, purpose: null, item: items[0], reason: 'no_license' });
    clock.advance(DAY);
  });

  test('as a file', async () => {
    const answer = await postern.call('GET', '/v1/analytics/requesters?sort=denied', {
      headers: { accept: 'text/csv' },
    });
    assertStatus(answer, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/);
    const lines = answer.text.trim().split('\r\n');
    assert.equal(lines[0], 'id,name,registered,status,type,tags,requests,allowed,denied,lastSeen,verified');
    const all = expected(0, Number.POSITIVE_INFINITY, (row) => row.denied);
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',')[0]),
      all.map(({ id }) => id),
    );
    assert.ok(lines.some((line) => line.startsWith('partner-1,Acme GmbH,true,active,ai,"eu; big",')));
  });

  test('what is wrong with a question is said', async () => {
    for (const [query, code, param] of [
      ['sort=name', 'invalid_request', 'sort'],
      ['q=', 'invalid_request', 'q'],
      ['from=yesterday', 'invalid_request', 'from'],
      ['registred=true', 'invalid_request', 'registred'],
      ['cursor=OTk5OTk5OTk5OTk5OTk5OTk5', 'invalid_cursor', 'cursor'],
    ] as const) {
      assertError(await postern.call('GET', `/v1/analytics/requesters?${query}`), code, param, query);
    }
  });
});

describe('demand', () => {
  const NAMES: Record<string, string> = { 'partner-1': 'Acme GmbH', 'partner-2': 'Globex' };
  const expected = (from: number, to: number, of: (one: Asked) => boolean = () => true) => {
    const denials = asked.filter((one) => WANTING.includes(one.reason ?? '') && of(one));
    const now = denials.filter(({ at }) => at >= from && at < to);
    const before = denials.filter(({ at }) => at >= from - (to - from) && at < from);
    return [...new Set(now.map(({ requesterId }) => requesterId))].map((id) => {
      const own = now.filter(({ requesterId }) => requesterId === id);
      const trend = Array.from({ length: 12 }, () => 0);
      for (const { at } of own) (trend[Math.floor(((at - from) * 12) / (to - from))] as number)++;
      return {
        requesterId: id,
        name: NAMES[id ?? ''] ?? id,
        registered: id?.startsWith('partner') ?? false,
        who:
          id === null
            ? { kind: 'no_user_agent', id: null, name: null }
            : { kind: 'requester', id, name: NAMES[id] ?? id },
        denied: own.length,
        previous: before.filter(({ requesterId }) => requesterId === id).length,
        trend,
        uniqueContent: new Set(own.map((one) => one.item.id)).size,
        uniqueUrls: 0,
        since: new Date(Math.min(...denials.filter((one) => one.requesterId === id).map(({ at }) => at))).toISOString(),
        byLicense: [{ licenseTypes: ['training'], anyLicense: false, denied: own.length, estimate: null }],
        crawlers: [],
        collections: [],
        lastSeen: new Date(Math.max(...own.map(({ at }) => at))).toISOString(),
        byReason: [...countBy(own.map(({ reason }) => reason))]
          .toSorted(([a, m], [b, n]) => n - m || (a === 'no_license' ? -1 : Number(b === a)))
          .map(([reason, count]) => ({ reason, count })),
        purposes: most(own.map(({ purpose }) => purpose)).map(([purpose, denied]) => ({ purpose, denied })),
        topContent: most(own.map((one) => one.item.id as string))
          .slice(0, 3)
          .map(([found, denied]) => ({ id: found, title: items.find((one) => one.id === found).title, denied })),
      };
    });
  };
  const SORTS: Record<string, (row: Any) => number> = {
    denied: (row) => row.denied,
    change: (row) => row.denied - row.previous,
    lastSeen: (row) => Date.parse(row.lastSeen),
  };
  const sorted = (rows: Any[], sort: string) =>
    rows.toSorted(
      (a, b) =>
        (SORTS[sort] as (row: Any) => number)(b) - (SORTS[sort] as (row: Any) => number)(a) ||
        ((a.requesterId ?? '') < (b.requesterId ?? '') ? -1 : 1),
    );
  const [from, to] = [START + 30 * DAY, NOW];
  const span = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;

  for (const sort of Object.keys(SORTS)) {
    test(`everybody by ${sort}, with purposes, items, trend and what was before`, async () => {
      const all = sorted(expected(from, to), sort);
      assert.ok(all.length > 5);
      for (const limit of [1, 3, 100]) assert.deepEqual(await walk(`demand?${span}&sort=${sort}`, limit), all);
      assert.equal((await read(`demand?${span}&limit=1`)).totalCount, all.length);
    });
  }

  test('its sum is that of the usage report', async () => {
    const rows = await walk(`demand?${span}`, 100);
    let denied = 0;
    for (const reason of WANTING) {
      const query = `usage?startDate=${new Date(from).toISOString()}&endDate=${new Date(to).toISOString()}&reason=${reason}`;
      denied += (await read(query)).summary.denied;
    }
    assert.equal(
      rows.reduce((sum, row) => sum + row.denied, 0),
      denied,
    );
  });

  test('filtered', async () => {
    for (const [query, of] of [
      ['reason=license_expired', (one: Asked) => one.reason === 'license_expired'],
      ['purpose=training', (one: Asked) => one.purpose === 'training'],
      ['requesterId=Crawler-4', (one: Asked) => one.requesterId === 'Crawler-4'],
      [`contentId=${items[2].externalId}`, (one: Asked) => one.item === items[2]],
      ['type=report', (one: Asked) => one.item.type === 'report'],
      ['q=ACME', (one: Asked) => one.requesterId === 'partner-1'],
      ['purpose=nothing', () => false],
      ['contentId=nothing', () => false],
    ] as const) {
      assert.deepEqual(await walk(`demand?${span}&${query}`, 2), sorted(expected(from, to, of), 'denied'), query);
    }
  });

  test('without a span: the last thirty days', async () => {
    const rows = await walk('demand?q=Crawler-5', 10);
    const until = clock.now() + 1;
    assert.deepEqual(
      rows,
      sorted(
        expected(until - 30 * DAY, until, ({ requesterId }) => requesterId === 'Crawler-5'),
        'denied',
      ),
    );
  });

  test('"until now" means the same on every page of a walk', async () => {
    const all = (await read('demand?limit=100')).data;
    const first = await read('demand?limit=2');
    clock.advance(7 * DAY);
    const rest = await read(`demand?limit=100&cursor=${first.nextCursor}`);
    assert.deepEqual([...first.data, ...rest.data], all);
  });

  test('what is deleted with an item leaves at once', async () => {
    const extra = await made(postern, '/v1/content', item({ policyId: policy.id }));
    await made(postern, '/v1/access/check', { contentId: extra.id, requesterId: 'only-here' }, 200);
    assert.equal((await read('demand?q=only-here')).totalCount, 1);
    await postern.call('DELETE', `/v1/content/${extra.id}`);
    assert.equal((await read('demand?q=only-here')).totalCount, 0);
    assert.equal((await read('requesters?q=only-here')).totalCount, 0);
  });

  test('the same after a restart', async () => {
    const before = await read(`demand?${span}`);
    await postern.restart();
    assert.deepEqual(await read(`demand?${span}`), before);
  });

  test('as a file', async () => {
    const answer = await postern.call('GET', `/v1/analytics/demand?${span}`, { headers: { accept: 'text/csv' } });
    assertStatus(answer, 200);
    const lines = answer.text.trim().split('\r\n');
    assert.equal(
      lines[0],
      'requesterId,name,registered,denied,previous,no_license,license_expired,uniqueContent,lastSeen,purposes,topContent,crawler,collectionId,collectionName,purpose,license,since,uniqueUrls,licenses,estimate,currency,who',
    );
    const all = sorted(expected(from, to), 'denied');
    assert.equal(lines.length, all.length + 1);
    const [first] = all;
    assert.ok(
      lines[1]?.startsWith(`${first.requesterId ?? ''},${first.name ?? ''},${first.registered},${first.denied},`),
    );
    assert.ok(lines[1]?.includes(`training: ${first.purposes.find((one: Any) => one.purpose === 'training').denied}`));
  });

  test('what is wrong with a question is said', async () => {
    for (const [query, code, param] of [
      ['from=2026-11-02&to=2026-11-01', 'invalid_request', 'from'],
      ['reason=policy_denied', 'invalid_request', 'reason'],
      ['sort=requests', 'invalid_request', 'sort'],
      ['cursor=nonsense', 'invalid_cursor', 'cursor'],
    ] as const) {
      assertError(await postern.call('GET', `/v1/analytics/demand?${query}`), code, param, query);
    }
  });
});
