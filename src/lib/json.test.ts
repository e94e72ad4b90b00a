import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { repeatedKey, sameJson } from './json.ts';

test('two values are the same JSON: keys of objects in any order, lists in theirs', () => {
  const same: [string, string][] = [
    ['{"a":1,"b":[1,{"c":null,"d":2}]}', '{"b":[1,{"d":2,"c":null}],"a":1}'],
    ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1}}'],
    ['0', '-0'],
    ['1', '1.0'],
    ['[]', '[]'],
  ];
  const different: [string, string][] = [
    ['[1,2]', '[2,1]'],
    ['[]', '{}'],
    ['null', '{}'],
    ['{"a":null}', '{}'],
    ['{"a":1}', '{"b":1}'],
    ['{"__proto__":{}}', '{"a":{}}'],
    ['{"a":1}', '{"__proto__":1}'],
    ['{"toString":1}', '{"valueOf":1}'],
    ['"1"', '1'],
    ['["a"]', '{"0":"a"}'],
    ['[null]', '[]'],
  ];
  for (const [pairs, expected] of [
    [same, true],
    [different, false],
  ] as const) {
    for (const [one, other] of pairs) {
      assert.equal(sameJson(JSON.parse(one), JSON.parse(other)), expected, `${one} ${other}`);
      assert.equal(sameJson(JSON.parse(other), JSON.parse(one)), expected, `${other} ${one}`);
    }
  }
});

interface Written {
  text: string;
  /** Ways to the keys that were there already, in the order of the text. */
  repeated: (string | number)[][];
}

const below = (step: string | number, { repeated }: Written) => repeated.map((way) => [step, ...way]);
const space = fc.constantFrom('', ' ', '\n\t');
// Not one backslash alone: once Node 26 has read such a key, JSON.parse takes other keys that begin with an escape for
// it.
const names = fc.constantFrom('a', 'b', '1', '__proto__', '"', 'a\\', 'x"y', ':', '{', '":', '\ue0001', '', 'ä');
const quoted = (name: string, escaped: boolean): string =>
  escaped
    ? `"${[...name].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
    : JSON.stringify(name);

/** JSON text written by hand, so that what is repeated is known without parsing it. */
const written: fc.Arbitrary<Written> = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc
      .oneof(names, fc.constantFrom('\\', '\\"'), fc.string())
      .map((one) => ({ text: JSON.stringify(one), repeated: [] })),
    fc.constantFrom('1', 'null', '-2.5e3').map((text) => ({ text, repeated: [] })),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => ({
      text: `[${items.map(({ text }) => text).join(', ')}]`,
      repeated: items.flatMap((item, index) => below(index, item)),
    })),
    fc.array(fc.tuple(names, fc.boolean(), space, tie('value')), { maxLength: 4 }).map((pairs) => ({
      text: `{${pairs.map(([name, escaped, gap, { text }]) => `${gap}${quoted(name, escaped)}${gap}:${gap}${text}`).join(',')}}`,
      repeated: pairs.flatMap(([name, , , value], index) => [
        ...(pairs.slice(0, index).some(([earlier]) => earlier === name) ? [[name]] : []),
        ...below(name, value),
      ]),
    })),
  ),
})).value;

test('the first key that an object has twice is found, and none where there is none', () => {
  fc.assert(
    fc.property(written, ({ text, repeated }) => {
      assert.deepEqual(repeatedKey(text, JSON.parse(text)), repeated[0]);
    }),
    { numRuns: 5000 },
  );
});
