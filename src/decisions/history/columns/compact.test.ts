/** A compaction keeps everything, and one that is stopped changes nothing. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryFolder } from '../../../../kit/launch.ts';
import { until } from '../../../../kit/until.ts';
import { planBudget, USUAL_MIB } from '../../../lib/memory.ts';
import { compactStore } from './compact.ts';
import { compactFile, openStore } from './duckdb.ts';

const { heap, engineMiB } = planBudget(USUAL_MIB).columns;
const SECRET = 'an-id-that-was-erased';
const ROWS = 1_000_000;

const dir = temporaryFolder();
after(() => dir[Symbol.dispose]());
const file = join(dir.path, 'columns.duckdb');

const COUNTS = `select (select count(*) from decisions)::double, (select sum(seq) from decisions)::double,
  (select count(*) from requesters)::double, (select rewritten from position)::varchar`;
async function counts(): Promise<unknown> {
  const { store, fresh } = await openStore(file, engineMiB);
  assert.equal(fresh, false);
  const row = (await (await store.writer.run(COUNTS)).getColumns()).flat();
  store.close();
  return row;
}

const { store } = await openStore(file, engineMiB);
await store.writer.run(`insert into decisions (seq, requester, url) select range, 1, 'u' from range(1, ${ROWS + 1})`);
await store.writer.run(`insert into requesters select range, 'other-' || range from range(2, 1000)`);
await store.writer.run(`insert into requesters values (1, '${SECRET}')`);
await store.writer.run('checkpoint');
await store.writer.run(`update requesters set id = 'erased_1' where number = 1; update position set rewritten = true`);
store.close();

test('a compaction that is stopped changes nothing', async () => {
  const before = await counts();
  await assert.rejects(compactStore(file, { heap, engineMiB, signal: AbortSignal.abort() }));
  assert.deepEqual(await counts(), before);
  const amid = new AbortController();
  const stopped = assert.rejects(compactStore(file, { heap, engineMiB, signal: amid.signal }), /stopped/);
  await until('it copies', () => existsSync(compactFile(file)));
  amid.abort();
  await stopped;
  assert.deepEqual(await counts(), before);
});

test('a compaction keeps everything but former values', async () => {
  assert.ok(readFileSync(file).includes(SECRET), 'nothing to remove');
  const [decisions, sum, requesters] = (await counts()) as unknown[];
  await compactStore(file, { heap, engineMiB, signal: new AbortController().signal });
  assert.deepEqual(await counts(), [decisions, sum, requesters, 'false']);
  assert.equal(readFileSync(file).includes(SECRET), false);
});
