/**
 * Cells of CSV files that spreadsheets open (RFC 4180). Promise: `fromCsvCell` returns exactly the text that
 * `csvCell` was given, and no cell runs as a formula. Pure, and used by the console too.
 */

export type CsvValue = string | number | boolean | null | undefined;

/** Begins files for people: without it, spreadsheets garble everything but ASCII. Programs that parse CSV skip it. */
export const BYTE_ORDER_MARK = '\u{feff}';

const NUMBER = /^-?\d+(\.\d+)?$/;
/** A text that a spreadsheet runs, also behind apostrophes: a text that looks protected needs one more. */
const RUNS = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const PROTECTED = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const QUOTED = /[",;\t\r\n]/;

/** An apostrophe makes a formula a text; a number stays a number. */
export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = RUNS.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Removes the apostrophe that `csvCell` adds. The quotes are gone already. */
export const fromCsvCell = (cell: string): string => (PROTECTED.test(cell) ? cell.slice(1) : cell);

export const csvRow = (values: readonly CsvValue[]): string => `${values.map(csvCell).join(',')}\r\n`;

export const csvRows = (rows: readonly (readonly CsvValue[])[]): string => rows.map(csvRow).join('');
