/** Answers as CSV (RFC 4180): UTF-8 without a byte order mark, because programs read them. */
import { type CsvValue, csvRow } from '../../lib/csv-cell.ts';

/** Media of operations that also answer CSV. */
export const JSON_OR_CSV = ['application/json', 'text/csv'] as const;

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** Columns of a table, each with how its cell is read from a record. */
export type CsvColumns<R> = readonly (readonly [name: string, read: (record: R) => CsvValue])[];

export const csvHead = <R>(columns: CsvColumns<R>): string => csvRow(columns.map(([name]) => name));
export const csvLine = <R>(columns: CsvColumns<R>, record: R): string =>
  csvRow(columns.map(([, read]) => read(record)));
