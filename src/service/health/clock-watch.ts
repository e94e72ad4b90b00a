/** Logs each step of the machine's clock once; `/metrics` has the figures. */
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../db/db.ts';
import type { MachineClock } from '../../lib/clock.ts';

const LOOK_EVERY_MS = 1_000;
const AHEAD_MS = 1_000;
/** After a step of the clock, deletions wait this long. */
const SURE_AFTER_MS = 3_600_000;

export interface ClockWatch {
  isSure(): boolean;
  /** Returns how far Postern's clock is ahead of the clock it follows. */
  aheadMs(): number;
  stop(): void;
}

const WHOSE: Record<Db['engine'], string> = {
  sqlite: 'The clock of this machine',
  postgres: 'The clock of the database',
};

/** `clock`: undefined when a test replaces it. */
export function watchClock(
  clock: MachineClock | undefined,
  engine: Db['engine'],
  logger: Pick<FastifyBaseLogger, 'warn'>,
): ClockWatch {
  return clock === undefined
    ? { isSure: () => true, aheadMs: () => 0, stop: () => {} }
    : watch(clock, WHOSE[engine], logger);
}

function watch(clock: MachineClock, whose: string, logger: Pick<FastifyBaseLogger, 'warn'>): ClockWatch {
  let isAhead = false;
  let { jumps, takenBack } = clock.figures();

  function look(): void {
    // The clock notices a step when it is read.
    clock.now();
    const figures = clock.figures();
    if (figures.jumps > jumps) {
      logger.warn(`${whose} was set forward. Postern follows it; if that was a mistake, set it back.`);
    }
    if (figures.takenBack > takenBack) {
      logger.warn(`${whose} was set back to where it was before. What was recorded meanwhile keeps its later times.`);
    }
    if (figures.aheadMs >= AHEAD_MS && !isAhead) {
      const seconds = Math.round(figures.aheadMs / 1000);
      logger.warn(
        `${whose} is ${seconds} s behind the times that Postern has recorded: it was set back. Postern goes on by the ` +
          'monotonic clock. Correct the clock.',
      );
    }
    isAhead = figures.aheadMs >= AHEAD_MS;
    ({ jumps, takenBack } = figures);
  }

  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  return {
    isSure: () => clock.figures().steadyForMs >= SURE_AFTER_MS,
    aheadMs: () => clock.figures().aheadMs,
    stop: () => clearInterval(timer),
  };
}
