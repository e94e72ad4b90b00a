/** SQL that is put together, the same for both engines. Values are always parameters. */
import { isText, words } from '../lib/text.ts';
import type { Db, Step, Value } from './db.ts';

/** The conditions of a `where`, with their parameters. */
export class Where {
  readonly params: Value[] = [];
  readonly #conditions: string[] = [];

  /** Adds a value and returns its placeholder, for a condition with several. */
  param(value: Value): string {
    return `$${this.params.push(value)}`;
  }

  /** Adds a condition; each `?` in it stands for `value`. Skips it where `value` is undefined. */
  and(condition: string, value?: Value): this {
    if (condition.includes('?')) {
      if (value === undefined) return this;
      this.params.push(value);
    }
    this.#conditions.push(condition.replaceAll('?', `$${this.params.length}`));
    return this;
  }

  /** Each word of `q` begins a word of `column`. A `q` without a letter or digit finds nothing. */
  search(column: string, q: string | undefined): this {
    if (q === undefined) return this;
    const sought = words(q);
    if (sought.length === 0) this.and('1 = 0');
    for (const word of sought) this.and(`${column} like ? escape '!'`, `% ${word.replaceAll(/[!%_]/g, '!$&')}%`);
    return this;
  }

  /** ` where …`, or an empty text without conditions. */
  get sql(): string {
    return this.#conditions.length === 0 ? '' : ` where ${this.#conditions.join(' and ')}`;
  }

  copy(): Where {
    const copy = new Where();
    copy.params.push(...this.params);
    copy.#conditions.push(...this.#conditions);
    return copy;
  }
}

/**
 * The condition that `column` is one of a list, in one parameter: `toList` of the values. One statement serves lists of
 * any length, and both engines look the values up by index.
 */
export const inList = (engine: Db['engine'], column: string, type: 'text' | 'bigint', at = '$1'): string =>
  engine === 'sqlite'
    ? `${column} in (select value from json_each(${at}))`
    : `${column} = any(array(select value::${type} from json_array_elements_text(${at}::json)))`;

/** The parameter of `inList`. Leaves out texts that PostgreSQL refuses and no store holds, so they find nothing. */
export const toList = (values: readonly (string | number)[]): string =>
  JSON.stringify(values.filter((value) => typeof value === 'number' || isText(value)));

/**
 * The `select` of columns as one JSON list each, in the same order: many rows cost most as objects. Node-postgres would
 * parse a list of the type json by itself.
 */
export const selectLists = (engine: Db['engine'], columns: readonly string[]): string =>
  columns
    .map((column) =>
      engine === 'sqlite'
        ? `json_group_array(${column}) as ${column}`
        : `coalesce(json_agg(${column}), '[]')::text as ${column}`,
    )
    .join(', ');

/** Statements with this many rows take a third of the time of single ones; more gained nothing. */
export const ROWS_AT_ONCE = 10;

/** Rows for one table. */
export interface Insert {
  /** Table and columns, such as `events (id, at)`. */
  into: string;
  /** The values of one row; `$n` is the n-th. */
  row: string;
  /** Values of a row. */
  width: number;
  /** After the rows, such as `on conflict do nothing`. */
  rest?: string;
}

/** Rows whose values are columns, one to one. */
export const insertColumns = (table: string, columns: readonly string[]): Insert => ({
  into: `${table} (${columns.join(', ')})`,
  row: `(${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
  width: columns.length,
});

export const insertSql = ({ into, row, width, rest = '' }: Insert, rows: number): string => {
  const shifted = (i: number) => row.replaceAll(/\$(\d+)/g, (_all, n) => `$${i * width + Number(n)}`);
  return `insert into ${into} values ${Array.from({ length: rows }, (_, i) => shifted(i)).join(', ')} ${rest}`.trimEnd();
};

/** Prepares the steps that insert rows, several at a time. */
export function insertRows(insert: Insert): (rows: readonly Value[][]) => Step[] {
  const [one, many] = [insertSql(insert, 1), insertSql(insert, ROWS_AT_ONCE)];
  return (rows) => {
    const whole = rows.length - (rows.length % ROWS_AT_ONCE);
    const steps: Step[] = [];
    for (let i = 0; i < whole; i += ROWS_AT_ONCE) {
      steps.push({ sql: many, params: rows.slice(i, i + ROWS_AT_ONCE).flat() });
    }
    for (const params of rows.slice(whole)) steps.push({ sql: one, params });
    return steps;
  };
}
