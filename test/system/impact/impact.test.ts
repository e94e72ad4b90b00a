/**
 * The laws of the impact preview. The same version changes nothing. Every count equals simulating each decision again,
 * as of its time. Unknown values are reported as unknown. A preview runs beside checks, one at a time, and can be
 * canceled.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { runSeed, seeded } from '../../../kit/random.ts';
import { startTestService, type TestService, testClock } from '../../../kit/service.ts';
import { allowAll, assertError, assertStatus, check, made, makeItem, makeKey, makePolicy } from '../../http/given.ts';
import { ALL_KEYS, policyArbitrary, VOCABULARY } from '../../oracle/arbitrary.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

type Any = any;
const impact = (policyId: string, body: object, own = postern): Promise<Any> =>
  made(own, `/v1/policies/${policyId}/impact`, body, 200);
const patch = async (path: string, body: object, own = postern): Promise<void> => {
  assertStatus(await own.call('PATCH', path, { body }), 200, path);
};
const sumOf = (one: Any): number =>
  one.unchanged +
  one.allowToDeny +
  one.denyToAllow +
  one.otherPermissions +
  one.otherReason +
  one.limited +
  one.unknown.decisions;

describe('what a draft would have changed', () => {
  test('counted by requester, item and reason, with examples', async () => {
    const { id, policyId, externalId, title } = await makeItem(postern, [
      { action: 'allow', conditions: { purpose: 'reading' } },
    ]);
    await made(postern, '/v1/requesters', { id: 'named', name: 'A name' });
    const kept: Any[] = [];
    for (const body of [{ purpose: 'reading' }, { purpose: 'training' }, {}]) {
      for (const requesterId of ['named', 'unnamed', undefined]) {
        clock.advance(1000);
        kept.push(await check(postern, { contentId: id, ...(requesterId && { requesterId }), ...body }));
      }
    }
    const rules = [{ action: 'allow', conditions: { purpose: 'training', requesterId: ['named', 'unnamed'] } }];
    const answer = await impact(policyId, { policy: { rules } });
    const { from, to, examples, ...rest } = answer;
    assert.deepEqual(rest, {
      object: 'policy_impact',
      policyId,
      decisions: 9,
      unchanged: 4,
      allowToDeny: 3,
      denyToAllow: 2,
      otherPermissions: 0,
      otherReason: 0,
      limited: 0,
      byRequester: [
        { id: 'named', name: 'A name', allowToDeny: 1, denyToAllow: 1 },
        { id: 'unnamed', name: 'unnamed', allowToDeny: 1, denyToAllow: 1 },
        { id: null, name: null, allowToDeny: 1, denyToAllow: 0 },
      ],
      byWho: [
        { who: { kind: 'requester', id: 'named', name: 'A name' }, allowToDeny: 1, denyToAllow: 1 },
        { who: { kind: 'requester', id: 'unnamed', name: 'unnamed' }, allowToDeny: 1, denyToAllow: 1 },
        { who: { kind: 'no_user_agent', id: null, name: null }, allowToDeny: 1, denyToAllow: 0 },
      ],
      byContent: [{ id, externalId, title, allowToDeny: 3, denyToAllow: 2 }],
      byCollection: [],
      byReason: [
        { from: null, to: 'policy_denied', count: 3 },
        { from: 'policy_denied', to: null, count: 2 },
      ],
      unknown: { decisions: 0, causes: [] },
    });
    assert.equal(Date.parse(to) - Date.parse(from), 30 * 86_400_000);
    assert.equal(examples.length, 5);
    // Every kind of change is seen, the newest first.
    assert.deepEqual(examples[0], {
      decisionId: kept[2].id,
      created: kept[2].created,
      contentId: id,
      url: null,
      requesterId: null,
      who: { kind: 'no_user_agent', id: null, name: null },
      before: { allowed: true, reason: null },
      after: { allowed: false, reason: 'policy_denied', matchedRule: null },
    });
    assert.deepEqual(examples[1].after, { allowed: true, reason: null, matchedRule: { index: 0, priority: 1 } });
    assert.equal((await impact(policyId, { policy: { rules }, examples: 0 })).examples.length, 0);
    assert.equal((await impact(policyId, { policy: { rules }, examples: 2 })).examples.length, 2);
  });
  test('for URLs, by their collection of then', async () => {
    const { id: policyId } = await makePolicy(postern, [
      { action: 'deny', conditions: { purpose: 'training' } },
      allowAll,
    ]);
    const hosts = ['impact.example'];
    const { id } = await made(postern, '/v1/collections', { name: 'Watched', hosts, policyId });
    const url = 'https://impact.example/a';
    await check(postern, { url });
    await check(postern, { url, purpose: 'training' });
    clock.advance(1000);
    await made(postern, '/v1/content', { externalId: 'later', title: 'T', type: 'article', source: url, policyId });
    const { contentId } = await check(postern, { url });
    const rules = [{ action: 'deny', conditions: { purposeNot: 'training' } }, allowAll];
    const answer = await impact(policyId, { policy: { rules } });
    assert.deepEqual([answer.decisions, answer.allowToDeny, answer.denyToAllow], [3, 2, 1]);
    assert.deepEqual(answer.byCollection, [{ id, name: 'Watched', allowToDeny: 2, denyToAllow: 1 }]);
    assert.deepEqual(answer.byContent[0].allowToDeny, 1);
    const urls = answer.examples.map((one: Any) => [one.contentId, one.url]);
    assert.deepEqual(
      urls.toSorted(([a]: [string | null], [b]: [string | null]) => Number(a !== null) - Number(b !== null)),
      [
        [null, 'impact.example/a'],
        [null, 'impact.example/a'],
        [contentId, 'impact.example/a'],
      ],
    );
    assert.equal((await impact(policyId, { version: 1 })).unchanged, 3);
  });
  test('a version, and a span: `from` is included, `to` is not', async () => {
    const { id, policyId } = await makeItem(postern, [allowAll]);
    const at: string[] = [];
    for (let i = 0; i < 4; i++) {
      clock.advance(1000);
      at.push((await check(postern, { contentId: id })).created);
    }
    await patch(`/v1/policies/${policyId}`, { rules: [] });
    clock.advance(1000);
    assert.equal((await impact(policyId, { version: 2 })).allowToDeny, 4);
    assert.equal((await impact(policyId, { version: 1 })).unchanged, 4);
    const some = await impact(policyId, { version: 2, from: at[1], to: at[3] });
    assert.deepEqual([some.decisions, some.from, some.to], [2, at[1], at[3]]);
    assert.equal((await impact(policyId, { version: 2, from: '2020-01-01T00:00:00Z', to: at[0] })).decisions, 0);
    assert.equal((await impact(policyId, { version: 2, to: '2100-01-01T00:00:00Z' })).decisions, 0);
    const other = await makePolicy(postern, []);
    assert.equal((await impact(other.id, { policy: { rules: [allowAll] } })).decisions, 0);
  });
  test('a default action that is not sent is that of the policy', async () => {
    const { id, policyId } = await makeItem(postern, [], {}, { defaultAction: 'allow' });
    clock.advance(1000);
    await check(postern, { contentId: id });
    assert.equal((await impact(policyId, { policy: { rules: [] } })).unchanged, 1);
    assert.equal((await impact(policyId, { policy: { rules: [], defaultAction: 'deny' } })).allowToDeny, 1);
  });
  test('other permissions, another reason', async () => {
    const { id, policyId } = await makeItem(postern, [
      { action: 'allow', conditions: { purpose: 'a' }, permissions: ['full_access', 'training'] },
      { action: 'deny' },
    ]);
    clock.advance(1000);
    await check(postern, { contentId: id, purpose: 'a' });
    await check(postern, { contentId: id, purpose: 'b' });
    const same = { action: 'allow', conditions: { purpose: 'a' }, permissions: ['training', 'full_access'] };
    const one = await impact(policyId, {
      policy: { rules: [same, { action: 'deny', conditions: { hasValidLicense: false } }] },
    });
    assert.deepEqual([one.unchanged, one.otherReason, one.otherPermissions], [1, 1, 0]);
    assert.deepEqual(one.byReason, [{ from: 'policy_denied', to: 'no_license', count: 1 }]);
    const two = await impact(policyId, {
      policy: { rules: [{ ...same, permissions: ['training'] }, { action: 'deny' }] },
    });
    assert.deepEqual([two.unchanged, two.otherPermissions], [1, 1]);
  });
});

describe('limits are not played again', () => {
  test('a denial by a limit turns only where no limit is left', async () => {
    const limited = { action: 'allow', conditions: { purpose: 'a' }, rateLimit: { requests: 2, period: 'day' } };
    const { id, policyId } = await makeItem(postern, [limited]);
    clock.advance(1000);
    for (let i = 0; i < 5; i++) await check(postern, { contentId: id, purpose: 'a' });
    const counts = async (rules: object[]): Promise<number[]> => {
      const one = await impact(policyId, { policy: { rules } });
      assert.equal(sumOf(one), 5);
      return [one.unchanged, one.limited, one.denyToAllow, one.allowToDeny, one.otherReason];
    };
    assert.deepEqual(await counts([limited]), [2, 3, 0, 0, 0]);
    assert.deepEqual(await counts([{ ...limited, rateLimit: { requests: 1, period: 'day' } }]), [2, 3, 0, 0, 0]);
    assert.deepEqual(await counts([{ action: 'allow', conditions: { purpose: 'a' } }]), [2, 0, 3, 0, 0]);
    assert.deepEqual(await counts([]), [0, 0, 0, 2, 3]);
  });
});

describe('what is not known is said to be', () => {
  test('an item that was edited since, where rules or licences ask for what it was', async () => {
    const { id, policyId } = await makeItem(postern, [allowAll], { tags: ['a'] });
    await made(postern, '/v1/requesters', { id: 'scoped' });
    await made(postern, '/v1/licenses', { requesterId: 'scoped', type: 'a', scope: { tags: ['a'] } });
    clock.advance(1000);
    await check(postern, { contentId: id });
    await check(postern, { contentId: id, requesterId: 'scoped' });
    clock.advance(1000);
    await patch(`/v1/content/${id}`, { tags: ['b'] });
    clock.advance(1000);
    await check(postern, { contentId: id });
    const tagged = await impact(policyId, {
      policy: { rules: [{ action: 'allow', conditions: { contentTags: 'a' } }] },
    });
    assert.deepEqual(tagged.unknown, { decisions: 2, causes: [{ cause: 'item_edited', count: 2 }] });
    assert.deepEqual([tagged.decisions, tagged.allowToDeny], [3, 1]);
    const plain = await impact(policyId, { policy: { rules: [{ action: 'deny', conditions: { purposeNot: 'a' } }] } });
    assert.deepEqual([plain.unknown.decisions, plain.allowToDeny], [1, 2]);
  });
  test('an item whose policy was another then: only the decisions of this policy', async () => {
    const { id, policyId } = await makeItem(postern, [allowAll]);
    clock.advance(1000);
    await check(postern, { contentId: id });
    clock.advance(1000);
    const other = await makePolicy(postern, []);
    await patch(`/v1/content/${id}`, { policyId: other.id });
    clock.advance(1000);
    await check(postern, { contentId: id });
    assert.equal((await impact(policyId, { policy: { rules: [] } })).allowToDeny, 1);
    assert.equal((await impact(other.id, { policy: { rules: [allowAll] } })).denyToAllow, 1);
  });
  test('archived and suspended stay denied; a deleted item is in no answer', async () => {
    const { id, policyId } = await makeItem(postern, []);
    const second = await made(postern, '/v1/content', {
      externalId: 'impact-second',
      title: 'x',
      type: 'article',
      source: 'https://a.b',
      policyId,
    });
    await made(postern, '/v1/requesters', { id: 'away', status: 'suspended' });
    clock.advance(1000);
    await check(postern, { contentId: second.id, requesterId: 'away' });
    await check(postern, { contentId: id });
    await patch(`/v1/content/${second.id}`, { status: 'archived' });
    clock.advance(1000);
    await check(postern, { contentId: second.id });
    clock.advance(1000);
    const one = await impact(policyId, { policy: { rules: [allowAll] } });
    assert.deepEqual([one.decisions, one.unchanged, one.denyToAllow, one.unknown.decisions], [3, 2, 1, 0]);
    assertStatus(await postern.call('DELETE', `/v1/content/${second.id}`), 200);
    assert.equal((await impact(policyId, { policy: { rules: [allowAll] } })).decisions, 1);
  });
  test('licences count as of each decision: revoked, deleted and expired ones too', async () => {
    const { id, policyId } = await makeItem(postern, []);
    await made(postern, '/v1/requesters', { id: 'holder' });
    const ask = () => check(postern, { contentId: id, requesterId: 'holder' });
    await ask();
    clock.advance(1000);
    const license = await made(postern, '/v1/licenses', { requesterId: 'holder', type: 'a' });
    clock.advance(1000);
    await ask();
    clock.advance(1000);
    await postern.call('DELETE', `/v1/licenses/${license.id}`);
    clock.advance(1000);
    await ask();
    clock.advance(1000);
    const expiresAt = new Date(clock.now() + 2000).toISOString();
    await made(postern, '/v1/licenses', { requesterId: 'holder', type: 'a', expiresAt });
    clock.advance(1000);
    await ask();
    clock.advance(1000);
    await ask();
    clock.advance(1000);
    await postern.call('DELETE', '/v1/requesters/holder');
    clock.advance(1000);
    await ask();
    const one = await impact(policyId, { policy: { rules: [{ action: 'allow', conditions: { licenseType: 'a' } }] } });
    assert.deepEqual([one.decisions, one.denyToAllow, one.unknown.decisions], [6, 2, 0]);
    assert.deepEqual(one.byReason, [
      { from: 'policy_denied', to: 'no_license', count: 3 },
      { from: 'policy_denied', to: null, count: 2 },
      { from: 'policy_denied', to: 'license_expired', count: 1 },
    ]);
  });
});

describe('what cannot be is refused', () => {
  test('bodies, spans, policies, versions, public keys', async () => {
    const { id } = await makePolicy(postern, []);
    const ask = (body: object, own: object = {}, policyId = id) =>
      postern.call('POST', `/v1/policies/${policyId}/impact`, { body, ...own });
    const policy = { rules: [] };
    assertError(await ask({}), 'invalid_request', 'policy');
    assertError(await ask({ policy, version: 1 }), 'invalid_request', 'policy');
    assertError(await ask({ version: 0 }), 'invalid_request', 'version');
    assertError(await ask({ policy, examples: 21 }), 'invalid_request', 'examples');
    assertError(await ask({ policy, sample: 1 }), 'invalid_request', 'sample');
    assertError(await ask({ policy: { rules: [{ action: 'allow', conditions: { ip: 'x' } }] } }), 'invalid_request');
    const span = { from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    assertError(await ask({ policy, ...span }), 'invalid_request', 'from');
    assertError(await ask({ version: 2 }), 'policy_version_not_found');
    assertError(await ask({ policy }, {}, 'pol_unknown'), 'policy_not_found');
    const key = await makeKey(postern, { type: 'public', permissions: ['policies:read'] });
    assertError(await ask({ policy }, { key }), 'insufficient_permissions');
  });
});

describe('one at a time, beside the checks', () => {
  test('a few wait, more are told to come again; the service goes on', async () => {
    const { id, policyId } = await makeItem(postern, [allowAll]);
    clock.advance(1000);
    await check(postern, { contentId: id });
    const body = { policy: { rules: [] } };
    const all = await Promise.all(
      Array.from({ length: 9 }, () => postern.call('POST', `/v1/policies/${policyId}/impact`, { body })),
    );
    const served = all.filter((one) => one.status === 200);
    const refused = all.filter((one) => one.status !== 200);
    assert.equal(served.length, 5);
    for (const one of served) assert.equal(one.body.allowToDeny, 1);
    for (const one of refused) {
      assertError(one, 'service_unavailable');
      assert.ok(Number(one.headers.get('retry-after')) > 0);
    }
    assert.equal((await impact(policyId, body)).allowToDeny, 1);
  });
  test('who hangs up gives the turn away', async () => {
    const { id, policyId } = await makeItem(postern, [allowAll]);
    clock.advance(1000);
    await check(postern, { contentId: id });
    for (let i = 0; i < 8; i++) {
      const hangUp = new AbortController();
      const left = fetch(`${postern.url}/v1/policies/${policyId}/impact`, {
        method: 'POST',
        headers: { authorization: `Bearer ${postern.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ policy: { rules: [] } }),
        signal: hangUp.signal,
      });
      setTimeout(() => hangUp.abort(), i * 10);
      await left.then((answer) => answer.text()).catch(() => {});
    }
    assert.equal((await impact(policyId, { policy: { rules: [] } })).allowToDeny, 1);
    assert.equal(postern.logs.filter((line) => line.includes('"level":50')).length, 0);
  });
});

/** Simulates weeks of random use: checks, and edits of requesters, licenses, the policy and, if wanted, of items. */
async function live(own: TestService, time: ReturnType<typeof testClock>, seed: number, editsItems: boolean) {
  const random = seeded(seed);
  const drafts = fc.sample(policyArbitrary(ALL_KEYS), { numRuns: 6, seed }) as Any[];
  const { id: policyId } = await makePolicy(own, drafts[0].rules, { defaultAction: drafts[0].defaultAction });
  const items: string[] = [];
  for (const { externalId } of VOCABULARY.contents) {
    const type = random.pick(VOCABULARY.contentTypes);
    const body = {
      externalId,
      title: 'x',
      type,
      source: 'https://a.b',
      tags: ['a'],
      policyId,
      metadata: { tier: 'gold' },
    };
    items.push((await made(own, '/v1/content', body)).id);
  }
  const moment = (days: number): string => new Date(time.now() + days * 86_400_000).toISOString();
  const requester = () => ({
    type: random.pick(VOCABULARY.requesterTypes),
    tags: [random.pick(VOCABULARY.tags)],
    metadata: { tier: random.pick(['gold', 'silver']) },
    status: random.chance(0.1) ? 'suspended' : 'active',
  });
  const license = () => ({
    type: random.pick(VOCABULARY.licenseTypes),
    features: random.chance(0.5) ? ['x', 'y'] : ['x'],
    expiresAt: random.chance(0.5) ? moment(random.int(1, 4)) : null,
    scope: random.pick([null, null, { contentTypes: ['article'] }, { tags: ['a'] }, { policyIds: [policyId] }]),
  });
  const ask = () => ({
    contentId: random.pick(items),
    ...(random.chance(0.8) && { requesterId: random.pick([...VOCABULARY.requesterIds, 'r3']) }),
    ...(random.chance(0.5) && { purpose: random.pick(VOCABULARY.purposes) }),
    ...(random.chance(0.4) && { permission: random.pick(VOCABULARY.permissions) }),
    ...(random.chance(0.6) && {
      context: {
        country: random.pick(VOCABULARY.countries),
        ip: random.pick(VOCABULARY.ips),
        userAgent: random.pick(VOCABULARY.userAgents),
      },
    }),
    ...(random.chance(0.2) && {
      license: { type: random.pick(VOCABULARY.licenseTypes), expiresAt: moment(random.int(-1, 1)) },
    }),
  });
  const licenses: string[] = [];
  const edits: (() => Promise<unknown>)[] = [
    () => own.call('POST', '/v1/requesters', { body: { id: random.pick(VOCABULARY.requesterIds), ...requester() } }),
    () => own.call('PATCH', `/v1/requesters/${random.pick(VOCABULARY.requesterIds)}`, { body: requester() }),
    () =>
      random.chance(0.3)
        ? own.call('DELETE', `/v1/requesters/${random.pick(VOCABULARY.requesterIds)}`)
        : Promise.resolve(),
    async () => {
      const body = { requesterId: random.pick(VOCABULARY.requesterIds), ...license() };
      const answer = await own.call('POST', '/v1/licenses', { body });
      if (answer.status === 201) licenses.push(answer.body.id);
    },
    () => own.call('PATCH', `/v1/licenses/${random.pick(licenses) ?? 'x'}`, { body: license() }),
    () => own.call('POST', `/v1/licenses/${random.pick(licenses) ?? 'x'}/revoke`),
    () => own.call('DELETE', `/v1/licenses/${random.pick(licenses) ?? 'x'}`),
    async () => {
      const { rules, defaultAction } = random.pick(drafts);
      if (random.chance(0.3)) await own.call('PATCH', `/v1/policies/${policyId}`, { body: { rules, defaultAction } });
    },
  ];
  if (editsItems) {
    edits.push(() =>
      own.call('PATCH', `/v1/content/${random.pick(items)}`, { body: { tags: [random.pick(VOCABULARY.tags)] } }),
    );
  }
  for (let i = 0; i < 200; i++) {
    time.advance(random.int(1, 3_600_000));
    if (random.chance(0.4)) await random.pick(edits)();
    else await own.call('POST', '/v1/access/check', { body: ask() });
  }
  time.advance(1000);
  const log = await own.call('GET', `/v1/access/decisions?policyId=${policyId}`, {
    headers: { accept: 'application/x-ndjson' },
  });
  const decisions: Any[] = log.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { version } = (await own.call('GET', `/v1/policies/${policyId}`)).body;
  return { policyId, decisions, drafts, version: version as number };
}

/** A recorded decision as the check that is to be decided again. */
function again({ contentId, requesterId, permission, purpose, context, license, created }: Any): object {
  const all = { contentId, requesterId, permission, purpose, context, license };
  const known = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  return { ...known, dryRun: true, asOf: created };
}

interface Fold {
  counts: Record<string, number>;
  byReason: Map<string, number>;
  byRequester: Map<string, number>;
}

/** The report, from each decision and what simulation says of it. */
function fold(decisions: Any[], simulated: Any[], rules: Any[]): Fold {
  const counts = { unchanged: 0, allowToDeny: 0, denyToAllow: 0, otherPermissions: 0, otherReason: 0, limited: 0 };
  const byReason = new Map<string, number>();
  const byRequester = new Map<string, number>();
  const more = (map: Map<string, number>, key: string): unknown => map.set(key, (map.get(key) ?? 0) + 1);
  for (const [i, before] of decisions.entries()) {
    const next = simulated[i];
    const hasLimit = next.matchedRule !== null && rules[next.matchedRule.index].rateLimit !== undefined;
    if (before.reason === 'rate_limit_exceeded' && next.allowed && hasLimit) counts.limited++;
    else if (before.reason !== next.reason) {
      more(byReason, `${before.reason}>${next.reason}`);
      if (before.allowed !== next.allowed) more(byRequester, String(before.requesterId));
      if (before.allowed) counts.allowToDeny++;
      else if (next.allowed) counts.denyToAllow++;
      else counts.otherReason++;
    } else if (new Set(before.permissions).symmetricDifference(new Set(next.permissions)).size > 0)
      counts.otherPermissions++;
    else counts.unchanged++;
  }
  return { counts, byReason, byRequester };
}

/** More by hand; each takes some seconds, mostly for starting threads. */
const ROUNDS = Number(process.env.IMPACT_ROUNDS ?? 1);
describe('laws, over random lives', () => {
  for (let round = 0; round < ROUNDS; round++) {
    test(`every count is that of simulating each decision again (seed ${runSeed})`, async () => {
      const time = testClock(Date.parse('2026-11-18T09:30:00Z'));
      await using own = await startTestService({ clock: time });
      const { policyId, decisions, drafts, version } = await live(own, time, runSeed, false);
      const checks = decisions.map(again);

      // As of its own time each decision repeats its recorded answer: alone and in a batch.
      const { data } = await made(own, '/v1/access/check/batch', { checks }, 200);
      for (const [i, was] of decisions.entries()) {
        const what = `seed ${runSeed}, ${was.id}`;
        if (i % 10 === 0) assert.deepEqual(await check(own, checks[i] as object), data[i], what);
        assert.deepEqual([data[i].policyVersion, data[i].matchedRule], [was.policyVersion, was.matchedRule], what);
        if (was.reason === 'rate_limit_exceeded') assert.equal(data[i].allowed, true, what);
        else {
          assert.deepEqual([data[i].reason, data[i].permissions], [was.reason, was.permissions], what);
          assert.deepEqual([data[i].licenseId, data[i].message], [was.licenseId, was.message], what);
        }
      }
      for (const { rules, defaultAction } of drafts) {
        const one = await impact(policyId, { policy: { rules, defaultAction } }, own);
        const simulated = (await made(own, '/v1/policies/simulate', { policy: { rules, defaultAction }, checks }, 200))
          .data;
        const expected = fold(decisions, simulated, rules);
        const { unchanged, allowToDeny, denyToAllow, otherPermissions, otherReason, limited } = one;
        const counts = { unchanged, allowToDeny, denyToAllow, otherPermissions, otherReason, limited };
        const what = `seed ${runSeed}, ${JSON.stringify(rules)}`;
        assert.deepEqual(counts, expected.counts, what);
        assert.equal(one.decisions, decisions.length, what);
        assert.deepEqual(one.unknown, { decisions: 0, causes: [] }, what);
        const byReason = new Map(one.byReason.map(({ from, to, count }: Any) => [`${from}>${to}`, count]));
        assert.deepEqual(byReason, expected.byReason, what);
        const byRequester = new Map(
          one.byRequester.map((each: Any) => [String(each.id), each.allowToDeny + each.denyToAllow]),
        );
        assert.deepEqual(byRequester, expected.byRequester, what);
        for (const example of one.examples) {
          const i = decisions.findIndex(({ id }) => id === example.decisionId);
          assert.deepEqual(example.before, { allowed: decisions[i].allowed, reason: decisions[i].reason }, what);
          const { allowed, reason, matchedRule } = simulated[i];
          assert.deepEqual(example.after, { allowed, reason, matchedRule }, what);
        }
      }
      for (let n = 1; n <= version; n++) {
        const one = await impact(policyId, { version: n }, own);
        const body = (await own.call('GET', `/v1/policies/${policyId}/versions/${n}`)).body;
        const { rules, defaultAction } = body;
        const { from: _, to: __, ...same } = await impact(policyId, { policy: { rules, defaultAction } }, own);
        assert.deepEqual({ ...one, from: undefined, to: undefined }, { ...same, from: undefined, to: undefined });
      }
    });
    test(`the same version changes nothing, whatever was edited (seed ${runSeed})`, async () => {
      const time = testClock(Date.parse('2026-11-18T09:30:00Z'));
      await using own = await startTestService({ clock: time });
      const { policyId, decisions, drafts, version } = await live(own, time, runSeed, true);
      for (const { rules, defaultAction } of drafts) {
        const one = await impact(policyId, { policy: { rules, defaultAction } }, own);
        assert.equal(sumOf(one), one.decisions);
        assert.equal(one.decisions, decisions.length);
        for (const { cause } of one.unknown.causes) assert.equal(cause, 'item_edited', `seed ${runSeed}`);
      }
      // Decisions of one version only: that version again.
      const versions = Map.groupBy(decisions, ({ policyVersion }) => policyVersion);
      for (const [number, some] of versions) {
        if (
          some.length !==
          decisions.filter(({ created }) => created >= some.at(-1).created && created <= some[0].created).length
        )
          continue;
        const to = new Date(Date.parse(some[0].created) + 1).toISOString();
        const one = await impact(policyId, { version: number, from: some.at(-1).created, to }, own);
        assert.deepEqual(
          [one.allowToDeny, one.denyToAllow, one.otherPermissions, one.otherReason, one.byReason],
          [0, 0, 0, 0, []],
          `seed ${runSeed}`,
        );
        assert.equal(one.unchanged + one.limited + one.unknown.decisions, some.length);
      }
      assert.ok(version >= 1);
    });
  }
});
