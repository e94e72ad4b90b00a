import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Texts, viewOf } from './texts.ts';

const placeIn = (texts: Texts, text: string): number => {
  const bytes = Buffer.from(` ${text} `);
  return texts.placeOf(viewOf(bytes), 1, bytes.length - 1);
};

test('each text has one place, in the order in which they came, however many there are', () => {
  const texts = new Texts();
  const all = Array.from({ length: 20_000 }, (_, i) => `${'a'.repeat(i % 9)}€${i}`);
  for (const [i, text] of all.entries()) assert.equal(placeIn(texts, text), i + 1);
  for (const [i, text] of all.entries()) {
    assert.equal(placeIn(texts, text), i + 1);
    assert.equal(texts.textAt(i + 1), text);
  }
  assert.equal(texts.count, all.length);
});

test('texts that are alike, empty or begin with another one have places of their own', () => {
  const texts = new Texts();
  const all = ['', 'a', 'aa', 'aaa', 'aaaa', 'aaaaa', 'aaaab', 'b', 'ba', '\0', '\0\0', 'a\0'];
  assert.equal(new Set(all.map((text) => placeIn(texts, text))).size, all.length);
  assert.deepEqual(
    all.map((text) => texts.textAt(placeIn(texts, text))),
    all,
  );
});
