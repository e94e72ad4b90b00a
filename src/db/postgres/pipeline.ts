/**
 * Runs several statements in one round trip, as one transaction: Parse, Bind and Execute for each, then a single Sync.
 * At the Sync PostgreSQL commits all of them or none (postgresql.org/docs/current/protocol-flow.html, "Pipelining").
 * Each text is parsed once per connection. Numbers are returned as numbers, everything else as text.
 */
import type { Client, Connection, Submittable } from 'pg';
import type { Row, Step, Value } from '../db.ts';

const STATEMENTS_MAX = 256;

/** A prepared statement. `fields` is undefined until it has succeeded once. */
interface Statement {
  name: string;
  fields: Field[] | undefined;
}

interface Field {
  name: string;
  read: (text: string) => Value;
}

/** The prepared statements of one connection, by their text, least recently used first. */
class Statements {
  readonly #known = new Map<string, Statement>();
  #stale: string[] = [];
  #count = 0;

  use(text: string): { statement: Statement; isNew: boolean } {
    const known = this.#known.get(text);
    if (known !== undefined) {
      this.#known.delete(text);
      this.#known.set(text, known);
      return { statement: known, isNew: false };
    }
    const statement: Statement = { name: `s${++this.#count}`, fields: undefined };
    this.#known.set(text, statement);
    const [oldest] = this.#known.size > STATEMENTS_MAX ? this.#known.keys() : [];
    if (oldest !== undefined) this.forget(oldest);
    return { statement, isNew: true };
  }

  /** Drops a statement, whether the server has it or not. The next use gives it a new name. */
  forget(text: string): void {
    const name = this.#known.get(text)?.name;
    if (name !== undefined) this.#stale.push(name);
    this.#known.delete(text);
  }

  /** Returns the names that the server can close. */
  takeStale(): string[] {
    const stale = this.#stale;
    this.#stale = [];
    return stale;
  }
}

const statementsByConnection = new WeakMap<Connection, Statements>();

const asNumber = (text: string): number => Number(text);
const asText = (text: string): string => text;
/** Type numbers of pg_type: int8, int2, int4, oid, float4, float8, numeric; bool as SQLite has it. */
const READERS = new Map<number, (text: string) => Value>([
  ...[20, 21, 23, 26, 700, 701, 1700].map((type) => [type, asNumber] as const),
  [16, (text) => (text === 't' ? 1 : 0)],
]);

/** The server checks the expectation, which saves a round trip: a wrong number of rows divides by zero. */
const toSql = ({ sql, expect }: Step): string =>
  expect === undefined
    ? sql
    : `with changed as (${sql} returning 1) select 1 / (count(*) = ${expect})::int from changed`;

/** Protocol messages that are missing in pg's types. */
interface Wire {
  stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string; types: number[] }): void;
  bind(message: { statement: string; values: (string | null)[] }): void;
  describe(message: { type: 'P'; name: '' }): void;
  execute(message: { portal: ''; rows: 0 }): void;
  close(message: { type: 'S'; name: string }): void;
  sync(): void;
}

class Pipeline implements Submittable {
  readonly #steps: readonly Step[];
  readonly #asArrays: boolean;
  readonly #resolve: (rows: Row[][]) => void;
  readonly #reject: (error: Error) => void;
  readonly #texts: string[] = [];
  readonly #used: Statement[] = [];
  readonly #rows: Row[][] = [];
  #current: Row[] = [];
  #statements: Statements | undefined;
  #failed = false;

  constructor(
    { steps, asArrays }: { steps: readonly Step[]; asArrays: boolean },
    resolve: (rows: Row[][]) => void,
    reject: (error: Error) => void,
  ) {
    this.#steps = steps;
    this.#asArrays = asArrays;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire;
    const statements = statementsByConnection.get(connection) ?? new Statements();
    statementsByConnection.set(connection, statements);
    this.#statements = statements;
    wire.stream.cork();
    for (const name of statements.takeStale()) wire.close({ type: 'S', name });
    for (const step of this.#steps) {
      const text = toSql(step);
      const { statement, isNew } = statements.use(text);
      if (isNew) wire.parse({ name: statement.name, text, types: [] });
      wire.bind({ statement: statement.name, values: (step.params ?? []).map(toText) });
      if (statement.fields === undefined) wire.describe({ type: 'P', name: '' });
      wire.execute({ portal: '', rows: 0 });
      this.#texts.push(text);
      this.#used.push(statement);
    }
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    const statement = this.#used[this.#rows.length] as Statement;
    statement.fields = fields.map(({ name, dataTypeID }) => ({ name, read: READERS.get(dataTypeID) ?? asText }));
  }

  handleDataRow({ fields: values }: { fields: (string | null)[] }): void {
    const { fields = [] } = this.#used[this.#rows.length] as Statement;
    if (this.#asArrays) {
      const all: Value[] = [];
      for (let i = 0; i < fields.length; i++) {
        const value = values[i] as string | null;
        all.push(value === null ? null : (fields[i] as Field).read(value));
      }
      this.#current.push(all as unknown as Row);
      return;
    }
    const row: Row = {};
    for (let i = 0; i < fields.length; i++) {
      const { name, read } = fields[i] as Field;
      const value = values[i] as string | null;
      row[name] = value === null ? null : read(value);
    }
    this.#current.push(row);
  }

  handleCommandComplete(): void {
    const statement = this.#used[this.#rows.length] as Statement;
    statement.fields ??= [];
    this.#rows.push(this.#current);
    this.#current = [];
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete();
  }

  handleError(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    // Statements before the failed one are parsed; the failed one and those after it may not be.
    for (const text of this.#texts.slice(this.#rows.length)) this.#statements?.forget(text);
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    if (!this.#failed) this.#resolve(this.#rows);
  }
}

export const toText = (value: Value): string | null => (value === null ? null : String(value));

/**
 * Returns the rows of each step. The steps are a transaction of their own unless one is open. Rejects with the error of
 * the server or the connection.
 */
export function pipeline(client: Client, steps: readonly Step[]): Promise<Row[][]> {
  return new Promise((resolve, reject) => {
    client.query(new Pipeline({ steps, asArrays: false }, resolve, reject) as never);
  });
}

/** Returns the rows of a step as arrays, in the order of its columns: many columns take a fraction of the time. */
export function arraysOf(client: Client, step: Step): Promise<Value[][]> {
  return new Promise((resolve, reject) => {
    const done = ([rows = []]: Row[][]): void => resolve(rows as unknown as Value[][]);
    client.query(new Pipeline({ steps: [step], asArrays: true }, done, reject) as never);
  });
}
