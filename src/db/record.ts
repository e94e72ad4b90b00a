/**
 * Maps the fields of a record to the columns of its table. A column has the field's name in snake case. Statements are
 * SQL, with `{columns}`, `{values}` and `{changes}` for the lists of columns and `:field` for one value of the record.
 */
import type { Row, Step, Value } from './db.ts';

/** Inserts write `fixed` columns, the database `generated` ones; updates write neither. `json` is stored as text. */
export type Column = 'plain' | 'json' | 'fixed' | 'generated';

export interface RecordColumns<R> {
  /** The list of a `select`. */
  list: string;
  toRecord(row: Row): R;
  /**
   * Returns a function that makes a step of `sql` for a record. `:name` is a value of the record or of `others`. With
   * `expect`, the step is a Conflict unless it changes so many rows.
   */
  step(sql: string, expect?: number): (record: R, others?: Readonly<Record<string, Value>>) => Step;
}

/** Returns the mapping of a table. `derived` columns are written with the record and never read into it. */
export function columns<R extends object>(
  kinds: { readonly [F in keyof R]-?: Column },
  derived: Readonly<Record<string, (record: R) => Value>> = {},
): RecordColumns<R> {
  const stored = Object.entries<Column>(kinds).map(([field, kind]) => ({ field, kind, column: toColumn(field) }));
  const written = (...chosen: Column[]): string[] => [
    ...stored.filter(({ kind }) => chosen.includes(kind)).map(({ field }) => field),
    ...Object.keys(derived),
  ];
  const inserted = written('plain', 'json', 'fixed');
  const lists: Record<string, string> = {
    columns: inserted.map(toColumn).join(', '),
    values: inserted.map((field) => `:${field}`).join(', '),
    changes: written('plain', 'json')
      .map((field) => `${toColumn(field)} = :${field}`)
      .join(', '),
  };

  function toValue(record: R, field: string): Value {
    const value = derived[field]?.(record) ?? record[field as keyof R] ?? null;
    return kinds[field as keyof R] === 'json' && value !== null ? JSON.stringify(value) : (value as Value);
  }

  return {
    list: stored.map(({ column }) => column).join(', '),
    toRecord: (row) =>
      Object.fromEntries(
        stored.map(({ field, kind, column }) => {
          const value = row[column] as Value;
          return [field, kind === 'json' && value !== null ? JSON.parse(value as string) : value];
        }),
      ) as R,
    step(sql, expect) {
      const names: string[] = [];
      const text = sql
        .replaceAll(/\{(\w+)\}/g, (_, list: string) => lists[list] as string)
        .replaceAll(
          /:(\w+)/g,
          (_, name: string) => `$${names.includes(name) ? names.indexOf(name) + 1 : names.push(name)}`,
        );
      return (record, others = {}) => ({
        sql: text,
        params: names.map((name) => (name in others ? (others[name] as Value) : toValue(record, name))),
        ...(expect === undefined ? {} : { expect }),
      });
    },
  };
}

const toColumn = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
