/**
 * An answered write is on the database's disk, for every `synchronous_commit` of the server, the database, the role or
 * the URL. Postern refuses a server that a crash would damage.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { query, startPostgres, testPostgres } from '../../../kit/postgres.ts';
import { startTestService } from '../../../kit/service.ts';
import { StartRefused } from '../../../src/db/start-refused.ts';
import { item } from '../../http/given.ts';

/** Logs the setting at each commit of a decision or an edit. */
const OBSERVE = `
  create table seen (what text, setting text);
  create function observe() returns trigger language plpgsql as $$ begin
    insert into seen values (tg_table_name, current_setting('synchronous_commit'));
    return null;
  end $$;
  create constraint trigger observe after insert on decisions deferrable initially deferred
    for each row execute function observe();
  create constraint trigger observe after insert on changes deferrable initially deferred
    for each row execute function observe();`;

/** Makes edits and both kinds of flush; answers the settings their commits went by. */
async function settingsSeen(url: string, admin: string, meanwhile?: () => Promise<unknown>): Promise<object[]> {
  await using postern = await startTestService({ env: { POSTERN_DATABASE_URL: url } });
  await query(admin, OBSERVE);
  await meanwhile?.();
  const rule = { action: 'allow', conditions: {}, rateLimit: { requests: 9, period: 'day' } };
  const policy = await postern.call('POST', '/v1/policies', { body: { name: 'Nine', rules: [rule] } });
  const free = await postern.call('POST', '/v1/content', { body: item() });
  const limited = await postern.call('POST', '/v1/content', { body: item({ policyId: policy.body.id }) });
  for (const { body } of [free, limited]) {
    const { body: decision } = await postern.call('POST', '/v1/access/check', { body: { contentId: body.id } });
    assert.equal(decision.recorded, true);
  }
  return query(admin, 'select what, setting, count(*)::int as count from seen group by what, setting order by what');
}

const allBy = (setting: string) => [
  { what: 'changes', setting, count: 3 },
  { what: 'decisions', setting, count: 2 },
];

describe('synchronous_commit of the database', () => {
  test('off for the server: Postern waits for the disk all the same', async () => {
    const server = await startPostgres({ synchronous_commit: 'off' });
    await using database = await server.newDatabase();
    assert.deepEqual(await settingsSeen(database.url, database.url), allBy('on'));
  });

  for (const weak of ['off', 'local', 'remote_write']) {
    test(`${weak} for the database`, async () => {
      await using database = await (await testPostgres()).newDatabase();
      const name = new URL(database.url).pathname.slice(1);
      await query(database.url, `alter database ${name} set synchronous_commit = ${weak}`);
      assert.deepEqual(await settingsSeen(database.url, database.url), allBy('on'));
    });
  }

  test('off for the role', async () => {
    await using database = await (await testPostgres()).newDatabase();
    await query(database.url, 'create role careless superuser login; alter role careless set synchronous_commit = off');
    const url = database.url.replace('postgres@', 'careless@');
    assert.deepEqual(await settingsSeen(url, database.url), allBy('on'));
    await query(database.url, 'drop owned by careless; drop role careless');
  });

  test('off in the URL', async () => {
    await using database = await (await testPostgres()).newDatabase();
    const url = `${database.url}?options=${encodeURIComponent('-c synchronous_commit=off')}`;
    assert.deepEqual(await settingsSeen(url, database.url), allBy('on'));
  });

  test('turned off while a node works', async () => {
    const server = await startPostgres();
    await using database = await server.newDatabase();
    const turnOff = async () => {
      await query(database.url, 'alter system set synchronous_commit = off');
      await query(database.url, 'select pg_reload_conf()');
    };
    assert.deepEqual(await settingsSeen(database.url, database.url, turnOff), allBy('on'));
  });

  test('remote_apply, which waits for more, stays', async () => {
    await using database = await (await testPostgres()).newDatabase();
    const name = new URL(database.url).pathname.slice(1);
    await query(database.url, `alter database ${name} set synchronous_commit = remote_apply`);
    assert.deepEqual(await settingsSeen(database.url, database.url), allBy('remote_apply'));
  });
});

describe('a server that a crash would damage', () => {
  for (const [settings, named] of [
    [{ fsync: 'off' }, 'fsync'],
    [{ full_page_writes: 'off' }, 'full_page_writes'],
    [{ fsync: 'off', full_page_writes: 'off' }, 'fsync and full_page_writes'],
  ] as const) {
    test(`${named} off: Postern does not start and says what to do`, async () => {
      const server = await startPostgres(settings);
      await using database = await server.newDatabase();
      const started = await startTestService({ env: { POSTERN_DATABASE_URL: database.url } }).catch((error) => error);
      if (!(started instanceof Error)) await started[Symbol.asyncDispose]();
      assert.ok(started instanceof StartRefused);
      assert.match(started.message, new RegExp(`runs with ${named} off: .* Set ${named} to on in postgresql.conf`));
      assert.deepEqual(await query(database.url, `select 1 from pg_tables where schemaname = 'public'`), []);
    });
  }
});
