/** Reads a CSV or NDJSON file in the browser. Errors name the line that cannot be read. */
import Papa from 'papaparse';
import { fromCsvCell } from '../../../src/lib/csv-cell.ts';
import type { Source } from './rows.ts';

export interface Read {
  columns: string[];
  records: Source[];
}

export async function readFile(file: File): Promise<Read> {
  const text = await file.text();
  const first = text.trimStart();
  if (/\.(ndjson|jsonl|json)$/i.test(file.name) || first.startsWith('{') || first.startsWith('['))
    return readJson(text);
  return readCsv(text);
}

function readCsv(text: string): Read {
  const { data, errors, meta } = Papa.parse<Source>(text, {
    header: true,
    skipEmptyLines: 'greedy',
    transform: fromCsvCell,
  });
  const fatal = errors.find(({ type }) => type === 'Quotes');
  if (fatal !== undefined) throw new Error(`Row ${(fatal.row ?? 0) + 1}: ${fatal.message}`);
  return { columns: meta.fields ?? [], records: data };
}

function readJson(text: string): Read {
  const records: Source[] = text.trimStart().startsWith('[')
    ? (JSON.parse(text) as Source[])
    : text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [parseLine(line, i + 1)]));
  return { columns: [...new Set(records.slice(0, 200).flatMap((record) => Object.keys(record)))], records };
}

function parseLine(line: string, number: number): Source {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Source;
  } catch {
    // Reported below.
  }
  throw new Error(`Line ${number} is not a JSON object.`);
}
