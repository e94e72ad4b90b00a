import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameJson } from './json.ts';

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
