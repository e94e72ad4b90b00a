/**
 * Reads the rows of a statement in PostgreSQL's binary format, as they arrive: an object for each of many rows takes
 * longer than the work (postgresql.org/docs/current/protocol-message-formats.html, "DataRow").
 */
import type { Socket } from 'node:net';
import type { Client, Connection, Submittable } from 'pg';
import type { Step } from '../db.ts';
import { toText } from './pipeline.ts';

/** Takes a row: its fields begin at a place, each after its length in four bytes, which is -1 for null. */
export type TakeRow = (bytes: WireBytes, at: number) => void;

/** Bytes, and a view of them, which reads numbers in a third of the time. */
export class WireBytes {
  readonly bytes: Buffer;
  readonly view: DataView;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

const [DATA_ROW, READY] = ['D', 'Z'].map((type) => type.charCodeAt(0));
/** The type of a message, and its length. */
const HEADER_BYTES = 5;
/** Before the fields of a row: how many there are. */
const COUNT_BYTES = 2;

/** Protocol messages that are missing in pg's types. */
interface Wire {
  stream: Socket;
  parse(message: { name: ''; text: string; types: number[] }): void;
  bind(message: { values: (string | null)[]; binary: true }): void;
  execute(message: { portal: ''; rows: 0 }): void;
  sync(): void;
}

const NOTHING = Buffer.alloc(0);
const endOf = ({ view }: WireBytes, at: number): number => at + 1 + view.getUint32(at + 1);

/** Returns how many bytes are missing of the header of a message, or of its rest. */
const missingOf = (bytes: Buffer): number =>
  (bytes.length < HEADER_BYTES ? HEADER_BYTES : endOf(new WireBytes(bytes), 0)) - bytes.length;

type Listener = (bytes: Buffer) => void;

class BinaryRows implements Submittable {
  readonly #step: Step;
  readonly #take: TakeRow;
  readonly #settle: (error?: Error) => void;
  #error: Error | undefined;

  constructor(step: Step, take: TakeRow, settle: (error?: Error) => void) {
    this.#step = step;
    this.#take = take;
    this.#settle = settle;
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire;
    this.#listen(wire.stream);
    wire.stream.cork();
    wire.parse({ name: '', text: this.#step.sql, types: [] });
    wire.bind({ values: (this.#step.params ?? []).map(toText), binary: true });
    wire.execute({ portal: '', rows: 0 });
    wire.sync();
    wire.stream.uncork();
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#error ??= error;
    // A connection that is lost is never ready again.
    this.#settle(this.#error);
  }

  handleReadyForQuery(): void {
    this.#settle(this.#error);
  }

  /** Takes the rows out of the stream, and leaves all other messages to pg. */
  #listen(stream: Socket): void {
    const others = stream.listeners('data') as Listener[];
    for (const other of others) stream.off('data', other);
    const pass = (bytes: Buffer): void => {
      for (const other of others) other.call(stream, bytes);
    };
    const message = (wire: WireBytes, at: number, end: number): boolean => {
      const { bytes } = wire;
      if (bytes[at] === DATA_ROW) {
        this.#row(wire, at + HEADER_BYTES + COUNT_BYTES);
        return false;
      }
      const isLast = bytes[at] === READY;
      if (isLast) {
        stream.off('data', listen);
        for (const other of others) stream.on('data', other);
      }
      pass(bytes.subarray(at, end));
      return isLast;
    };
    let rest: Buffer = NOTHING;
    const listen = (chunk: Buffer): void => {
      const wire = new WireBytes(chunk);
      let [at, isOver] = [0, false];
      while (at < chunk.length && !isOver) {
        if (rest.length > 0) {
          // Of a message that was cut: to join all of the chunk would copy it.
          const part = chunk.subarray(at, at + missingOf(rest));
          rest = Buffer.concat([rest, part]);
          at += part.length;
          if (missingOf(rest) > 0) continue;
          isOver = message(new WireBytes(rest), 0, rest.length);
          rest = NOTHING;
          continue;
        }
        const end = at + HEADER_BYTES > chunk.length ? Number.POSITIVE_INFINITY : endOf(wire, at);
        if (end > chunk.length) {
          rest = chunk.subarray(at);
          return;
        }
        isOver = message(wire, at, end);
        at = end;
      }
      // What the server sends of its own accord.
      if (at < chunk.length) pass(chunk.subarray(at));
    };
    stream.on('data', listen);
  }

  #row(bytes: WireBytes, at: number): void {
    if (this.#error !== undefined) return;
    try {
      this.#take(bytes, at);
    } catch (error) {
      this.#error = error as Error;
    }
  }
}

/** Passes each row on in order. Rejects with the error of the server, the connection or `take`. */
export function binaryRows(client: Client, step: Step, take: TakeRow): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => (error === undefined ? resolve() : reject(error));
    client.query(new BinaryRows(step, take, settle) as never);
  });
}
