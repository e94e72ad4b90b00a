/** Real records in a directory of their own, written as the rooms that own the tables would write them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testClickHouse } from '../../kit/clickhouse.ts';
import { testPostgres } from '../../kit/postgres.ts';
import type { Db, Step } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres, type PostgresDb } from '../../src/db/postgres/db.ts';
import { openSqlite, type SqliteDb } from '../../src/db/sqlite/db.ts';
import { ledgerProcedure } from '../../src/decisions/ledger/sqlite/ledger.ts';
import { newBody } from '../../src/lib/id.ts';

export interface Decided {
  seq: number;
  at: number;
  contentNo: number;
  requesterId: string | null;
  policyNo: number;
  reason: number;
  purpose?: string | null;
  permission?: string | null;
  /** Purpose and permission are among the inputs, as older versions recorded them. */
  old?: boolean;
  url?: string | null;
  file?: string | null;
  collectionId?: string | null;
  crawler?: string | null;
  licenseId?: string | null;
  claimed?: string | null;
  wanted?: string | null;
  verified?: number | null;
  enforced?: boolean;
  policyVersion?: number;
  ruleIndex?: number | null;
  candidate?: string | null;
  /** null: it was not kept; undefined: there was none. */
  userAgent?: string | null;
}

const toInputs = ({ userAgent }: Decided): object =>
  userAgent === null ? { context: {}, reduced: ['context.userAgent'] } : { context: { userAgent } };

const toValues = (one: Decided): unknown[] => {
  const { purpose = null, permission = null, old = false } = one;
  return [
    one.seq,
    one.at,
    one.contentNo,
    one.requesterId,
    one.policyNo,
    one.policyVersion ?? 1,
    one.reason,
    one.url,
    one.collectionId,
    one.crawler,
    one.licenseId,
    one.claimed,
    one.verified,
    one.ruleIndex,
    ...(old
      ? [null, null, JSON.stringify({ purpose, permission, ...toInputs(one) })]
      : [purpose, permission, JSON.stringify(toInputs(one))]),
    one.enforced === false ? 0 : 1,
    one.wanted,
    one.file,
    one.candidate,
  ];
};

export interface Records<D extends Db = SqliteDb> {
  db: D;
  /** The file, or the URL of the database. */
  records: string;
  /** The folder of the installation, or the URL of the database. */
  installation: string;
  columnsFile: string;
  /** The URL of an empty database of ClickHouse; null: the columns are in the file. */
  clickHouse: string | null;
  /** Limit on the wait for an answer; absent: as in a service. */
  answerWithinMs?: number;
  /** Inserts content with consecutive numbers and their changes. */
  addContent(items: readonly { no: number; id?: string; type?: string; title?: string }[]): Promise<void>;
  addDecisions(decided: readonly Decided[]): Promise<void>;
  /** Deletes as DELETE does: the record is gone; its decisions are purged later. */
  deleteContent(no: number): Promise<void>;
  purge(no: number): Promise<void>;
  retype(no: number, type: string): Promise<void>;
  close(): Promise<void>;
}

const AT = Date.UTC(2026, 0, 1);

export const idOf = (no: number): string => `cnt_${String(no).padStart(26, '0')}`;

const SETTINGS = `insert into settings (name, value) values ('ledger_no', '7'), ('ledger_reserved', '0')`;
const newDirectory = (): string => mkdtempSync(join(tmpdir(), 'postern-usage-'));

export async function openRecords(): Promise<Records> {
  const directory = newDirectory();
  const records = join(directory, 'postern.db');
  const empty = await openSqlite(records);
  await migrate(empty, AT);
  await empty.close();
  // The ledger's part of the storage thread needs its tables.
  const db = await openSqlite(records, { procedures: ledgerProcedure });
  await db.atomic([{ sql: SETTINGS }]);
  return toRecords(db, { records, installation: directory, directory, end: async () => {} });
}

export async function openPostgresRecords(): Promise<Records<PostgresDb>> {
  const database = await (await testPostgres()).newDatabase();
  const { url } = database;
  const db = await openPostgres(url);
  await migrate(db, AT);
  await db.atomic([{ sql: SETTINGS }]);
  const end = async () => await database[Symbol.asyncDispose]();
  return toRecords(db, { records: url, installation: url, directory: newDirectory(), end });
}

/** Tests of the columns run on DuckDB, and once more on ClickHouse where this says so. */
export const onClickHouse = process.env.POSTERN_TEST_COLUMNS === 'clickhouse';

/** On a busy machine, an engine with many requests a question takes longer than a service lets a report wait. */
export const ANSWER_WITHIN_MS = 120_000;

/** Records with the columns that are tested. */
export async function openColumnRecords(): Promise<Records<Db>> {
  if (!onClickHouse) return openRecords();
  const records = await openPostgresRecords();
  return { ...records, clickHouse: await (await testClickHouse()).newDatabase(), answerWithinMs: ANSWER_WITHIN_MS };
}

/** The types of the columns of a decision, as `toValues` lists them. */
const INTEGERS = new Set([0, 1, 2, 4, 5, 6, 12, 13, 17]);
const VALUES: Record<Db['engine'], string> = {
  sqlite: `${Array.from({ length: 21 }, (_, column) => `value->>${column}`).join(', ')} from json_each($1)`,
  postgres: `${Array.from({ length: 21 }, (_, column) => `(value->>${column})::${INTEGERS.has(column) ? 'bigint' : 'text'}`).join(', ')}
    from json_array_elements($1::json) as value`,
};

interface Place extends Pick<Records, 'records' | 'installation'> {
  directory: string;
  end(): Promise<void>;
}

function toRecords<D extends Db>(db: D, { records, installation, directory, end }: Place): Records<D> {
  const change = (kind: string, no: number): Step => ({
    sql: 'insert into changes (id, at, kind, object_id, object_no) values ($1, $2, $3, $4, $5)',
    params: [newBody(0), AT, kind, idOf(no), no],
  });

  return {
    db,
    records,
    installation,
    columnsFile: join(directory, 'columns.duckdb'),
    clickHouse: null,
    async addContent(items) {
      await db.atomic(
        items.flatMap(({ no, id = idOf(no), type = 'article', title = `Title ${no}` }) => [
          {
            sql: `insert into content (no, id, external_id, title, title_words, type, source, policy_id, metadata, tags,
                    status, revision, created_at, updated_at)
                  values ($1, $2, $3, $4, '', $5, 'https://example.org', 'pol_default', '{}', '[]', 'active', 1, 1, 1)`,
            params: [no, id, `ext-${no}`, title, type],
          },
          change('content.created', no),
        ]),
      );
    },
    async addDecisions(decided) {
      for (let i = 0; i < decided.length; i += 5_000) {
        await db.atomic([
          {
            sql: `insert into decisions (seq, at, content_no, requester_id, policy_no, policy_version, reason, url,
                    collection_id, crawler, license_id, claimed, verified, rule_index, purpose, permission, inputs, enforced, wanted,
                    file, candidate)
                  select ${VALUES[db.engine]}`,
            params: [JSON.stringify(decided.slice(i, i + 5_000).map(toValues))],
          },
          // Places are drawn from it.
          ...(db.engine === 'postgres'
            ? [{ sql: `select setval('decisions_seq_seq', (select max(seq) from decisions))` }]
            : []),
        ]);
      }
    },
    async deleteContent(no) {
      await db.atomic([
        { sql: 'delete from content where no = $1', params: [no] },
        { sql: 'insert into purges (content_no) values ($1)', params: [no] },
        change('content.deleted', no),
      ]);
    },
    async purge(no) {
      await db.atomic([
        { sql: 'delete from decisions where content_no = $1', params: [no] },
        { sql: 'delete from purges where content_no = $1', params: [no] },
      ]);
    },
    async retype(no, type) {
      await db.atomic([
        { sql: 'update content set type = $1 where no = $2', params: [type, no] },
        change('content.updated', no),
      ]);
    },
    async close() {
      await db.close();
      await end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
