/**
 * Reads logs and hands their lines to threads, in chunks that end at line ends. Memory is bounded: a few chunks are in
 * flight, lines have a length, and a gzip file that unpacks to far more than a log does is refused.
 */
import type { ImportSource } from '../../src/cli/import/source.ts';
import { type Chunk, type CountOptions, LINE_BYTES_MAX, toSample, type UnreadableLines } from './count.ts';
import type { VisitCounts } from './tally.ts';
import { CHUNK_BYTES, Threads } from './threads.ts';

const LINE_FEED = 10;
/** Logs unpack to 5 to 50 times their size; repeated lines to more. */
const RATIO_MAX = 250;
const RATIO_FROM_BYTES = 64 << 20;

/** The result of the threads, and the lines that are no requests. */
export interface Read {
  counted: VisitCounts[];
  lines: number;
  unreadable: number;
  samples: (UnreadableLines & { file: string })[];
  /** Files that ended in an error, after some lines. */
  faults: { file: string; fault: string }[];
}

export interface LogReadOptions extends CountOptions {
  threads: number;
  signal: AbortSignal;
  /** Bytes of the files that are read so far. */
  onProgress(bytes: number, lines: number): void;
}

export async function readLogs(sources: readonly ImportSource[], options: LogReadOptions): Promise<Read> {
  const { seed, policy, ranges, trusted } = options;
  await using threads = new Threads(options.threads, { seed, policy, ranges, trusted });
  const read: Read = { counted: [], lines: 0, unreadable: 0, samples: [], faults: [] };
  let bytesBefore = 0;
  for (const source of sources) {
    const file = new LogFile(source, threads);
    const fault = await file.read(options.signal, (bytes) => options.onProgress(bytesBefore + bytes, threads.lines));
    await threads.idle();
    bytesBefore += source.size ?? 0;
    if (fault !== undefined) read.faults.push({ file: source.name, fault });
    addFile(read, source.name, file.chunks);
  }
  read.counted = await threads.finish();
  return read;
}

/** Turns lines of chunks into lines of the file. */
function addFile(read: Read, file: string, chunks: readonly Chunk[]): void {
  let before = 0;
  for (const { lines, unreadable, samples } of chunks) {
    for (const { line, text } of samples) {
      if (read.samples.length < SAMPLES_MAX) read.samples.push({ file, line: before + line + 1, text });
    }
    before += lines;
    read.unreadable += unreadable;
  }
  read.lines += before;
}

const SAMPLES_MAX = 5;

/** Cuts the bytes of one file into chunks, in order. */
class LogFile {
  readonly chunks: Chunk[] = [];
  readonly #source: ImportSource;
  readonly #threads: Threads;
  #buffer: Buffer | undefined;
  #length = 0;
  /** In a line that is too long: what follows it is dropped up to its end. */
  #dropping = false;

  constructor(source: ImportSource, threads: Threads) {
    this.#source = source;
    this.#threads = threads;
  }

  /** Returns the fault that ended it early. */
  async read(signal: AbortSignal, onProgress: (bytes: number) => void): Promise<string | undefined> {
    let unpacked = 0;
    try {
      const opened = await this.#source.open(signal);
      for await (const bytes of opened.bytes) {
        signal.throwIfAborted();
        unpacked += bytes.length;
        if (unpacked > RATIO_FROM_BYTES && unpacked > opened.read() * RATIO_MAX) {
          return `it unpacks to more than ${RATIO_MAX} times its size; unpack it first if it is a log`;
        }
        await this.#add(bytes);
        onProgress(opened.read());
      }
    } catch (error) {
      if (signal.aborted) throw error;
      return (error as Error).message;
    } finally {
      this.#send(this.#length);
    }
    return undefined;
  }

  async #add(given: Uint8Array): Promise<void> {
    let bytes = given;
    while (bytes.length > 0) {
      if (this.#dropping) {
        const end = bytes.indexOf(LINE_FEED);
        this.#dropping = end === -1;
        bytes = bytes.subarray(end === -1 ? bytes.length : end + 1);
        continue;
      }
      this.#buffer ??= await this.#threads.takeBuffer();
      const taken = Math.min(bytes.length, CHUNK_BYTES - this.#length);
      this.#buffer.set(bytes.subarray(0, taken), this.#length);
      this.#length += taken;
      bytes = bytes.subarray(taken);
      if (this.#length === CHUNK_BYTES) await this.#cut();
    }
  }

  /** Sends the whole lines of a full buffer and keeps the rest. */
  async #cut(): Promise<void> {
    const buffer = this.#buffer as Buffer;
    const end = buffer.lastIndexOf(LINE_FEED, this.#length - 1) + 1;
    const rest = Buffer.from(buffer.subarray(end, this.#length));
    this.#send(end);
    if (rest.length <= LINE_BYTES_MAX) {
      if (rest.length > 0) await this.#add(rest);
      return;
    }
    this.#dropping = true;
    const samples = [{ line: 0, text: toSample(rest) }];
    this.chunks.push({ lines: 1, unreadable: 1, samples });
  }

  /** Hands the buffer's first bytes to a thread. */
  #send(length: number): void {
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    this.#buffer = undefined;
    this.#length = 0;
    if (length === 0) {
      this.#threads.giveBack(buffer);
      return;
    }
    // Its place is kept: answers come in any order.
    const chunk: Chunk = { lines: 0, unreadable: 0, samples: [] };
    this.chunks.push(chunk);
    this.#threads.count(buffer, length, chunk);
  }
}
