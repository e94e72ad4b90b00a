/** A filter beside a requester reads as many rows for what only others' decisions have as for what none has. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openMemoryStore } from './duckdb.ts';
import { openDuckDbReader } from './duckdb-reader.ts';
import { type Selection, select } from './sql.ts';

const store = await openMemoryStore(64);
const connection = store.writer;
const reader = await openDuckDbReader(connection);
after(() => store.close());
for (const table of ['requesters', 'licenses', 'purposes', 'collections']) {
  await connection.run(`insert into ${table} values (1, 'ours'), (2, 'theirs')`);
}
/** License, purpose, collection and item of the other requester are in the first half: in fewer blocks of rows. */
await connection.run(`
  insert into decisions by name
  select range as seq, range as decided_at, 0 as quarter, range % 2 + 1 as requester, 0 as reason,
    case when range < 300000 then range % 2 + 1 else 1 end as license, license as purpose, license as collection,
    license as content, 'host/' || license as url
  from range(600000)`);

async function rowsRead(selection: Selection): Promise<{ scanned: string[]; found: number }> {
  const from = await select(reader, selection);
  const [[, plan]] = (
    await connection.runAndReadAll(`explain (analyze, format json) select count(*) ${from}`)
  ).getRows() as [[string, string]];
  const [[found]] = (await connection.runAndReadAll(`select count(*)::double ${from}`)).getRows() as [[number]];
  return { scanned: [...plan.matchAll(/"operator_rows_scanned": *(\d+)/g)].map(([, rows]) => rows as string), found };
}

const FILTERS: Record<string, { own: Selection; theirs: Selection; never: Selection }> = {
  license: { own: { licenseId: 'ours' }, theirs: { licenseId: 'theirs' }, never: { licenseId: 'never' } },
  purpose: { own: { purpose: 'ours' }, theirs: { purpose: 'theirs' }, never: { purpose: 'never' } },
  collection: { own: { collectionId: 'ours' }, theirs: { collectionId: 'theirs' }, never: { collectionId: 'never' } },
  item: { own: { contentNo: 1 }, theirs: { contentNo: 2 }, never: { contentNo: 9 } },
  URL: { own: { url: 'host/1' }, theirs: { url: 'host/2' }, never: { url: 'host/9' } },
};
for (const [name, { own, theirs, never }] of Object.entries(FILTERS)) {
  test(`${name}: what only others have is searched like what nobody has`, async () => {
    const requesterId = 'ours';
    const foreign = await rowsRead({ requesterId, ...theirs });
    assert.equal(foreign.found, 0);
    assert.ok(foreign.scanned.some((rows) => Number(rows) > 0));
    assert.deepEqual(await rowsRead({ requesterId, ...never }), foreign);
    assert.equal((await rowsRead({ requesterId, ...own })).found, 300_000);
  });
}
