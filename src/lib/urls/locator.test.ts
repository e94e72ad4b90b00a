/** Spellings of one URL meet; spellings that servers read differently find nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { words } from '../../../kit/words.ts';
import {
  isServable,
  type Locator,
  parseHost,
  parseLocator,
  parsePath,
  parseTarget,
  parseVisited,
  toLocatorKeys,
} from './locator.ts';

const same = (a: string, b: string): void => {
  const [one, other] = [parseLocator(a), parseLocator(b)];
  assert.ok(one !== undefined, a);
  assert.deepEqual(other, one, `${a} and ${b}`);
};

describe('one spelling', () => {
  test('of the host', () => {
    same('https://example.com/a', 'HTTP://EXAMPLE.com:443/a');
    same('https://example.com/a', 'http://example.com:80/a');
    same('https://example.com/a', 'https://example.com./a');
    same('https://example.com/a', 'https://user:secret@example.com/a');
    same('https://bücher.example/a', 'https://xn--bcher-kva.example/a');
    assert.equal(parseLocator('https://example.com:8443/a')?.host, 'example.com:8443');
    assert.deepEqual(['EXAMPLE.com:443', 'example.com.', '[::1]:80'].map(parseHost), [
      'example.com',
      'example.com',
      '[::1]',
    ]);
  });

  test('at which something can be served', () => {
    for (const host of ['a', 'a.b:80', '10.0.0.1', '[::1]:8443', 'a_b.c', `${'a'.repeat(63)}.b`])
      assert.ok(isServable(host), host);
    for (const host of [
      '-',
      '..',
      'a..b',
      'a.',
      '.a',
      '-a',
      'a-.b',
      'a:0',
      '',
      `${'a'.repeat(64)}.b`,
      'a.'.repeat(127),
    ])
      assert.ok(!isServable(host), host);
  });

  test('of the path: decoded once', () => {
    same('https://example.com/tides', 'https://example.com/%74ide%73');
    same('https://example.com/h%C3%B6he', 'https://example.com/h%c3%b6he');
    same('https://example.com/höhe', 'https://example.com/h%C3%B6he');
    same('https://example.com/a%20b', 'https://example.com/a b'.replace(' ', '%20'));
    assert.equal(parsePath('/100%25'), '/100%');
    assert.equal(parsePath('/%7Euser/'), '/~user/');
  });

  test('an empty query is none, a fragment is not sent', () => {
    same('https://example.com/a', 'https://example.com/a?');
    same('https://example.com/a', 'https://example.com/a#part');
  });
});

test('a URL that is plain has the locator of its other spellings', () => {
  const part = (pieces: string[]) => fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((all) => all.join(''));
  const host = part(['a', 'B', '0', '-', '.', 'xn--', 'www.', '0x7', '1.', 'é']);
  const end = fc.constantFrom(
    '.example',
    '.EXAMPLE',
    '.example.',
    '.example:80',
    '.example:8080',
    '.1',
    '.x1',
    '.c',
    '',
  );
  const path = part(['/', 'a', '.', '..', '%41', '%2e', ';', ':', '@', "'", '|', '^', ' ', '*', '//', '$', '\\', '+']);
  const query = fc.oneof(fc.constant(''), part(['?', 'a', '=', "'", '&', '%41', '#', '"', '/', '.', '+']));
  fc.assert(
    fc.property(host, end, path, query, (name, top, rest, search) => {
      const url = `//a${name}${top}/${rest}${search}`;
      // Capitals are not plain, and the scheme does not count.
      assert.deepEqual(parseLocator(`https:${url}`), parseLocator(`HTTPS:${url}`), url);
      assert.deepEqual(parseVisited(`https:${url}`), parseVisited(`HTTPS:${url}`), url);
    }),
    { numRuns: 5_000 },
  );
});

test('what servers read differently has no locator', () => {
  for (const path of [
    ...words(`
    /a/../b /a/.. /./a /a/. /a/%2e%2e/b /a/.%2E/b /%2e/a //a /a//b /a/b// /a%2fb /a%2Fb /a%5cb /a%252fb /%2574ides
    /a%25%32%66b /a%252%66b /a%25%32fb /a%25%35%43b /%25%37%34ides /%25%32%65%25%32%65/a /a%25%30%30 /a%25252fb
    /a%25u002fb /a%25%75%30%30%32%46b /a%00 /a%0a /a%7f /a%c2%85 /a#b /a?b /a% /a%zz /a%c3 /a%c0%af /a%ed%a0%80 /höhe
    a * https://example.com/a
  `),
    '/a\\b',
    '/a b',
    '/a\tb',
    '',
  ]) {
    assert.equal(parsePath(path), undefined, path);
  }
  for (const target of ['/a?x#y', '/a?x y', '/a?ä', '/a/../b?x']) assert.equal(parseTarget(target), undefined, target);
  for (const host of ['', 'a,b', 'a b', 'a/b', 'a@b', 'a?b', 'a#b', 'a:b', 'a:99999', '%61', '[::1', 'a\\b', 'ä']) {
    assert.equal(parseHost(host), undefined, host);
  }
  for (const url of [
    '',
    'ftp://example.com/a',
    'https://example.com/a//b',
    'https://example.com/a%2Fb',
    '/a',
    'mailto:a',
  ]) {
    assert.equal(parseLocator(url), undefined, url);
  }
});

test('whatever is sent: a path that is read is read as itself again, and only its own spelling has its keys', () => {
  const target = fc.stringMatching(/^\/[a-z0-9%./?&=\\#+~ -]{0,20}$/);
  fc.assert(
    fc.property(target, target, (a, b) => {
      const [one, other] = [parseTarget(a), parseTarget(b)];
      if (one === undefined) return;
      const encoded = one.path.split('/').map(encodeURIComponent).join('/');
      assert.equal(parsePath(encoded), one.path);
      if (other === undefined) return;
      const keys = (read: Omit<Locator, 'host'>) => toLocatorKeys({ host: 'h', ...read });
      const isSame = one.path === other.path && one.query === other.query;
      assert.equal(JSON.stringify(keys(one)) === JSON.stringify(keys(other)), isSame);
    }),
    { numRuns: 5_000 },
  );
});

test('a path that is read is the same when it is decoded again, whatever part of it was encoded', () => {
  const character = fc.constantFrom('%', '2', '5', 'f', 'F', 'c', 'u', '0', 'a', '/', '.');
  const written = fc.tuple(character, fc.boolean()).map(([one, isEncoded]) => {
    const hex = one.charCodeAt(0).toString(16);
    return isEncoded || one === '%' ? `%${hex}` : one;
  });
  fc.assert(
    fc.property(fc.array(written, { maxLength: 10 }), (parts) => {
      const path = parsePath(`/${parts.join('')}`);
      if (path === undefined) return;
      assert.equal(
        path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        path,
      );
      assert.ok(!/%u[0-9a-f]{4}/i.test(path), path);
    }),
    { numRuns: 20_000 },
  );
});

describe('a pasted URL', () => {
  test('is read as a visitor requests it', () => {
    const cases: [string, Partial<Locator>][] = [
      ['https://Example.com', { host: 'example.com', path: '/', query: '' }],
      ['https://example.com?a=1#b', { path: '/', query: 'a=1' }],
      ['http://example.com:8080/a#b?c', { host: 'example.com:8080', path: '/a', query: '' }],
      ['https://example.com/fünf', { path: '/fünf' }],
      ['https://bücher.example/', { host: 'xn--bcher-kva.example' }],
    ];
    for (const [url, expected] of cases)
      assert.deepEqual({ ...parseVisited(url), ...expected }, parseVisited(url), url);
  });
  test('has no locator where servers differ, also where URL parsers do not', () => {
    for (const rest of ['/a/../b', '/a/%2e%2e/b', '//a', '/a//b', '/a%2fb', '/%2541', '/a\\b', '\\a', '/a b', '@b/c']) {
      assert.equal(parseVisited(`https://example.com${rest}`), undefined, rest);
    }
    for (const url of ['', '/a', 'ftp://example.com/', 'https://', 'https:///a', 'https://a:b@example.com/']) {
      assert.equal(parseVisited(url), undefined, url);
    }
  });
});
