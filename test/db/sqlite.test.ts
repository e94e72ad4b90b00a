/** The records on SQLite: the contract, and what is this engine's own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Unavailable } from '../../src/db/db.ts';
import { holdFile, openSqlite } from '../../src/db/sqlite/db.ts';
import { dbContract } from './contract.ts';
import { placingContract } from './placing.ts';
import { twoStartsContract } from './two-starts.ts';

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'postern-db-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};

async function opened() {
  const { path, [Symbol.dispose]: remove } = folder();
  const file = join(path, 'postern.db');
  const db = await openSqlite(file);
  return {
    db,
    again: () => openSqlite(file),
    async [Symbol.asyncDispose]() {
      await db.close();
      remove();
    },
  };
}

dbContract('SQLite file', opened);
placingContract('SQLite', opened);
twoStartsContract('SQLite', opened);

describe('SQLite', () => {
  test('a file that cannot be opened is Unavailable', async () => {
    using dir = folder();
    await assert.rejects(openSqlite(join(dir.path, 'nowhere', 'postern.db')), Unavailable);
  });

  test('a file that is no database is Unavailable, and left as it is', async () => {
    using dir = folder();
    const file = join(dir.path, 'postern.db');
    writeFileSync(file, 'not a database, but long enough to have a header of its own '.repeat(20));
    await assert.rejects(openSqlite(file), Unavailable);
  });

  test('a read cannot write', async () => {
    using dir = folder();
    const db = await openSqlite(join(dir.path, 'postern.db'));
    await db.atomic([{ sql: 'create table t (a bigint)' }]);
    await assert.rejects(db.read('insert into t (a) values (1)'));
    assert.equal((await db.read('select a from t')).length, 0);
    await db.close();
  });

  test('what cannot be written is not said to be held by another process', async () => {
    using dir = folder();
    const file = join(dir.path, 'lock');
    // As on a full disk: the journal of the lock cannot be made.
    mkdirSync(`${file}-journal`);
    assert.throws(() => holdFile(file));
  });

  test('a held file is held against another process, until the holder ends, however it ends', async () => {
    using dir = folder();
    const file = join(dir.path, 'lock');
    const module = new URL('../../src/db/sqlite/db.ts', import.meta.url).href;
    const holder = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { holdFile } from ${JSON.stringify(module)};
       // Kept, or garbage collection would close it.
       globalThis.hold = holdFile(${JSON.stringify(file)});
       console.log(hold === undefined ? 'refused' : 'held');
       setInterval(() => {}, 1000);`,
    ]);
    const [said] = (await once(holder.stdout, 'data')) as [Buffer];
    assert.equal(said.toString().trim(), 'held');
    assert.equal(holdFile(file), undefined);
    const gone = once(holder, 'exit');
    holder.kill('SIGKILL');
    await gone;
    const hold = holdFile(file);
    assert.ok(hold !== undefined);
    assert.equal(holdFile(file), undefined);
    hold.release();
    holdFile(file)?.release();
  });
});
