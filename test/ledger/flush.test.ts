/**
 * The result of a flush depends on its submissions and the limits alone. A retry after a conflict, or on limits that
 * were swept, equals a first attempt. No attempt changes what the next one reads.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decision, entry } from '../../kit/entry.ts';
import * as fc from '../../kit/fast-check.ts';
import { type Decision, type Draft, settle } from '../../src/decisions/ledger/decision.ts';
import {
  COLUMNS,
  type PlacedSubmission,
  toFlush,
  toRecorded,
  WIDTH,
  workOut,
} from '../../src/decisions/ledger/flush.ts';
import type { LedgerReceipt } from '../../src/decisions/ledger/ledger.ts';
import type { LimitPeriod, LimitState } from '../../src/rules/limit.ts';
import { REASONS } from '../../src/rules/reason.ts';

const START = Date.parse('2026-11-21T09:30:00Z');
const KINDS = ['access.granted', 'access.denied', 'access.rate_limited'] as const;

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

const decisionOf = (explained: boolean): Decision => decision(explained ? { explanation: [], remedies: [] } : {});

const claims = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  requests: fc.integer({ min: 1, max: 3 }),
  period: fc.constantFrom<LimitPeriod>('second', 'hour', 'day'),
});
const checks = fc.record({
  claim: fc.option(claims),
  denied: fc.boolean(),
  explained: fc.boolean(),
  message: fc.option(fc.constant('own')),
});
const requests = fc.record({ checks: fc.array(checks, { minLength: 1, maxLength: 4 }), kept: fc.boolean() });
const given = fc.record({
  requests: fc.array(requests, { minLength: 1, maxLength: 6 }),
  announced: fc.subarray([...KINDS]),
  states: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom([], [START + 1, 1], [START - 5, 2])),
});
type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

function submitted({ requests: asked }: Given): { submissions: PlacedSubmission[]; drafts: Draft[][] } {
  let seq = 0;
  const drafts = asked.map((request) =>
    request.checks.map(({ claim, explained, message }) => ({
      decision: decisionOf(explained),
      limit: claim === null ? null : { requests: claim.requests, period: claim.period },
      message,
    })),
  );
  const submissions = asked.map((request, n): PlacedSubmission => {
    const parts = (drafts[n] as Draft[]).map((draft, i) => ({ ...draft, entry: i }));
    const receipt: LedgerReceipt = { scope: `s${n}`, bodyHash: 'h', status: 200, parts };
    return {
      at: START + n,
      freshUntil: n,
      entries: request.checks.map(({ claim, denied }) =>
        entry({
          reason: denied && claim === null ? REASONS.policy_denied.code : 0,
          claim: claim && { key: claim.key, limit: { requests: claim.requests, period: claim.period } },
        }),
      ),
      places: request.checks.map(() => ({ id: `dec_${++seq}`, seq, at: START + n, granted: null })),
      receipt: request.kept ? receipt : undefined,
    };
  });
  return { submissions, drafts };
}

test('a flush worked out twice is what it is once, and changes nothing that it was given', () => {
  fc.assert(
    fc.property(given, (flushed) => {
      const { submissions, drafts } = frozen(submitted(flushed));
      const states = frozen(new Map<string, LimitState>(Object.entries(frozen(flushed.states))));
      const attempt = () => {
        const flush = frozen(toFlush(submissions, 1, flushed.announced));
        const outcome = workOut(flush, (key) => states.get(key) ?? []);
        const recorded = toRecorded(submissions, outcome.answers);
        const answered = drafts.map((own, n) =>
          own.map((draft, i) => settle(draft, recorded[n]?.[i] as NonNullable<(typeof recorded)[0][0]>)),
        );
        return structuredClone({ outcome, recorded, answered });
      };
      const once = attempt();
      // In between the limits are used up, so that every claim is refused.
      workOut(toFlush(submissions, 1, flushed.announced), () => [START - 1, 1e6]);
      assert.deepEqual(attempt(), once);
    }),
  );
});

test('what is answered, kept, recorded and announced of a check is one thing', () => {
  fc.assert(
    fc.property(given, (flushed) => {
      const { submissions, drafts } = frozen(submitted({ ...flushed, announced: [...KINDS] }));
      const outcome = workOut(toFlush(submissions, 1, KINDS), (key) => flushed.states[key] ?? []);
      const recorded = toRecorded(submissions, outcome.answers);
      const reasonAt = (row: number) => outcome.rows[row * WIDTH + COLUMNS.indexOf('reason')];
      let row = 0;
      let refused = 0;
      for (const [n, { receipt }] of submissions.entries()) {
        const kept = outcome.receipts.find((one) => one.receipt.scope === receipt?.scope)?.receipt.body;
        let texts = '';
        for (const [i, draft] of (drafts[n] as Draft[]).entries()) {
          const place = recorded[n]?.[i] as NonNullable<(typeof recorded)[0][0]>;
          const { reason, id } = settle(draft, place);
          const limited = reason === 'rate_limit_exceeded';
          assert.equal(id, place.id);
          assert.equal(place.granted?.admitted ?? true, !limited);
          assert.equal(reasonAt(row) === REASONS.rate_limit_exceeded.code, limited);
          if (limited) refused++;
          // A kept answer names its decision by the place in the ledger.
          texts += JSON.stringify({ ...settle(draft, place), id: null });
          row++;
        }
        if (kept !== undefined) assert.equal(kept.replaceAll(/"id":"dec_[0-9a-z]{26}"/g, '"id":null'), texts);
      }
      assert.equal(outcome.events.filter((value) => value === 'access.rate_limited').length, refused);
    }),
  );
});
