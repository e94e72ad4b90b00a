/** Wider patterns match, as readers of robots.txt compare them, every URL that a pattern matches in any spelling. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { USUAL_URLS } from '../../lib/urls/spellings.ts';
import { matchesPath, parsePathPattern, toTarget } from '../../lib/urls/url-pattern.ts';
import { widerPatterns } from './other-case.ts';
import { spellPattern } from './table.ts';

const part = fc.constantFrom(
  '/',
  'a',
  'B',
  '.',
  'index.html',
  'Index',
  '/INDEX.PHP',
  '*',
  'news',
  '1',
  '%C3%BC',
  '?q=A',
);
const text = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
const rules = fc.record({
  case: fc.constantFrom('sensitive' as const, 'ignored' as const),
  finalSlash: fc.constantFrom('significant' as const, 'ignored' as const),
  index: fc.constantFrom<string[]>([...USUAL_URLS.index], [], ['Default.aspx']),
});
const letters = fc.constantFrom(
  (path: string) => path,
  (path: string) => path.toUpperCase(),
  (path: string) => path.toLowerCase(),
);
const world = fc.record({ written: text, isEnd: fc.boolean(), other: text });

test('whatever the pattern and the rules are', () => {
  let matching = 0;
  fc.assert(
    fc.property(world, rules, letters, ({ written, isEnd, other }, urls, toLetters) => {
      const pattern = parsePathPattern(`${written.startsWith('*') ? '' : '/'}${written}${isEnd ? '$' : ''}`);
      if (pattern === undefined) return;
      const path = `/${other.replace(/[?].*/, '').replaceAll('*', 'x').replaceAll('%C3%BC', 'ü')}`.replaceAll(
        /\/+/g,
        '/',
      );
      const target = { path: toLetters(path), query: 'q=A' };
      if (!matchesPath(pattern, toTarget(target, urls))) return;
      matching++;
      const wider = widerPatterns(pattern, urls);
      assert.ok(
        wider.some((one) => matchesPath(one, toTarget(target))),
        wider.map(spellPattern).join(' '),
      );
      assert.ok(wider.length <= 64, String(wider.length));
    }),
    { numRuns: 30_000 },
  );
  assert.ok(matching > 1_000, String(matching));
});

test('of a folder and of a short path', () => {
  const said = (written: string): string[] =>
    widerPatterns(parsePathPattern(written) as NonNullable<ReturnType<typeof parsePathPattern>>, {
      ...USUAL_URLS,
      case: 'ignored',
    }).map(spellPattern);
  assert.deepEqual(said('/premium/').toSorted(), ['/PRE', '/PRe', '/PrE', '/Pre', '/pRE', '/pRe', '/prE', '/pre']);
  assert.deepEqual(said('/*.js$').toSorted(), ['/*.JS$', '/*.Js$', '/*.jS$', '/*.js$']);
});
