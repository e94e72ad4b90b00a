/** The threads that count. A few buffers go back and forth between them and the reader. */
import { Worker } from 'node:worker_threads';
import type { FromAuditWorker, ToAuditWorker } from './audit-worker.ts';
import type { Chunk, CountOptions } from './count.ts';
import type { VisitCounts } from './tally.ts';

export const CHUNK_BYTES = 1 << 20;
/** For each thread: one that it counts and one that waits, and one in all that is being filled. */
const BUFFERS = 2;
/** Out of heap, a thread ends with an error, not the process. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

interface Thread {
  worker: Worker;
  inFlight: number;
}

export class Threads {
  readonly #most: number;
  readonly #options: CountOptions;
  readonly #threads: Thread[] = [];
  readonly #pending = new Map<number, Chunk>();
  readonly #counted: VisitCounts[] = [];
  readonly #free: Buffer[] = [];
  #buffers = 0;
  /** Counted so far. */
  lines = 0;
  #ids = 0;
  #fault: Error | undefined;
  #changed = Promise.withResolvers<void>();

  /** Starts one, and at most so many as chunks come. */
  constructor(most: number, options: CountOptions) {
    this.#most = most;
    this.#options = options;
    this.#start();
  }

  #start(): Thread {
    const url = new URL('./audit-worker.ts', import.meta.url);
    const thread = { worker: new Worker(url, { workerData: this.#options, resourceLimits: LIMITS }), inFlight: 0 };
    this.#threads.push(thread);
    thread.worker.on('message', (message: FromAuditWorker) => {
      if ('counted' in message) this.#counted.push(message.counted);
      else {
        thread.inFlight--;
        this.lines += message.chunk.lines;
        Object.assign(this.#pending.get(message.id) ?? {}, message.chunk);
        this.#pending.delete(message.id);
        this.#free.push(Buffer.from(message.bytes));
      }
      this.#change();
    });
    thread.worker.on('error', (error) => {
      this.#fault = error as Error;
      this.#change();
    });
    return thread;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  /** Waits until it holds. Throws when a thread has failed. */
  async #until(holds: () => boolean): Promise<void> {
    for (;;) {
      if (this.#fault !== undefined) throw this.#fault;
      if (holds()) return;
      await this.#changed.promise;
    }
  }

  /** Waits while all buffers are in use. */
  async takeBuffer(): Promise<Buffer> {
    if (this.#free.length === 0 && this.#buffers <= this.#most * BUFFERS) {
      this.#buffers++;
      return Buffer.from(new ArrayBuffer(CHUNK_BYTES));
    }
    await this.#until(() => this.#free.length > 0);
    return this.#free.pop() as Buffer;
  }

  giveBack(buffer: Buffer): void {
    this.#free.push(buffer);
  }

  /** Has the lines in the first bytes counted; fills in the chunk. The buffer belongs to the thread until then. */
  count(buffer: Buffer, length: number, chunk: Chunk): void {
    const thread = this.#pick();
    thread.inFlight++;
    const id = this.#ids++;
    this.#pending.set(id, chunk);
    const bytes = buffer.buffer as ArrayBuffer;
    thread.worker.postMessage({ id, bytes, length } satisfies ToAuditWorker, [bytes]);
  }

  /** The thread with the least to do; where none is idle and one may be started, that one. */
  #pick(): Thread {
    const least = this.#threads.reduce((one, other) => (other.inFlight < one.inFlight ? other : one));
    return least.inFlight > 0 && this.#threads.length < this.#most ? this.#start() : least;
  }

  /** Waits until everything is counted. */
  idle(): Promise<void> {
    return this.#until(() => this.#pending.size === 0);
  }

  async finish(): Promise<VisitCounts[]> {
    for (const { worker } of this.#threads) {
      worker.postMessage({ id: -1, bytes: null, length: 0 } satisfies ToAuditWorker);
    }
    await this.#until(() => this.#counted.length === this.#threads.length);
    return this.#counted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }
}
