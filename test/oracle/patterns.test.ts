/** A search among many patterns finds those that match, and looks at few others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { looksAt } from '../../kit/looks.ts';
import { Patterns } from '../../src/content/collections/patterns.ts';
import { parseLocator } from '../../src/lib/urls/locator.ts';
import {
  matchesPath,
  type PathPattern,
  parsePathPattern,
  type Target,
  toTarget,
} from '../../src/lib/urls/url-pattern.ts';
import { bits, meant, pathPattern, toUrl } from './spellings.ts';

interface Entry {
  text: string;
  pattern: PathPattern;
}

const toEntry = (text: string): Entry => ({ text, pattern: parsePathPattern(text) as PathPattern });
const targetOf = (path: string): Target => toTarget({ path, query: '' });

test('every pattern that matches is among those that are tried, the longest first', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(pathPattern, { minLength: 20, maxLength: 150 }), meant, bits, (texts, url, spelling) => {
      const locator = parseLocator(toUrl(url, spelling));
      if (locator === undefined) return;
      const target = toTarget(locator);
      const entries = texts.map(toEntry);
      const lists = new Patterns(entries).listsFor(target);
      const tried = lists.flat();
      assert.equal(new Set(tried).size, tried.length, 'none is tried twice');
      const matching = new Set(tried.filter(({ pattern }) => matchesPath(pattern, target)));
      for (const one of entries) assert.equal(matching.has(one), matchesPath(one.pattern, target), one.text);
      for (const list of lists) {
        const octets = list.map(({ pattern }) => pattern.octets);
        assert.deepEqual(
          octets,
          octets.toSorted((a, b) => b - a),
        );
      }
      found += matching.size;
    }),
    { numRuns: 1000 },
  );
  assert.ok(found > 1000, `${found} matches`);
});

test('of many patterns, a URL that nearly matches all of them is compared with none', () => {
  const path = `/${'a'.repeat(1599)}`;
  for (const toText of [
    (i: number) => `*aa${i}b`,
    (i: number) => `/*aa${i}b`,
    (i: number) => `/*?aa=${i}b`,
    (i: number) => `${'*a'.repeat(200)}*bc${i}`,
    (i: number) => `/a*${'a'.repeat(60)}${i}b$`,
  ]) {
    const patterns = new Patterns(Array.from({ length: 1000 }, (_, i) => toEntry(toText(i))));
    assert.deepEqual(patterns.listsFor(targetOf(path)).flat(), [], toText(1));
  }
});

test('a search costs the length of the URL, not the number of patterns', () => {
  const target = targetOf(`/${'a'.repeat(1599)}`);
  const looksOf = (count: number): number => {
    const patterns = new Patterns(Array.from({ length: count }, (_, i) => toEntry(`*aa${String(i).padStart(6, '0')}`)));
    return looksAt(() => patterns.listsFor(target));
  };
  assert.equal(looksOf(100_000), looksOf(100));
  assert.ok(looksOf(100) <= 2 * 1600, `${looksOf(100)} looks`);
});
