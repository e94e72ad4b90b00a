/** Attempts: a stale one starts over, and keeps a decision only where deciding again would return the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fail } from '../../api/errors.ts';
import type { Caller } from '../../api/permissions.ts';
import { Unavailable } from '../../db/db.ts';
import type { PriceList } from '../../requesters/offers/price-list.ts';
import { type CompiledPolicy, compile } from '../../rules/compile.ts';
import type { Rule } from '../../rules/policy.ts';
import { type Grounds, Stale } from '../ledger/ledger.ts';
import { FULL_PRECISION } from '../precision.ts';
import type { Subject } from '../snapshot/subject.ts';
import type { Ask } from './ask.ts';
import { decideFresh, KeptDecisions } from './attempts.ts';
import type { DecideTerms } from './draft.ts';

const callerOf = (keyId: string): Caller => ({
  keyId,
  credential: 'x',
  mode: 'live',
  permissions: new Set(['access:check']),
  readOnly: false,
});

/** Ways to fail: at once, and later. */
const WAYS: Record<string, (error: Error) => Promise<never>> = {
  thrown: (error) => {
    throw error;
  },
  rejected: (error) => Promise.reject(error),
};

for (const [way, end] of Object.entries(WAYS)) {
  test(`${way}: a stale attempt starts over with the key as it is now, until one is recorded`, async () => {
    let admitted = 0;
    const asker = { caller: callerOf('key_0'), arrivedAt: 5, admit: async () => callerOf(`key_${++admitted}`) };
    const seen: [caller: string, grounds: Grounds][] = [];
    const decided = decideFresh(asker, (grounds) => {
      seen.push([asker.caller.keyId, grounds]);
      return seen.length < 3 ? end(new Stale(seen.length)) : Promise.resolve('recorded');
    });
    assert.equal(await decided, 'recorded');
    assert.deepEqual(
      seen.map(([caller, { since }]) => [caller, since]),
      [
        ['key_0', undefined],
        ['key_1', 1],
        ['key_2', 2],
      ],
    );
    const [first, second, third] = seen.map(([, { readAt }]) => readAt) as [number, number, number];
    assert.ok(first === 5 && second > first && third >= second);
  });

  test(`${way}: a key that has ended ends the check`, async () => {
    let attempts = 0;
    const ended = fail('invalid_api_key', 'Revoked.');
    const asker = { caller: callerOf('key_0'), arrivedAt: 5, admit: () => end(ended) };
    const decided = decideFresh(asker, () => {
      attempts++;
      return end(new Stale(1));
    });
    await assert.rejects(decided, ended);
    assert.equal(attempts, 1);
  });

  test(`${way}: no other failure is tried again, at first or later`, async () => {
    const failed = new Unavailable('no disk');
    for (const stale of [0, 1]) {
      let attempts = 0;
      const asker = { caller: callerOf('key_0'), arrivedAt: 5, admit: async () => callerOf('key_1') };
      const decided = decideFresh(asker, () => end(attempts++ < stale ? new Stale(1) : failed));
      await assert.rejects(decided, failed);
      assert.equal(attempts, stale + 1);
    }
  });
}

const NOW = Date.parse('2026-11-21T09:30:10Z');
const SECOND = 1000;
const caller: Caller = {
  keyId: 'key_1',
  credential: 'x',
  mode: 'live',
  permissions: new Set(['access:check']),
  readOnly: false,
};
const content = {
  no: 1,
  id: 'cnt_1',
  externalId: 'one',
  policyId: 'pol_1',
  type: 'article' as const,
  archived: false,
  tags: [],
  source: null,
  metadata: null,
  collectionId: null,
  observed: false,
};
const license = {
  id: 'lic_1',
  type: 'press',
  features: [],
  startsAt: null,
  expiresAt: null,
  active: true,
  scope: null,
};

/** Compiles rules that count how often they are evaluated. */
function counting(rules: Rule[]): { policy: CompiledPolicy; count: () => number } {
  let evaluated = 0;
  const compiled = compile({ no: 1, id: 'pol_1', version: 1, rules, defaultAction: 'deny' });
  const counted = compiled.rules.map((rule) => ({
    ...rule,
    holds: (facts: Parameters<typeof rule.holds>[0]) => {
      evaluated++;
      return rule.holds(facts);
    },
  }));
  return { policy: { ...compiled, rules: counted }, count: () => evaluated };
}

interface Attempt {
  ask?: Partial<Ask>;
  subject?: Partial<Subject>;
  caller?: Partial<Caller>;
  offers?: PriceList | null;
  now?: number;
  maxAge?: number;
}

/** Decides twice, and returns how often the rules were evaluated the second time, with the second decision. */
function again(first: Attempt, second: Attempt, rules: Rule[] = [{ action: 'allow' }]) {
  const { policy, count } = counting(rules);
  const kept = new KeptDecisions();
  const base = { content, policy, requester: { facts: null, licenses: [] } } as unknown as Subject;
  const run = (given: Attempt) => {
    const asking = { contentId: 'cnt_1', requesterId: 'acme', ...given.ask } as Ask;
    const subject = { ...base, ...given.subject };
    const who = { ...caller, ...given.caller };
    const now = given.now ?? NOW;
    const { maxAge = 0 } = given;
    const terms: DecideTerms = { caller: who, explainer: null, now, maxAge, precision: FULL_PRECISION };
    const decided = kept
      .under({ caller: who, offers: given.offers ?? null })
      .decide(0, { subject, ask: asking }, terms);
    kept.keep({ asks: [asking], subjects: [subject], decided: [decided], now });
    return decided;
  };
  run(first);
  const before = count();
  const decided = run({ ...first, ...second });
  return { evaluated: count() - before, decision: decided.draft.decision };
}

test('what did not change is not decided again', () => {
  assert.equal(again({}, {}).evaluated, 0);
  assert.equal(again({}, { now: NOW + 8 * SECOND }).evaluated, 0);
  const equal = { content: { ...content } as unknown as Subject['content'] };
  assert.equal(again({}, { subject: equal, ask: { purpose: 'training' } }).evaluated, 1, 'another ask');
  assert.equal(again({}, { subject: equal }).evaluated, 0, 'an equal item');
});

test('what changed is decided again: the policy, the requester, the item, the key, the offers', () => {
  const suspended = { type: null, tags: [], metadata: {}, suspended: true };
  const { decision } = again({}, { subject: { requester: { facts: suspended, licenses: [] } } });
  assert.equal(decision.reason, 'requester_suspended');
  const other = counting([{ action: 'deny' }]);
  assert.equal(again({}, { subject: { policy: other.policy } }).decision.allowed, false);
  const archived = { ...content, archived: true } as unknown as Subject['content'];
  assert.equal(again({}, { subject: { content: archived } }).decision.reason, 'content_archived');
  assert.equal(again({}, { caller: { mode: 'test' } }).evaluated, 1);
  assert.equal(again({}, { caller: { permissions: new Set() } }).evaluated, 1);
  assert.equal(again({}, { offers: {} as PriceList }).evaluated, 1);
});

test('time decides again: a new minute, a rule or a license that begins or ends', () => {
  assert.equal(again({}, { now: NOW + 50 * SECOND }).evaluated, 1, 'a new minute');
  const until = (before: number): Rule => ({
    action: 'allow',
    conditions: { time: { before: new Date(before).toISOString() } },
  });
  const later = { now: NOW + 3 * SECOND };
  assert.equal(again({}, later, [until(NOW + 2 * SECOND)]).decision.allowed, false);
  assert.equal(again({}, later, [until(NOW + 4 * SECOND)]).evaluated, 0);
  const press: Rule[] = [{ action: 'allow', conditions: { licenseType: 'press' } }];
  const holding = (expiresAt: number): Attempt => ({
    subject: { requester: { facts: null, licenses: [{ ...license, expiresAt }] } },
  });
  assert.equal(again(holding(NOW + 2 * SECOND), later, press).decision.allowed, false);
  assert.equal(again(holding(NOW + 4 * SECOND), later, press).evaluated, 0);
  const vouching = (at: number): Attempt => ({
    ask: { license: { type: 'press', expiresAt: new Date(at).toISOString() } },
  });
  assert.equal(again(vouching(NOW + 2 * SECOND), later, press).decision.allowed, false);
  assert.equal(again(vouching(NOW + 4 * SECOND), later, press).evaluated, 0);
});

test('an answer that may be used again is older by then', () => {
  assert.equal(again({ maxAge: 60 }, { now: NOW + 1500 }).decision.maxAge, 58);
  assert.equal(again({ maxAge: 2 }, { now: NOW + 1500 }).decision.maxAge, undefined);
});
