/** The SHA-256 over the ids of many decisions, and the order of their ids. */
import { createHash, type Hash } from 'node:crypto';
import { DECISION_LINE, type DecisionKey, type DecisionKeys } from '../../decisions/ledger/decision-ids.ts';
import type { IdTree } from './id-tree.ts';

/** The ids of the decisions; each has `DECISION_ID_LENGTH` bytes. */
export interface TallyIds {
  idOf(key: DecisionKey): string;
  /** Writes ids, each with room for a line feed; at most `IDS_AT_ONCE`. */
  write(target: Uint8Array, keys: DecisionKeys): void;
  /** Ids of one time are in the order of their tags; absent: of their numbers. */
  tags?(keys: DecisionKeys): Uint32Array;
}

/** A hash takes longer to begin an update than to take an id. */
const IDS_AT_ONCE = 128;
const LINE_FEED = 10;
/** Ids that a hash takes next. */
const lines = new Uint8Array(IDS_AT_ONCE * DECISION_LINE).fill(LINE_FEED);

/** The SHA-256 over ids, each followed by a line feed, and their tree if there is one. */
export class IdHash {
  readonly #hash: Hash = createHash('sha256');
  readonly #ids: TallyIds;
  /** Lacks the newest ids until `digest` is called. */
  readonly tree: IdTree | null;
  /** Most lines are short: it grows first. */
  #keys = newKeys(4);
  #used = 0;

  constructor(ids: TallyIds, tree: IdTree | null = null) {
    this.#ids = ids;
    this.tree = tree;
  }

  add(at: number, seq: number): void {
    if (this.#used === this.#keys.at.length) this.#makeRoom();
    this.#keys.at[this.#used] = at;
    this.#keys.seq[this.#used] = seq;
    this.#used += 1;
  }

  digest(): string {
    this.#update();
    return this.#hash.copy().digest('hex');
  }

  #makeRoom(): void {
    if (this.#used === IDS_AT_ONCE) {
      this.#update();
      return;
    }
    const { at, seq } = this.#keys;
    this.#keys = newKeys(this.#used * 2);
    this.#keys.at.set(at);
    this.#keys.seq.set(seq);
  }

  #update(): void {
    const { at, seq } = this.#keys;
    this.#ids.write(lines, { at: at.subarray(0, this.#used), seq: seq.subarray(0, this.#used) });
    const taken = lines.subarray(0, this.#used * DECISION_LINE);
    this.#hash.update(taken);
    this.tree?.add(taken);
    this.#used = 0;
  }
}

export const newKeys = (count: number): DecisionKeys => ({ at: new Float64Array(count), seq: new Float64Array(count) });

/**
 * Returns the places of decisions, which are in the order of time and number, in the order of their ids; undefined
 * where that is the same.
 */
export function toIdOrder(ids: TallyIds, { at, seq }: DecisionKeys): Uint32Array | undefined {
  if (ids.tags === undefined || !at.some((time, i) => i > 0 && time === at[i - 1])) return undefined;
  const tags = ids.tags({ at, seq });
  const idAt = (i: number): string => ids.idOf({ at: at[i] as number, seq: seq[i] as number });
  const inOrder = (a: number, b: number): number =>
    (tags[a] as number) - (tags[b] as number) || (idAt(a) < idAt(b) ? -1 : 1);
  const places = Uint32Array.from(at.keys());
  for (let start = 0, end = 1; start < at.length; start = end++) {
    while (end < at.length && at[end] === at[start]) end += 1;
    if (end - start > 1) places.subarray(start, end).sort(inOrder);
  }
  return places;
}
