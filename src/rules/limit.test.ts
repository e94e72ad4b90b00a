/**
 * Limits against the simplest thing that can be right: a list of all admissions (rolling) and a count per period from
 * another calendar (Temporal). States go through JSON between any two calls, as they do in the store.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { seeded } from '../../kit/random.ts';
import { steadyClock } from '../lib/clock.ts';
import {
  type Limit,
  type LimitPeriod,
  type LimitState,
  type LimitUse,
  newestIn,
  PERIODS,
  peek,
  take,
} from './limit.ts';

const ROLLING = ['second', 'minute', 'hour'] as const;
const CALENDAR = ['day', 'week', 'month'] as const;
type Rolling = (typeof ROLLING)[number];
type Calendar = (typeof CALENDAR)[number];

const RUNS = Number(process.env.FC_RUNS ?? 150);
// Looking for the smallest failing case ends here; the seed is printed in any case.
fc.configureGlobal({ interruptAfterTimeLimit: 20_000 });
const START = Date.parse('2026-11-21T09:30:00.000Z');
const DAY_MS = 86_400_000;

const stored = (state: LimitState): LimitState => JSON.parse(JSON.stringify(state)) as number[];
const frozen = (state: LimitState): LimitState => Object.freeze([...stored(state)]);

/** Every admission with its time; one counts until strictly more than the period has passed. */
class ExactLog {
  readonly times: number[] = [];

  usedAt(at: number, lengthMs: number): number {
    let used = 0;
    for (let i = this.times.length - 1; i >= 0 && at - (this.times[i] as number) <= lengthMs; i--) used++;
    return used;
  }

  take(at: number, requests: number, lengthMs: number): boolean {
    const admitted = this.usedAt(at, lengthMs) < requests;
    if (admitted) this.times.push(at);
    return admitted;
  }

  /**
   * The first time when fewer than `used` of the admissions that count at `at`, and fewer than `requests`, still count.
   */
  freedAt(at: number, requests: number, lengthMs: number): number {
    const counting = this.times.slice(this.times.length - this.usedAt(at, lengthMs));
    const excess = Math.max(0, counting.length - requests);
    const last = counting[excess];
    return last === undefined ? at : last + lengthMs + 1;
  }
}

/** A call: its delay after the previous call, in parts of the period, and the limit's number then. */
interface Call {
  wait: number;
  requests: number;
}

/**
 * Hard delays: none (bursts), a short one, up to the edge of a bucket or of the period, just before, just after.
 */
function waits(period: Rolling): fc.Arbitrary<number> {
  const { lengthMs, bucketMs } = PERIODS[period];
  const edges = [bucketMs, lengthMs, lengthMs + bucketMs, lengthMs - bucketMs];
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 3 }) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: bucketMs * 2 }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: Math.floor(lengthMs * 1.2) }) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom(...edges), fc.integer({ min: -2, max: 2 })).map(([a, b]) => a + b),
    },
  );
}

const numbers = (max: number, edits: boolean): fc.Arbitrary<(index: number) => number> =>
  edits
    ? fc
        .array(fc.record({ until: fc.integer({ min: 1, max: 120 }), requests: fc.integer({ min: 1, max }) }), {
          minLength: 1,
          maxLength: 6,
        })
        .map((parts) => (index: number) => {
          let rest = index;
          for (const part of parts) {
            rest -= part.until;
            if (rest < 0) return part.requests;
          }
          return (parts.at(-1) as { requests: number }).requests;
        })
    : fc.integer({ min: 1, max }).map((requests) => () => requests);

const calls = (period: Rolling, max: number, edits: boolean): fc.Arbitrary<Call[]> =>
  fc
    .tuple(fc.array(waits(period), { minLength: 1, maxLength: 400, size: 'max' }), numbers(max, edits))
    .map(([all, requestsOf]) => all.map((wait, index) => ({ wait, requests: requestsOf(index) })));

describe('rolling limits', () => {
  for (const period of ROLLING) {
    const { lengthMs, bucketMs } = PERIODS[period];

    test(`${period}: up to 100 requests, edits included, answers as an exact log does`, () => {
      fc.assert(
        fc.property(calls(period, 100, true), fc.integer({ min: 0, max: lengthMs }), (sequence, phase) => {
          const log = new ExactLog();
          let state: LimitState = [];
          let at = START + phase;
          for (const { wait, requests } of sequence) {
            at += wait;
            const before = log.usedAt(at, lengthMs);
            const use = take(frozen(state), { requests, period }, at);
            assert.equal(use.admitted, log.take(at, requests, lengthMs));
            assert.equal(use.remaining, Math.max(0, requests - before - (use.admitted ? 1 : 0)));
            assert.equal(use.resetAt, log.freedAt(at, requests, lengthMs));
            state = stored(use.state);
          }
        }),
        { numRuns: RUNS },
      );
    });

    test(`${period}: no span of that length holds more admissions than the number then in force, whatever is edited`, () => {
      fc.assert(
        fc.property(calls(period, 1000, true), fc.integer({ min: 0, max: lengthMs }), (sequence, phase) => {
          const admissions = new ExactLog();
          let state: LimitState = [];
          let at = START + phase;
          for (const { wait, requests } of sequence) {
            at += wait;
            const use = take(frozen(state), { requests, period }, at);
            if (use.admitted) {
              admissions.times.push(at);
              assert.ok(admissions.usedAt(at, lengthMs) <= requests);
            }
            state = stored(use.state);
          }
        }),
        { numRuns: RUNS },
      );
    });

    test(`${period}: above 100 requests at least what an exact log of one bucket more admits, at any moment`, () => {
      fc.assert(
        fc.property(calls(period, 60, false), fc.integer({ min: 0, max: lengthMs }), (sequence, phase) => {
          // Sequences stay short because each call stands for five.
          const requests = 100 + (sequence[0] as Call).requests * 5;
          const exact = new ExactLog();
          const longer = new ExactLog();
          let admitted = 0;
          let state: LimitState = [];
          let at = START + phase;
          for (const { wait } of sequence) {
            at += wait;
            for (let i = 0; i < 5; i++) {
              const use = take(state, { requests, period }, at);
              if (use.admitted) admitted++;
              exact.take(at, requests, lengthMs);
              longer.take(at, requests, lengthMs + bucketMs);
              assert.ok(admitted <= exact.times.length);
              assert.ok(admitted >= longer.times.length);
              state = stored(use.state);
            }
          }
        }),
        { numRuns: Math.ceil(RUNS / 3) },
      );
    });

    test(`${period}: above 100 requests and under lasting demand at least 95 % of what an exact log admits`, () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 101, max: 400 }),
          fc.double({ min: 1.05, max: 3, noNaN: true }),
          fc.integer(),
          (requests, demand, seed) => {
            const random = seeded(seed);
            const exact = new ExactLog();
            let admitted = 0;
            let state: LimitState = [];
            const gap = lengthMs / requests / demand;
            let at = START + random.next() * lengthMs;
            for (let i = 0; i < requests * demand * 40; i++) {
              at += random.next() * 2 * gap;
              const now = Math.floor(at);
              const use = take(state, { requests, period }, now);
              if (use.admitted) admitted++;
              exact.take(now, requests, lengthMs);
              state = use.state;
            }
            assert.ok(admitted <= exact.times.length, `${admitted} of ${exact.times.length}`);
            assert.ok(admitted >= exact.times.length * 0.95, `${admitted} of ${exact.times.length}`);
          },
        ),
        { numRuns: 8 },
      );
    });

    test(`${period}: a steady clock over one that is set back keeps the bound in recorded times`, () => {
      fc.assert(
        fc.property(
          calls(period, 300, true),
          fc.array(fc.nat(400), { maxLength: 8, size: 'max' }),
          fc.integer(),
          (all, at, seed) => {
            const random = seeded(seed);
            const jumps = new Set(at);
            const admissions = new ExactLog();
            let source = START;
            const clock = steadyClock(() => source);
            let state: LimitState = [];
            for (const [index, { wait, requests }] of all.entries()) {
              source += wait;
              if (jumps.has(index)) source -= Math.floor(random.next() * lengthMs * 2);
              const now = clock.now();
              const use = take(frozen(state), { requests, period }, now);
              if (use.admitted) {
                admissions.times.push(now);
                assert.ok(admissions.usedAt(now, lengthMs) <= requests);
              }
              state = stored(use.state);
            }
          },
        ),
        { numRuns: RUNS },
      );
    });

    test(`${period}: by the times of nodes whose clocks differ, and that go on from the newest, no span holds more`, () => {
      fc.assert(
        fc.property(
          calls(period, 300, false),
          fc.array(fc.nat(5_000), { minLength: 2, maxLength: 3 }),
          fc.integer(),
          (all, ahead, seed) => {
            const random = seeded(seed);
            const { requests } = all[0] as Call;
            const times: number[] = [];
            let passed = START;
            let state: LimitState = [];
            for (const { wait } of all) {
              passed += wait;
              const at = Math.max(newestIn(state, { requests, period }), passed + random.pick(ahead));
              const use = take(frozen(state), { requests, period }, at);
              if (use.admitted) times.push(at);
              state = stored(use.state);
            }
            times.sort((a, b) => a - b);
            for (let i = requests; i < times.length; i++) {
              assert.ok((times[i] as number) - (times[i - requests] as number) > lengthMs);
            }
          },
        ),
        { numRuns: RUNS },
      );
    });

    test(`${period}: under a raw clock that is set back the bound holds in the time that really passed`, () => {
      fc.assert(
        fc.property(
          calls(period, 300, true),
          fc.array(fc.nat(400), { maxLength: 8, size: 'max' }),
          fc.integer(),
          (all, at, seed) => {
            const random = seeded(seed);
            const jumps = new Set(at);
            const admissions = new ExactLog();
            let passed = START;
            let back = 0;
            let state: LimitState = [];
            for (const [index, { wait, requests }] of all.entries()) {
              passed += wait;
              if (jumps.has(index)) back += Math.floor(random.next() * lengthMs * 2);
              const use = take(frozen(state), { requests, period }, passed - back);
              if (use.admitted) {
                admissions.times.push(passed);
                assert.ok(admissions.usedAt(passed, lengthMs) <= requests);
              }
              state = stored(use.state);
              const free = passed - back + lengthMs + bucketMs;
              assert.equal(peek(state, { requests, period }, free).remaining, requests, 'free again in one period');
            }
          },
        ),
        { numRuns: RUNS },
      );
    });
  }
});

/** The start of a time's period and of the next, by another calendar than the one under test. */
function calendarPeriod(period: Calendar, at: number): { start: number; end: number } {
  const day = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO('UTC').startOfDay();
  const start =
    period === 'day' ? day : period === 'week' ? day.subtract({ days: day.dayOfWeek - 1 }) : day.with({ day: 1 });
  const length = period === 'day' ? { days: 1 } : period === 'week' ? { weeks: 1 } : { months: 1 };
  return { start: start.epochMilliseconds, end: start.add(length).epochMilliseconds };
}

const calendarCalls = fc.array(
  fc.record({
    wait: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: DAY_MS }),
      fc.integer({ min: 0, max: 40 * DAY_MS }),
      fc.constantFrom(1, DAY_MS - 1, DAY_MS, DAY_MS + 1, 7 * DAY_MS, 31 * DAY_MS),
    ),
    requests: fc.integer({ min: 1, max: 12 }),
    edge: fc.constantFrom(null, null, null, -1, 0, 1),
  }),
  { minLength: 1, maxLength: 200, size: 'max' },
);

describe('calendar limits', () => {
  for (const period of CALENDAR) {
    test(`${period}: a count per period of another calendar, edits and edges included`, () => {
      const starts = fc.integer({ min: 0, max: Date.parse('2099-12-31T00:00:00Z') });
      fc.assert(
        fc.property(calendarCalls, starts, (sequence, start) => {
          const used = new Map<number, number>();
          let state: LimitState = [];
          let at = start;
          for (const { wait, requests, edge } of sequence) {
            at = edge === null ? at + wait : Math.max(at, calendarPeriod(period, at + wait).end + edge);
            const now = calendarPeriod(period, at);
            const before = used.get(now.start) ?? 0;
            const use = take(frozen(state), { requests, period }, at);
            assert.equal(use.admitted, before < requests);
            if (use.admitted) used.set(now.start, before + 1);
            assert.equal(use.remaining, Math.max(0, requests - before - (use.admitted ? 1 : 0)));
            assert.equal(use.resetAt, now.end);
            state = stored(use.state);
          }
        }),
        { numRuns: RUNS },
      );
    });

    test(`${period}: a steady clock over one that is set back keeps the bound in recorded times`, () => {
      fc.assert(
        fc.property(
          calendarCalls,
          fc.array(fc.nat(200), { maxLength: 8, size: 'max' }),
          fc.integer(),
          (sequence, at, seed) => {
            const random = seeded(seed);
            const jumps = new Set(at);
            const used = new Map<number, number>();
            let source = START;
            const clock = steadyClock(() => source);
            let state: LimitState = [];
            for (const [index, { wait, requests }] of sequence.entries()) {
              source += wait;
              if (jumps.has(index)) source -= Math.floor(random.next() * 60 * DAY_MS);
              const now = clock.now();
              const { start } = calendarPeriod(period, now);
              const use = take(frozen(state), { requests, period }, now);
              if (use.admitted) used.set(start, (used.get(start) ?? 0) + 1);
              assert.ok(!use.admitted || (used.get(start) as number) <= requests);
              state = stored(use.state);
            }
          },
        ),
        { numRuns: RUNS },
      );
    });

    test(`${period}: a raw clock that is set back makes no allowance anew`, () => {
      fc.assert(
        fc.property(
          calendarCalls,
          fc.array(fc.nat(200), { maxLength: 8, size: 'max' }),
          fc.integer(),
          (sequence, at, seed) => {
            const random = seeded(seed);
            const jumps = new Set(at);
            let reading = START;
            let stretch = { start: 0, admitted: 0 };
            let state: LimitState = [];
            for (const [index, { wait, requests }] of sequence.entries()) {
              reading += wait;
              if (jumps.has(index)) reading -= Math.floor(random.next() * 60 * DAY_MS);
              const { start } = calendarPeriod(period, reading);
              stretch = { start, admitted: start > stretch.start ? 0 : stretch.admitted };
              const use = take(frozen(state), { requests, period }, reading);
              if (use.admitted) stretch.admitted++;
              assert.ok(!use.admitted || stretch.admitted <= requests);
              state = stored(use.state);
            }
          },
        ),
        { numRuns: RUNS },
      );
    });
  }
});

/** A state as calls leave it, the last limit, and the time of the last call. */
const used = fc
  .constantFrom(...(Object.keys(PERIODS) as LimitPeriod[]))
  .chain((period) => {
    const kind = PERIODS[period] !== null ? (period as Rolling) : 'hour';
    return fc.tuple(fc.constant(period), calls(kind, 300, true), fc.integer({ min: 0, max: 40 * DAY_MS }));
  })
  .map(([period, sequence, phase]) => {
    let state: LimitState = [];
    let at = START + phase;
    let limit: Limit = { requests: 1, period };
    for (const { wait, requests } of sequence) {
      at += wait;
      limit = { requests, period };
      state = stored(take(state, limit, at).state);
    }
    return { state, at, limit };
  });

const same = (a: LimitUse, b: LimitUse, what: string): void => {
  assert.equal(a.admitted, b.admitted, what);
  assert.equal(a.remaining, b.remaining, what);
  assert.equal(a.resetAt, b.resetAt, what);
};

describe('any limit', () => {
  test('resetAt is the first moment at which more will be left', () => {
    fc.assert(
      fc.property(used, fc.integer({ min: 0, max: 4_000_000 }), ({ state, at, limit }, later) => {
        const moment = at + later;
        for (const ask of [take, peek]) {
          const use = ask(frozen(state), limit, moment);
          if (use.remaining === limit.requests) continue;
          const left = (then: number) => peek(use.state, limit, then).remaining;
          assert.ok(use.resetAt > moment);
          assert.equal(left(moment), use.remaining);
          assert.equal(left(use.resetAt - 1), use.remaining);
          assert.ok(left(use.resetAt) > use.remaining);
        }
      }),
      { numRuns: RUNS * 3 },
    );
  });

  test('a denial changes nothing', () => {
    fc.assert(
      fc.property(used, fc.nat(5_000_000), fc.nat(5_000_000), ({ state, at, limit }, wait, later) => {
        const use = take(frozen(state), limit, at + wait);
        if (use.admitted) return;
        same(peek(use.state, limit, at + wait + later), peek(state, limit, at + wait + later), 'after a denial');
      }),
      { numRuns: RUNS * 3 },
    );
  });

  test('a peek says what a take would, and uses nothing', () => {
    fc.assert(
      fc.property(used, fc.nat(5_000_000), ({ state, at, limit }, wait) => {
        const moment = at + wait;
        const seen = peek(frozen(state), limit, moment);
        const taken = take(frozen(state), limit, moment);
        assert.equal(seen.admitted, taken.admitted);
        assert.equal(seen.remaining, taken.remaining + (taken.admitted ? 1 : 0));
        same(peek(seen.state, limit, moment), seen, 'after a peek');
        same(take(seen.state, limit, moment), taken, 'after a peek');
      }),
      { numRuns: RUNS * 3 },
    );
  });

  test('a state stays small, however much is admitted', () => {
    const pairs = { second: 100, minute: 60, hour: 60 };
    for (const period of ROLLING) {
      const { lengthMs, bucketMs } = PERIODS[period];
      const limit = { requests: 1_000_000, period };
      let state: LimitState = [];
      for (let i = 0; i < 6000; i++) {
        ({ state } = take(state, limit, START + Math.floor((i * lengthMs) / 1500)));
        assert.ok(state.length <= 2 * (pairs[period] + 2), `${period}: ${state.length}`);
      }
      // A clock that is set back makes one bucket of those that are ahead of it.
      const { state: back } = take(state, limit, START + 3 * lengthMs + 5 * bucketMs);
      assert.ok(back.length <= 2 * 7, `${period}: ${back.length}`);
    }
    let exact: LimitState = [];
    for (let i = 0; i < 100; i++) ({ state: exact } = take(exact, { requests: 100, period: 'hour' }, START));
    assert.equal(exact.length, 2);
  });

  test('an empty state ends one period from now', () => {
    for (const period of ROLLING) {
      const { state, expiresAt } = peek([], { requests: 1, period }, START);
      assert.deepEqual([state, expiresAt], [[], START + PERIODS[period].lengthMs]);
    }
  });

  test('from expiresAt on a state says nothing, and not before', () => {
    fc.assert(
      fc.property(used, fc.nat(5_000_000), ({ state, at, limit }, later) => {
        const { state: next, expiresAt } = take(frozen(state), limit, at);
        same(take(next, limit, expiresAt + later), take([], limit, expiresAt + later), 'expired');
        if (next.some((value) => value > 0) && peek(next, limit, at).remaining < limit.requests) {
          assert.ok(peek(next, limit, expiresAt - 1).remaining < limit.requests);
        }
      }),
      { numRuns: RUNS * 3 },
    );
  });
});
