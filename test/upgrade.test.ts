/**
 * An installation that an earlier version made goes on in place: `before/` has a copy of its folder, as `sqlite3 .dump`
 * writes it, and of its database, by `pg_dump --inserts`. Afterwards its tables are those of a new installation.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { query, testPostgres } from '../kit/postgres.ts';
import { runOn, startTestService, testClock } from '../kit/service.ts';
import { migrate } from '../src/db/migrate.ts';
import { VERSION_BEFORE } from '../src/db/migrations/0036-from-0032.ts';
import { openPostgres } from '../src/db/postgres/db.ts';
import { openSqlite } from '../src/db/sqlite/db.ts';
import { StartRefused } from '../src/db/start-refused.ts';
import { assertStatus, item } from './http/given.ts';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());

interface Store {
  dataDir: string;
  /** undefined: the file in the folder. */
  url: string | undefined;
  /** Columns, indexes, constraints and functions. */
  shape(): Promise<object[]>;
  /** Brings the tables to this version. */
  migrate(): Promise<void>;
}

interface Engine {
  name: string;
  /** The copy. */
  file: string;
  /** The first key of the installation. */
  key: string;
  fill(store: Store, sql: string): Promise<void>;
  newStore(): Promise<Store>;
}

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-before-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Tables as SQLite understands them: their text keeps blanks and comments. */
const SQLITE_SHAPE = `
  select t.name, t.ncol, t.strict, t.wr, s.sql like '%autoincrement%' as auto,
    (select json_group_array(json_array(c.cid, c.name, c.type, c."notnull", c.dflt_value, c.pk))
       from pragma_table_xinfo(t.name) c) as columns,
    (select json_group_array(json_array(i.name, i."unique", i.origin, i.partial, x.name, x.desc, x.coll, x.key, d.sql)
            order by i.name, x.seqno)
       from pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x
       left join sqlite_schema d on d.name = i.name) as indexes
  from pragma_table_list t join sqlite_schema s on s.name = t.name and s.type = 'table' order by t.name`;

const POSTGRES_SHAPE = `
  select c.relname as name, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull,
    a.attidentity, l.collname, pg_get_expr(d.adbin, d.adrelid) as "default"
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum left join pg_collation l on l.oid = a.attcollation
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'S') order by 1, 2`;
const POSTGRES_REST = `
  select indexname as name, indexdef as text from pg_indexes where schemaname = 'public'
  union all select conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
    and contype <> 'n'
  union all select proname, pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
  order by 1, 2`;

const ENGINES: readonly Engine[] = [
  {
    name: 'SQLite',
    file: 'sqlite.sql.gz',
    key: 'svc_sk_dcmhqs2aNsVOVhmPDwUWlrn22yx3nIYTQUAopShASl60KOhIV',
    async newStore() {
      const dataDir = newFolder();
      const file = join(dataDir, 'postern.db');
      return {
        dataDir,
        url: undefined,
        shape: async () => (await runOn(dataDir, undefined, { sql: SQLITE_SHAPE })).map(plainSql),
        async migrate() {
          const db = await openSqlite(file);
          await migrate(db, 0).finally(() => db.close());
        },
      };
    },
    async fill({ dataDir }, sql) {
      using file = new DatabaseSync(join(dataDir, 'postern.db'));
      file.exec(sql);
    },
  },
  {
    name: 'PostgreSQL',
    file: 'postgres.sql.gz',
    key: 'svc_sk_8OgJ1RevuoLc3sXc24L3HNDvZTtgZvC5tNPjg3yB9er2F5qe2',
    async newStore() {
      const { url } = stack.use(await (await testPostgres()).newDatabase());
      return {
        dataDir: newFolder(),
        url,
        shape: async () => [...(await query(url, POSTGRES_SHAPE)), ...(await query(url, POSTGRES_REST))],
        async migrate() {
          const db = await openPostgres(url);
          await migrate(db, 0).finally(() => db.close());
        },
      };
    },
    fill: async ({ url = '' }, sql) => void (await query(url, sql)),
  },
];

/** Blanks of a statement differ with where it stands in the source. */
const plainSql = (row: object): object => JSON.parse(JSON.stringify(row).replaceAll(/(\\\\n|\s)+/g, ' '));

for (const engine of ENGINES) {
  const before = gunzipSync(readFileSync(join(import.meta.dirname, `before/${engine.file}`)));
  const copied = async (): Promise<Store> => {
    const store = await engine.newStore();
    await engine.fill(store, before.toString());
    return store;
  };

  describe(engine.name, () => {
    test('what the version before kept is kept: keys, decisions, limits, quotas, statements', async () => {
      const { dataDir, url } = await copied();
      const env: Record<string, string> = url === undefined ? {} : { POSTERN_DATABASE_URL: url };
      const clock = testClock(Date.parse('2026-11-27T23:00:10Z'));
      await using postern = await startTestService({ dataDir, env, clock });
      assert.equal(postern.key, '', 'no first key is made');
      const ask = async (method: string, path: string, body?: object) => {
        const answer = await postern.call(method, path, { key: engine.key, body });
        assertStatus(answer, method === 'POST' && path.endsWith('content') ? 201 : 200);
        return answer.body;
      };
      const { data: items } = await ask('GET', '/v1/content?externalId=a-1');
      const contentId = items[0].id;
      const check = (body: object) => ask('POST', '/v1/access/check', { contentId, ...body });

      const limited = await check({ requesterId: 'other', purpose: 'search' });
      assert.equal(limited.reason, 'rate_limit_exceeded');
      const licensed = [await check({ requesterId: 'acme' }), await check({ requesterId: 'acme' })];
      assert.deepEqual(
        licensed.map(({ allowed, quota }) => [allowed, quota?.used]),
        [
          [true, 3],
          [false, 3],
        ],
      );
      const { data } = await ask('GET', '/v1/access/decisions?limit=100');
      assert.deepEqual(
        data.map(({ allowed }: { allowed: boolean }) => allowed),
        [false, true, false, false, true, true, true, true],
      );
      const [statement] = (await ask('GET', '/v1/statements')).data;
      assert.deepEqual([statement.units, statement.total.amount], [3, '0.03']);
      // Found in any case, though it was written before that was looked for.
      const elsewhere = { url: 'https://news.example/premium/1', urls: { case: 'ignored' } };
      const found = await ask('POST', '/v1/access/check', { ...elsewhere, requesterId: 'acme', dryRun: true });
      assert.equal(found.contentId, contentId);
      // No number is given twice.
      await ask('POST', '/v1/content', item({ externalId: 'a-2' }));
      const rows = (await postern.rowsOf('content')) as { no: number; external_id: string }[];
      assert.deepEqual(
        rows.map(({ no, external_id }) => [Number(no), external_id]),
        [
          [1, 'a-1'],
          [2, 'a-2'],
        ],
      );
    });

    test('its tables are those of a new installation', async () => {
      const [old, fresh] = [await copied(), await engine.newStore()];
      await old.migrate();
      await fresh.migrate();
      const shape = await old.shape();
      assert.ok(shape.length > 40);
      assert.deepEqual(shape, await fresh.shape());
    });

    test('an installation from before the first release is refused, and left as it is', async () => {
      const store = await copied();
      const versions = (sql: string) => runOn(store.dataDir, store.url, { sql });
      await versions(`delete from schema_migrations where version >= ${VERSION_BEFORE}`);
      const shape = await store.shape();
      await assert.rejects(store.migrate(), (error: Error) => {
        assert.ok(error instanceof StartRefused);
        assert.match(
          error.message,
          /\(schema 31; this .* from 32, and from 36 on\)\. Start a version with one of these on it first/,
        );
        return true;
      });
      assert.equal((await versions('select version from schema_migrations')).length, VERSION_BEFORE - 1);
      assert.deepEqual(await store.shape(), shape);
    });
  });
}
