/**
 * The truth together with what was archived of it (see storage/archive): the decisions up to a place are in Parquet files,
 * those after it in the records. Promise: the same answers as before they were archived.
 */
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type ArchivedFile, type DecisionRow, type Snapshot, type Source, SourceFailed } from './source.ts';

/** `folder`: where the files are; null: nobody said. */
export function withArchive(source: Source, folder: string | null): Source {
  let instance: DuckDBInstance | undefined;
  let connection: DuckDBConnection | undefined;

  /** Rows of one file. */
  async function select<T>({ file }: ArchivedFile, columns: string, rest: string): Promise<T[]> {
    if (folder === null) {
      throw new SourceFailed('decisions are archived: name the folder of the archive in POSTERN_ARCHIVE_DIR');
    }
    const path = join(folder, file).replaceAll("'", "''");
    try {
      instance ??= await DuckDBInstance.create(':memory:', { memory_limit: '128MB', threads: '1' });
      connection ??= await instance.connect();
      const reader = await connection.runAndReadAll(`select ${columns} from read_parquet('${path}') ${rest}`);
      return reader.getRowObjectsJS() as T[];
    } catch (cause) {
      throw new SourceFailed(`the archived decisions in ${file} cannot be read`, { cause });
    }
  }

  function joined(truth: Snapshot, files: readonly ArchivedFile[]): Snapshot {
    const to = files.at(-1)?.toSeq ?? 0;
    return {
      ...truth,
      async head() {
        const head = await truth.head();
        return {
          ...head,
          decisionsSeq: Math.max(head.decisionsSeq, to),
          settledSeq: Math.max(head.settledSeq, to),
        };
      },
      async decisionsAfter(seq, limit) {
        const found: DecisionRow[] = [];
        let place = seq;
        while (place < to && found.length < limit) {
          const file = files.find(({ toSeq }) => toSeq > place) as ArchivedFile;
          const wanted = limit - found.length;
          const rows = await select<DecisionRow>(file, AS_READ, `where seq > ${place} order by seq limit ${wanted}`);
          const there = new Set(
            (await truth.contentOf([...new Set(rows.map((row) => row.contentNo))])).map(({ no }) => no),
          );
          found.push(...rows.filter((row) => there.has(row.contentNo)));
          place = rows.length < wanted ? file.toSeq : (rows.at(-1)?.seq ?? file.toSeq);
        }
        if (found.length < limit)
          found.push(...(await truth.decisionsAfter(Math.max(place, to), limit - found.length)));
        return found;
      },
      async decidedAt(seq) {
        if (seq > to) return truth.decidedAt(seq);
        const file = files.find(({ toSeq }) => toSeq >= seq) as ArchivedFile;
        return (await select<{ at: number }>(file, 'decided_at::double as at', `where seq = ${seq}`))[0]?.at;
      },
    };
  }

  return {
    read: (work) =>
      source.read(async (truth) => {
        const files = await truth.archived();
        return work(files.length === 0 ? truth : joined(truth, files));
      }),
    abandon: () => source.abandon(),
    async close() {
      connection?.closeSync();
      instance?.closeSync();
      await source.close();
    },
  };
}

/** Numbers as the records give them. */
const AS_READ = `seq::double as seq, decided_at::double as at, content_no::double as "contentNo",
  requester_id as "requesterId", policy_no::double as "policyNo", reason::integer as reason`;
