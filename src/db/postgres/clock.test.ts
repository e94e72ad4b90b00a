import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { followClock } from './clock.ts';

/** A database whose answers take as long as a test says, and a machine whose monotonic clock only they move. */
function database() {
  let elapsed = 1_000;
  let offset = 1_700_000_000_000;
  /** For each read, the time until the server reads its clock and the time after it; null: the connection breaks. */
  let answers: ([number, number] | null)[] = [];
  let held: Promise<void> | undefined;
  const monotonic = mock.method(performance, 'now', () => elapsed);
  mock.timers.enable({ apis: ['setInterval'] });
  return {
    answer: (...next: typeof answers): void => void (answers = next),
    setBack: (ms: number): void => void (offset -= ms),
    pass: (ms: number): void => void (elapsed += ms),
    now: (): number => Math.floor(elapsed + offset),
    /** Holds back the answer to the next read. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    async read(): Promise<number> {
      const answer = answers.shift();
      if (answer === null) throw new Error('the connection broke');
      const [before, after] = answer ?? [0.25, 0.25];
      elapsed += before;
      const time = Math.floor(elapsed + offset);
      elapsed += after;
      const waits = held;
      held = undefined;
      await waits;
      return time;
    },
    /** Lets the next measurement take place. */
    async measure(): Promise<void> {
      mock.timers.tick(5_000);
      await settled();
    },
    [Symbol.dispose]() {
      monotonic.mock.restore();
      mock.timers.reset();
    },
  };
}

/** Lets everything that follows from what has happened take place. */
async function settled(): Promise<void> {
  for (let i = 0; i < 40; i++) await Promise.resolve();
}

const near = (actual: number, expected: number, by: number): void =>
  assert.ok(Math.abs(actual - expected) <= by, `${actual - expected} ms off`);

const LATE: Record<string, [number, number]> = {
  'a read that waited for a lost database': [4_600, 1],
  'a read whose answer was late': [1, 4_600],
};
for (const [what, answer] of Object.entries(LATE)) {
  test(`${what} moves nothing, also where those after it fail`, async () => {
    using server = database();
    const clock = await followClock(server.read);
    server.answer(answer, null);
    await server.measure();
    near(clock.now(), server.now(), 1);
    assert.equal(clock.figures().aheadMs, 0);
  });
}

test('slow first reads: not ahead by more than 50 ms, and quick ones make it exact', async () => {
  using server = database();
  server.answer([2_000, 1], [2_000, 1], [2_000, 1]);
  const clock = await followClock(server.read);
  const ahead = clock.now() - server.now();
  assert.ok(ahead > 40 && ahead <= 51, `${ahead} ms ahead`);
  await server.measure();
  server.pass(60_000);
  near(clock.now(), server.now(), 1);
});

test('a database that takes over with a clock behind: time goes on, and the clock says how far ahead it is', async () => {
  using server = database();
  const clock = await followClock(server.read);
  const before = clock.now();
  server.setBack(3_000);
  await server.measure();
  near(clock.figures().aheadMs, 3_000, 2);
  assert.ok(clock.now() >= before);
});

test('an answer that is late does not undo a step of the clock that was followed meanwhile', async () => {
  using server = database();
  const clock = await followClock(server.read);
  const release = server.hold();
  await server.measure();
  server.setBack(-60_000);
  await server.measure();
  const before = clock.now();
  // The read after it waits too.
  const releaseNext = server.hold();
  release();
  await settled();
  assert.ok(clock.now() >= before);
  releaseNext();
  await settled();
  await server.measure();
  near(clock.now(), server.now(), 1);
  assert.equal(clock.figures().takenBack, 0);
});
