/**
 * The comparison of two files of robots.txt agrees with an independent parser: without a difference, no address is
 * treated otherwise; each difference names an address that is.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import robotsParser from 'robots-parser';
import * as fc from '../../kit/fast-check.ts';
import { crossingsOf, StepBudget } from '../../src/signals/drift/meaning.ts';
import { compareRobots } from '../../src/signals/drift/robots.ts';
import { examplePaths } from '../../src/signals/robots/robots-reader.ts';

interface Robots {
  isAllowed(url: string, token: string): boolean | undefined;
}
/** Its types name a default export that the module does not have. */
const parse = robotsParser as unknown as (url: string, text: string) => Robots;

const TOKENS = ['*', 'GPTBot', 'CCBot'];
const PATTERNS = ['/', '/a', '/a/', '/a$', '/a/b', '/*.pdf$', '/a/*/c', '/*?x=', '/%C3%BC', '/a*'];
const RULED = PATTERNS.map((pattern) => ({ pattern }));
const URLS = [
  ...new Set(PATTERNS.flatMap((pattern) => [...examplePaths(pattern), ...crossingsOf(pattern, RULED)])),
  '/a/x.pdf',
  '/ü',
];

const group = fc.record({
  tokens: fc.subarray(TOKENS, { minLength: 1 }),
  rules: fc.array(fc.tuple(fc.boolean(), fc.constantFrom(...PATTERNS)), { maxLength: 4 }),
});
const file = fc
  .array(group, { maxLength: 3 })
  .map((groups) =>
    groups
      .map(({ tokens, rules }) =>
        [
          ...tokens.map((token) => `User-agent: ${token}`),
          ...rules.map(([allowed, text]) => `${allowed ? 'Allow' : 'Disallow'}: ${text}`),
          'Crawl-delay: 1',
        ].join('\n'),
      )
      .join('\n\n'),
  );

const isAllowed = (robots: Robots, url: string, token: string): boolean =>
  robots.isAllowed(`https://example.com${url}`, token === '*' ? 'StrangeBot' : token) ?? true;

test('what is said to be alike is alike for an independent parser, and what differs differs', async () => {
  let alike = 0;
  let different = 0;
  await fc.assert(
    fc.asyncProperty(file, file, async (one, other) => {
      const { differences, isCut } = await compareRobots(one, other, new StepBudget(1_000_000));
      assert.equal(isCut, false);
      const [a, b] = [parse('https://example.com/robots.txt', one), parse('https://example.com/robots.txt', other)];
      for (const token of TOKENS) {
        const isNamed = [one, other].some((text) => text.includes(`User-agent: ${token}`));
        const own = differences.filter(({ crawlers }) => crawlers.includes(isNamed ? token : '*'));
        const found = URLS.filter((url) => isAllowed(a, url, token) !== isAllowed(b, url, token));
        assert.equal(own.length > 0, found.length > 0, `${token} ${found.join()} ${JSON.stringify(own)}`);
        if (own.length === 0) alike++;
        else different++;
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(alike > 100 && different > 100, `${alike} ${different}`);
});

test('a budget that is used up is told', async () => {
  const rules = (word: string) =>
    `User-agent: *\n${Array.from({ length: 100 }, (_, i) => `Disallow: /${word}${i}/`).join('\n')}`;
  const { differences, isCut } = await compareRobots(rules('a'), rules('b'), new StepBudget(1_000));
  assert.equal(isCut, true);
  assert.equal(differences.at(-1)?.message, 'More rules differ than were compared one by one.');
});
