/**
 * The database's clock, read on this node without asking each time: so that nodes whose own clocks differ agree on what
 * the moment is. Off by half a round trip at most, and by what the two drift apart between two looks.
 */
import { type Clock, steadyClock } from '../lib/clock.ts';

const LOOK_EVERY_MS = 10_000;
const LOOKS = 3;

export interface DatabaseClock extends Clock {
  stop(): void;
}

/** `read` answers the database's moment, epoch ms. Throws what it throws at the first look; later ones may fail. */
export async function followClock(read: () => Promise<number>): Promise<DatabaseClock> {
  // The monotonic clock of the process: setting the machine's clock does not move it.
  let offset = 0;

  /** The quickest of a few answers is the most exact. */
  async function look(): Promise<void> {
    let quickest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < LOOKS; i++) {
      const asked = performance.now();
      const moment = await read();
      const answered = performance.now();
      if (answered - asked >= quickest) continue;
      quickest = answered - asked;
      offset = moment - (asked + answered) / 2;
    }
  }

  await look();
  const timer = setInterval(() => look().catch(() => {}), LOOK_EVERY_MS);
  timer.unref();
  const clock = steadyClock(() => Math.floor(performance.now() + offset));
  return { now: clock.now, stop: () => clearInterval(timer) };
}
