/**
 * Answers questions on two connections: pages of the log do not wait behind questions that group all decisions of a
 * span.
 */
import { type Queue, serial } from '../../../lib/queue.ts';
import { answerAlarms } from './alarms.ts';
import { answerReport } from './counts.ts';
import { answerDemand } from './demand.ts';
import { answerDivergences } from './divergences.ts';
import { errorMessage, isDamage } from './duckdb.ts';
import { answerLicensedCells, answerLicensedCounts, answerLicensedGroups, answerUnlicensed } from './licensed.ts';
import { answerPrograms } from './program-list.ts';
import { answerBounds, answerFind, answerStats, type FindPage, type Stats } from './questions.ts';
import type { SqlReader } from './reader.ts';
import { answerSeen } from './seen.ts';
import type { ColumnsFilter } from './sql.ts';
import { answerVisitors } from './visitors.ts';

/** The questions that group all decisions of a span. */
const ANSWERS = {
  report: answerReport,
  visitors: answerVisitors,
  seen: answerSeen,
  programs: answerPrograms,
  demand: answerDemand,
  alarms: answerAlarms,
  divergences: answerDivergences,
  licensedGroups: answerLicensedGroups,
  licensedCells: answerLicensedCells,
  licensedCounts: answerLicensedCounts,
  unlicensed: answerUnlicensed,
};
type Answers = typeof ANSWERS;

export type ColumnsQuestion =
  | { kind: 'stats'; contentNo: number }
  | { kind: 'find'; filter: ColumnsFilter; page: FindPage }
  | { kind: 'bounds' }
  | { [Kind in keyof Answers]: { kind: Kind; query: Parameters<Answers[Kind]>[1] } }[keyof Answers];

export interface Asked {
  id: number;
  question: ColumnsQuestion;
}

/** Receives the answers. */
export interface Replies {
  /** The caller still waits. */
  isWanted(asked: Asked): boolean;
  /** Set while the thread shuts down. */
  closing(): string | null;
  answer(asked: Asked, value: unknown): void;
  refuse(asked: Asked, message: string): void;
  /** A question failed through no damage of the file. */
  problem(message: string): void;
  damaged(): void;
}

const NONE: Stats = { total: 0, allowed: 0 };

/** A reader and its queue: one question after another. */
interface Desk {
  reader: SqlReader;
  queue: Queue;
}

export class Answerer {
  readonly #quick: Desk;
  readonly #slow: Desk;
  readonly #replies: Replies;
  #stats: (Asked & { no: number })[] = [];
  /** The error that showed damage of the file; every later question is refused. */
  damage: unknown;

  constructor(quick: SqlReader, slow: SqlReader, replies: Replies) {
    this.#quick = { reader: quick, queue: serial() };
    this.#slow = { reader: slow, queue: serial() };
    this.#replies = replies;
  }

  dispatch(ready: readonly Asked[]): void {
    const isEmpty = this.#stats.length === 0;
    for (const asked of ready) {
      const { question } = asked;
      if (question.kind === 'stats') {
        this.#stats.push({ ...asked, no: question.contentNo });
        continue;
      }
      const desk = question.kind in ANSWERS ? this.#slow : this.#quick;
      void desk.queue.run(() =>
        this.#settle([asked], async () => {
          const value = await answer(desk.reader, question);
          return () => value;
        }),
      );
    }
    // Once all are there: the queue begins at once.
    if (isEmpty && this.#stats.length > 0) void this.#quick.queue.run(() => this.#answerStats());
  }

  async idle(): Promise<void> {
    await Promise.all([this.#quick.queue.idle(), this.#slow.queue.idle()]);
  }

  /**
   * Answers all waiting questions on items with one scan: ten million rows take as long for fifty items as for five.
   */
  #answerStats(): Promise<void> {
    const waiting = this.#stats;
    this.#stats = [];
    return this.#settle(waiting, async () => {
      const found = await answerStats(this.#quick.reader, [...new Set(waiting.map(({ no }) => no))]);
      return ({ no }) => found.get(no) ?? NONE;
    });
  }

  async #settle<A extends Asked>(asked: readonly A[], work: () => Promise<(asked: A) => unknown>): Promise<void> {
    const replies = this.#replies;
    const wanted = asked.filter((one) => replies.isWanted(one));
    if (wanted.length === 0) return;
    const closing = replies.closing();
    if (closing !== null) {
      for (const one of wanted) replies.refuse(one, closing);
      return;
    }
    try {
      if (this.damage !== undefined) throw this.damage;
      const getValue = await work();
      for (const one of wanted) replies.answer(one, getValue(one));
    } catch (error) {
      for (const one of wanted) replies.refuse(one, errorMessage(error));
      if (isDamage(error)) {
        this.damage = error;
        replies.damaged();
      } else replies.problem(`a question was not answered: ${errorMessage(error)}`);
    }
  }
}

function answer(reader: SqlReader, question: Exclude<ColumnsQuestion, { kind: 'stats' }>): Promise<unknown> {
  if (question.kind === 'find') return answerFind(reader, question.filter, question.page);
  if (question.kind === 'bounds') return answerBounds(reader);
  return ANSWERS[question.kind](reader, question.query as never);
}
