/**
 * The database's clock, tracked without a query for each reading, so that nodes whose own clocks differ agree on the
 * time. The error is one round trip at most, plus the drift between two measurements; of a slow read, only a clock that
 * is behind. A clock that is set back is no longer followed, as with the machine's.
 */
import { type MachineClock, machineClock } from '../../lib/clock.ts';

const READ_EVERY_MS = 5_000;
const READS = 3;
/** The first read may be a slow one: it puts the clock ahead by no more than this. */
const AHEAD_MAX_MS = 50;

export interface DatabaseClock extends MachineClock {
  stop(): void;
}

/** `read` returns the database's time, epoch ms. The first reads may throw; failures of later ones are ignored. */
export async function followClock(read: () => Promise<number>): Promise<DatabaseClock> {
  // Relative to the monotonic clock: setting the machine's clock does not move it.
  let offset: number | undefined;

  async function measure(): Promise<void> {
    for (let i = 0; i < READS; i++) {
      const sent = performance.now();
      const time = await read();
      const answered = performance.now();
      // The database read its clock in between, and rounded it down.
      const least = time - answered;
      const most = time + 1 - sent;
      offset ??= Math.min((least + most) / 2, least + AHEAD_MAX_MS);
      // A read that waited seconds for a lost database allows what quick ones found, and moves nothing.
      offset = Math.min(Math.max(offset, least), most);
    }
  }

  await measure();
  let measuring: Promise<void> | undefined;
  /** Never measures twice at a time: the late answer of an older one would undo what a newer one found. */
  function follow(): void {
    measuring ??= measure()
      .catch(() => {})
      .finally(() => {
        measuring = undefined;
      });
  }
  const timer = setInterval(follow, READ_EVERY_MS);
  timer.unref();
  const clock = machineClock(() => performance.now() + (offset as number));
  return { ...clock, stop: () => clearInterval(timer) };
}
