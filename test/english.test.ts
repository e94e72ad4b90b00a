/** Every comment, message and page is in the project's English: kit/english.ts has the rules. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { filesIn, findFaults } from '../kit/english.ts';

const PLACES = [
  'src',
  'audit',
  'client',
  'clients',
  'console',
  'kit',
  'proof',
  'test',
  'bench',
  'demo',
  'scripts',
  'docs',
];
const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

test('the English of comments, messages and pages', () => {
  const faults = filesIn([...PLACES, ...PAGES]).flatMap((file) => findFaults(file, readFileSync(file, 'utf8')));
  assert.deepEqual(
    faults.map(({ file, line, problem }) => `${file}:${line} ${problem}`),
    [],
  );
});

describe('what it finds', () => {
  for (const [source, problem] of [
    ['/** What is stored. */\nexport const a = 1;', /begins with "What"/],
    ['// Nobody reads it.\n', /"Nobody"/],
    ["export const a = 'Please try again later.';", /"try again"/],
    [`// ${'word '.repeat(30)}\n`, /wrap at 120/],
  ] as const) {
    test(String(problem), () => assert.match(findFaults('src/a.ts', source)[0]?.problem ?? '', problem));
  }
  test('nothing where there is nothing', () => {
    assert.deepEqual(findFaults('src/a.ts', "/** Returns the timestamp. */\nexport const a = 'lane';"), []);
  });
});
