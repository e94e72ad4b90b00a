/**
 * Items as CSV: their fields, `tags` separated by `|`, `metadata` as JSON, and `metadata.<key>` for texts of it.
 * Promise: an item that was written is read again as it was. An unknown column is refused before anything is read.
 */
import type { Content } from '../../../client/src/types.ts';
import { CsvFault, columnKey, csvRecords, fitted } from '../../lib/csv.ts';
import { csvRow } from '../../lib/csv-cell.ts';
import { nearest } from '../../lib/text.ts';
import { misused } from '../outcome.ts';
import type { Entries, ImportEntry } from './entry.ts';
import { fromExport } from './ndjson.ts';
import { LINE_CHARS_MAX, texts } from './text-lines.ts';

const COLUMNS = ['externalId', 'title', 'type', 'source', 'policyId', 'tags', 'status', 'metadata'] as const;
type Column = (typeof COLUMNS)[number];
const METADATA = 'metadata.';
const TAG_SEPARATOR = '|';
/** More columns than an item has fields and metadata can have keys. */
const CELLS_MAX = 5_000;

export const CONTENT_HEAD = csvRow(COLUMNS);

/** `policyId`: the item's own; null if it follows its collection or the default. */
export function contentRow(item: Omit<Content, 'policyId'> & { policyId: string | null }): string {
  const toCell = (name: Column): string | null => {
    if (name === 'tags') return tagsCell(item.tags);
    return name === 'metadata' ? JSON.stringify(item.metadata) : item[name];
  };
  return csvRow(COLUMNS.map(toCell));
}

/** Tags that a separator would change, also one that other readers split at, are written as JSON. */
function tagsCell(tags: readonly string[]): string {
  const joined = tags.join(TAG_SEPARATOR);
  const again = toTags(joined);
  const same = !/[,;]/.test(joined) && again.length === tags.length && again.every((tag, i) => tag === tags[i]);
  return same || tags.length === 0 ? joined : JSON.stringify(tags);
}

function toTags(cell: string): string[] {
  const listed = cell.startsWith('[') ? jsonIn(cell) : undefined;
  if (Array.isArray(listed) && listed.every((tag) => typeof tag === 'string')) return listed;
  return cell.split(TAG_SEPARATOR).map((tag) => tag.trim());
}

export async function* readCsv(bytes: AsyncIterable<Uint8Array>): Entries {
  let names: string[] | undefined;
  const options = { cellsMax: CELLS_MAX, recordMax: LINE_CHARS_MAX, strict: false };
  try {
    for await (const records of csvRecords(texts(bytes), options)) {
      const entries: ImportEntry[] = [];
      for (const { cells, line } of records) {
        if (names === undefined) names = toNames(cells);
        else entries.push(toEntry(names, fitted(cells, names.length), `line ${line}`));
      }
      yield entries;
    }
  } catch (error) {
    throw error instanceof CsvFault ? misused(explained(error)) : error;
  }
}

function explained({ line, kind }: CsvFault): string {
  if (kind === 'unclosed') return `The record on line ${line} has an unclosed quote.`;
  return `The record on line ${line} has more than 1 MiB or ${CELLS_MAX} cells; a quote may be unclosed.`;
}

const KEYS = new Map<string, string>(COLUMNS.map((name) => [columnKey(name), name]));

/** Case, spaces, dashes and underscores do not matter in names, but for the keys of metadata. */
function toNames(cells: readonly string[]): string[] {
  const names = fitted(cells, 0).map((cell) => toName(cell.trim()));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw misused(`The first row names the column "${twice}" twice.`);
  return names;
}

function toName(text: string): string {
  const known = KEYS.get(columnKey(text));
  if (known !== undefined) return known;
  const key = text.slice(METADATA.length);
  if (text.toLowerCase().startsWith(METADATA) && key !== '') return METADATA + key;
  const near = nearest(text, COLUMNS);
  const hint =
    near === undefined ? `known columns: ${COLUMNS.join(', ')} and ${METADATA}<key>` : `did you mean ${near}?`;
  throw misused(`The first row names a column "${text}"; ${hint}`);
}

function toEntry(names: readonly string[], cells: readonly string[], at: string): ImportEntry {
  if (cells.length !== names.length)
    return { at, fault: `${cells.length} cells in a table of ${names.length} columns` };
  const item: Record<string, unknown> = {};
  const metadata = new Map<string, unknown>();
  for (const [i, name] of names.entries()) {
    const cell = cells[i] as string;
    if (cell === '') continue;
    if (name === 'tags') item.tags = toTags(cell);
    else if (name === 'metadata') {
      const whole = jsonIn(cell);
      if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) {
        return { at, fault: 'the metadata is not a JSON object' };
      }
      for (const [key, value] of Object.entries(whole)) metadata.set(key, value);
    } else if (name.startsWith(METADATA)) metadata.set(name.slice(METADATA.length), cell);
    else item[name] = cell;
  }
  if (metadata.size > 0) item.metadata = Object.fromEntries(metadata);
  return fromExport(item, at);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
