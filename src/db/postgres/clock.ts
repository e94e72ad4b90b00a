/**
 * The database's clock, tracked without a query for each reading, so that nodes whose own clocks differ agree on the
 * time. The error is half a round trip at most, plus the drift between two queries. A clock that is set back is no
 * longer followed, as with the machine's.
 */
import { type MachineClock, machineClock } from '../../lib/clock.ts';

const READ_EVERY_MS = 5_000;
const READS = 3;

export interface DatabaseClock extends MachineClock {
  stop(): void;
}

/** `read` returns the database's time, epoch ms. The first read may throw; failures of later ones are ignored. */
export async function followClock(read: () => Promise<number>): Promise<DatabaseClock> {
  // Relative to the monotonic clock: setting the machine's clock does not move it.
  let offset = 0;

  /** Takes the fastest of a few reads, which is the most exact. */
  async function measure(): Promise<void> {
    let quickest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < READS; i++) {
      const sent = performance.now();
      const time = await read();
      const answered = performance.now();
      if (answered - sent >= quickest) continue;
      quickest = answered - sent;
      offset = time - (sent + answered) / 2;
    }
  }

  await measure();
  const timer = setInterval(() => measure().catch(() => {}), READ_EVERY_MS);
  timer.unref();
  const clock = machineClock(() => performance.now() + offset);
  return { ...clock, stop: () => clearInterval(timer) };
}
