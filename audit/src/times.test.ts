/** Times of log lines: every form means the same time, and other texts are refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { parseTime, rememberingTimes } from './times.ts';

const MOMENT = Date.parse('2026-11-22T14:05:46Z');

test('every form of one moment', () => {
  const forms = [
    '22/Nov/2026:14:05:46 +0000',
    '22/Nov/2026:23:35:46 +0930',
    '22/Nov/2026:09:05:46 -0500',
    '2026-11-22T14:05:46Z',
    '2026-11-22T14:05:46+00:00',
    '2026-11-22 14:05:46',
    '2026-11-22 15:05:46 +0100',
    '2026-11-22T14:05:46.000000Z',
    MOMENT / 1000,
    MOMENT,
    MOMENT * 1e3,
    MOMENT * 1e6,
    String(MOMENT / 1000),
    `${MOMENT / 1000}.000`,
    `${MOMENT}000000`,
  ];
  for (const form of forms) assert.equal(parseTime(form), MOMENT, String(form));
});

test('what is no time of the web', () => {
  const others = [
    '',
    '-',
    'today',
    '2026',
    '22/Foo/2026:14:05:46 +0000',
    '22/Nov/2026:14:05:46',
    '99/Nov/2026:14:05:46 +0000',
    '00/Nov/2026:14:05:46 +0000',
    '31/Nov/2026:14:05:46 +0000',
    '22/Nov/2026:24:05:46 +0000',
    '22/Nov/2026:14:60:46 +0000',
    '22/Nov/2026:14:05:61 +0000',
    '22/Nov/2026:14:05:46 +0060',
    '22/Nov/2026:14:05:46 +2400',
    '2026-02-30T14:05:46Z',
    '2026-11-22T25:05:46Z',
    '1',
    0,
    -1,
    1e30,
    null,
  ];
  for (const other of [...others, {}, Number.NaN, '9999-01-01T00:00:00Z', '22/Nov/1970:14:05:46 +0000']) {
    assert.equal(parseTime(other), undefined, String(other));
  }
});

test('a remembered day changes no time', () => {
  const part = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
  const time = fc
    .record({
      day: fc.constantFrom('01', '02'),
      hour: part(23),
      minute: part(61),
      second: part(61),
      zone: fc.constantFrom('+0000', '-0530'),
    })
    .map(({ day, hour, minute, second, zone }) => `${day}/Nov/2026:${hour}:${minute}:${second} ${zone}`);
  const text = fc.oneof(
    time,
    fc.constantFrom('-', '01/Nov/2026:aa:00:00 +0000', '01/Nov/2026 10:00:00 +0000', '2026-11-01T10:00:00Z'),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), (texts) => {
      const read = rememberingTimes();
      for (const one of texts) assert.equal(read(one), parseTime(one), one);
    }),
    { numRuns: 1000 },
  );
});
