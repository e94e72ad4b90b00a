/** Problem messages stay short enough to read, and cheap to build, however large the request was. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CheckRequest } from '../../decisions/check/schema.ts';
import { CreatePolicy } from '../../policies/schema.ts';
import { CreateRequester } from '../../requesters/schema.ts';
import { findProblems, type Schema } from './problems.ts';

const check = CheckRequest as Schema;

/** The schema, and how often the names it knows were listed: once for each name that is compared with them. */
function counted(schema: Schema): { schema: Schema; lists(): number } {
  let lists = 0;
  const properties = new Proxy(schema.properties ?? {}, {
    ownKeys(target) {
      lists++;
      return Reflect.ownKeys(target);
    },
  });
  return { schema: { ...schema, properties }, lists: () => lists };
}

const unknownFields = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`contentIdd${i}`, i]));

test('of thousands of unknown fields the first are named with what they are near to, the others are counted', () => {
  const { schema, lists } = counted(check);
  const problems = findProblems(schema, { ...unknownFields(80_000), contentId: 'x' }, 'body');
  assert.equal(problems.length, 21);
  assert.deepEqual(problems[0], {
    param: 'contentIdd0',
    message: 'Unknown field `contentIdd0`; did you mean `contentId`?',
  });
  assert.deepEqual(problems.at(-1), {
    param: null,
    message: 'The body has 79980 more unknown fields; remove them.',
  });
  assert.ok(lists() <= 20, `${lists()} names were compared`);
});

test('as many unknown fields as are named are not counted', () => {
  assert.equal(findProblems(check, { ...unknownFields(20), contentId: 'x' }, 'body').length, 20);
  const [...problems] = findProblems(check, { ...unknownFields(21), contentId: 'x' }, 'check');
  assert.equal(problems.at(-1)?.message, 'The check has 1 more unknown field; remove it.');
});

test('no body has more than 100 problems, and nothing behind the last of them is looked at', () => {
  let read = 0;
  const rules = Array.from(
    { length: 1000 },
    () =>
      new Proxy(unknownFields(50), {
        ownKeys(target) {
          read++;
          return Reflect.ownKeys(target);
        },
      }),
  );
  assert.equal(findProblems(CreatePolicy as Schema, { name: 'x', rules }, 'body').length, 100);
  assert.ok(read <= 10, `${read} rules were read`);
});

test('of a list that is too long no entry behind the end is looked at', () => {
  let read = 0;
  const values = Array.from({ length: 2000 }, () => 'DE');
  const list = new Proxy(values, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) read++;
      return Reflect.get(target, key);
    },
  });
  const problems = findProblems({ type: 'array', maxItems: 1000, items: { type: 'string' } }, list, 'list');
  assert.deepEqual(problems, [{ param: null, message: 'The list must have at most 1000 entries, not 2000.' }]);
  assert.equal(read, 1000);
});

test('a time that may be a word is explained with both', () => {
  const rules = [{ action: 'allow', conditions: { licenseExpiry: { after: '2026-01-01' } } }];
  assert.deepEqual(findProblems(CreatePolicy as Schema, { name: 'x', rules }, 'body'), [
    {
      param: 'rules[0].conditions.licenseExpiry.after',
      message: '`rules[0].conditions.licenseExpiry.after` must be "now", or an ISO 8601 time with a time zone.',
    },
  ]);
});

test('an object that may be of several kinds is explained by its kind; an unknown kind, by the known ones', () => {
  const explained = (identity: unknown) =>
    findProblems(CreateRequester as Schema, { identities: [identity] }, 'body').map(({ param, message }) => [
      param,
      message,
    ]);
  const kinds = 'identities[0].kind';
  assert.deepEqual(explained({ kind: 'dsn', suffixes: ['a.example'] }), [
    [kinds, `\`${kinds}\` must be one of ip, dns, signature (nearest: dns).`],
  ]);
  assert.deepEqual(explained({}), [[kinds, `\`${kinds}\` is required.`]]);
  assert.deepEqual(explained({ kind: 'signature', agent: 'x', list: 1 }).at(-1), [
    'identities[0].list',
    'Unknown field `identities[0].list`; remove it.',
  ]);
  assert.deepEqual(explained({ kind: 'ip' }), [['identities[0].ranges', '`identities[0].ranges` is required.']]);
});
