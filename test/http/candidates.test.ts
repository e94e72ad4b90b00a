/**
 * Candidates: as soon as one is set, every recorded decision of its policy keeps what the candidate decided, and
 * the counts of both are exact.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../kit/answer.ts';
import { hurry } from '../../kit/hurry.ts';
import { pluck } from '../../kit/pluck.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { authorize } from '../enforce/asking.ts';
import { allowAll, assertError, assertStatus, check, item, made, makeKey, makePolicy } from './given.ts';

hurry();

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

type Any = any;

const denyTraining = { action: 'deny', conditions: { purpose: 'training' } };

const put = (id: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  postern.call('PUT', `/v1/policies/${id}/candidate`, { body, headers });
const publish = (id: string, headers: Record<string, string> = {}): Promise<Answer> =>
  postern.call('POST', `/v1/policies/${id}/candidate/publish`, { headers });
const discard = (id: string, headers: Record<string, string> = {}): Promise<Answer> =>
  postern.call('DELETE', `/v1/policies/${id}/candidate`, { headers });

async function figures(id: string, query = ''): Promise<Any> {
  const answer = await postern.call('GET', `/v1/policies/${id}/candidate${query}`);
  assertStatus(answer, 200);
  return answer.body;
}

const counts = ({ decisions, agreements, newlyDenied, newlyAllowed }: Any): number[] => [
  decisions,
  agreements,
  newlyDenied,
  newlyAllowed,
];

/** A policy that allows everything, with an item under it. */
async function given(rules: unknown[] = [allowAll]): Promise<{ policyId: string; contentId: string }> {
  const { id: policyId } = await makePolicy(postern, rules);
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId }));
  return { policyId, contentId };
}

const logged = async (id: string): Promise<Any> => (await postern.call('GET', `/v1/access/decisions/${id}`)).body;

describe('setting a candidate', () => {
  test('answers with the rules and their warnings; the same rules again change nothing', async () => {
    const { policyId } = await given();
    const body = { rules: [denyTraining, allowAll] };
    const first = await put(policyId, body);
    assertStatus(first, 201);
    const { warnings, ...candidate } = first.body;
    assert.ok(Array.isArray(warnings));
    const [key] = (await postern.call('GET', '/v1/api-keys')).body.data;
    assert.deepEqual(candidate, {
      id: policyId,
      object: 'policy_candidate',
      rules: body.rules,
      defaultAction: 'deny',
      since: new Date(clock.now()).toISOString(),
      setBy: key.id,
    });
    clock.advance(1000);
    const traces = async () => (await postern.call('GET', '/v1/audit-log')).body.totalCount;
    const before = await traces();
    const again = await put(policyId, { ...body, defaultAction: 'deny' });
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.equal(await traces(), before);
    const other = await put(policyId, { ...body, defaultAction: 'allow' });
    assert.deepEqual([other.status, other.body.defaultAction], [200, 'allow']);
    assert.notEqual(other.body.since, first.body.since);
    const { data } = (await postern.call('GET', `/v1/audit-log?object=${policyId}&limit=2`)).body;
    assert.deepEqual(pluck(data as Any[], 'kind'), ['policy_candidate.updated', 'policy_candidate.created']);
    assert.deepEqual([data[0].before.defaultAction, data[0].after.defaultAction], ['deny', 'allow']);
  });
  test('refusals', async () => {
    const { policyId } = await given();
    assertError(await put('pol_none', { rules: [] }), 'policy_not_found');
    assertError(await put(policyId, {}), 'invalid_request', 'rules');
    assertError(await put(policyId, { rules: [{ action: 'alow' }] }), 'invalid_request', 'rules[0].action');
    assertError(await put(policyId, { rules: [], name: 'x' }), 'invalid_request', 'name');
    for (const refused of [await publish(policyId), await discard(policyId)])
      assertError(refused, 'candidate_not_found');
    assertError(await postern.call('GET', `/v1/policies/${policyId}/candidate`), 'candidate_not_found');
    assertError(await postern.call('GET', '/v1/policies/pol_none/candidate'), 'policy_not_found');
    await put(policyId, { rules: [] });
    assertError(await postern.call('GET', `/v1/policies/${policyId}/candidate?limit=101`), 'invalid_request', 'limit');
    const key = await makeKey(postern, { type: 'public', permissions: ['policies:read', 'analytics:read'] });
    assertError(await postern.call('GET', `/v1/policies/${policyId}/candidate`, { key }), 'insufficient_permissions');
  });
  test('If-Match takes the ETag of the policy or of its candidate', async () => {
    const { policyId } = await given();
    const stale = { 'if-match': '"7"' };
    assertError(await put(policyId, { rules: [] }, stale), 'precondition_failed');
    assertStatus(await put(policyId, { rules: [] }, { 'if-match': '"1"' }), 201);
    const { headers } = await postern.call('GET', `/v1/policies/${policyId}/candidate`);
    const etag = { 'if-match': headers.get('etag') ?? '' };
    assertStatus(await put(policyId, { rules: [allowAll] }, etag), 200);
    for (const changed of [etag, stale]) {
      assertError(await put(policyId, { rules: [] }, changed), 'precondition_failed');
      assertError(await publish(policyId, changed), 'precondition_failed');
      assertError(await discard(policyId, changed), 'precondition_failed');
    }
    const now = (await postern.call('GET', `/v1/policies/${policyId}/candidate`)).headers.get('etag') ?? '';
    await postern.call('PATCH', `/v1/policies/${policyId}`, { body: { name: 'N' } });
    assertError(await publish(policyId, { 'if-match': now }), 'precondition_failed');
    assertStatus(await publish(policyId, { 'if-match': '"2"' }), 200);
  });
});

describe('what a candidate decides', () => {
  test('counts for the next check, beside the policy’s own decision, which stays', async () => {
    const { policyId, contentId } = await given();
    const asked = { contentId, requesterId: 'r', purpose: 'training' };
    const without = await check(postern, asked);
    await put(policyId, { rules: [denyTraining, allowAll] });
    const beside = await check(postern, asked);
    assert.deepEqual({ ...beside, id: '' }, { ...without, id: '' });
    await put(policyId, { rules: [{ ...denyTraining, conditions: { purpose: 'reading' } }], defaultAction: 'allow' });
    const other = await check(postern, asked);
    await discard(policyId);
    const later = await check(postern, asked);
    assert.equal((await logged(without.id)).candidate, undefined);
    assert.deepEqual((await logged(beside.id)).candidate, { allowed: false, reason: 'policy_denied', rule: 0 });
    assert.deepEqual((await logged(other.id)).candidate, { allowed: true, reason: null, rule: null });
    assert.equal((await logged(later.id)).candidate, undefined);
  });
  test('decides checks by URL, and answers of proxies', async () => {
    const { id: policyId } = await makePolicy(postern, [allowAll]);
    await made(postern, '/v1/collections', { name: 'C', hosts: ['tried.example'], policyId });
    await put(policyId, { rules: [{ action: 'deny', conditions: { path: '/paid/' } }, allowAll] });
    const decided = [];
    for (const url of ['https://tried.example/paid/a', 'https://tried.example/free']) {
      const { id, allowed } = await check(postern, { url });
      decided.push([allowed, (await logged(id)).candidate]);
    }
    const { headers } = await authorize(postern, '/paid/b', {
      path: '/v1/authorize?origin=https://tried.example',
    });
    const { url, candidate } = await logged(headers.get('x-postern-decision') ?? '');
    decided.push([url, candidate]);
    const denied = { allowed: false, reason: 'policy_denied', rule: 0 };
    assert.deepEqual(decided, [
      [true, denied],
      [true, { allowed: true, reason: null, rule: 1 }],
      ['tried.example/paid/b', denied],
    ]);
    const { byContent, ...rest } = await figures(policyId);
    assert.deepEqual(counts(rest), [3, 1, 2, 0]);
    const none = { id: null, externalId: null, title: null, newlyDenied: 1, newlyAllowed: 0 };
    assert.deepEqual(byContent, [
      { ...none, url: 'tried.example/paid/a' },
      { ...none, url: 'tried.example/paid/b' },
    ]);
  });
  test('what its rules ask for is read, even if the policy never asks for it', async () => {
    const { id: policyId } = await makePolicy(postern, [allowAll]);
    const { id: contentId } = await made(postern, '/v1/content', item({ policyId, metadata: { tier: 'gold' } }));
    await check(postern, { contentId });
    const conditions = { contentMetadata: { tier: 'gold' } };
    await put(policyId, { rules: [{ action: 'deny', conditions }], defaultAction: 'allow' });
    const { id } = await check(postern, { contentId });
    assert.deepEqual((await logged(id)).candidate, { allowed: false, reason: 'policy_denied', rule: 0 });
  });
  test('dry runs, past times and public keys are not decided by it', async () => {
    const { policyId, contentId } = await given();
    await put(policyId, { rules: [] });
    const key = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
    await check(postern, { contentId, dryRun: true });
    await check(postern, { contentId, dryRun: true, asOf: new Date(clock.now()).toISOString() });
    await check(postern, { contentId }, key);
    assert.deepEqual(counts(await figures(policyId)), [0, 0, 0, 0]);
  });
  test('uses up no limit; a decision that a limit denied counts as allowed on both sides', async () => {
    const limited = { action: 'allow', rateLimit: { requests: 1, period: 'day' } };
    const { policyId, contentId } = await given([limited]);
    await put(policyId, { rules: [{ ...limited, rateLimit: { requests: 3, period: 'day' } }] });
    const ask = () => check(postern, { contentId, requesterId: 'r' });
    assert.deepEqual(pluck([await ask(), await ask(), await ask()], 'reason'), [
      null,
      'rate_limit_exceeded',
      'rate_limit_exceeded',
    ]);
    assert.deepEqual(counts(await figures(policyId)), [3, 3, 0, 0]);
    await put(policyId, { rules: [] });
    const { id } = await ask();
    assert.equal((await logged(id)).reason, 'rate_limit_exceeded');
    const { byReason, ...rest } = await figures(policyId);
    assert.deepEqual([counts(rest), byReason], [[1, 0, 1, 0], [{ from: null, to: 'policy_denied', count: 1 }]]);
  });
});

describe('the figures', () => {
  test('are exact: by requester, crawler, item and reason', async () => {
    const denyBots = { action: 'deny', conditions: { userAgent: 'GPTBot' } };
    const { policyId, contentId } = await given([{ action: 'deny', conditions: { requesterId: 'blocked' } }, allowAll]);
    const { id: second } = await made(postern, '/v1/content', item({ policyId, title: 'Second' }));
    await made(postern, '/v1/requesters', { id: 'known', name: 'Known' });
    await check(postern, { contentId, requesterId: 'before' });
    clock.advance(1000);
    await put(policyId, { rules: [denyBots, denyTraining, allowAll] });
    const bot = { userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)' };
    const checks = [
      { contentId, context: bot },
      { contentId, context: bot, requesterId: 'known' },
      { contentId: second, purpose: 'training', requesterId: 'known' },
      { contentId, requesterId: 'blocked' },
      { contentId, requesterId: 'known' },
      { contentId: second },
      { contentId: second, requesterId: 'blocked', purpose: 'training' },
    ];
    await made(postern, '/v1/access/check/batch', { checks }, 200);
    const found = await figures(policyId);
    assert.equal(found.since, new Date(clock.now()).toISOString());
    assert.deepEqual(counts(found), [7, 3, 3, 1]);
    assert.deepEqual(found.byRequester, [
      { id: 'known', name: 'Known', newlyDenied: 2, newlyAllowed: 0 },
      { id: null, name: null, newlyDenied: 1, newlyAllowed: 0 },
      { id: 'blocked', name: 'blocked', newlyDenied: 0, newlyAllowed: 1 },
    ]);
    const byWho = (found.byWho as Any[]).map(({ who, newlyDenied, newlyAllowed }) => [
      who.kind,
      who.name,
      newlyDenied,
      newlyAllowed,
    ]);
    assert.deepEqual(byWho, [
      ['requester', 'Known', 2, 0],
      ['crawler', 'GPTBot', 1, 0],
      ['requester', 'blocked', 0, 1],
    ]);
    await check(postern, { contentId: second, purpose: 'training', context: { userAgent: 'FooFetch/2.0' } });
    clock.advance(1);
    const sorted = (list: Any[]) => list.map((one) => JSON.stringify(one)).toSorted();
    const rules = { policy: { rules: [denyBots, denyTraining, allowAll] }, from: found.since, examples: 20 };
    const impact: Any = await made(postern, `/v1/policies/${policyId}/impact`, rules, 200);
    const whole = await figures(policyId);
    assert.ok(whole.byWho.some(({ who }: Any) => who.kind === 'program' && who.id === 'foofetch'));
    assert.deepEqual(
      sorted(impact.byWho),
      sorted(
        whole.byWho.map(({ who, newlyDenied, newlyAllowed }: Any) => {
          return { who, allowToDeny: newlyDenied, denyToAllow: newlyAllowed };
        }),
      ),
      'a preview counts as the candidate does',
    );
    const named = (list: Any[]) => new Set(list.map(({ who }) => JSON.stringify(who)));
    assert.deepEqual(named(impact.examples), named(impact.byWho), 'and its examples say who, as its list does');
    assert.deepEqual(found.byCrawler, [
      { crawler: null, newlyDenied: 1, newlyAllowed: 1 },
      { crawler: 'GPTBot', newlyDenied: 2, newlyAllowed: 0 },
    ]);
    assert.deepEqual(
      (found.byContent as Any[]).map(({ id, title, url, newlyDenied, newlyAllowed }) => [
        id,
        title,
        url,
        newlyDenied,
        newlyAllowed,
      ]),
      [
        [contentId, 'A title', null, 2, 1],
        [second, 'Second', null, 1, 0],
      ],
    );
    assert.deepEqual(found.byReason, [
      { from: null, to: 'policy_denied', count: 3 },
      { from: 'policy_denied', to: null, count: 1 },
    ]);
    const one = await figures(policyId, '?limit=1');
    assert.deepEqual([one.byRequester.length, one.byContent.length, counts(one)], [1, 1, [8, 3, 4, 1]]);
    await postern.call('DELETE', `/v1/content/${second}`);
    assert.deepEqual(counts(await figures(policyId)), [4, 1, 2, 1]);
  });
  test('begin anew with other rules, and stay over new versions and a restart', async () => {
    const { policyId, contentId } = await given();
    await put(policyId, { rules: [] });
    await check(postern, { contentId });
    assert.deepEqual(counts(await figures(policyId)), [1, 0, 1, 0]);
    await put(policyId, { rules: [denyTraining, allowAll] });
    assert.deepEqual(counts(await figures(policyId)), [0, 0, 0, 0]);
    await check(postern, { contentId, purpose: 'training' });
    await postern.call('PATCH', `/v1/policies/${policyId}`, { body: { rules: [] } });
    await check(postern, { contentId });
    await postern.restart();
    const { id } = await check(postern, { contentId, purpose: 'training' });
    assert.deepEqual((await logged(id)).candidate, { allowed: false, reason: 'policy_denied', rule: 0 });
    const found = await figures(policyId);
    assert.deepEqual(
      [counts(found), found.rules],
      [
        [3, 1, 1, 1],
        [denyTraining, allowAll],
      ],
    );
  });
  test('decisions of other policies are not among them', async () => {
    const one = await given();
    const other = await given();
    await put(one.policyId, { rules: [] });
    await put(other.policyId, { rules: [allowAll] });
    for (const contentId of [one.contentId, other.contentId, other.contentId]) await check(postern, { contentId });
    assert.deepEqual(counts(await figures(one.policyId)), [1, 0, 1, 0]);
    assert.deepEqual(counts(await figures(other.policyId)), [2, 2, 0, 0]);
  });
});

describe('the end of a candidate', () => {
  test('published, it is the next version', async () => {
    const { policyId, contentId } = await given();
    await put(policyId, { rules: [denyTraining], defaultAction: 'allow' });
    const { status, body, headers } = await publish(policyId);
    assert.deepEqual(
      [status, body.version, body.rules, body.defaultAction, body.name, headers.get('etag')],
      [200, 2, [denyTraining], 'allow', 'A policy', '"2"'],
    );
    const { allowed, policyVersion } = await check(postern, { contentId, purpose: 'training' });
    assert.deepEqual([allowed, policyVersion], [false, 2]);
    assertError(await publish(policyId), 'candidate_not_found');
    const { data } = (await postern.call('GET', `/v1/audit-log?object=${policyId}&limit=2`)).body;
    assert.deepEqual(pluck(data as Any[], 'kind').toSorted(), ['policy.updated', 'policy_candidate.deleted']);
    const deleted = (data as Any[]).find(({ kind }) => kind === 'policy_candidate.deleted');
    assert.deepEqual([deleted.before.rules, deleted.after], [[denyTraining], null]);
  });
  test('publishing twice with one Idempotency-Key has one effect', async () => {
    const { policyId } = await given();
    await put(policyId, { rules: [] });
    const key = { 'idempotency-key': 'publish' };
    const [one, other] = [await publish(policyId, key), await publish(policyId, key)];
    assert.deepEqual([one.status, other.status, other.body], [200, 200, one.body]);
    assert.equal((await postern.call('GET', `/v1/policies/${policyId}`)).body.version, 2);
  });
  test('discarded, it leaves the policy as it is', async () => {
    const { policyId } = await given();
    await put(policyId, { rules: [] });
    const { status, body } = await discard(policyId);
    assert.deepEqual([status, body], [200, { id: policyId, object: 'policy_candidate', deleted: true }]);
    assert.equal((await postern.call('GET', `/v1/policies/${policyId}`)).body.version, 1);
  });
  test('it goes with its policy', async () => {
    const { id } = await makePolicy(postern, [allowAll]);
    await put(id, { rules: [] });
    assertStatus(await postern.call('DELETE', `/v1/policies/${id}`), 200);
    for (const refused of [await put(id, { rules: [] }), await publish(id)]) assertError(refused, 'policy_not_found');
    assert.deepEqual(
      (await postern.rowsOf('candidates')).filter((row: Any) => row.policy_id === id),
      [],
    );
  });
});

describe('policy.candidate_diverged', () => {
  const announced = async (policyId: string): Promise<Any[]> =>
    (await postern.call('GET', `/v1/events?type=policy.candidate_diverged&objectId=${policyId}`)).body.data;

  const traces = async (policyId: string): Promise<Any[]> =>
    (await postern.rowsOf('ended_candidates')).filter((row: Any) => row.policy_id === policyId);

  test('at the first divergence, then at most once an hour, each naming a decision', async () => {
    const { policyId, contentId } = await given();
    await put(policyId, { rules: [denyTraining, allowAll] });
    await check(postern, { contentId });
    const first = await check(postern, { contentId, purpose: 'training' });
    const [event] = await until(
      'the event',
      () => announced(policyId),
      20_000,
      ({ length }) => length > 0,
    );
    const { rules, decisionId, id: named } = event.data.object;
    assert.deepEqual([named, rules, decisionId], [policyId, [denyTraining, allowAll], first.id]);
    const second = await check(postern, { contentId, purpose: 'training' });
    await check(postern, { contentId, purpose: 'training' });
    // Another policy's event shows that a round has passed.
    const other = await given();
    await put(other.policyId, { rules: [] });
    await check(postern, { contentId: other.contentId });
    await until('the other event', async () => (await announced(other.policyId)).length === 1);
    assert.equal((await announced(policyId)).length, 1);
    clock.advance(3_600_000);
    const events = await until(
      'the next event',
      () => announced(policyId),
      20_000,
      ({ length }) => length > 1,
    );
    assert.deepEqual(
      events.map(({ data }) => data.object.decisionId),
      [second.id, first.id],
    );
  });

  const ends: Record<string, (policyId: string) => Promise<Answer>> = {
    published: (id) => publish(id),
    discarded: (id) => discard(id),
    replaced: (id) => put(id, { rules: [] }),
    'gone with its policy': async (id) => {
      const { id: other } = await makePolicy(postern, [allowAll]);
      const items = (await postern.call('GET', `/v1/content?policyId=${id}`)).body.data as Any[];
      for (const { id: contentId } of items) {
        assertStatus(await postern.call('PATCH', `/v1/content/${contentId}`, { body: { policyId: other } }), 200);
      }
      return postern.call('DELETE', `/v1/policies/${id}`);
    },
  };
  for (const [how, end] of Object.entries(ends)) {
    test(`also if the candidate is ${how} right after its first divergence`, async () => {
      const { policyId, contentId } = await given();
      assertStatus(await put(policyId, { rules: [denyTraining, allowAll] }), 201);
      const { id: decisionId } = await check(postern, { contentId, purpose: 'training' });
      assertStatus(await end(policyId), 200);
      const [event] = await until(
        'the event',
        () => announced(policyId),
        20_000,
        ({ length }) => length > 0,
      );
      assert.deepEqual([event.data.object.decisionId, event.data.object.rules], [decisionId, [denyTraining, allowAll]]);
      await until('no trace of it', async () => (await traces(policyId)).length === 0);
      assert.equal((await announced(policyId)).length, 1);
    });
  }

  test('but not if it had agreed, nor a second time in the hour', async () => {
    const [agreeing, diverging] = [await given(), await given()];
    for (const { policyId } of [agreeing, diverging]) await put(policyId, { rules: [denyTraining, allowAll] });
    await check(postern, { contentId: agreeing.contentId });
    await check(postern, { contentId: diverging.contentId, purpose: 'training' });
    await until('the event', async () => (await announced(diverging.policyId)).length === 1);
    await check(postern, { contentId: diverging.contentId, purpose: 'training' });
    for (const { policyId } of [agreeing, diverging]) {
      assertStatus(await publish(policyId), 200);
      await until('no trace of it', async () => (await traces(policyId)).length === 0);
    }
    assert.deepEqual(
      [(await announced(agreeing.policyId)).length, (await announced(diverging.policyId)).length],
      [0, 1],
    );
  });
});
