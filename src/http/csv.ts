/** Answers as CSV (RFC 4180). */

export type CsvValue = string | number | boolean | null | undefined;

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

const NUMBER = /^-?\d+(\.\d+)?$/;

/** A cell that a spreadsheet would run as a formula is made text by an apostrophe; a number stays one. */
function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Columns of a table, each with how its cell is read from a record. */
export type CsvColumns<R> = readonly (readonly [name: string, read: (record: R) => CsvValue])[];

export const csvHead = <R>(columns: CsvColumns<R>): string => `${columns.map(([name]) => name).join(',')}\r\n`;
export const csvLine = <R>(columns: CsvColumns<R>, record: R): string =>
  `${columns.map(([, read]) => csvCell(read(record))).join(',')}\r\n`;
