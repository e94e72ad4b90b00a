/** A setting that is a list is refused with all that is wrong with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOrigins, readRanges } from './read-setting.ts';

test('every address and every origin that is none is named', () => {
  const noRange = 'is not an address or CIDR range in canonical form';
  assert.throws(() => readRanges('10.0.0.1/8,,10.0.0.1,foo'), {
    message: `"10.0.0.1/8" ${noRange}; "foo" ${noRange}`,
  });
  assert.throws(() => readOrigins('https://a.example/,*,b.example'), {
    message:
      '"https://a.example/" is not an origin, which would be https://a.example; "b.example" is not an origin, such as https://www.example.com',
  });
});
