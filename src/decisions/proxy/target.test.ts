/** Distinct targets never share a name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { toName } from '../../content/known-addresses.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import { readTarget } from './target.ts';

/** Mostly separators of URL parts, plain and encoded, so that targets are nearly the same. */
const path = fc
  .array(fc.constantFrom('a', '?', '%3F', '%3f', '/', '%22', '%2C', ',', '"', '%5B', '.', '%00', '&', '%26', '%7C'), {
    maxLength: 5,
  })
  .map((parts) => `/${parts.join('')}`);
const host = fc.constantFrom(undefined, 'a', 'a.b', 'a:1', 'null');

test('of two requests, however they are written', () => {
  fc.assert(
    fc.property(path, host, path, host, (a, hostOfA, b, hostOfB) => {
      const [one, other] = [
        readTarget({
          headers: { 'x-original-uri': a, 'x-forwarded-host': hostOfA },
          suffix: undefined,
          origin: undefined,
        }),
        readTarget({
          headers: { 'x-original-uri': b, 'x-forwarded-host': hostOfB },
          suffix: undefined,
          origin: undefined,
        }),
      ];
      if (typeof one === 'string' || typeof other === 'string') return;
      const isSame = one.host === other.host && one.path === other.path && one.query === other.query;
      assert.equal(toName(one) === toName(other), isSame, `${toName(one)} ${toName(other)}`);
    }),
    { numRuns: 20_000 },
  );
});

test('of two targets with any text in their parts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '?', '/', '"', '\\', ',', '\0', '\ud800', '𝄞'), maxLength: 4 });
  const target = fc.record<Locator>({ host: text, path: text, query: text });
  fc.assert(
    fc.property(target, target, (a, b) => {
      const isSame = a.host === b.host && a.path === b.path && a.query === b.query;
      assert.equal(toName(a) === toName(b), isSame);
    }),
    { numRuns: 20_000 },
  );
});

test('of the same parts, cut elsewhere', () => {
  const names = ['/a?b?', '/a%3Fb', '/a?b', '/a%3Fb?', '/a??b'].map((uri) => {
    const target = readTarget({ headers: { 'x-original-uri': uri }, suffix: undefined, origin: 'https://a.b' });
    assert.ok(typeof target === 'object', uri);
    return toName(target);
  });
  assert.equal(new Set(names).size, 4, 'an empty query is none: /a%3Fb and /a%3Fb? are one target');
});
