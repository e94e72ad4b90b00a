/**
 * Keeps which programs that the directory does not name read a robots.txt: no decision is made about these requests.
 * Bounded: at most 10,000 names, those that read it last. Reads of the last seconds may be lost in a crash.
 */
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { every } from '../../lib/every.ts';
import { findCrawler } from '../../rules/crawlers/directory.ts';
import { findProgram, isProgram } from '../../rules/crawlers/program.ts';
import type { Precision } from '../precision.ts';
import { findAnnounced, putRobotsReads } from './sighting-store.ts';

const WRITE_EVERY_MS = 5_000;
/** Names noted between two writes. */
const NOTED_MAX = 1_000;

export interface RobotsReads {
  note(userAgent: string | undefined): void;
  /** Returns those of the programs that read a robots.txt. */
  find(programs: readonly string[]): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

interface RobotsReadsDeps {
  db: Db;
  clock: Clock;
  precision: Pick<Precision, 'userAgent'>;
  onProblem(problem: unknown): void;
}

export function openRobotsReads({ db, clock, precision, onProblem }: RobotsReadsDeps): RobotsReads {
  let noted = new Set<string>();

  async function write(): Promise<void> {
    const names = [...noted];
    noted = new Set();
    if (names.length > 0) await db.atomic(putRobotsReads(names, clock.now()));
  }

  const stop = every(WRITE_EVERY_MS, write, onProblem);
  return {
    note(userAgent) {
      if (precision.userAgent !== 'full' || userAgent === undefined || noted.size >= NOTED_MAX) return;
      if (isProgram(userAgent) && findCrawler(userAgent) === null) noted.add(findProgram(userAgent));
    },
    async find(programs) {
      await write();
      return new Set((await findAnnounced(db, 'robots', programs)).keys());
    },
    async close() {
      await stop();
      await write().catch(onProblem);
    },
  };
}
