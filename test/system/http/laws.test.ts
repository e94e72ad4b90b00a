/**
 * The laws of a decision over the real service: every way to ask gives the same answer, which is that of the second
 * implementation; a limit that is used up ends the check; rules that cannot be read allow nothing.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { runSeed } from '../../../kit/random.ts';
import { startTestService, type TestService, testClock } from '../../../kit/service.ts';
import { assertStatus, check, item, made } from '../../http/given.ts';
import { ALL_KEYS, EDGE, inputArbitrary, VOCABULARY } from '../../oracle/arbitrary.ts';
import { type OracleInput, type OracleVerdict, oracleDecide } from '../../oracle/decide.ts';

// A list without entries is refused on the wire.
EDGE.emptyScopeLists = false;

const CASES = Number(process.env.LAW_CASES ?? 120);
/** A preview starts a thread of its own: a share of the cases has one. */
const PREVIEW_EVERY = 6;
const DAY_MS = 86_400_000;

type Any = any;
type Input = Omit<OracleInput, 'usedUp'>;

/** A generated case as records of the service. */
interface Case {
  input: Input;
  policyId: string;
  /** Rules in which the generated names are those of the records. */
  rules: Any[];
  request: Record<string, unknown>;
  /** Another generated policy, in the same names. */
  draft: Input['policy'];
}

function generated(t: TestContext): Input[] {
  t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
  const inputs = fc.sample(inputArbitrary(ALL_KEYS), { numRuns: CASES, seed: runSeed });
  return inputs.toSorted((a, b) => a.at - b.at);
}

/** Returns a clock that starts before every time of the vocabulary, so that records exist before the checks. */
const earlyClock = () => testClock(Math.min(...VOCABULARY.moments.map((text) => Date.parse(text))) - 10 * DAY_MS);

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** Stores the licenses of a case; returns the one that the calling server vouches for, if any. */
async function storeLicenses(postern: TestService, local: Input): Promise<Record<string, unknown> | undefined> {
  let license: Record<string, unknown> | undefined;
  for (const [i, one] of local.licenses.entries()) {
    const last = i === local.licenses.length - 1;
    const plain = one.status === 'active' && one.startsAt === null && Object.keys(one.scope).length === 0;
    // A server vouches for the license, or it is stored; only registered requesters have stored ones.
    if (last && plain) license = { type: one.type, features: one.features, expiresAt: iso(one.expiresAt) };
    else {
      const { status, startsAt, expiresAt, ...rest } = one;
      const kept = await made(postern, '/v1/licenses', {
        ...rest,
        requesterId: local.requesterId,
        startsAt: iso(startsAt),
        expiresAt: iso(expiresAt),
        status: status === 'suspended' ? 'suspended' : 'active',
      });
      if (status === 'revoked') await made(postern, `/v1/licenses/${kept.id}/revoke`, undefined, 200);
    }
  }
  return license;
}

/** Every record of a case is its own: names of the vocabulary get the case's number. */
async function given(postern: TestService, input: Input, other: Input, number: number): Promise<Case> {
  const own = (text: string): string => `${text}#${number}`.replace('r1#', 'r1-').replace('r2#', 'r2-');
  const { id: policyId } = await made(postern, '/v1/policies', { name: 'p', rules: [], defaultAction: 'deny' });
  const contents = new Map<string, string>();
  for (const { id, externalId } of VOCABULARY.contents) {
    const { type, tags, metadata, source = '' } = input.content;
    const body = item({ externalId: own(externalId), type, tags, metadata, policyId, source });
    contents.set(id, (await made(postern, '/v1/content', body)).id);
  }
  const names = new Map<string, string>([
    ...contents,
    ...VOCABULARY.contents.map(({ externalId }) => [externalId, own(externalId)] as const),
    ...VOCABULARY.requesterIds.map((id) => [id, own(id)] as const),
    [input.content.policyId, policyId],
  ]);
  const renamed = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'string' ? (names.get(one) ?? one) : one)) as T;
  const local = renamed(input);
  const { rules, defaultAction } = local.policy;
  assertStatus(await postern.call('PATCH', `/v1/policies/${policyId}`, { body: { rules, defaultAction } }), 200);
  if (local.content.status === 'archived') {
    assertStatus(await postern.call('PATCH', `/v1/content/${local.content.id}`, { body: { status: 'archived' } }), 200);
  }
  if (local.requesterId !== null && local.requester !== null) {
    await made(postern, '/v1/requesters', { id: local.requesterId, ...local.requester });
  }
  const license = await storeLicenses(postern, local);
  const { requesterId, permission, purpose, context } = local;
  return {
    input: local,
    policyId,
    rules,
    draft: renamed(other.policy),
    request: {
      contentId: number % 2 === 0 ? local.content.id : local.content.externalId,
      ...(requesterId === null ? {} : { requesterId }),
      ...(permission === null ? {} : { permission }),
      ...(purpose === null ? {} : { purpose }),
      ...(license === undefined ? {} : { license }),
      context,
    },
  };
}

const oracle = (input: Input, policy = input.policy): OracleVerdict =>
  oracleDecide({ ...input, policy, usedUp: () => false });

const verdictOf = ({ allowed, reason, permissions, matchedRule }: Any): OracleVerdict => ({
  allowed,
  reason,
  permissions,
  matchedRule,
});

/** Drops the fields in which two equal checks differ: only a recorded check is logged and uses up its limit. */
function comparable({ id, created, recorded, ...decision }: Any): Any {
  const { rateLimit } = decision;
  if (rateLimit === null) return decision;
  const { remaining, resetAt, ...limit } = rateLimit;
  return { ...decision, rateLimit: { ...limit, remaining: recorded ? remaining + 1 : remaining } };
}

async function recordedCheck(postern: TestService, request: object, isSingle: boolean): Promise<Any> {
  if (isSingle) return check(postern, request);
  return (await made(postern, '/v1/access/check/batch', { checks: [request] }, 200)).data[0];
}

async function assertLogged(postern: TestService, decision: Any, say: string): Promise<void> {
  const logged = (await postern.call('GET', `/v1/access/decisions/${decision.id}`)).body;
  for (const [field, value] of Object.entries(withoutWhy(decision))) {
    // The log keeps only the part of a limit that it needs to report it again.
    if (field !== 'rateLimit') assert.deepEqual(logged[field], value, `${field}: ${say}`);
  }
}

const preview = (postern: TestService, { policyId }: Case, body: object): Promise<Any> =>
  made(postern, `/v1/policies/${policyId}/impact`, { from: iso(0), ...body }, 200);

/** Insists that the preview of a case's draft is right; returns the kind of change. */
async function assertPreview(postern: TestService, one: Case, say: string) {
  const answer = await preview(postern, one, { policy: one.draft });
  const before = oracle(one.input);
  const after = oracle(one.input, one.draft);
  const kind = kindOf(before, after);
  assert.equal(answer[kind], 1, `${kind}: ${JSON.stringify(answer)} ${say}`);
  assert.equal(answer.decisions, 1, say);
  for (const example of answer.examples) {
    assert.deepEqual(example.before, { allowed: before.allowed, reason: before.reason }, say);
    const { permissions, ...rest } = after;
    assert.deepEqual(example.after, rest, say);
  }
  // The preview counted what a simulation of the draft as of that time returns.
  const body = { policy: one.draft, checks: [{ ...one.request, asOf: iso(one.input.at) }] };
  const [then] = (await made(postern, '/v1/policies/simulate', body, 200)).data;
  assert.deepEqual(verdictOf(then), after, say);
  return kind;
}

const withoutWhy = ({ explanation, remedies, ...decision }: Any): Any => decision;

test('single, batch, dry run, explained, simulated, logged and previewed agree, and with the second implementation', async (t) => {
  const inputs = generated(t);
  const clock = earlyClock();
  await using postern = await startTestService({ clock });
  const cases: Case[] = [];
  for (const [i, input] of inputs.entries()) {
    cases.push(await given(postern, input, inputs[(i * 7 + 3) % inputs.length] as Input, i));
  }
  const seen = new Map<string, number>();
  const recorded: Any[] = [];
  for (const [i, one] of cases.entries()) {
    const say = `case ${i}: ${JSON.stringify(one)}`;
    clock.advance(one.input.at - clock.now());
    const expected = oracle(one.input);
    seen.set(expected.reason ?? 'allowed', (seen.get(expected.reason ?? 'allowed') ?? 0) + 1);

    const dry = await check(postern, { ...one.request, dryRun: true });
    assert.deepEqual(verdictOf(dry), expected, say);
    const explained = await check(postern, { ...one.request, dryRun: true, explain: true });
    assert.deepEqual(withoutWhy(explained), dry, say);
    const asked = [
      { ...one.request, dryRun: true },
      { ...one.request, dryRun: true, explain: true },
      { ...one.request, dryRun: true, asOf: iso(one.input.at) },
    ];
    const batch = (await made(postern, '/v1/access/check/batch', { checks: asked }, 200)).data;
    // A past check does not report what was left of a limit.
    assert.deepEqual(batch, [dry, explained, { ...dry, rateLimit: null }], say);
    const { defaultAction } = one.input.policy;
    const body = { policy: { rules: one.rules, defaultAction }, checks: asked };
    const simulated = (await made(postern, '/v1/policies/simulate', body, 200)).data;
    const unnamed = { policyId: null, policyVersion: null };
    assert.deepEqual(
      simulated,
      [
        { ...dry, ...unnamed },
        { ...explained, ...unnamed, explanation: { ...explained.explanation, ...unnamed } },
        { ...dry, ...unnamed, rateLimit: null },
      ],
      say,
    );
    // Each kind of recording once; explained or not must not matter to what is written.
    const request = i % 3 === 0 ? { ...one.request, explain: true } : one.request;
    const real = await recordedCheck(postern, request, i % 2 === 0);
    assert.equal(real.recorded, true);
    assert.deepEqual(comparable(withoutWhy(real)), comparable(dry), say);
    recorded.push(real);
    await assertLogged(postern, real, say);
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(seen)));
  assert.ok(seen.size >= 5, 'many kinds of answers were met');

  clock.advance(DAY_MS);
  const turned = { unchanged: 0, allowToDeny: 0, denyToAllow: 0, otherPermissions: 0, otherReason: 0 };
  for (const [i, one] of cases.entries()) {
    if (i % PREVIEW_EVERY !== 0) continue;
    const say = `case ${i}: ${JSON.stringify(one)}`;
    if (i % (2 * PREVIEW_EVERY) === 0) {
      const same = await preview(postern, one, { version: recorded[i].policyVersion });
      assert.deepEqual([same.decisions, same.unchanged], [1, 1], say);
    }
    turned[await assertPreview(postern, one, say)]++;
  }
  t.diagnostic(JSON.stringify(turned));
  assert.ok(turned.allowToDeny + turned.denyToAllow + turned.otherReason > 0, 'some previews showed a change');
});

function kindOf(before: OracleVerdict, after: OracleVerdict) {
  const permissions = (one: OracleVerdict): string => JSON.stringify(one.permissions.toSorted());
  if (before.allowed !== after.allowed) return before.allowed ? 'allowToDeny' : 'denyToAllow';
  if (before.reason !== after.reason) return 'otherReason';
  return permissions(before) === permissions(after) ? 'unchanged' : 'otherPermissions';
}

test('a limit that is used up ends the check, whatever rules come after', async (t) => {
  const inputs = generated(t);
  const clock = earlyClock();
  await using postern = await startTestService({ clock });
  const seen = { refused: 0, wouldAllow: 0 };
  for (const [i, input] of inputs.entries()) {
    const expected = oracle(input);
    if (!expected.allowed || expected.matchedRule === null) continue;
    const { index } = expected.matchedRule;
    const rules = input.policy.rules.map((rule, at) =>
      at === index ? { ...rule, rateLimit: { requests: 1, period: 'month', scope: 'global' } } : rule,
    );
    const one = await given(postern, { ...input, policy: { ...input.policy, rules } }, input, i);
    clock.advance(Math.max(0, input.at - clock.now()));
    const first = await check(postern, one.request);
    assert.deepEqual(verdictOf(first), expected);
    const checks = [one.request, { ...one.request, dryRun: true }, { ...one.request, explain: true }];
    const batch = (await made(postern, '/v1/access/check/batch', { checks }, 200)).data;
    for (const again of [await check(postern, one.request), ...batch]) {
      assert.deepEqual(verdictOf(again), {
        allowed: false,
        reason: 'rate_limit_exceeded',
        permissions: [],
        matchedRule: expected.matchedRule,
      });
      assert.deepEqual([again.rateLimit.limit, again.rateLimit.remaining], [1, 0]);
      assert.ok(again.rateLimit.retryAfter > 0);
      seen.refused++;
    }
    // Without the rule another one, or the default action, may well have allowed it.
    const without = input.policy.rules.map((rule, at) =>
      at === index ? { ...rule, conditions: { default: false } } : rule,
    );
    if (oracle(input, { ...input.policy, rules: without }).allowed) seen.wouldAllow++;
  }
  t.diagnostic(JSON.stringify(seen));
  assert.ok(CASES < 100 || seen.wouldAllow > 0);
});

test('rules that cannot be read or asked allow nothing, and are not recorded as if they had', async () => {
  await using postern = await startTestService({ clock: testClock() });
  const whole = { time: { days: ['sat'], timezone: 'Europe/Berlin' } };
  // One fails when it is asked, the other when it is compiled. Both come from a store that was tampered with.
  const broken = [{ time: { days: ['sat'], timezone: 'Nowhere/Land' } }, { hasValidLicence: true }];
  const cases: { id: string; policyId: string; rules: object[] }[] = [];
  for (const conditions of broken) {
    for (const action of ['allow', 'deny']) {
      for (const place of [0, 1]) {
        const rest = [{ action: 'allow', conditions: { purpose: 'none' } }, { action: 'allow' }];
        const rules = (one: object) => [...rest.slice(0, place), { action, conditions: one }, ...rest.slice(place)];
        const policy = await made(postern, '/v1/policies', { name: 'p', rules: rules(whole), defaultAction: 'allow' });
        const { id } = await made(postern, '/v1/content', item({ policyId: policy.id }));
        cases.push({ id, policyId: policy.id, rules: rules(conditions) });
      }
    }
  }
  const { id: sound } = await made(postern, '/v1/content', item({ policyId: (await allowing(postern)).id }));
  await postern.service.close();
  await postern.tamper(
    ...cases.map(({ policyId, rules }) => ({
      sql: 'update policy_versions set rules = $1 where policy_id = $2',
      params: [JSON.stringify(rules), policyId],
    })),
  );
  await postern.restart();
  for (const { id } of cases) {
    const one = { contentId: id, requesterId: 'r' };
    const asked: [string, object][] = [
      ['/v1/access/check', one],
      ['/v1/access/check', { ...one, explain: true }],
      ['/v1/access/check', { ...one, dryRun: true }],
      ['/v1/access/check', { ...one, dryRun: true, asOf: iso(Date.parse('2026-11-21T09:30:00Z')) }],
      ['/v1/access/check/batch', { checks: [one] }],
    ];
    for (const [path, body] of asked) {
      const { status, text } = await postern.call('POST', path, { body });
      assert.equal(status, 500, text);
      assert.doesNotMatch(text, /"allowed":true/);
    }
    assert.equal((await postern.call('GET', `/v1/access/decisions?contentId=${id}`)).body.totalCount, 0);
  }
  assert.equal((await check(postern, { contentId: sound })).allowed, true);
});

const allowing = (postern: TestService): Promise<Any> =>
  made(postern, '/v1/policies', { name: 'p', rules: [{ action: 'allow' }] });
