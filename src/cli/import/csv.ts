/**
 * CSV by RFC 4180, with a row of names first: the fields of an item, `tags` separated by `|`, `metadata` as JSON, and
 * `metadata.<key>` for texts of it. An unknown name is refused before anything is read.
 */
import { nearest } from '../../lib/text.ts';
import { misused } from '../outcome.ts';
import type { Entries, Entry } from './entry.ts';
import { fromExport } from './ndjson.ts';
import { LINE_CHARS_MAX, texts } from './text-lines.ts';

/** Columns of `content export --format csv`, in order. */
export const CSV_COLUMNS = ['externalId', 'title', 'type', 'source', 'policyId', 'tags', 'status', 'metadata'] as const;
export const TAG_SEPARATOR = '|';
const METADATA = 'metadata.';

export async function* readCsv(bytes: AsyncIterable<Uint8Array>): Entries {
  let names: string[] | undefined;
  for await (const records of csvRecords(texts(bytes))) {
    const entries: Entry[] = [];
    for (const { cells, line } of records) {
      if (names === undefined) {
        names = cells.map((name) => name.trim());
        requireNames(names);
      } else if (cells.length === 1 && cells[0] === '') continue;
      else entries.push(toEntry(names, cells, `line ${line}`));
    }
    yield entries;
  }
}

function requireNames(names: readonly string[]): void {
  const known: readonly string[] = CSV_COLUMNS;
  for (const name of names) {
    if (known.includes(name) || (name.startsWith(METADATA) && name.length > METADATA.length)) continue;
    const near = nearest(name, known);
    const hint =
      near === undefined ? `known columns: ${known.join(', ')} and ${METADATA}<key>` : `did you mean ${near}?`;
    throw misused(`The first row names a column "${name}"; ${hint}`);
  }
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw misused(`The first row names the column "${twice}" twice.`);
}

function toEntry(names: readonly string[], cells: readonly string[], at: string): Entry {
  if (cells.length !== names.length)
    return { at, fault: `${cells.length} cells in a table of ${names.length} columns` };
  const item: Record<string, unknown> = {};
  const metadata = new Map<string, unknown>();
  for (const [i, name] of names.entries()) {
    const cell = unescaped(cells[i] as string);
    if (cell === '') continue;
    if (name === 'tags') item.tags = cell.split(TAG_SEPARATOR).map((tag) => tag.trim());
    else if (name === 'metadata') {
      const whole = objectIn(cell);
      if (whole === undefined) return { at, fault: 'the metadata is not a JSON object' };
      for (const [key, value] of Object.entries(whole)) metadata.set(key, value);
    } else if (name.startsWith(METADATA)) metadata.set(name.slice(METADATA.length), cell);
    else item[name] = cell;
  }
  if (metadata.size > 0) item.metadata = Object.fromEntries(metadata);
  return fromExport(item, at);
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the apostrophe that `csvCell` adds. */
const unescaped = (cell: string): string => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

interface CsvRecord {
  cells: string[];
  /** Line on which the record begins, from 1. */
  line: number;
}

/** More columns than an item has fields and metadata can have keys. */
const CELLS_MAX = 5_000;

/** Splits text into records. Quoted cells may hold commas, doubled quotes and line breaks. */
export async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord[]> {
  const splitter = new Splitter();
  for await (const text of chunks) {
    for (const char of text) splitter.add(char);
    yield splitter.take();
  }
  splitter.end();
  yield splitter.take();
}

class Splitter {
  #records: CsvRecord[] = [];
  #cells: string[] = [];
  #cell = '';
  /** `closing`: after a quote in a quoted cell, which ends the cell or is the first half of a doubled quote. */
  #state: 'start' | 'plain' | 'quoted' | 'closing' = 'start';
  #line = 1;
  /** Line and length of the current record. */
  #began = 1;
  #chars = 0;

  add(char: string): void {
    if (++this.#chars > LINE_CHARS_MAX || this.#cells.length > CELLS_MAX) {
      throw misused(
        `The record on line ${this.#began} has more than 1 MiB or ${CELLS_MAX} cells; a quote may be unclosed.`,
      );
    }
    if (char === '\n') this.#line++;
    if (this.#state === 'quoted') {
      if (char === '"') this.#state = 'closing';
      else this.#cell += char;
    } else this.#addUnquoted(char);
  }

  #addUnquoted(char: string): void {
    if (char === ',') this.#endCell();
    else if (char === '\n') this.#endRecord();
    else if (char === '"' && this.#state !== 'plain') {
      if (this.#state === 'closing') this.#cell += '"';
      this.#state = 'quoted';
    } else if (char !== '\r' || this.#state !== 'closing') {
      this.#cell += char;
      this.#state = 'plain';
    }
  }

  take(): CsvRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  end(): void {
    if (this.#state === 'quoted') throw misused(`The record on line ${this.#began} has an unclosed quote.`);
    if (this.#cell !== '' || this.#cells.length > 0) this.#endRecord();
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'start';
  }

  #endRecord(): void {
    if (this.#state === 'plain' && this.#cell.endsWith('\r')) this.#cell = this.#cell.slice(0, -1);
    this.#endCell();
    this.#records.push({ cells: this.#cells, line: this.#began });
    this.#cells = [];
    this.#chars = 0;
    this.#began = this.#line;
  }
}

/** Quotes a cell where needed, and keeps spreadsheets from running it as a formula. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
