/** Messages between the columns' thread and its owner. */
import type { ColumnsMemory } from '../../../lib/memory.ts';
import type { ColumnsQuestion } from './answerer.ts';

export type ToWorker =
  | { kind: 'ask'; id: number; question: ColumnsQuestion }
  | { kind: 'forget'; id: number }
  | { kind: 'abandon' }
  | { kind: 'close' };

export interface WorkerState {
  /** Decisions between the newest one tailed and the newest one recorded. */
  behind: number;
  caughtUpAt: number | null;
  sizeBytes: number;
  rebuilds: number;
  /** Why they cannot answer; null: they can. */
  problem: string | null;
}

export type FromWorker =
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'refusal'; id: number; message: string }
  | { kind: 'problem'; message: string; isLoss?: boolean }
  | { kind: 'state'; state: WorkerState };

export interface ColumnsSetup {
  /** A SQLite file or a PostgreSQL URL. */
  records: string;
  columnsFile: string;
  archiveDir: string | null;
  memory: ColumnsMemory;
  /** The URL of ClickHouse; null: the columns are in the file. */
  clickHouse: string | null;
}
