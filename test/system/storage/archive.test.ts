/**
 * Old decisions in Parquet files: reports count them as before, at every state of the columns and every step in
 * between.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { command, commandHere } from '../../../kit/command.ts';
import { type TestDatabase, testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { archive, CannotArchive } from '../../../src/decisions/history/archive/archive.ts';
import { DIMENSIONS } from '../../../src/decisions/history/columns/dimensions.ts';
import { item } from '../../http/given.ts';

const root = mkdtempSync(join(tmpdir(), 'postern-archive-'));
after(() => rmSync(root, { recursive: true, force: true }));
const newFolder = (): string => mkdtempSync(join(root, 'data-'));

const OLD = Date.parse('2026-01-10T12:00:00Z');
const YOUNG = Date.parse('2026-03-10T12:00:00Z');
const BEFORE = Date.parse('2026-02-01T00:00:00Z');
const NOW = Date.parse('2026-03-20T00:00:00Z');

type Any = any;
const KEPT = { uniqueContent: 3, uniquePages: 0 };

/** Writes a file as it was before decisions had more columns: purpose and permission are among the inputs. */
async function makeOld(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(
    `copy (select * exclude (url, collection_id, crawler, verified, claimed, permission, purpose, enforced, candidate, wanted)
       replace (case when purpose is null and permission is null then inputs
         else json_object('permission', permission, 'purpose', purpose)::varchar end as inputs)
     from read_parquet('${file}') order by seq) to '${file}.old' (format parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  renameSync(`${file}.old`, file);
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`archive, ${engine}`, () => {
    async function stage(stack: AsyncDisposableStack) {
      const dataDir = newFolder();
      const archiveDir = newFolder();
      const database: TestDatabase | undefined =
        engine === 'sqlite' ? undefined : stack.use(await (await testPostgres()).newDatabase());
      const env: Record<string, string> = { POSTERN_ARCHIVE_DIR: archiveDir };
      if (database !== undefined) env.POSTERN_DATABASE_URL = database.url;
      const clock = testClock(OLD);
      const service = await startTestService({ dataDir, env, clock });
      stack.defer(() => service[Symbol.asyncDispose]());
      const { key } = service;
      const rules = [{ action: 'allow', conditions: { licenseType: 'training' } }];
      await service.call('PATCH', '/v1/policies/pol_default', { body: { rules } });
      const contents: string[] = [];
      for (let i = 0; i < 3; i++) {
        contents.push((await service.call('POST', '/v1/content', { body: item() })).body.id);
      }
      const collection = { name: 'Site', hosts: ['www.example.com'] };
      assert.equal((await service.call('POST', '/v1/collections', { body: collection })).status, 201);
      const checks = async (count: number): Promise<void> => {
        const list = Array.from({ length: count }, (_, i) => ({
          ...(i % 10 === 9
            ? { url: `https://www.example.com/${i}${i % 20 === 9 ? '/' : ''}` }
            : { contentId: contents[i % 3] }),
          ...(i % 4 === 0 ? { permission: 'training' } : {}),
          ...(i % 7 === 0 ? { context: { userAgent: 'GPTBot/1.2', verified: 'ip' } } : {}),
          ...(i % 5 === 0 ? {} : { requesterId: `r${i % 4}` }),
          ...(i % 3 === 0 ? {} : { purpose: ['training', 'se"arch'][i % 2] }),
        }));
        const { body } = await service.call('POST', '/v1/access/check/batch', { body: { checks: list } });
        assert.ok(body.data.every((one: { recorded: boolean }) => one.recorded));
      };
      await checks(900);
      clock.advance(YOUNG - OLD);
      await checks(100);
      const records = database?.url ?? dataDir;
      const run = () => archive({ records, before: BEFORE, to: archiveDir, now: NOW, say: () => {} });
      /** All columns anew. */
      const recount = async (): Promise<void> => {
        await service.service.close();
        for (const name of readdirSync(dataDir)) if (name.startsWith('columns')) rmSync(join(dataDir, name));
        await service.restart();
      };
      return { service, key, contents, archiveDir, run, recount, records, env };
    }

    const usage = async (service: TestService, query = 'period=all'): Promise<unknown> => {
      const answer = await service.call('GET', `/v1/analytics/usage?${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };

    test('reports are the same before, after, and counted anew; the log goes on from where the archive ends', async () => {
      await using stack = new AsyncDisposableStack();
      const { service, contents, run, recount, archiveDir } = await stage(stack);
      const queries = ['period=all', 'period=all&groupBy=day&requesterId=r1', `period=all&contentId=${contents[0]}`];
      for (const by of DIMENSIONS) queries.push(`period=all&groupBy=${by}&limit=100`);
      const demand = async () => {
        const span = `from=${new Date(OLD).toISOString()}&to=${new Date(NOW).toISOString()}`;
        const answer = await service.call('GET', `/v1/analytics/demand?${span}`);
        assert.equal(answer.body.totalCount, 6, answer.text);
        return answer.body.data;
      };
      const before = await Promise.all(queries.map((query) => usage(service, query)));
      const wanted = await demand();
      assert.ok(wanted[1].purposes.some(({ purpose }: { purpose: string }) => purpose === 'se"arch'));
      const archived = await run();
      assert.equal(archived.decisions, 900);
      assert.deepEqual(readdirSync(archiveDir), archived.files);
      for (const [i, query] of queries.entries()) assert.deepEqual(await usage(service, query), before[i]);
      await recount();
      for (const [i, query] of queries.entries()) assert.deepEqual(await usage(service, query), before[i]);
      assert.deepEqual(await demand(), wanted);
      const log = await service.call('GET', '/v1/access/decisions?limit=100');
      assert.equal(log.body.totalCount, 100);
      assert.equal(log.body.data.length, 100);
      // Again: there is nothing more to archive.
      assert.equal((await run()).decisions, 0);
      // What is deleted is in no answer, archived or not.
      await service.call('DELETE', `/v1/content/${contents[0]}`);
      const rest = (await usage(service)) as { summary: { totalRequests: number } };
      // A third of each batch is on it, less those of a URL.
      assert.equal(rest.summary.totalRequests, 1_000 - 270 - 30);
      await recount();
      assert.deepEqual(await usage(service), rest);
    });

    test('files of older versions, without the columns of today', async () => {
      await using stack = new AsyncDisposableStack();
      const { service, run, recount, archiveDir } = await stage(stack);
      const before = (await usage(service, 'period=all&groupBy=purpose')) as Any;
      const permissions = (await usage(service, 'period=all&groupBy=permission')) as Any;
      const [name = ''] = (await run()).files;
      await makeOld(join(archiveDir, name));
      await recount();
      const later = (await usage(service, 'period=all&groupBy=purpose')) as Any;
      assert.deepEqual(later.groups, before.groups);
      assert.deepEqual({ ...later.summary, ...KEPT }, { ...before.summary, ...KEPT });
      assert.deepEqual(((await usage(service, 'period=all&groupBy=permission')) as Any).groups, permissions.groups);
      // They knew no URLs, crawlers and collections; the young ones in the records do.
      assert.equal(later.byCollection[0].requests, 10);
      assert.equal(before.byCollection[0].requests, 100);
    });

    test('cut off before the file is noted, or before the rows are deleted: nothing is missing or counted twice', async () => {
      await using stack = new AsyncDisposableStack();
      const { service, run, recount } = await stage(stack);
      const before = await usage(service);
      await run();
      // Rows that were not deleted yet: the archive has them.
      await service.tamper({
        sql: `insert into decisions (seq, at, content_no, requester_id, policy_no, policy_version, reason)
              select to_seq - 1, $1, 1, 'nobody', 1, 1, 7 from archives`,
        params: [OLD],
      });
      await recount();
      assert.deepEqual(await usage(service), before);
      assert.equal((await run()).decisions, 0);
      const left = await service.call('GET', '/v1/access/decisions?requesterId=nobody');
      assert.equal(left.body.totalCount, 0);
      // Writes a file anew when no row names it.
      await service.tamper({ sql: 'delete from archives' });
      await recount();
      const rest = (await usage(service)) as { summary: { totalRequests: number } };
      assert.equal(rest.summary.totalRequests, 100);
    });

    test('an archive that is not where it should be is said, harms no check, and is read once it is back', async () => {
      await using stack = new AsyncDisposableStack();
      const { service, run, recount, archiveDir, contents } = await stage(stack);
      const before = await usage(service);
      await run();
      renameSync(archiveDir, `${archiveDir}-away`);
      await recount();
      const answer = await service.call('GET', '/v1/analytics/usage?period=all');
      assert.equal(answer.status, 503, answer.text);
      assert.ok(service.logs.some((line) => /archived decisions in .* cannot be read/.test(line)));
      const env = { POSTERN_URL: service.url, POSTERN_KEY: service.key, POSTERN_DATA_DIR: service.dataDir };
      const { stdout } = await commandHere(['doctor'], { env });
      assert.match(stdout, /✗ reports +cannot be answered now: .*POSTERN_ARCHIVE_DIR is .*, where the file is not/);
      assert.match(stdout, /key +cannot be checked: /);
      const check = await service.call('POST', '/v1/access/check', { body: { contentId: contents[1], dryRun: true } });
      assert.equal(check.status, 200);
      renameSync(`${archiveDir}-away`, archiveDir);
      const back = await until(
        'usage',
        async () => {
          const again = await service.call('GET', '/v1/analytics/usage?period=all');
          return again.status === 200 && again.body;
        },
        30_000,
      );
      assert.deepEqual(back, before);
    });

    test('is refused for what is too young; the command says what it did', async () => {
      await using stack = new AsyncDisposableStack();
      const { records, archiveDir, env } = await stage(stack);
      const day = 86_400_000;
      const young = { records, before: NOW - 30 * day, to: archiveDir, now: NOW, say: () => {} };
      const latest = new Date(NOW - 31 * day).toISOString().slice(0, 10);
      await assert.rejects(archive(young), (error) => {
        assert.ok(error instanceof CannotArchive && error.message.endsWith(`for --before is ${latest}.`), `${error}`);
        return true;
      });
      const args = ['archive', '--before', '2026-02-01', '--to', archiveDir, '--json'];
      const where = engine === 'sqlite' ? ['--data-dir', records] : [];
      const result = await command([...args, ...where], { env });
      assert.equal(result.status, 0, result.stderr);
      assert.equal(JSON.parse(result.stdout).decisions, 900);
    });
  });
}
