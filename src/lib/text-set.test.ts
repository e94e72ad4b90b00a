import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { textSet } from './text-set.ts';

test('holds for a text that contains one of them, and for no other', () => {
  const few = fc.constantFrom('a', 'b', 'c', '\ud83e', '\0');
  const many = fc.integer({ min: 97, max: 140 }).map((code) => String.fromCharCode(code));
  for (const unit of [few, many]) {
    const word = fc.string({ unit, minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), fc.array(fc.string({ unit, maxLength: 40 })), (words, texts) => {
        const isIn = textSet(words);
        for (const text of [...texts, ...words]) {
          assert.equal(
            isIn(text),
            words.some((one) => text.includes(one)),
            text,
          );
        }
      }),
      { numRuns: 1000 },
    );
  }
});

/** Reads of the searched text: each is one or two steps of the search. */
function readsOf(isIn: (text: string) => boolean, text: string): number {
  let reads = 0;
  const read = {
    length: text.length,
    charCodeAt(i: number): number {
      reads++;
      return text.charCodeAt(i);
    },
  };
  assert.equal(isIn(read as unknown as string), false);
  return reads;
}

test('each character is read once, whatever the texts have in common', () => {
  const agent = 'a'.repeat(1024);
  const alike = Array.from({ length: 1000 }, (_, i) => `${'a'.repeat(500)}${i}`);
  const ladder = Array.from({ length: 500 }, (_, i) => `${'a'.repeat(i)}b`);
  for (const texts of [alike, ladder]) assert.equal(readsOf(textSet(texts), agent), 1024);
});
