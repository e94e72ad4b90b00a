/**
 * Drops `100 Continue` from what a server sends: some send it before every answer, without being asked
 * (RFC 9110, section 15.2: a client must accept it). undici knows the other interim answers, and refuses this one.
 */
import type { Socket } from 'node:net';

const CONTINUE = /^HTTP\/1\.[01] 100[ \r\n]/;
/** The beginning of it may come alone. */
const BEGINNING_BYTES = 'HTTP/1.1 100 '.length;
const INTERIM = /^HTTP\/1\.[01] 1\d\d[ \r\n]/;
const HEAD_END = /\r?\n\r?\n/;
/** A longer head goes to undici, which refuses it. */
const HEAD_BYTES_MAX = 16 * 1024;

/** Changes a connection before its first request. */
export function withoutContinue<S extends Socket>(socket: S): S {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...parameters: unknown[]) => boolean;
  const heads = new Heads();
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size) as Buffer | null;
      if (chunk === null) return null;
      const kept = heads.next(chunk);
      if (kept.length > 0) return kept;
    }
  };
  // An answer begins after a request.
  socket.write = (...parameters: unknown[]): boolean => {
    heads.begin();
    return write(...parameters);
  };
  return socket;
}

/** Reads the heads of answers until the final one of a request. */
class Heads {
  #isFinal = true;
  #held: Buffer = Buffer.alloc(0);

  begin(): void {
    this.#isFinal = false;
  }

  /** Returns what is left of the octets that came; a head that is not complete yet is held back. */
  next(chunk: Buffer): Buffer {
    if (this.#isFinal) return chunk;
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    const kept: Buffer[] = [];
    while (!this.#isFinal && rest.length > 0) {
      const text = rest.subarray(0, HEAD_BYTES_MAX).toString('latin1');
      const end = INTERIM.test(text) ? HEAD_END.exec(text) : null;
      if (end === null) {
        if (rest.length < HEAD_BYTES_MAX && (INTERIM.test(text) || isBeginning(text))) {
          this.#held = rest;
          break;
        }
        this.#isFinal = true;
        break;
      }
      const length = end.index + end[0].length;
      if (!CONTINUE.test(text)) kept.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    return Buffer.concat(this.#held.length > 0 ? kept : [...kept, rest]);
  }
}

const isBeginning = (text: string): boolean =>
  text.length < BEGINNING_BYTES && INTERIM.test(text + 'HTTP/1.1 100 '.slice(text.length));
