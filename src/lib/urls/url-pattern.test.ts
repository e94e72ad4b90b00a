/** Patterns match as RFC 9309 says, in every spelling of a path, and with any query that a visitor adds. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { type Locator, parseTarget } from './locator.ts';
import { pathSet } from './pattern-sets.ts';
import {
  canMatchBoth,
  impliesHost,
  impliesPath,
  matchesPath,
  type PathPattern,
  parseHostPattern,
  parsePathPattern,
  toHostPatterns,
  toTarget,
} from './url-pattern.ts';

const pattern = (text: string): PathPattern => {
  const parsed = parsePathPattern(text);
  assert.ok(parsed !== undefined, text);
  return parsed;
};

const matches = (text: string, url: string): boolean => {
  const target = parseTarget(url);
  assert.ok(target !== undefined, url);
  return matchesPath(pattern(text), toTarget(target));
};

const matchesAll = (text: string, ...urls: string[]): void => {
  for (const url of urls) assert.ok(matches(text, url), `${text} matches ${url}`);
};
const matchesNone = (text: string, ...urls: string[]): void => {
  for (const url of urls) assert.ok(!matches(text, url), `${text} does not match ${url}`);
};

describe('the examples of RFC 9309, section 2.2', () => {
  test('a prefix, characters inside and outside of ASCII, encoded or not', () => {
    matchesAll('/foo/bar?baz=quz', '/foo/bar?baz=quz', '/foo/bar?baz=quz&more');
    matchesAll('/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar');
    for (const text of ['/foo/bar/ツ', '/foo/bar/%E3%83%84']) {
      matchesAll(text, '/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84');
    }
    matchesAll('/foo/bar/%62%61%7A', '/foo/bar/baz');
    matchesAll('/foo/bar/baz', '/foo/bar/%62%61%7A');
  });
  test('special characters', () => {
    matchesAll('/this/path/exactly$', '/this/path/exactly');
    matchesNone('/this/path/exactly$', '/this/path/exactly/', '/this/path/exactly2');
    matchesAll('/this/*/exactly', '/this/path/is/exactly', '/this/a/b/exactly');
    matchesAll('/path/file-with-a-%2A.html', '/path/file-with-a-*.html', '/path/file-with-a-%2A.html');
    matchesNone('/path/file-with-a-%2A.html', '/path/file-with-a-b.html');
    matchesAll('/path/foo-%24', '/path/foo-$', '/path/foo-%24', '/path/foo-$5');
  });
});

test('a prefix is one of octets, not of segments, and case counts', () => {
  matchesAll('/news', '/news', '/news/', '/newspaper');
  matchesNone('/news/', '/news', '/News/');
  matchesAll('*', '/', '/a');
  matchesAll('*.pdf$', '/a/b.pdf', '/.pdf');
  matchesAll('/a*b*c$', '/abc', '/a--b--c--c');
  matchesNone('/a*b*c$', '/acb', '/ab', '/abcd');
  matchesNone('/ab*b$', '/ab');
});

test('a pattern without a question mark sees no query', () => {
  matchesAll('/*.pdf$', '/a.pdf', '/a.pdf?', '/a.pdf?download');
  matchesNone('/*free', '/paid?free', '/paid?x=/free');
  matchesAll('/a', '/a?b');
});

test('one with a question mark sees the whole path and the parameters of a query', () => {
  matchesAll('/a?id=1', '/a?id=1', '/a?id=%31', '/a?%69d=12', '/a?x=1&id=1', '/a?id=2&id=1&x');
  matchesAll('/a?id=1&b', '/a?bc&id=1', '/a?b=2&x&id=1');
  matchesNone('/a?id=1&b', '/a?id=12&b', '/a?b', '/a?xb&id=1');
  matchesAll('/a?x&y$', '/a?y&x', '/a?x=&y=', '/a?y=&z&x');
  matchesAll('/a?p=1*q=2', '/a?p=1&x&q=2', '/a?p=1q=2');
  matchesNone('/a?p=1*q=2', '/a?q=2&p=1');
  matchesNone('/a?id=1', '/a', '/ab?id=1', '/a/?id=1', '/a?xid=1', '/a%3Fid=1');
  matchesAll('/*?*id=1$', '/a/b?x=2&id=1', '/b?id=%31');
  matchesNone('/*?*id=1$', '/a?id=12', '/a');
  matchesAll('/a?', '/a?b');
  matchesNone('/a?', '/a', '/a?');
  matchesAll('/a?q=x%20y', '/a?q=x+y', '/a?q=x%20y');
  matchesNone('/a?q=x%2By', '/a?q=x+y');
  matchesAll('/a%3Fb', '/a%3Fb', '/a%3fb?c');
  matchesNone('/a%3Fb', '/a?b');
});

test('what can match no path is no pattern', () => {
  for (const text of [
    '',
    'a',
    'https://a.b/',
    '/a b',
    '/a\\b',
    '/a#b',
    '/%',
    '/%zz',
    '/%ff',
    '/a?%z',
    '/\u0000',
    '/%00',
  ]) {
    assert.equal(parsePathPattern(text), undefined, JSON.stringify(text));
  }
  for (const text of ['/a%2Fb', '/a%5cb', '/%2541', '/a//b', '/a/../b', '/a/%2e/b', '/\ud800']) {
    assert.equal(parsePathPattern(text), undefined, JSON.stringify(text));
  }
});

test('the length is that of one spelling', () => {
  for (const [text, octets] of [
    ['/', 1],
    ['/%61%62', 3],
    ['/a**b', 4],
    ['/a*$', 4],
    ['/ä', 7],
    ['/a?b$', 5],
  ] as const) {
    assert.equal(pattern(text).octets, octets, text);
  }
});

const spelled = fc.constantFrom('/a', '/b', '/a%20b', '/ä', '/%41', '*', '$', '?', 'a', '%2A', '&b=1', '=', '%3F', '.');
const patternText = fc
  .array(spelled, { maxLength: 6 })
  .map((parts) => `/${parts.join('')}`)
  .filter((text) => parsePathPattern(text) !== undefined);
const urlText = fc
  .array(fc.constantFrom('/a', '/b', 'a', '%20b', '*', '$', '%3F', '.', '%C3%A4', 'A'), { maxLength: 6 })
  .chain((parts) => fc.constantFrom('', '?', '?b=1', '?a&b=1', '?$').map((query) => `/${parts.join('')}${query}`))
  .filter((text) => parseTarget(text) !== undefined);

test('a regular expression made from the pattern agrees', () => {
  let matched = 0;
  fc.assert(
    fc.property(patternText, urlText, (text, url) => {
      const target = parseTarget(url);
      assert.ok(target !== undefined);
      const canonical = toTarget(target);
      const parsed = pattern(text);
      const expression = ({ parts, ends }: PathPattern['path']): RegExp =>
        new RegExp(`^${parts.map((part) => part.replaceAll(/[^a-z0-9]/gi, '\\$&')).join('[^]*')}${ends ? '$' : ''}`);
      const expected = expression(parsed.path).test(canonical.path);
      // Queries are tried against the second implementation, in test/oracle.
      if (parsed.query !== null) return;
      if (expected) matched++;
      assert.equal(matchesPath(parsed, canonical), expected);
    }),
    { numRuns: 20_000 },
  );
  assert.ok(matched > 500, String(matched));
});

test('two patterns that match one URL can match both; two that cannot never do', () => {
  let together = 0;
  fc.assert(
    fc.property(patternText, patternText, urlText, (one, other, url) => {
      const both = matches(one, url) && matches(other, url);
      if (both) together++;
      if (both) assert.ok(canMatchBoth(pattern(one), pattern(other)), `${one} ${other} ${url}`);
    }),
    { numRuns: 20_000 },
  );
  assert.ok(together > 100, String(together));
  for (const [one, other, can] of [
    ['/a', '/b', false],
    ['/a', '/a/b', true],
    ['/a$', '/a/b', false],
    ['/*a', '/b*', true],
    ['/*a$', '/*b$', false],
    ['/a*c$', '/ab*', true],
    ['/a?x', '/a?y', true],
    ['/a?x', '/a', true],
    ['/*', '/', true],
  ] as const) {
    assert.equal(canMatchBoth(pattern(one), pattern(other)), can, `${one} ${other}`);
    assert.equal(canMatchBoth(pattern(other), pattern(one)), can, `${other} ${one}`);
  }
});

test('what implies a pattern is matched by nothing that the pattern does not match', () => {
  let implied = 0;
  fc.assert(
    fc.property(patternText, patternText, urlText, (one, other, url) => {
      if (!impliesPath(pattern(one), pattern(other)) || !matches(one, url)) return;
      implied++;
      assert.ok(matches(other, url), `${one} ${other} ${url}`);
    }),
    { numRuns: 40_000 },
  );
  assert.ok(implied > 100, String(implied));
  for (const [one, other, does] of [
    ['/a/b', '/a', true],
    ['/a', '/a/b', false],
    ['/a$', '/a', true],
    ['/a', '/a$', false],
    ['/a*c', '/*c', true],
    ['/a/*.pdf$', '/*.pdf$', true],
    ['/a*', '/a*b', false],
    ['/a?x=1', '/a', true],
    ['/a?x=1', '/a?x=', true],
    ['/a', '/a?x=', false],
    ['/a?', '/a?*', true],
    ['/*', '*', true],
  ] as const) {
    assert.equal(impliesPath(pattern(one), pattern(other)), does, `${one} ${other}`);
  }
  for (const [one, other, does] of [
    ['a.b', 'a.b', true],
    ['a.b', '*.b', true],
    ['a.b:8080', '*.b', false],
    ['*.a.b', '*.b', true],
    ['*.b', '*.a.b', false],
    ['*.b', 'a.b', false],
    ['b', '*.b', false],
  ] as const) {
    assert.equal(impliesHost(one, other), does, `${one} ${other}`);
  }
});

test('a set of patterns matches what any of them matches', () => {
  const found = { yes: 0, no: 0 };
  fc.assert(
    fc.property(
      fc.array(fc.oneof(patternText, fc.constantFrom('*', '*b', '*?b')), { maxLength: 6 }),
      urlText,
      (all, url) => {
        const target = toTarget(parseTarget(url) as Locator);
        const expected = all.some((text) => matchesPath(pattern(text), target));
        found[expected ? 'yes' : 'no']++;
        assert.equal(pathSet(all.map(pattern))(target), expected);
      },
    ),
    { numRuns: 10_000 },
  );
  assert.ok(Math.min(found.yes, found.no) > 1_000, JSON.stringify(found));
});

test('hosts, and the names below them', () => {
  for (const [text, host] of [
    ['WWW.Example.com', 'www.example.com'],
    ['*.Example.com.', '*.example.com'],
    ['localhost:8080', 'localhost:8080'],
    ['example.com:443', 'example.com'],
    ['*.example.com:8443', '*.example.com:8443'],
    ['[::1]:8080', '[::1]:8080'],
  ] as const) {
    assert.equal(parseHostPattern(text), host);
  }
  for (const text of [
    '',
    '*',
    '*.',
    'a*.b',
    '*.*.b',
    'https://a',
    'a/b',
    'a b',
    '*.10.0.0.1',
    '*.[::1]',
    'a.b:0',
    '[::1]:0',
  ]) {
    assert.equal(parseHostPattern(text), undefined, text);
  }
  assert.deepEqual(toHostPatterns('a.b.c:80'), ['a.b.c:80', '*.b.c:80', '*.c:80']);
  assert.deepEqual(toHostPatterns('localhost'), ['localhost']);
});
