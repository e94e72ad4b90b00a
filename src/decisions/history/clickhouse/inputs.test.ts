import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { findProgram } from '../../../rules/crawlers/program.ts';
import { keptProgram, type SentBy } from '../columns/decision-row.ts';
import { FoundInputs } from './inputs.ts';

const found = new FoundInputs();

/** The program as `keptProgram` has it, and whether older fields are there. */
function read(text: string): { program: string | undefined; isOlder: boolean } {
  const bytes = Buffer.from(`"${text}"`);
  const { agent, isReduced, isOlder } = found.read(bytes, 1, bytes.length - 1);
  const json = agent.from === -1 ? undefined : `"${bytes.toString('utf8', agent.from, agent.to)}"`;
  const program = json === undefined ? undefined : (JSON.parse(json) as string);
  return { program: isReduced ? undefined : findProgram(program), isOlder };
}

function assertSame(inputs: Record<string, unknown>): void {
  assert.deepEqual(read(JSON.stringify(inputs)), {
    program: keptProgram(inputs as SentBy),
    isOlder: 'purpose' in inputs || 'permission' in inputs,
  });
}

const NAMES = ['context', 'userAgent', 'reduced', 'purpose', 'permission', 'ip', 'attributes', 'a"b\\', ''];
const texts = fc.oneof(
  fc.constantFrom('FooBot/1.0', 'context', 'context.userAgent', '"}],', '\\', ...NAMES),
  fc.string(),
);
const values = fc.oneof(
  texts,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(texts, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(texts, fc.dictionary(fc.constantFrom(...NAMES), texts))),
);
const others = fc.dictionary(
  fc.constantFrom(...NAMES.filter((name) => !['context', 'reduced', 'userAgent'].includes(name))),
  values,
);
const contexts = fc
  .tuple(others, fc.option(texts, { nil: undefined }), others)
  .map(([before, userAgent, after]) => ({ ...before, ...(userAgent === undefined ? {} : { userAgent }), ...after }));

test('the program of any inputs is the one that parsing them gives', () => {
  fc.assert(
    fc.property(
      others,
      fc.option(fc.oneof(contexts, fc.constant(null)), { nil: undefined }),
      others,
      fc.option(fc.array(fc.constantFrom('context', 'context.ip', 'context.userAgent', 'license')), { nil: undefined }),
      (before, context, after, reduced) =>
        assertSame({
          ...before,
          ...(context === undefined ? {} : { context }),
          ...after,
          ...(reduced === undefined ? {} : { reduced }),
        }),
    ),
  );
});

test('a user agent that an attribute of the check has is none', () => {
  assertSame({ context: { attributes: { userAgent: 'FooBot/1.0' } } });
  assertSame({ license: { userAgent: 'FooBot/1.0' }, context: {} });
  assertSame({ context: { ip: '"userAgent":"x"', userAgent: 'A"b\\c/1.0 é' }, reduced: ['context.ip'] });
});
