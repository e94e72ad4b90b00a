/** A catalog that the command exports is read as it was, and a repeated id is a problem. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { CONTENT_HEAD, contentRow } from '../../../src/cli/import/csv.ts';
import { readFile } from './read-file.ts';
import { guessMapping, toRow, withoutRepeats } from './rows.ts';

async function read(text: string) {
  const { columns, records } = await readFile(new File([text], 'items.csv'));
  const plan = { mapping: guessMapping(columns), defaults: { type: '', policyId: '' }, extra: true };
  return withoutRepeats(records.map((record, i) => toRow(record, i + 1, plan)));
}

test('ids, tags and metadata of an export come back', async () => {
  const id = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'a=+-@\'"|;, é😀＝'), minLength: 1, maxLength: 9 }),
    fc.constantFrom('=launch', "'=launch", '@x', "'@x"),
  );
  const tag = fc.string({ unit: fc.constantFrom(...'ab=|;,"'), minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(id, fc.array(tag, { maxLength: 3 }), id, async (externalId, tags, value) => {
      const item = { externalId, title: 'T', type: 'article', source: 'https://example.com/a', status: 'active' };
      const csv = CONTENT_HEAD + contentRow({ ...item, policyId: null, tags, metadata: { value } } as never);
      const [row] = await read(`\ufeff${csv}`);
      assert.equal(row?.item.externalId, externalId);
      assert.deepEqual(row.item.tags ?? [], tags);
      assert.equal((row.item.metadata as { value: string }).value, value);
    }),
    { numRuns: 500 },
  );
});

test('the first row with an id counts', async () => {
  const line = (id: string): string => `${id},T,article,https://example.com/a\n`;
  const rows = await read(`externalId,title,type,source\n${line('=a')}${line('b')}${line("'=a")}${line("''=a")}`);
  assert.deepEqual(
    rows.map(({ problem }) => problem),
    [undefined, undefined, 'The external id is the same as in row 1.', undefined],
  );
});
