import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseOrdered, stringifyOrdered } from './json.ts';

/** JSON text written by hand from a list of pairs, so that no object of the language orders anything. */
const text: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'grapheme' }).map((one) => JSON.stringify(one)),
    fc.constantFrom('1', 'null', 'true', '"{\\"5\\":1,"'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(
        fc.oneof(
          fc.nat(30).map(String),
          fc.constantFrom('a', '__proto__', '\ue000', '\ue0005', '\ue000\ue0001', 'a"5', '01', '{', ',', '5"'),
          fc.string(),
        ),
        { maxLength: 5 },
      )
      .chain((keys) =>
        fc
          .tuple(...keys.map(() => tie('value')))
          .map((values) => `{${keys.map((key, i) => `${JSON.stringify(key)}:${values[i]}`).join(',')}}`),
      ),
  ),
})).value;

test('what goes in comes out, key by key, whatever the keys look like', () => {
  fc.assert(
    fc.property(text, (one) => assert.equal(stringifyOrdered(parseOrdered(one)), one)),
    { numRuns: 5000 },
  );
});

test('white space between the tokens makes no difference', () => {
  assert.equal(stringifyOrdered(parseOrdered('{"a":"{",\n":":{"b":0,"1":0}}')), '{"a":"{",":":{"b":0,"1":0}}');
  assert.equal(stringifyOrdered(parseOrdered('{ "b" : 1 ,\n "1" : { "2":0, "1" :0 } }')), '{"b":1,"1":{"2":0,"1":0}}');
});

test('keys written with escapes are keys like others', () => {
  const written = String.raw`{"b":1,"\u0031":2,"\ue0005":3,"2\"x":4,"x":"a,", ":":1, "5":2}`;
  assert.equal(stringifyOrdered(parseOrdered(written)), '{"b":1,"1":2,"\ue0005":3,"2\\"x":4,"x":"a,",":":1,"5":2}');
});

test('a key is the same inside whatever stands beside it, so that records of different bodies can be compared', () => {
  const key = fc.oneof(
    fc.constantFrom('0', '7', '01', '4k', '2026-11', '4294967294', '4294967295', '99999999999999999999', '-1', 'a', ''),
    fc.constantFrom('\ue000', '\ue0007', '\ue0004k', '__proto__'),
    fc.stringMatching(/^[0-9]{1,11}[a-z]?$/),
  );
  /** The inner form of a key, among these others. */
  const inner = (name: string, others: readonly string[]): string | undefined => {
    const members = [...new Set([...others, name])].map((one) => `${JSON.stringify(one)}:${one === name}`);
    const value = parseOrdered(`[{"b":1},{${members.join(',')}}]`) as [object, object];
    return Object.entries(value[1]).find(([, mine]) => mine)?.[0];
  };
  fc.assert(
    fc.property(key, fc.array(key, { maxLength: 4 }), (name, others) => {
      assert.equal(inner(name, others), inner(name, []));
    }),
    { numRuns: 5000 },
  );
});
