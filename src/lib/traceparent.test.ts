/** The cases of W3C Trace Context: what is read, and what is ignored. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTraceparent } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('reads version 00, and of a later version the part that it knows', () => {
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN, flags: 1 });
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-00`)?.flags, 0);
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-01`)?.traceId, TRACE);
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes`)?.spanId, SPAN);
});

for (const [why, header] of [
  ['nothing', undefined],
  ['two headers', [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
  ['two headers in one', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  ['an empty one', ''],
  ['version ff', `ff-${TRACE}-${SPAN}-01`],
  ['more than version 00 has', `00-${TRACE}-${SPAN}-01-more`],
  ['a later version without its dash', `cc-${TRACE}-${SPAN}-01.more`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['uppercase letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['letters beyond f', `00-${TRACE.replace('4', 'g')}-${SPAN}-01`],
  ['a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ['a long span', `00-${TRACE}-${SPAN}0-01`],
  ['no flags', `00-${TRACE}-${SPAN}`],
  ['spaces', ` 00-${TRACE}-${SPAN}-01`],
  ['a line end', `00-${TRACE}-${SPAN}-01\n`],
] as const) {
  test(`ignores ${why}`, () => {
    assert.equal(parseTraceparent(header), undefined);
  });
}
