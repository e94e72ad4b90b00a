/**
 * Decisions in memory by column, as PostgreSQL sends them: a row as an object, with a string for each text, takes five
 * times as long. Texts that have numbers are places among texts that are known; see names.ts.
 */
import type { WireBytes } from '../../../db/postgres/binary.ts';
import type { DecisionRow } from '../columns/decision-row.ts';
import type { DictionaryName } from '../columns/dictionary.ts';
import { FoundInputs } from './inputs.ts';
import { type Texts, viewOf } from './texts.ts';

/** The fields of a decision row that are texts with numbers. */
export const NAMED_FIELDS: ReadonlyMap<number, DictionaryName> = new Map([
  [3, 'requesters'],
  [6, 'purposes'],
  [7, 'permissions'],
  [8, 'collections'],
  [9, 'crawlers'],
  [10, 'licenses'],
  [11, 'claims'],
  [16, 'wanted'],
  [17, 'candidates'],
]);
const [SEQ, AT, REQUESTER, PURPOSE, PERMISSION, CRAWLER, URL_FIELD, FILE, INPUTS] = [
  0, 1, 3, 6, 7, 9, 18, 19, 20,
] as const;
/** Fields before it have a number each. */
const NUMBERS_END = URL_FIELD;
/** Before each field. */
const LENGTH_BYTES = 4;
/** The length of null. */
const NULL = -1;
const QUESTION_MARK = 63;
const HIGH = 4_294_967_296;

/** The place of a user agent that was not kept; 0: the check had none. */
export const AGENT_NOT_KEPT = -1;

/** The texts that a batch has places among. */
export interface BatchTexts {
  named: Readonly<Record<DictionaryName, Texts>>;
  /** User agents, as JSON has them. */
  agents: Texts;
}

const FIRST_ROWS = 1_024;
const FIRST_BYTES = 65_536;

/** Texts without numbers. */
export class TextColumn {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** Where each text ends, and the next begins. */
  ends: Int32Array;
  /** 1: null. */
  nulls: Uint8Array;

  constructor(rows: number) {
    this.ends = new Int32Array(rows);
    this.nulls = new Uint8Array(rows);
  }

  set(i: number, bytes: Buffer | null, from = 0, to = bytes?.length ?? 0): void {
    const start = this.startOf(i);
    const end = bytes === null ? start : start + to - from;
    this.nulls[i] = bytes === null ? 1 : 0;
    this.ends[i] = end;
    if (end > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.bytes.length));
      this.bytes.copy(larger, 0, 0, start);
      this.bytes = larger;
    }
    bytes?.copy(this.bytes, start, from, to);
  }

  startOf(i: number): number {
    return i === 0 ? 0 : (this.ends[i - 1] as number);
  }

  grow(rows: number): void {
    this.ends = grown(this.ends, new Int32Array(rows));
    this.nulls = grown(this.nulls, new Uint8Array(rows));
  }
}

export class Batch {
  length = 0;
  seqs: Float64Array;
  times: Float64Array;
  /** By field: numbers, or places of texts, 0 for none. */
  readonly fields: Int32Array[];
  pages: Int32Array;
  agents: Int32Array;
  readonly urls: TextColumn;
  readonly files: TextColumn;
  /** The inputs of checks without a requester and a crawler. */
  readonly inputs: TextColumn;
  texts: BatchTexts;
  #texts: (Texts | undefined)[] = [];
  readonly #found = new FoundInputs();

  /** `rows`: about as many as it will have. */
  constructor(texts: BatchTexts, rows = FIRST_ROWS) {
    this.texts = texts;
    [this.seqs, this.times] = [new Float64Array(rows), new Float64Array(rows)];
    this.fields = Array.from({ length: NUMBERS_END }, () => new Int32Array(rows));
    [this.pages, this.agents] = [new Int32Array(rows), new Int32Array(rows)];
    [this.urls, this.files, this.inputs] = [new TextColumn(rows), new TextColumn(rows), new TextColumn(rows)];
    this.renew(texts);
  }

  /** Empties it: its memory takes longer to make than to fill. */
  renew(texts: BatchTexts): void {
    this.length = 0;
    this.texts = texts;
    this.#texts = Array.from({ length: NUMBERS_END }, (_, field) => {
      const name = NAMED_FIELDS.get(field);
      return name === undefined ? undefined : texts.named[name];
    });
  }

  get lastSeq(): number | undefined {
    return this.length === 0 ? undefined : this.seqs[this.length - 1];
  }

  seqAt(i: number): number {
    return this.seqs[i] as number;
  }

  /** Counts decisions up to a number. */
  countTo(seq: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.seqs[middle] as number) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  sumSeqs(): number {
    let sum = 0;
    for (let i = 0; i < this.length; i++) sum += this.seqs[i] as number;
    return sum;
  }

  /** Takes a row of `DECISIONS_AFTER`; see TakeRow. */
  take(wire: WireBytes, at: number): void {
    const { view } = wire;
    this.#reserve();
    const i = this.length++;
    this.seqs[i] = readNumber(view, at + LENGTH_BYTES, view.getInt32(at));
    let from = at + LENGTH_BYTES + view.getInt32(at);
    this.times[i] = readNumber(view, from + LENGTH_BYTES, view.getInt32(from));
    from += LENGTH_BYTES + view.getInt32(from);
    for (let field = AT + 1; field < NUMBERS_END; field++) {
      const length = view.getInt32(from);
      from += LENGTH_BYTES;
      let value = 0;
      if (length !== NULL) {
        const texts = this.#texts[field];
        value = texts === undefined ? readNumber(view, from, length) : texts.placeOf(view, from, from + length);
        from += length;
      }
      (this.fields[field] as Int32Array)[i] = value;
    }
    this.#takeTexts(i, wire, from);
  }

  /** Takes the URL, the file and the inputs. */
  #takeTexts(i: number, { bytes, view }: WireBytes, at: number): void {
    const url = view.getInt32(at);
    const urlFrom = at + LENGTH_BYTES;
    const fileAt = urlFrom + Math.max(url, 0);
    const file = view.getInt32(fileAt);
    const fileFrom = fileAt + LENGTH_BYTES;
    this.urls.set(i, url === NULL ? null : bytes, urlFrom, urlFrom + url);
    this.files.set(i, file === NULL ? null : bytes, fileFrom, fileFrom + file);
    let page = 0;
    if (file !== NULL) page = this.#pageOf(view, fileFrom, fileFrom + file);
    else if (url !== NULL) page = this.#pageOf(view, urlFrom, urlFrom + url);
    this.pages[i] = page;
    const inputsAt = fileFrom + Math.max(file, 0);
    const inputs = view.getInt32(inputsAt);
    const from = inputsAt + LENGTH_BYTES;
    this.#takeInputs(i, bytes, view, inputs === NULL ? null : { from, to: from + inputs });
  }

  add(row: DecisionRow): void {
    this.#reserve();
    const i = this.length++;
    this.seqs[i] = row[SEQ];
    this.times[i] = row[AT];
    for (let field = AT + 1; field < NUMBERS_END; field++) {
      const value = row[field] as string | number | null;
      const texts = this.#texts[field];
      let own = 0;
      if (value !== null) own = texts === undefined ? Number(value) : placeIn(texts, String(value));
      (this.fields[field] as Int32Array)[i] = own;
    }
    const [url, file, inputs] = [row[URL_FIELD], row[FILE], row[INPUTS]].map((text) =>
      text === null ? null : Buffer.from(text),
    ) as [Buffer | null, Buffer | null, Buffer | null];
    this.urls.set(i, url);
    this.files.set(i, file);
    const page = file ?? url;
    this.pages[i] = page === null ? 0 : this.#pageOf(viewOf(page), 0, page.length);
    const bytes = inputs ?? NO_BYTES;
    this.#takeInputs(i, bytes, viewOf(bytes), inputs && { from: 0, to: bytes.length });
  }

  /** Host and path of the URL that stands for all spellings. */
  #pageOf(view: DataView, from: number, to: number): number {
    let end = from;
    while (end < to && view.getUint8(end) !== QUESTION_MARK) end++;
    return this.texts.named.pages.placeOf(view, from, end);
  }

  #takeInputs(i: number, bytes: Buffer, view: DataView, place: { from: number; to: number } | null): void {
    const isNamed = this.fields[REQUESTER]?.[i] !== 0 || this.fields[CRAWLER]?.[i] !== 0;
    this.inputs.set(i, isNamed || place === null ? null : bytes, place?.from, place?.to);
    this.agents[i] = 0;
    if (place === null) return;
    const { agent, isReduced, isOlder } = this.#found.read(bytes, place.from, place.to);
    if (isOlder) this.#takeOlder(i, bytes.toString('utf8', place.from, place.to));
    if (isReduced) this.agents[i] = AGENT_NOT_KEPT;
    else if (agent.from !== -1) this.agents[i] = this.texts.agents.placeOf(view, agent.from, agent.to);
  }

  /** Older versions recorded purpose and permission among the inputs. */
  #takeOlder(i: number, inputs: string): void {
    const { purpose, permission } = JSON.parse(inputs) as { purpose?: string; permission?: string };
    for (const [field, value] of [
      [PURPOSE, purpose],
      [PERMISSION, permission],
    ] as const) {
      const column = this.fields[field] as Int32Array;
      if (column[i] === 0 && typeof value === 'string') column[i] = placeIn(this.#texts[field] as Texts, value);
    }
  }

  #reserve(): void {
    if (this.length < this.seqs.length) return;
    const rows = 2 * this.length;
    this.seqs = grown(this.seqs, new Float64Array(rows));
    this.times = grown(this.times, new Float64Array(rows));
    for (const [field, own] of this.fields.entries()) this.fields[field] = grown(own, new Int32Array(rows));
    this.pages = grown(this.pages, new Int32Array(rows));
    this.agents = grown(this.agents, new Int32Array(rows));
    for (const column of [this.urls, this.files, this.inputs]) column.grow(rows);
  }
}

const NO_BYTES = Buffer.alloc(0);

function grown<A extends Float64Array | Int32Array | Uint8Array>(from: A, to: A): A {
  to.set(from);
  return to;
}

function placeIn(texts: Texts, text: string): number {
  const bytes = Buffer.from(text);
  return texts.placeOf(viewOf(bytes), 0, bytes.length);
}

/** Reads an integer of two, four or eight bytes. */
function readNumber(view: DataView, at: number, length: number): number {
  if (length === 2) return view.getInt16(at);
  if (length === 4) return view.getInt32(at);
  return view.getInt32(at) * HIGH + view.getUint32(at + 4);
}
