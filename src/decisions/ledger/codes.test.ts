/** The text in which the ledger keeps the license that a denial lacked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { parseWanted, toWanted } from './codes.ts';

test('types come back once each, in order, at most eight', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 64 }), { maxLength: 12 }), (types) => {
      const { types: parsed } = parseWanted(toWanted(types));
      assert.deepEqual(parsed, [...new Set(types)].toSorted().slice(0, 8));
    }),
  );
});

test('any type is not the type *', () => {
  assert.deepEqual(parseWanted(toWanted(null)), { types: null });
  assert.deepEqual(parseWanted(toWanted(['*'])), { types: ['*'] });
});
