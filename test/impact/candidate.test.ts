/**
 * The candidate's decisions are those that a dry run by its rules gives, and those of the second implementation: for
 * random policies, candidates and checks, with the candidate replaced midway. The counts are a fold over the log.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import * as fc from '../../kit/fast-check.ts';
import { pluck } from '../../kit/pluck.ts';
import { runSeed } from '../../kit/random.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { item, made, makePolicy } from '../http/given.ts';
import { ALL_KEYS, policyArbitrary } from '../oracle/arbitrary.ts';
import { oracleDecide } from '../oracle/decide.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

type Any = any;

const REQUESTER = { type: 'ai_company', tags: ['a'], metadata: { tier: 'gold' } };
const LICENSES = [
  { type: 'basic', features: ['x'] },
  { type: 'enterprise', features: [], expiresAt: '2026-11-01T00:00:00.000Z' },
];
await made(postern, '/v1/requesters', { id: 'r1', ...REQUESTER });
for (const license of LICENSES) await made(postern, '/v1/licenses', { requesterId: 'r1', ...license });

const ASKED: Any[] = [
  {},
  { requesterId: 'r1' },
  { requesterId: 'r1', purpose: 'training', permission: 'training' },
  { requesterId: 'r2', purpose: 'training' },
  {
    requesterId: 'r1',
    purpose: 'search',
    permission: 'preview_only',
    context: { country: 'US', ip: '10.1.2.3', userAgent: 'gptbot' },
  },
  { context: { country: 'DE', userAgent: 'curl/8' } },
];

/** The second implementation, by the rules of a policy. */
function byOracle(policy: Any, content: Any, asked: Any) {
  const registered = asked.requesterId === 'r1';
  const { allowed, reason, matchedRule } = oracleDecide({
    at: clock.now(),
    policy,
    content: { ...content, status: 'active' },
    requesterId: asked.requesterId ?? null,
    requester: registered ? { ...REQUESTER, status: 'active' } : null,
    licenses: registered
      ? LICENSES.map((one) => ({
          ...one,
          startsAt: null,
          expiresAt: one.expiresAt === undefined ? null : Date.parse(one.expiresAt),
          status: 'active' as const,
          scope: {},
        }))
      : [],
    permission: asked.permission ?? null,
    purpose: asked.purpose ?? null,
    context: asked.context ?? {},
    usedUp: () => false,
  });
  return { allowed, reason, rule: matchedRule?.index ?? null };
}

async function simulated(policy: object, checks: object[]) {
  const { data } = await made(postern, '/v1/policies/simulate', { policy, checks }, 200);
  return (data as Any[]).map(({ allowed, reason, matchedRule }) => ({
    allowed,
    reason,
    rule: matchedRule?.index ?? null,
  }));
}

test('a candidate decides as a dry run by its rules, and as the second implementation', async (t) => {
  t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
  const policies: Any[] = fc.sample(policyArbitrary(ALL_KEYS), { numRuns: 30, seed: runSeed });
  for (let i = 0; i + 2 < policies.length; i += 3) {
    const [{ rules, defaultAction }, first, second] = policies.slice(i, i + 3);
    // The same rules again would count on.
    const candidates = isDeepStrictEqual(first, second) ? [first] : [first, second];
    const { id: policyId } = await makePolicy(postern, rules, { defaultAction });
    const content = await made(
      postern,
      '/v1/content',
      item({ policyId, tags: ['a'], type: 'report', metadata: { k: 1 } }),
    );
    for (const candidate of candidates) {
      const put = await postern.call('PUT', `/v1/policies/${policyId}/candidate`, { body: candidate });
      assert.ok(put.status === 200 || put.status === 201, put.text);
      const checks = ASKED.map((asked) => ({ contentId: content.id, ...asked }));
      const dry = await simulated(candidate, checks);
      const decided = (await made(postern, '/v1/access/check/batch', { checks }, 200)).data as Any[];
      const log = new Map<string, Any>(
        ((await postern.call('GET', `/v1/access/decisions?policyId=${policyId}&limit=100`)).body.data as Any[]).map(
          (one) => [one.id, one],
        ),
      );
      const rows = decided.map(({ id }) => log.get(id));
      const what = `seed ${runSeed}, policy ${i}`;
      assert.deepEqual(pluck(rows, 'candidate'), dry, what);
      assert.deepEqual(
        dry,
        ASKED.map((asked) => byOracle(candidate, content, asked)),
        what,
      );
      await assertCounted(policyId, rows, what);
    }
  }
});

/** Compares the counts with a fold over the log. */
async function assertCounted(policyId: string, rows: Any[], what: string): Promise<void> {
  const allowed = (one: Any): boolean => one.allowed || one.reason === 'rate_limit_exceeded';
  const count = (own: boolean, theirs: boolean): number =>
    rows.filter((one) => allowed(one) === own && one.candidate.allowed === theirs).length;
  const found = (await postern.call('GET', `/v1/policies/${policyId}/candidate`)).body;
  const { decisions, agreements, newlyDenied, newlyAllowed } = found;
  assert.deepEqual(
    { decisions, agreements, newlyDenied, newlyAllowed },
    {
      decisions: rows.length,
      agreements: count(true, true) + count(false, false),
      newlyDenied: count(true, false),
      newlyAllowed: count(false, true),
    },
    what,
  );
  for (const list of ['byRequester', 'byCrawler', 'byContent']) {
    const sum = (field: string): number => found[list].reduce((total: number, one: Any) => total + one[field], 0);
    assert.deepEqual([sum('newlyDenied'), sum('newlyAllowed')], [newlyDenied, newlyAllowed], `${what} ${list}`);
  }
  const reasons = (found.byReason as Any[]).reduce((total, one) => total + one.count, 0);
  assert.equal(reasons, newlyDenied + newlyAllowed, what);
}
