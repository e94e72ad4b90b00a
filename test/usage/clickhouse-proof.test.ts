/** The proofs of ClickHouse take out defences, and make constants small: each has to be where they look for it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DEFENCES } from '../../proof/clickhouse/defences.ts';
import { SMALL } from '../../proof/clickhouse/small.ts';

const timesIn = (file: string, code: string): number => readFileSync(`src/${file}`, 'utf8').split(code).length - 1;

for (const { promise, file, code } of DEFENCES) {
  test(`a defence that the proof takes out is there: ${promise}`, () => {
    assert.equal(timesIn(file, code), 1, `${file} has no ${code}, or several`);
  });
}

test('constants that the proofs make small are there', () => {
  for (const [file, changes] of Object.entries(SMALL))
    for (const [usual] of changes) assert.equal(timesIn(file, usual), 1, `${file} has no ${usual}`);
});
