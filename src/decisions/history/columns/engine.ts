/** Where columns are, opened: what follows the records there, and what answers questions. */
import type { SqlReader } from './reader.ts';
import type { Tail } from './tail.ts';

export interface ColumnsEngine {
  tail: Tail;
  connect(): Promise<SqlReader>;
  /** Gives the system back what queries no longer use. */
  rest(): Promise<void>;
  /** Fails the running queries. */
  interrupt(): void;
  /** On disk, bytes. */
  size(): number;
  close(): void | Promise<void>;
}
