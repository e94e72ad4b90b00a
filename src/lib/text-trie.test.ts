import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { looksAt } from '../../kit/looks.ts';
import { TextTrie } from './text-trie.ts';

/** Few letters, so that texts are inside one another and begin alike. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\ud83e', '\udd8a'), minLength: 1, maxLength: 8 });
const searched = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\ud83e', '\udd8a'), maxLength: 40 });

/** An arbitrary rule. */
const mayEnd = (text: string, at: number): boolean => text[at] !== 'b';

test('finds what a look at each text finds, after any edits', () => {
  const edit = fc.record({ text: word, isThere: fc.boolean() });
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 60 }), fc.array(searched, { maxLength: 5 }), (edits, agents) => {
      const trie = new TextTrie<{ text: string }>();
      const known = new Map<string, { text: string }>();
      for (const { text, isThere } of edits) {
        if (isThere) {
          known.set(text, { text });
          trie.set(text, known.get(text) as { text: string });
        } else {
          known.delete(text);
          trie.delete(text);
        }
        assert.equal(trie.get(text), known.get(text));
      }
      for (const agent of [...agents, ...known.keys()]) {
        const inside = [...known.values()].filter(({ text }) => agent.includes(text));
        for (let start = 0; start < agent.length; start++) {
          const from = inside.filter(({ text }) => agent.startsWith(text, start) && mayEnd(agent, start + text.length));
          const longest = from.toSorted((a, b) => b.text.length - a.text.length)[0];
          const found = trie.longestFrom(agent, start, mayEnd);
          assert.deepEqual(found, longest && { value: longest, length: longest.text.length });
        }
        const begun = [...known.values()].filter(({ text }) => agent.startsWith(text));
        assert.deepEqual(
          trie.startsOf(agent),
          begun.toSorted((a, b) => a.text.length - b.text.length),
        );
        assert.deepEqual(trie.allIn(agent), new Set(inside));
      }
    }),
    { numRuns: 2000 },
  );
});

test('ten thousand texts with one head cost no more than one', () => {
  const agent = `${'a'.repeat(900)}${'b'.repeat(100)}`;
  const looksWith = (texts: readonly string[]): number => {
    const trie = new TextTrie<string>();
    for (const text of texts) trie.set(text, text);
    return looksAt(() => assert.equal(trie.allIn(agent).size, 0));
  };
  const texts = Array.from({ length: 10_000 }, (_, i) => `${'a'.repeat(200)}${String(i).padStart(5, '0')}`);
  assert.equal(looksWith(texts), looksWith(texts.slice(0, 1)));
});

test('texts that part at each of their letters cost at most their length a place', () => {
  const trie = new TextTrie<string>();
  for (let i = 3; i < 256; i++) trie.set(`${'a'.repeat(i)}!`, String(i));
  const looks = looksAt(() => assert.equal(trie.allIn('a'.repeat(1024)).size, 0));
  assert.ok(looks <= 1024 * 256, `${looks} looks`);
});
