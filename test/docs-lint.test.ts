/** No policy that a page, an example, a template or the demo shows draws a warning, but where the page is about it. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseDocument } from 'yaml';
import { policies } from '../demo/policies.ts';
import { EXAMPLES } from '../src/api/http/examples.ts';
import { lint } from '../src/rules/lint/lint.ts';
import type { Action, Rule } from '../src/rules/policy.ts';
import { TEMPLATES } from '../src/rules/templates.ts';

interface Shown {
  rules: Rule[];
  defaultAction?: Action;
}

/** Blocks whose request or page is about a fault. */
const ABOUT_FAULTS = /^ask POST \/v1\/policies\/lint|licenceType/m;
/** Policies that show the warning, and what a condition does that is not known. */
const ON_PURPOSE = [
  '"Training needs a license."',
  '"Archived records stay as they are."',
  '"conditions":{"country":"XX"}',
];

/** Every object in the text of a block that has rules. */
function policiesIn(block: string): Shown[] {
  if (ABOUT_FAULTS.test(block)) return [];
  const heredocs = [...block.matchAll(/<<'?(\w+)'?\n([^]*?)\n\1$/gm)].map(([, , text = '']) => text);
  const bodies = [...block.matchAll(/ -d '([^]*?)'$/gm)].map(([, text = '']) => text);
  return [...heredocs, ...(bodies.length > 0 ? bodies : [block])].flatMap((text) => {
    const document = parseDocument(text, { logLevel: 'silent' });
    return document.errors.length > 0 ? [] : withRules(document.toJS());
  });
}

function withRules(value: unknown): Shown[] {
  if (typeof value !== 'object' || value === null) return [];
  const { rules } = value as { rules?: unknown };
  const whole = Array.isArray(rules) && rules.length > 0 && rules.every(isRule);
  return [...(whole ? [value as Shown] : []), ...Object.values(value).flatMap(withRules)];
}

/** Answers have rules, too, with a number for the place and what they counted. */
const isRule = (one: unknown): boolean =>
  typeof one === 'object' && one !== null && 'action' in one && !Array.isArray((one as Partial<Rule>).conditions);

const pages = globSync(['README.md', '{docs,adapters,client,deploy,examples}/**/*.{md,yaml}', 'examples/**/*.json'], {
  exclude: ['**/node_modules/**'],
});
const blocks = pages.flatMap((page) => {
  const text = readFileSync(page, 'utf8');
  if (!page.endsWith('.md')) return [{ page, block: text }];
  return [...text.matchAll(/^```\w*\n([^]*?)^```$/gm)].map(([, block = '']) => ({ page, block }));
});

test('policies of pages and examples', () => {
  const shown = blocks.flatMap(({ page, block }) => policiesIn(block).map((policy) => ({ page, policy })));
  assert.ok(shown.length > 15, String(shown.length));
  const found = shown.flatMap(({ page, policy: { rules, defaultAction = 'deny' } }) =>
    lint(rules, defaultAction).map(({ code, param }) => `${page}: ${code} at ${param} of ${JSON.stringify(rules)}`),
  );
  assert.deepEqual(
    found.filter((line) => !ON_PURPOSE.some((part) => line.includes(part))),
    [],
  );
});

test('examples of the API reference', () => {
  const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as object;
  assert.ok(withRules(document).length > 0);
  for (const [operation, example] of Object.entries({ ...EXAMPLES, document })) {
    for (const { rules, defaultAction = 'deny' } of withRules(example)) {
      assert.deepEqual(lint(rules, defaultAction), [], operation);
    }
  }
});

test('templates', () => {
  for (const { rules, defaultAction } of TEMPLATES) assert.deepEqual(lint(rules, defaultAction), []);
});

test('policies of the demo', () => {
  for (const { name, rules, defaultAction = 'deny' } of Object.values(policies())) {
    assert.deepEqual(lint(rules as Rule[], defaultAction), [], name);
  }
});
