/** The proof of the files takes out one defence at a time: each has to be where the proof looks for it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DEFENCES } from '../../proof/signals/defences.ts';

for (const { promise, file, code } of DEFENCES) {
  test(`a defence that the proof takes out is there: ${promise}`, () => {
    assert.ok(readFileSync(`src/signals/${file}`, 'utf8').includes(code), `${file} has no ${code}`);
  });
}
