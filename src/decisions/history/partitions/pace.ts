/** The rate at which numbers of decisions are drawn: now, and over a month. */
import type { Db } from '../../../db/db.ts';
import { DAY_MS } from '../retention/retire.ts';

const SPAN_MS = 30 * DAY_MS;
const MEASURED_EVERY_MS = 3_600_000;
/** A border is given up once numbers reach it in less than this share of the time that it began ahead of them. */
const NEAR = 1 / 6;
/** The rate is that of this share of the time or more: over less, one flush looks like thousands. */
const MEASURED = 1 / 3_600;

export interface NumberPace {
  /** Receives the newest number at each look. */
  note(newest: number): void;
  /** Begins anew: numbers were skipped. */
  forget(): void;
  /** Returns the size of a partition: the numbers of the last month, or `numbersAtLeast`. */
  numbersOfSpan(newest: number): Promise<number>;
  /** Returns a border for numbers to come; undefined until the rate is known, at the second look. */
  farAhead(newest: number): Promise<number | undefined>;
  isNear(border: number, newest: number): boolean;
}

interface PaceDeps {
  db: Db;
  now(): number;
  numbersAtLeast: number;
  aheadMs: number;
}

export function openPace({ db, now, numbersAtLeast, aheadMs }: PaceDeps): NumberPace {
  let noted: { newest: number; at: number } | undefined;
  let aMs: number | undefined;
  let measured: { numbers: number; at: number } | undefined;

  async function numbersOfSpan(newest: number): Promise<number> {
    const at = performance.now();
    if (measured === undefined || at - measured.at > MEASURED_EVERY_MS) {
      measured = { numbers: newest - (await findBefore(db, now() - SPAN_MS, newest)), at };
    }
    return Math.max(numbersAtLeast, measured.numbers);
  }

  return {
    note(newest) {
      const at = performance.now();
      if (noted !== undefined && at - noted.at <= aheadMs * MEASURED) return;
      if (noted !== undefined) aMs = (newest - noted.newest) / (at - noted.at);
      noted = { newest, at };
    },
    forget() {
      [noted, aMs, measured] = [undefined, undefined, undefined];
    },
    numbersOfSpan,
    async farAhead(newest) {
      if (aMs === undefined) return undefined;
      return newest + numbersAtLeast + Math.ceil(Math.max(await numbersOfSpan(newest), aMs * aheadMs));
    },
    isNear: (border, newest) => border - newest < Math.max(numbersAtLeast, (aMs ?? 0) * aheadMs * NEAR),
  };
}

/** Finds the last number before a time; approximately, since numbers are only nearly in the order of time. */
async function findBefore(db: Db, time: number, newest: number): Promise<number> {
  const [oldest] = await db.read<{ seq: number | null }>('select min(seq) as seq from decisions');
  let before = (oldest?.seq ?? newest) - 1;
  let last = newest;
  while (before < last) {
    const middle = before + Math.floor((last - before) / 2);
    const [next] = await db.read<{ seq: number; at: number }>(
      'select seq, at from decisions where seq > $1 order by seq limit 1',
      [middle],
    );
    if (next === undefined || next.at >= time) last = middle;
    else before = next.seq;
  }
  return before;
}
