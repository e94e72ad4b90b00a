/**
 * CSV by RFC 4180, with a row of names first: the fields of an item, `tags` separated by `|`, `metadata` as JSON, and
 * `metadata.<key>` for texts of it. An unknown name is refused before anything is read.
 */
import { nearest } from '../../lib/text.ts';
import { misused } from '../outcome.ts';
import type { Entries, Entry } from './entry.ts';
import { exported } from './ndjson.ts';
import { texts } from './text-lines.ts';

/** As `content export --format csv` writes them. */
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
      else entries.push(entryOf(names, cells, `line ${line}`));
    }
    yield entries;
  }
}

function requireNames(names: readonly string[]): void {
  const known: readonly string[] = CSV_COLUMNS;
  for (const name of names) {
    if (known.includes(name) || (name.startsWith(METADATA) && name.length > METADATA.length)) continue;
    const near = nearest(name, known);
    const hint = near === undefined ? `there are ${known.join(', ')} and ${METADATA}<key>` : `did you mean ${near}?`;
    throw misused(`The first row names a column "${name}"; ${hint}`);
  }
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw misused(`The first row names the column "${twice}" twice.`);
}

function entryOf(names: readonly string[], cells: readonly string[], at: string): Entry {
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
  return exported(item, at);
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An apostrophe that was put there to keep a spreadsheet from running the cell. */
const unescaped = (cell: string): string => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

interface CsvRecord {
  cells: string[];
  /** Where it begins, from 1. */
  line: number;
}

/** Records as they come; quoted cells may hold commas, quotes (doubled) and line breaks. */
export async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord[]> {
  let cells: string[] = [];
  let cell = '';
  // `closing`: after a quote in a quoted cell, which is its end or the first half of a doubled one.
  let state: 'start' | 'plain' | 'quoted' | 'closing' = 'start';
  let line = 1;
  let began = 1;
  for await (const text of chunks) {
    const records: CsvRecord[] = [];
    for (const char of text) {
      if (char === '\n') line++;
      if (state === 'quoted') {
        if (char === '"') state = 'closing';
        else cell += char;
      } else if (char === '"' && state !== 'plain') {
        if (state === 'closing') cell += '"';
        state = 'quoted';
      } else if (char === ',' || char === '\n') {
        cells.push(char === '\n' && state === 'plain' && cell.endsWith('\r') ? cell.slice(0, -1) : cell);
        cell = '';
        state = 'start';
        if (char === ',') continue;
        records.push({ cells, line: began });
        cells = [];
        began = line;
      } else if (state !== 'closing' || char !== '\r') {
        cell += char;
        state = 'plain';
      }
    }
    yield records;
  }
  if (state === 'quoted') throw misused(`A quote that opens in the record of line ${began} is never closed.`);
  if (cell !== '' || cells.length > 0) yield [{ cells: [...cells, cell], line: began }];
}

/** A cell that no spreadsheet runs. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
