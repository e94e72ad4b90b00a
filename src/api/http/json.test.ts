/**
 * Bodies: what is parsed in slices is what is parsed at once, and what is more than any body needs is not parsed at
 * all.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { Failure } from '../errors.ts';
import { parseJson, parseJsonInSlices } from './json.ts';

const LIST = 'checks';
const MIB = 1024 * 1024;

type Outcome = { value: unknown } | { refused: string };

async function outcomeOf(parse: () => unknown): Promise<Outcome> {
  try {
    return { value: await parse() };
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return { refused: error.code };
  }
}
const inSlices = (text: string): Promise<Outcome> => outcomeOf(() => parseJsonInSlices(Buffer.from(text), LIST, 1000));

/** At once a body with a bad entry is refused, in slices the entry alone. */
function refusalOf(outcome: Outcome): Outcome {
  const list = 'value' in outcome ? (outcome.value as Record<string, unknown> | null)?.[LIST] : undefined;
  const bad = Array.isArray(list) ? list.find((entry) => entry instanceof Failure) : undefined;
  return bad === undefined ? outcome : { refused: bad.code };
}

const body = fc.record(
  {
    [LIST]: fc.oneof({ weight: 5, arbitrary: fc.array(fc.jsonValue(), { maxLength: 5 }) }, fc.jsonValue()),
    policy: fc.jsonValue(),
    '1': fc.jsonValue(),
  },
  { requiredKeys: [] },
);

test('a body in slices is the same as at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, fc.jsonValue()), fc.constantFrom(undefined, 1), async (given, space) => {
      const text = JSON.stringify(given, null, space);
      assert.deepEqual(await inSlices(text), { value: parseJson(Buffer.from(text)) });
    }),
    { numRuns: 2000 },
  );
});

test('what is no JSON, or has a key twice, is refused in slices as at once', async () => {
  for (const text of [
    '{"checks":[,{}]}',
    '{"checks":[{},]}',
    '{"checks":[,]}',
    '{"checks":[1 2]}',
    '{"checks":[}',
    '{"checks":[\u00a0]}',
  ]) {
    assert.deepEqual(await inSlices(text), { refused: 'invalid_json' }, text);
  }
  const sign = fc.constantFrom('', '"', '[', ']', '{', '}', ',', ':', '\\', '1', ' ', '"checks":', '"checks":[],', 'y');
  await fc.assert(
    fc.asyncProperty(body, fc.nat(), fc.nat(3), sign, async (given, at, cut, more) => {
      const whole = JSON.stringify(given);
      const place = at % whole.length;
      const text = whole.slice(0, place) + more + whole.slice(place + cut);
      assert.deepEqual(refusalOf(await inSlices(text)), await outcomeOf(() => parseJson(Buffer.from(text))));
    }),
    { numRuns: 3000 },
  );
});

test('a broken entry and a repeated key are named with their place', async () => {
  const refused = (text: string) => parseJsonInSlices(Buffer.from(text), LIST, 1000);
  await assert.rejects(refused('{"checks":[{},{"a":1,}]}'), { code: 'invalid_json', message: /^`checks\[1\]` is not/ });
  await assert.rejects(refused('{"checks":[],"a":{"b":1,"b":2}}'), { param: 'a.b' });
  const { checks } = (await refused('{"checks":[{},{"a":{"b":1,"b":2}},1]}')) as { checks: unknown[] };
  assert.deepEqual([checks[0], checks[2]], [{}, 1]);
  assert.ok(checks[1] instanceof Failure && checks[1].param === 'a.b');
});

test('more keys or lists than any body needs are refused unparsed, an entry in its place', async () => {
  const objects = `[${'{},'.repeat(150_000)}1]`;
  const keys = `{${Array.from({ length: 30_001 }, (_, i) => `"${i}":1`).join()}}`;
  for (const [much, words] of [
    [objects, /more than 150000 lists and objects/],
    [keys, /more than 30000 keys/],
  ] as const) {
    assert.throws(() => parseJson(Buffer.from(much)), { code: 'invalid_request', message: words });
    const beside = Buffer.from(`{"x":${much},"checks":[]}`);
    await assert.rejects(parseJsonInSlices(beside, LIST, 1000), { code: 'invalid_request', message: words });
    const value = (await parseJsonInSlices(Buffer.from(`{"checks":[1,${much},2]}`), LIST, 1000)) as {
      checks: unknown[];
    };
    assert.deepEqual([value.checks[0], value.checks[2]], [1, 2]);
    assert.ok(value.checks[1] instanceof Failure);
    assert.match(value.checks[1].message, words);
  }
});

test('an entry is at most 1 MiB; white space and other entries do not count', async () => {
  const long = JSON.stringify('x'.repeat(MIB));
  const text = `{${' '.repeat(MIB)}"checks":[${' '.repeat(MIB)}1,${long},"${'y'.repeat(MIB - 2)}"]}${' '.repeat(MIB)}`;
  const { checks } = (await parseJsonInSlices(Buffer.from(text), LIST, 1000)) as { checks: unknown[] };
  assert.equal(checks[0], 1);
  assert.ok(checks[1] instanceof Failure && checks[1].code === 'payload_too_large');
  assert.equal((checks[2] as string).length, MIB - 2);
  await assert.rejects(parseJsonInSlices(Buffer.from(`{"checks":[],"x":${long}}`), LIST, 1000), {
    code: 'payload_too_large',
  });
});

test('of a list that is too long nothing is parsed, and its length is known', async () => {
  const text = `{"checks":[${'1,'.repeat(1000)}1]}`;
  const { checks } = (await parseJsonInSlices(Buffer.from(text), LIST, 1000)) as { checks: unknown[] };
  assert.equal(checks.length, 1001);
});

test('other work has its turn while a large body is parsed', async () => {
  const entry = JSON.stringify({ a: 'x'.repeat(16_000) });
  let turns = 0;
  let parsing = true;
  const count = (): void => {
    turns++;
    if (parsing) setImmediate(count);
  };
  setImmediate(count);
  await parseJsonInSlices(Buffer.from(`{"checks":[${Array(1000).fill(entry).join()}]}`), LIST, 1000);
  parsing = false;
  assert.ok(turns >= 1000 / 128, `${turns} turns`);
});
