import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FIRST_TIME, goingOnFrom, LAST_TIME, type MachineClock, machineClock, toIso } from './clock.ts';

const START = Date.parse('2026-11-21T09:30:00.000Z');
const SECOND = 1_000;
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

/** A machine: `pass` lets time pass, `set` moves its clock and nothing else. */
function machine(): { clock: MachineClock; pass(ms: number): number; set(byMs: number): number; truth(): number } {
  let gone = 123.456;
  let wrong = 0;
  const clock = machineClock(
    () => Math.floor(START + gone + wrong),
    () => gone,
  );
  return {
    clock,
    pass(ms) {
      gone += ms;
      return clock.now();
    },
    set(byMs) {
      wrong += byMs;
      return clock.now();
    },
    truth: () => Math.floor(START + gone),
  };
}

const near = (actual: number, expected: number, withinMs = 1): void =>
  assert.ok(Math.abs(actual - expected) <= withinMs, `${actual - expected} ms off`);

describe('the clock of a machine', () => {
  for (const back of [SECOND, 5 * SECOND, HOUR, YEAR]) {
    test(`set back by ${back} ms: time neither stands still nor goes back`, () => {
      const { clock, pass, set, truth } = machine();
      pass(HOUR);
      let last = clock.now();
      set(-back);
      near(clock.figures().aheadMs, back, 2);
      for (let i = 0; i < 1_000; i++) {
        const now = pass(SECOND);
        assert.ok(now - last >= 0.998 * SECOND && now - last <= SECOND + 1, `${now - last}`);
        last = now;
      }
      assert.ok(last <= truth() + 1, 'it goes no faster than time does');
    });
  }

  test('set back a little: the two meet again, and then it is followed', () => {
    const { clock, pass, set, truth } = machine();
    set(-5 * SECOND);
    for (let i = 0; i < 6_000; i++) pass(SECOND);
    near(clock.now(), truth() - 5 * SECOND);
    assert.ok(clock.figures().aheadMs <= 1);
  });

  test('set forward, as after a sleep: it is followed at once', () => {
    const { clock, pass, set, truth } = machine();
    near(set(YEAR), truth() + YEAR);
    near(pass(HOUR), truth() + YEAR);
    assert.equal(clock.figures().jumps, 1);
    assert.equal(clock.figures().steadyForMs, HOUR);
  });

  for (const jump of [10 * SECOND, HOUR, YEAR]) {
    test(`set forward by ${jump} ms and, hours later, back: time is right again without a restart`, () => {
      const { clock, pass, set, truth } = machine();
      pass(HOUR);
      set(jump);
      near(pass(7 * HOUR), truth() + jump);
      near(set(-jump), truth());
      near(pass(HOUR), truth());
      assert.deepEqual(clock.figures(), { aheadMs: 0, jumps: 1, takenBack: 1, steadyForMs: HOUR });
    });
  }

  test('taken back by hand, to about where it was, or a little before', () => {
    for (const miss of [20 * SECOND, -20 * SECOND]) {
      const { pass, set, truth } = machine();
      set(YEAR);
      pass(SECOND);
      near(set(miss - YEAR), truth() + Math.max(0, miss));
      near(pass(SECOND), truth() + Math.max(0, miss));
    }
  });

  test('set right by a step forward and then set back by less: that is no way home, and time goes on', () => {
    const { clock, pass, set, truth } = machine();
    set(YEAR);
    pass(SECOND);
    set(-HOUR * 24 * 30);
    near(clock.now(), truth() + YEAR);
    near(pass(SECOND), truth() + YEAR, 2);
  });

  test('two steps forward are taken back one by one, or at once', () => {
    const one = machine();
    one.set(HOUR);
    one.set(YEAR);
    near(one.set(-YEAR), one.truth() + HOUR);
    near(one.set(-HOUR), one.truth());
    const both = machine();
    both.set(HOUR);
    both.set(YEAR);
    near(both.set(-YEAR - HOUR), both.truth());
  });

  test('a pause between its two readings moves nothing', () => {
    let gone = 0;
    let pauseMs = 0;
    const clock = machineClock(
      () => {
        const at = START + gone;
        gone += pauseMs;
        return at;
      },
      () => gone,
    );
    clock.now();
    pauseMs = 500;
    clock.now();
    pauseMs = 0;
    near(clock.now(), START + gone);
  });
});

describe('after a restart', () => {
  test('time goes on from the newest entry, as far as an hour ahead', () => {
    const { clock, pass, truth } = machine();
    const time = goingOnFrom(clock, truth() + HOUR / 2);
    near(time.now(), truth() + HOUR / 2);
    pass(10 * SECOND);
    near(time.now(), truth() + HOUR / 2, 12);
  });

  test('an entry of the future was written by a wrong clock', () => {
    const { clock, truth } = machine();
    near(goingOnFrom(clock, truth() + YEAR).now(), truth());
  });

  test('with a clock of any kind', () => {
    const hand = { at: START, now: () => hand.at };
    const time = goingOnFrom(hand, START + 60 * SECOND);
    hand.at += SECOND;
    assert.equal(time.now(), START + 61 * SECOND);
  });
});

test('times are formatted as Date does, over seconds, years and before 1970', () => {
  const times = [0, -1, 999, 1000, FIRST_TIME, LAST_TIME, 16_000, 16_001, 32_000];
  for (let i = 0; i < 2_000; i++) times.push(FIRST_TIME + Math.floor(((LAST_TIME - FIRST_TIME) / 2_000) * i) + i);
  for (const at of [...times, ...times.toReversed()]) assert.equal(toIso(at), new Date(at).toISOString());
});
