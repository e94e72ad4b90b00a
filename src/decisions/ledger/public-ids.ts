/**
 * The ids of decisions as partners and visitors see them. Such an id has the form and the time of the other one, but
 * the number in the ledger, which counts the decisions about everybody, is encrypted, and a tag stands in the place of
 * the ledger. Promise: without the key, ids say nothing but the time; with it, each stands for one decision; none is
 * also an id of the other kind.
 */
import { type Cipheriv, createCipheriv, createHash, randomBytes, randomInt } from 'node:crypto';
import type { Db } from '../../db/db.ts';
import type { Connection } from '../../db/sqlite/connection.ts';
import { writeFive } from '../../lib/id.ts';
import { type Decision, decisionId, parseDecisionId } from './decision.ts';
import { DECISION_ID_LENGTH, DECISION_LINE, type DecisionKey, type DecisionKeys } from './decision-ids.ts';

const SETTINGS = ['ledger_no', 'test_ledger_no', 'decision_ids'] as const;
const READ_SETTINGS = `select name, value from settings where name in (${SETTINGS.map((name) => `'${name}'`).join(', ')})`;

/** Opens the public ids of an installation. Their secret is made at its first start, and stays. */
export async function openPublicIds(db: Db): Promise<PublicIds> {
  const known = toPublicIds(await db.read<NamedValue>(READ_SETTINGS));
  if (known !== undefined) return known;
  const add = 'insert into settings (name, value) values ($1, $2) on conflict (name) do nothing';
  const made = [randomInt(2 ** 30), randomInt(2 ** 30), randomBytes(32).toString('base64url')];
  await db.atomic(SETTINGS.map((name, i) => ({ sql: add, params: [name, String(made[i])] })));
  return openPublicIds(db);
}

/** Opens those that were opened before, for a thread that reads. */
export function readPublicIds(connection: Pick<Connection, 'all'>): PublicIds {
  const known = toPublicIds(connection.all<NamedValue>(READ_SETTINGS));
  if (known === undefined) throw new Error('the installation has no public ids yet');
  return known;
}

type NamedValue = { name: string; value: string };

function toPublicIds(rows: readonly NamedValue[]): PublicIds | undefined {
  const known = new Map(rows.map(({ name, value }) => [name, value]));
  const [live, test, secret] = SETTINGS.map((name) => known.get(name));
  return live === undefined || test === undefined || secret === undefined
    ? undefined
    : new PublicIds(secret, { live: Number(live), test: Number(test) });
}

/** Returns a decision with its id as visitors see it. */
export const withPublicId = <D extends Pick<Decision, 'id'>>(ids: PublicIds, decision: D): D =>
  decision.id === null ? decision : { ...decision, id: ids.toPublic(decision.id) };

export interface LedgerNumbers {
  live: number;
  test: number;
}

/** An encrypted block: two doubles, or a double and an integer, all big-endian. */
const BLOCK = 16;
const BLOCKS = 128;
const PREFIX = Buffer.from('dec_');
/** Where the parts of an id begin. */
const [TIME, TAG, NUMBER] = [4, 14, 20];
/** Five characters of five bits. */
const HALF = 2 ** 25;

export class PublicIds {
  readonly ledgers: LedgerNumbers;
  readonly #tagging: ReadonlyMap<number, Cipheriv>;
  readonly #masking: Cipheriv;
  readonly #blocks = new DataView(new ArrayBuffer(BLOCK * BLOCKS));
  readonly #lines = Buffer.alloc(DECISION_LINE * BLOCKS);

  constructor(secret: string, ledgers: LedgerNumbers) {
    this.ledgers = ledgers;
    this.#tagging = new Map(Object.values(ledgers).map((no) => [no, openCipher(secret, `tag-${no}`)]));
    this.#masking = openCipher(secret, 'mask');
  }

  /** Returns the id of a decision; of the live ledger, unless another one is named. */
  idOf({ at, seq }: DecisionKey, ledgerNo = this.ledgers.live): string {
    this.write(this.#lines, { at: Float64Array.of(at), seq: Float64Array.of(seq) }, ledgerNo);
    return this.#lines.toString('latin1', 0, DECISION_ID_LENGTH);
  }

  /** Returns the ids of several decisions of a ledger, in a tenth of the time. */
  idsOf(decisions: readonly DecisionKey[], ledgerNo = this.ledgers.live): string[] {
    const ids: string[] = [];
    for (let from = 0; from < decisions.length; from += BLOCKS) {
      const some = decisions.slice(from, from + BLOCKS);
      const keys = { at: Float64Array.from(some, ({ at }) => at), seq: Float64Array.from(some, ({ seq }) => seq) };
      this.write(this.#lines, keys, ledgerNo);
      for (let offset = 0; offset < some.length * DECISION_LINE; offset += DECISION_LINE) {
        ids.push(this.#lines.toString('latin1', offset, offset + DECISION_ID_LENGTH));
      }
    }
    return ids;
  }

  /** Returns the public id for one that names its ledger; any other text as it is. */
  toPublic(id: string): string {
    const parsed = parseDecisionId(id);
    return parsed !== undefined && this.#tagging.has(parsed.ledgerNo) ? this.idOf(parsed, parsed.ledgerNo) : id;
  }

  /** Returns the public ids for ids of one ledger that name it, in a tenth of the time. */
  toPublicAll(ids: readonly string[]): string[] {
    const keys = ids.map((id) => parseDecisionId(id) as NonNullable<ReturnType<typeof parseDecisionId>>);
    return this.idsOf(keys, keys[0]?.ledgerNo);
  }

  /**
   * Returns the id that names its ledger for a public one; any other text as it is. A forged one stands for the number
   * 0, which no decision has: looking for it takes as long as for another.
   */
  toPlain(id: string): string {
    const parsed = parseDecisionId(id);
    if (parsed === undefined || this.#tagging.has(parsed.ledgerNo)) return id;
    // The tag is in the place of the ledger, and the encrypted number in that of the number.
    const { at: time, ledgerNo: tag, seq: hidden } = parsed;
    const at = Float64Array.of(time);
    const mask = this.#mask(at, Uint32Array.of(tag));
    const high = Math.floor(hidden / HALF) ^ (mask.getUint32(0) >>> 7);
    const seq = high * HALF + ((hidden % HALF) ^ (mask.getUint32(4) >>> 7));
    const keys = { at, seq: Float64Array.of(seq) };
    const ledgerNo = Object.values(this.ledgers).find((no) => this.#tag(keys, no)[0] === tag);
    return ledgerNo === undefined ? decisionId(this.ledgers.live, time, 0) : decisionId(ledgerNo, time, seq);
  }

  /** Returns whether a text is an id that names its ledger. */
  isPlain(id: string): boolean {
    const parsed = parseDecisionId(id);
    return parsed !== undefined && this.#tagging.has(parsed.ledgerNo);
  }

  /** Returns the tags of decisions of the live ledger: ids of one time are in the order of their tags. */
  tags({ at, seq }: DecisionKeys): Uint32Array {
    const tags = new Uint32Array(at.length);
    for (let i = 0; i < at.length; i += BLOCKS) {
      const some = { at: at.subarray(i, i + BLOCKS), seq: seq.subarray(i, i + BLOCKS) };
      tags.set(this.#tag(some, this.ledgers.live), i);
    }
    return tags;
  }

  /** Writes ids, each with room for a line feed; at most 128. */
  write(target: Uint8Array, keys: DecisionKeys, ledgerNo = this.ledgers.live): void {
    const { at, seq } = keys;
    const tags = this.#tag(keys, ledgerNo);
    const mask = this.#mask(at, tags);
    for (let i = 0, offset = 0; i < at.length; i++, offset += DECISION_LINE) {
      const time = at[i] as number;
      const number = seq[i] as number;
      const timeHigh = Math.floor(time / HALF);
      const high = Math.floor(number / HALF);
      // Setting a part of an array takes several times as long.
      for (let c = 0; c < PREFIX.length; c++) target[offset + c] = PREFIX[c] as number;
      writeFive(target, offset + TIME, timeHigh);
      writeFive(target, offset + TIME + 5, time - timeHigh * HALF);
      // Six characters: two times five.
      const tag = tags[i] as number;
      writeFive(target, offset + TAG, tag >>> 5);
      writeFive(target, offset + TAG + 1, tag % HALF);
      writeFive(target, offset + NUMBER, high ^ (mask.getUint32(i * BLOCK) >>> 7));
      writeFive(target, offset + NUMBER + 5, (number - high * HALF) ^ (mask.getUint32(i * BLOCK + 4) >>> 7));
    }
  }

  /** The synthetic initialization vectors of SIV: the same for a decision each time, and random beside all others. */
  #tag({ at, seq }: DecisionKeys, ledgerNo: number): Uint32Array {
    for (let i = 0; i < at.length; i++) {
      this.#blocks.setFloat64(i * BLOCK, at[i] as number);
      this.#blocks.setFloat64(i * BLOCK + 8, seq[i] as number);
    }
    const blocks = encrypt(this.#tagging.get(ledgerNo) as Cipheriv, this.#blocks, at.length);
    const tags = new Uint32Array(at.length);
    for (let i = 0; i < tags.length; i++) {
      let tag = blocks.getUint32(i * BLOCK) >>> 2;
      // The number of a ledger is no tag.
      while (tag === this.ledgers.live || tag === this.ledgers.test) tag = (tag + 1) % 2 ** 30;
      tags[i] = tag;
    }
    return tags;
  }

  /** With a tag of its own, no decision shares a mask with another. */
  #mask(at: Float64Array, tags: Uint32Array): DataView {
    for (let i = 0; i < at.length; i++) {
      this.#blocks.setFloat64(i * BLOCK, at[i] as number);
      this.#blocks.setUint32(i * BLOCK + 8, tags[i] as number);
      this.#blocks.setUint32(i * BLOCK + 12, 0);
    }
    return encrypt(this.#masking, this.#blocks, at.length);
  }
}

function encrypt(cipher: Cipheriv, { buffer }: DataView, blocks: number): DataView {
  const bytes = cipher.update(new Uint8Array(buffer, 0, blocks * BLOCK));
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function openCipher(secret: string, use: string): Cipheriv {
  const key = createHash('sha256').update(`decision-${use}\0${secret}`).digest().subarray(0, 16);
  return createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
}
