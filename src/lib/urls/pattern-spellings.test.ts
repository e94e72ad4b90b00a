/** The patterns for readers of robots.txt match, as they are, what one pattern matches in all spellings of a file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { spelledPatterns } from './pattern-spellings.ts';
import { USUAL_URLS } from './spellings.ts';
import { matchesPath, parsePathPattern, toTarget } from './url-pattern.ts';

const part = fc.constantFrom('/', 'a', 'b', '.', 'index.html', 'index', 'in', '/index.php', '*', 'html', 'x.pdf');
const text = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
const rules = fc.record({
  case: fc.constantFrom('sensitive' as const, 'ignored' as const),
  finalSlash: fc.constantFrom('significant' as const, 'ignored' as const),
  index: fc.constantFrom(USUAL_URLS.index, [], ['index.html'], ['a']),
});

test('whatever the pattern and the rules are', () => {
  const seen = { yes: 0, no: 0, unsaid: 0 };
  fc.assert(
    fc.property(text, fc.boolean(), text, rules, (written, isEnd, path, urls) => {
      const pattern = parsePathPattern(`${written.startsWith('*') ? '' : '/'}${written}${isEnd ? '$' : ''}`);
      if (pattern === undefined) return;
      const target = { path: `/${path.replaceAll('*', 'q')}`.replaceAll(/\/+/g, '/'), query: '' };
      const spelled = spelledPatterns(pattern, urls);
      if (spelled === undefined) {
        seen.unsaid++;
        return;
      }
      const expected = matchesPath(pattern, toTarget(target, urls));
      seen[expected ? 'yes' : 'no']++;
      assert.equal(
        spelled.some((one) => matchesPath(one, toTarget(target))),
        expected,
      );
    }),
    { numRuns: 30_000 },
  );
  assert.ok(Math.min(...Object.values(seen)) > 500, JSON.stringify(seen));
});

test('of usual patterns', () => {
  const said = (written: string): string[] | undefined =>
    spelledPatterns(parsePathPattern(written) as NonNullable<ReturnType<typeof parsePathPattern>>, USUAL_URLS)
      ?.slice(1)
      .map(({ path }) => path.parts.join('*'));
  assert.deepEqual(said('/'), []);
  assert.deepEqual(said('/news'), []);
  assert.deepEqual(said('/news/'), ['/news']);
  assert.deepEqual(said('/*.pdf$'), []);
  assert.deepEqual(said('/v1.2/')?.includes('/v1.2'), false);
  assert.equal(said('/*.html$'), undefined);
});
