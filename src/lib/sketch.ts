/**
 * Counts distinct texts approximately (HyperLogLog: Flajolet and others, 2007), in at most 2 KiB. The texts are not
 * kept; without the salt, none can be recognized. The standard error is 3 %; small numbers are nearly exact.
 */
import { hash } from 'node:crypto';

const INDEX_BITS = 10;
const REGISTERS = 1 << INDEX_BITS;
const RANK_BITS = 6;
const RANK_MAX = (1 << RANK_BITS) - 1;

/** A register and its rank, which is one more than the zeros that lead the rest of the hash. */
export type Mark = number;

/** `salt`: of one length. */
export function toMark(text: string, salt: string): Mark {
  const digest = hash('sha256', salt + text, 'buffer');
  const index = digest.readUInt16BE(0) % REGISTERS;
  const high = digest.readUInt32BE(2);
  const zeros = high === 0 ? 32 + Math.clz32(digest.readUInt32BE(6)) : Math.clz32(high);
  return (index << RANK_BITS) | Math.min(zeros + 1, RANK_MAX);
}

export class Sketch {
  readonly #ranks = new Uint8Array(REGISTERS);

  /** Returns whether it changed. */
  add(mark: Mark): boolean {
    const index = mark >> RANK_BITS;
    const rank = mark & RANK_MAX;
    if (rank <= (this.#ranks[index] as number)) return false;
    this.#ranks[index] = rank;
    return true;
  }

  /** Returns its marks as text. */
  toText(): string {
    const marks: number[] = [];
    for (const [index, rank] of this.#ranks.entries()) if (rank > 0) marks.push((index << RANK_BITS) | rank);
    return Buffer.from(new Uint16Array(marks).buffer).toString('base64');
  }
}

/** Returns the text of a sketch that counted the texts of both, with one salt. */
export function joinSketches(one: string, other: string): string {
  const joined = new Sketch();
  for (const text of [one, other]) for (const mark of readMarks(text)) joined.add(mark);
  return joined.toText();
}

function* readMarks(text: string): Generator<Mark> {
  const bytes = Buffer.from(text, 'base64');
  for (let at = 0; at + 1 < bytes.length; at += 2) yield bytes.readUInt16LE(at);
}

/** Returns how many texts a sketch counted. */
export function estimate(text: string): number {
  let set = 0;
  let sum = 0;
  for (const mark of readMarks(text)) {
    sum += 2 ** -(mark & RANK_MAX);
    set++;
  }
  const zeros = REGISTERS - set;
  const raw = ((0.7213 / (1 + 1.079 / REGISTERS)) * REGISTERS ** 2) / (sum + zeros);
  return Math.round(raw <= 2.5 * REGISTERS && zeros > 0 ? REGISTERS * Math.log(REGISTERS / zeros) : raw);
}
