/**
 * An engine that answers in SQL. The questions are written once, in what DuckDB and ClickHouse both understand and take
 * to mean the same; where names of functions differ, they are ClickHouse's, and DuckDB has macros (duckdb.ts).
 */
import type { DictionaryName } from './dictionary.ts';

export interface SqlReader {
  /** Returns the columns of the result, which has at most a few rows or is folded at once. */
  columns(sql: string): Promise<unknown[][]>;
  /** Returns rows by column name. */
  rows<Row>(sql: string): Promise<Row[]>;
  /** Makes a result a table, until the end of the question. */
  keep(name: string, sql: string): Promise<void>;
  /**
   * Keeps columns of the decisions of a selection, until the end of the question, where they are few and reading them
   * again takes longer. Returns the name of the table; null: they are to be read again.
   */
  narrow(from: string, columns: readonly string[]): Promise<string | null>;
  /** Runs all queries of a question on the same snapshot. */
  inSnapshot<T>(work: () => Promise<T>): Promise<T>;
  /** Returns the number of a text; undefined: no decision has it. */
  findNumber(table: DictionaryName | 'programs', id: string): Promise<number | undefined>;
  /**
   * Returns SQL that means a text which may name a person, within the snapshot. It is not in the SQL itself where a
   * server logs that.
   */
  give(value: string): Promise<string>;
  /** Returns the lists of groups, `from` a selection: see licensed.ts. */
  licensed(from: string, contents: boolean): Promise<LicensedLists>;
}

/** Licensed decisions in groups of one license and purpose, one group after the other. */
export interface LicensedLists {
  groups: { license: number; purpose: number; count: number }[];
  seq: Float64Array;
  at: Float64Array;
  /** Empty where contents were not asked for. */
  content: Int32Array;
}
