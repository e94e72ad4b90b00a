/**
 * Records of which a part is archived (see decisions/history/archive/archive): decisions up to a sequence number are in
 * Parquet files, later ones in the database. Promise: the same answers as before archiving.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type DecisionRow, withOlderInputs, withoutInputs } from '../columns/decision-row.ts';
import { type ArchivedFile, type ColumnsSnapshot, type DecisionSource, MANY, SourceFailed } from '../columns/source.ts';
import { sumRows } from '../columns/sums.ts';

/** Fields of a decision row. */
const [REQUESTER, CLAIMED] = [3, 11];

/** `folder`: where the files are; null: not configured. */
export function withArchive(source: DecisionSource, folder: string | null, engineMiB: number): DecisionSource {
  const parquet = new Parquet(folder, engineMiB);
  return {
    read: (work) =>
      source.read(async (records) => {
        const files = await records.archived();
        return work(files.length === 0 ? records : joined(records, files, parquet));
      }),
    abandon: () => source.abandon(),
    async close() {
      parquet.close();
      await source.close();
    },
  };
}

function joined(records: ColumnsSnapshot, files: readonly ArchivedFile[], parquet: Parquet): ColumnsSnapshot {
  const to = files.at(-1)?.toSeq ?? 0;
  let erased: Promise<ReadonlySet<unknown>> | undefined;

  async function archivedAfter(file: ArchivedFile, seq: number, limit: number): Promise<DecisionRow[]> {
    const columns = toSelected(await parquet.columnsOf(file));
    const rows = await parquet.select<DecisionRow>(file, columns, `where seq > ${seq} order by seq limit ${limit}`);
    erased ??= records.pseudonyms().then((ids) => new Set(ids));
    const ids = await erased;
    const isErased = (row: DecisionRow): boolean => ids.has(row[REQUESTER]) || ids.has(row[CLAIMED]);
    // As in the log: see source.ts.
    return rows.map((row) => (isErased(row) ? withoutInputs(withOlderInputs(row)) : withOlderInputs(row)));
  }

  const own: Pick<ColumnsSnapshot, 'page' | 'decisionsAfter'> = {
    page: MANY,
    async decisionsAfter(seq, limit) {
      const found: DecisionRow[] = [];
      let after = seq;
      while (after < to && found.length < limit) {
        const file = files.find(({ toSeq }) => toSeq > after) as ArchivedFile;
        const wanted = limit - found.length;
        const rows = await archivedAfter(file, after, wanted);
        found.push(...rows);
        after = rows.length < wanted ? file.toSeq : (rows.at(-1)?.[0] ?? file.toSeq);
      }
      const left = limit - found.length;
      return left === 0 ? found : [...found, ...(await records.decisionsAfter(Math.max(after, to), left))];
    },
  };
  return {
    ...records,
    ...own,
    async head() {
      const head = await records.head();
      const decisionsSeq = Math.max(head.decisionsSeq, to);
      return { ...head, decisionsSeq, settledSeq: Math.max(head.settledSeq, to) };
    },
    binaryAfter: async (seq, limit, take) => seq >= to && records.binaryAfter(seq, limit, take),
    sumAfter: (seq, last) => (seq >= to ? records.sumAfter(seq, last) : sumRows(own, seq)),
    async decidedAt(seq) {
      if (seq > to) return records.decidedAt(seq);
      const file = files.find(({ toSeq }) => toSeq >= seq) as ArchivedFile;
      return (await parquet.select<[at: number]>(file, 'decided_at::double', `where seq = ${seq}`))[0]?.[0];
    },
  };
}

/** Reads archived files with a DuckDB of its own, opened when it is first needed. */
export class Parquet {
  readonly #folder: string | null;
  readonly #engineMiB: number;
  /** By file. */
  readonly #columns = new Map<string, ReadonlySet<string>>();
  #instance: DuckDBInstance | undefined;
  #connection: DuckDBConnection | undefined;

  constructor(folder: string | null, engineMiB: number) {
    this.#folder = folder;
    this.#engineMiB = engineMiB;
  }

  get isConfigured(): boolean {
    return this.#folder !== null;
  }

  async select<T>(file: ArchivedFile, columns: string, rest: string): Promise<T[]> {
    return (await this.#run(file, toSelect(columns, rest))).getRowsJS() as unknown as T[];
  }

  /** Rows as objects, by the names of the columns. */
  async selectObjects<T>(file: ArchivedFile, columns: string, rest: string): Promise<T[]> {
    return (await this.#run(file, toSelect(columns, rest))).getRowObjectsJS() as unknown as T[];
  }

  /** Returns the names of the columns in a file, which is never changed. */
  async columnsOf(archived: ArchivedFile): Promise<ReadonlySet<string>> {
    let names = this.#columns.get(archived.file);
    if (names === undefined) {
      const read = await this.#run(archived, (path) => `select name from parquet_schema('${path}')`);
      names = new Set(read.getRowsJS().map(([name]) => name as string));
      this.#columns.set(archived.file, names);
    }
    return names;
  }

  async #run({ file }: ArchivedFile, toSql: (path: string) => string) {
    if (this.#folder === null) {
      throw new SourceFailed('decisions are archived: set POSTERN_ARCHIVE_DIR to the folder of the archive');
    }
    const path = join(this.#folder, file);
    try {
      // Loaded here: it takes 50 ms, which a start does without.
      const { DuckDBInstance } = await import('@duckdb/node-api');
      this.#instance ??= await DuckDBInstance.create(':memory:', {
        memory_limit: `${this.#engineMiB}MiB`,
        threads: '1',
      });
      this.#connection ??= await this.#instance.connect();
      return await this.#connection.runAndReadAll(toSql(path.replaceAll("'", "''")));
    } catch (cause) {
      const why = `the archived decisions in ${file} cannot be read`;
      if (existsSync(path)) throw new SourceFailed(why, { cause });
      throw new SourceFailed(`${why}: POSTERN_ARCHIVE_DIR is ${this.#folder}, where the file is not`);
    }
  }

  close(): void {
    this.#connection?.closeSync();
    this.#instance?.closeSync();
  }
}

const toSelect = (columns: string, rest: string) => (path: string) =>
  `select ${columns} from read_parquet('${path}') ${rest}`;

/** A decision in the order and the types of the records; a column that older files lack, with its value. */
const COLUMNS: readonly (readonly [sql: string, column: string, without?: string])[] = [
  ['seq::double', 'seq'],
  ['decided_at::double', 'decided_at'],
  ['content_no::double', 'content_no'],
  ['requester_id', 'requester_id'],
  ['policy_no::double', 'policy_no'],
  ['reason::integer', 'reason'],
  ['purpose', 'purpose', 'null'],
  ['permission', 'permission', 'null'],
  ['collection_id', 'collection_id', 'null'],
  ['crawler', 'crawler', 'null'],
  ['license_id', 'license_id'],
  ['claimed', 'claimed', 'null'],
  ['coalesce(verified, 0)::integer', 'verified', '0'],
  ['enforced::integer', 'enforced', '1'],
  ['policy_version::integer', 'policy_version'],
  ['coalesce(rule_index, -1)::integer', 'rule_index'],
  ['wanted', 'wanted', 'null'],
  ['candidate', 'candidate', 'null'],
  ['url', 'url', 'null'],
  ['file', 'file', 'null'],
  ['inputs', 'inputs'],
];

const toSelected = (there: ReadonlySet<string>): string =>
  COLUMNS.map(([sql, column, without = sql]) => (there.has(column) ? sql : without)).join(', ');
