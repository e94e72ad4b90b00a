/**
 * Records of which a part is archived (see storage/archive): decisions up to a sequence number are in Parquet files,
 * later ones in the database. Promise: the same answers as before archiving.
 */
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type ArchivedFile, type DecisionRow, type Snapshot, type Source, SourceFailed } from './source.ts';

/** `folder`: where the files are; null: not configured. */
export function withArchive(source: Source, folder: string | null, engineMiB: number): Source {
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

function joined(records: Snapshot, files: readonly ArchivedFile[], parquet: Parquet): Snapshot {
  const to = files.at(-1)?.toSeq ?? 0;

  async function archivedAfter(file: ArchivedFile, seq: number, limit: number): Promise<DecisionRow[]> {
    const rows = await parquet.select<DecisionRow>(file, AS_READ, `where seq > ${seq} order by seq limit ${limit}`);
    for (const row of rows) row[6] = toPurpose(row[6]);
    return rows;
  }

  return {
    ...records,
    async head() {
      const head = await records.head();
      const decisionsSeq = Math.max(head.decisionsSeq, to);
      return { ...head, decisionsSeq, settledSeq: Math.max(head.settledSeq, to) };
    },
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
  #instance: DuckDBInstance | undefined;
  #connection: DuckDBConnection | undefined;

  constructor(folder: string | null, engineMiB: number) {
    this.#folder = folder;
    this.#engineMiB = engineMiB;
  }

  async select<T>(file: ArchivedFile, columns: string, rest: string): Promise<T[]> {
    return (await this.#run(file, columns, rest)).getRowsJS() as unknown as T[];
  }

  /** Rows as objects, by the names of the columns. */
  async selectObjects<T>(file: ArchivedFile, columns: string, rest: string): Promise<T[]> {
    return (await this.#run(file, columns, rest)).getRowObjectsJS() as unknown as T[];
  }

  async #run({ file }: ArchivedFile, columns: string, rest: string) {
    if (this.#folder === null) {
      throw new SourceFailed('decisions are archived: set POSTERN_ARCHIVE_DIR to the folder of the archive');
    }
    const path = join(this.#folder, file).replaceAll("'", "''");
    try {
      this.#instance ??= await DuckDBInstance.create(':memory:', {
        memory_limit: `${this.#engineMiB}MiB`,
        threads: '1',
      });
      this.#connection ??= await this.#instance.connect();
      return await this.#connection.runAndReadAll(`select ${columns} from read_parquet('${path}') ${rest}`);
    } catch (cause) {
      throw new SourceFailed(`the archived decisions in ${file} cannot be read`, { cause });
    }
  }

  close(): void {
    this.#connection?.closeSync();
    this.#instance?.closeSync();
  }
}

/** A decision in the order and the types of the records, with the inputs in place of the purpose. */
const AS_READ = `seq::double, decided_at::double, content_no::double, requester_id, policy_no::double, reason::integer, inputs`;

const toPurpose = (inputs: string | null): string | null =>
  inputs === null ? null : ((JSON.parse(inputs) as { purpose?: string }).purpose ?? null);
