/** Claims that PostgreSQL answers by itself are answered as `rules/limit` answers them one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { entry } from '../../kit/entry.ts';
import type { Row } from '../../src/db/db.ts';
import { EXPIRY_STEP_MS } from '../../src/decisions/ledger/postgres/entries.ts';
import { claimedBy, claimStep, readAnswers, readHeld } from '../../src/decisions/ledger/postgres/trip.ts';
import type { Claim } from '../../src/rules/claim.ts';
import { type LimitPeriod, type LimitState, PERIODS, take } from '../../src/rules/limit.ts';
import { REASONS } from '../../src/rules/reason.ts';
import { openMigrated } from './migrated.ts';

const db = await openMigrated();

/** A flush: when, how many claims of each limit and by which number, and how they are mixed. */
interface Step {
  wait: number;
  requests: number[];
  order: number[];
}
const DAY_MS = 86_400_000;
/** The last millisecond of a month, of a week and of a day. */
const START = Date.UTC(2026, 1, 28, 23, 59, 59, 999);
const PERIOD_NAMES = Object.keys(PERIODS) as LimitPeriod[];

/** Hard delays: none, within a bucket, past the edge of a bucket or a period, and back in time. */
const waits = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 30 }) },
  fc
    .tuple(
      fc.constantFrom(1_000, 10_000, 60_000, 3_600_000, 3_660_000, DAY_MS, 7 * DAY_MS, 31 * DAY_MS),
      fc.integer({ min: -2, max: 2 }),
    )
    .map(([ms, more]) => ms + more),
  fc.constantFrom(-1, -500, -30_000, -DAY_MS),
);
const steps = fc.array(
  fc.record({
    wait: waits,
    // Up to 100 and above, a limit has buckets of different widths.
    requests: fc.array(fc.constantFrom(1, 3, 5, 100, 101, 120), { minLength: 3, maxLength: 3 }),
    order: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 60 }),
  }),
  { minLength: 1, maxLength: 8 },
);

let cases = 0;

async function compare(periods: readonly LimitPeriod[], sequence: readonly Step[]): Promise<void> {
  const names = periods.map((_, i) => `${++cases} \\ ${i}`);
  const states = new Map<string, LimitState>();
  let at = START;
  for (const { wait, requests, order } of sequence) {
    at += wait;
    const claims = order.map((i): Claim | null =>
      i === 3
        ? null
        : { key: names[i] as string, limit: { requests: requests[i] as number, period: periods[i] as LimitPeriod } },
    );
    const claimed = claimedBy([
      { at, freshUntil: 0, receipt: undefined, entries: claims.map((claim) => entry({ claim })) },
    ]);
    assert.ok(claimed);
    const [[row]] = (await db.write([claimStep([at, 0, claims.length], claimed)])) as [[Row]];
    assert.equal(readHeld(row, claimed).size, 0);
    const uses = claims.map((claim) => {
      if (claim === null) return null;
      const use = take(states.get(claim.key) ?? [], claim.limit, at);
      states.set(claim.key, use.state);
      return use;
    });
    assert.deepEqual(
      readAnswers(row, claimed),
      uses.flatMap((use) => (use === null ? [] : [use.admitted ? 1 : 0, use.remaining, use.resetAt])),
    );
    const recorded = await db.read(
      `select reason, limit_remaining as remaining, limit_reset_at as reset from decisions
        where seq = any($1::bigint[]) order by seq`,
      [row.seqs as string],
    );
    assert.deepEqual(
      recorded.map(({ reason, remaining, reset }) => [reason, remaining, reset]),
      uses.map((use) =>
        use === null
          ? [0, null, null]
          : [use.admitted ? 0 : REASONS.rate_limit_exceeded.code, use.remaining, use.resetAt],
      ),
    );
    for (const [i, key] of names.entries()) {
      if (!order.includes(i)) continue;
      const [kept] = await db.read('select state, expires_at from limits where key = $1', [claimedKey(key)]);
      assert.deepEqual(JSON.parse(kept?.state as string), states.get(key));
      const last = claims.findLastIndex((claim) => claim?.key === key);
      const { expiresAt } = uses[last] as { expiresAt: number };
      assert.equal(kept?.expires_at, Math.ceil(expiresAt / EXPIRY_STEP_MS) * EXPIRY_STEP_MS);
    }
  }
}

const claimedKey = (key: string): string => key.replaceAll('\\', '\\\\');

test('whatever the periods, the times, edits of the number and the order of the claims', async () => {
  const three = fc.array(fc.constantFrom(...PERIOD_NAMES), { minLength: 3, maxLength: 3 });
  await fc.assert(fc.asyncProperty(three, steps, compare), { numRuns: 60 });
});

test('a number that was lowered below what is used: what is left comes back when enough has been freed', async () => {
  const all = (count: number) => Array.from({ length: count }, () => 0);
  await compare(
    ['minute', 'hour', 'day'],
    [
      { wait: 0, requests: [100, 1, 1], order: all(40) },
      { wait: 10_000, requests: [100, 1, 1], order: all(40) },
      { wait: 10_000, requests: [30, 1, 1], order: all(3) },
      { wait: 41_000, requests: [30, 1, 1], order: all(3) },
      { wait: 10_000, requests: [30, 1, 1], order: all(40) },
    ],
  );
});

test('what takes a node in between: a receipt, many limits, one limit by two numbers', () => {
  const claim = (key: string, requests = 1): Claim => ({ key, limit: { requests, period: 'day' } });
  const submission = (...claims: Claim[]) => ({
    at: 0,
    freshUntil: 0,
    receipt: undefined,
    entries: claims.map((one) => entry({ claim: one })),
  });
  const receipt = { scope: 's', bodyHash: 'h', status: 200, parts: [] };
  const many = Array.from({ length: 17 }, (_, i) => claim(`k${i}`));
  assert.equal(claimedBy([submission(claim('k')), { ...submission(), receipt }]), undefined);
  assert.equal(claimedBy([submission(...many)]), undefined);
  assert.equal(claimedBy([submission(claim('k')), submission(claim('k', 2))]), undefined);
  assert.equal(claimedBy([submission(...many.slice(1))])?.claims.length, 16);
});
