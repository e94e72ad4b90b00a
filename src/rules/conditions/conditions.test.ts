/** The table of conditions: what each key takes, up to its bounds, and that its page says the same. */
import { words } from '../../../kit/words.ts';
import '../../api/http/formats.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Compile } from 'typebox/schema';
import { findProblems, type Schema } from '../../api/http/problems.ts';
import { ConditionsSchema } from '../../policies/schema.ts';
import { CONDITIONS, getCondition } from './conditions.ts';

const schema = Compile(ConditionsSchema);
const takes = (conditions: object): boolean => schema.Check(conditions);
const many = (count: number, one: (i: number) => unknown = (i) => `a${i}`): unknown[] =>
  Array.from({ length: count }, (_, i) => one(i));
const COLLECTION = 'col_01jd3v0000000000000000000a';
const text = (length: number): string => 'a'.repeat(length);

const NEGATABLE =
  'licenseType licenseFeatures requesterId requesterType requesterTags purpose permission contentId contentType contentTags contentMetadata requesterMetadata attributes country ip userAgent collection host path crawler crawlerOperator crawlerPurpose';
const OTHERS = 'default hasValidLicense licenseExpiry time requesterVerified crawlerVerified';

test('the keys are these, and these have a negation', () => {
  assert.deepEqual(Object.keys(CONDITIONS).toSorted(), `${NEGATABLE} ${OTHERS}`.split(' ').toSorted());
  for (const key of NEGATABLE.split(' ')) {
    const { example } = CONDITIONS[key as keyof typeof CONDITIONS];
    assert.ok(takes({ [`${key}Not`]: example }), key);
    assert.deepEqual(getCondition(`${key}Not`), { condition: getCondition(key).condition, negated: true });
    assert.equal(getCondition(key).negated, false);
  }
  for (const key of OTHERS.split(' ')) {
    const { example } = CONDITIONS[key as keyof typeof CONDITIONS];
    assert.equal(takes({ [`${key}Not`]: example }), false, key);
    assert.throws(() => getCondition(`${key}Not`), /no condition is called/);
  }
  for (const key of [...words('Not nope nopeNot purposeNo purposeXYZ purposeNotNot toString toStringNot'), '']) {
    assert.throws(() => getCondition(key), new Error(`no condition is called ${key}`));
  }
});

describe('a row', () => {
  const page = readFileSync(new URL('../../../docs/conditions.md', import.meta.url), 'utf8');
  for (const [key, { doc, example }] of Object.entries(CONDITIONS)) {
    test(`${key} is explained, by an example that is taken`, () => {
      assert.match(doc, /\.$/);
      assert.ok(page.includes(`| \`${key}\` | ${doc} | \`${JSON.stringify(example)}\` |`), doc);
      assert.ok(takes({ [key]: example }));
    });
  }
});

const texts = 'licenseType requesterType requesterTags contentTags purpose'.split(' ');
const taken: [string, unknown][] = [
  ...texts.flatMap((key): [string, unknown][] => [
    [key, 'a'],
    [key, text(64)],
    [key, ['a']],
    [key, many(1000)],
  ]),
  ['default', true],
  ['default', false],
  ['hasValidLicense', true],
  ['hasValidLicense', false],
  ['licenseFeatures', ['a']],
  ['licenseFeatures', [text(64)]],
  ['licenseFeatures', many(1000)],
  ['licenseExpiry', { after: 'now' }],
  ['licenseExpiry', { before: 'now' }],
  ['licenseExpiry', { after: '2026-11-21T09:30:00Z', before: '2026-11-21T09:30:00+01:00' }],
  ['requesterId', 'A-z_0.9:@/-'],
  ['requesterId', text(128)],
  ['requesterId', many(1000)],
  ['permission', 'a'],
  ['permission', `a${'_'.repeat(63)}`],
  ['permission', many(1000)],
  ['contentId', 'ä b'],
  ['contentId', text(255)],
  ['contentId', many(1000)],
  ...['article', 'report', 'image', 'dataset', 'video'].map((type): [string, unknown] => ['contentType', type]),
  ['contentType', ['image', 'video']],
  ...['contentMetadata', 'requesterMetadata'].flatMap((key): [string, unknown][] => [
    [key, { a: 'x', b: 1, c: true, d: null, e: ['x', 1, false, null] }],
    [key, { [text(200)]: text(1000) }],
    [key, { a: '' }],
    [key, { 'a\nb': 1 }],
    [key, { a: many(1000) }],
    [key, Object.fromEntries(many(50).map((one) => [one, 1]))],
  ]),
  ['attributes', { 'subject.role': 'x', 'action.soft': true, 'resource.level': [1, 2, 'three', false] }],
  ['attributes', { [`subject.${text(92)}`]: text(256), 'resource.\n': '', 'subject.a\nb': 1 }],
  ['attributes', { 'subject.constructor': 1, 'subject.__proto__': many(1000) }],
  ['attributes', Object.fromEntries(many(32).map((one) => [`subject.${one}`, 1]))],
  ['country', 'DE'],
  ['country', many(600, () => 'DE')],
  ['ip', '10.0.0.0/8'],
  ['ip', many(1000, (i) => `10.0.${i % 256}.1`)],
  ['userAgent', 'x'],
  ['userAgent', text(512)],
  ['userAgent', many(1000)],
  ['collection', COLLECTION],
  ['collection', many(1000, () => COLLECTION)],
  ...['www.a.example', '*.a.example', 'a.example:8080', 'localhost', '127.0.0.1', 'A.Example.'].map(
    (host): [string, unknown] => ['host', host],
  ),
  ['host', many(1000, (i) => `h${i}.example`)],
  ...['/', '*', '/news/', '/*.pdf$', '/search?q=*', '/%C3%A4'].map((path): [string, unknown] => ['path', path]),
  ['path', `/${text(499)}`],
  ['path', many(1000, (i) => `/${i}`)],
  ['crawler', 'GPTBot'],
  ['crawler', many(1000, () => 'GPTBot')],
  ['crawlerOperator', ['OpenAI', 'Google']],
  ...['training', 'search', 'user_fetch', 'index', 'preview', 'monitoring', 'other', 'unknown'].map(
    (purpose): [string, unknown] => ['crawlerPurpose', purpose],
  ),
  ['crawlerVerified', true],
  ['crawlerVerified', false],
  ['requesterVerified', true],
  ['requesterVerified', false],
  ['requesterVerified', ['token', 'signature', 'ip', 'dns']],
  ['time', { after: '2026-11-21T09:30:00Z' }],
  ['time', { before: '2026-11-21T09:30:00Z' }],
  ['time', { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] }],
  ['time', { from: '00:00', to: '23:59' }],
  ['time', { from: '19:00', to: '20:01' }],
  ['time', { days: ['sun'], timezone: 'Europe/Berlin' }],
];
const refused: [string, unknown][] = [
  ...texts.flatMap((key): [string, unknown][] => [
    [key, ''],
    [key, text(65)],
    [key, 1],
    [key, []],
    [key, ['a', '']],
    [key, many(1001)],
    [key, {}],
    [key, null],
  ]),
  ['default', 'true'],
  ['hasValidLicense', 'true'],
  ['licenseFeatures', 'a'],
  ['licenseFeatures', []],
  ['licenseFeatures', ['']],
  ['licenseFeatures', [text(65)]],
  ['licenseFeatures', many(1001)],
  ['licenseExpiry', {}],
  ['licenseExpiry', 'now'],
  ['licenseExpiry', { after: 'soon' }],
  ['licenseExpiry', { before: '' }],
  ['licenseExpiry', { after: 'now', until: 'now' }],
  ['requesterId', ''],
  ['requesterId', text(129)],
  ['requesterId', 'a b'],
  ['requesterId', ' a'],
  ['requesterId', 'a,'],
  ['requesterId', many(1001)],
  ['permission', 'A'],
  ['permission', '1a'],
  ['permission', 'aA'],
  ['permission', `a${'_'.repeat(64)}`],
  ['permission', many(1001)],
  ['contentId', ''],
  ['contentId', text(256)],
  ['contentId', many(1001)],
  ['contentType', 'text'],
  ['contentType', ''],
  ['contentType', []],
  ...['contentMetadata', 'requesterMetadata'].flatMap((key): [string, unknown][] => [
    [key, {}],
    [key, []],
    [key, 'a'],
    [key, { '': 1 }],
    [key, { [text(201)]: 1 }],
    [key, { 'a\nb': {} }],
    [key, { '\u2028': {} }],
    [key, { a: text(1001) }],
    [key, { a: [] }],
    [key, { a: many(1001) }],
    [key, { a: [['x']] }],
    [key, { a: {} }],
    [key, Object.fromEntries(many(51).map((one) => [one, 1]))],
  ]),
  ...[
    {},
    [],
    'a',
    { role: 'x' },
    { subject: 'x' },
    { 'subject.': 'x' },
    { 'Subject.role': 'x' },
    { 'context.role': 'x' },
    { 'subject.role': 'x', 'resource\n.a': 'x' },
    { [`subject.${text(93)}`]: 1 },
    { 'subject.role': text(257) },
    { 'subject.role': null },
    { 'subject.role': {} },
    { 'subject.role': [] },
    { 'subject.role': [['x']] },
    { 'subject.role': many(1001) },
    Object.fromEntries(many(33).map((one) => [`subject.${one}`, 1])),
  ].map((value): [string, unknown] => ['attributes', value]),
  ['country', 'de'],
  ['country', 'DEU'],
  ['country', ' DE'],
  ['country', ['D']],
  ['ip', '10.0.0.1/8'],
  ['ip', ''],
  ['ip', []],
  ['ip', many(1001, () => '10.0.0.1')],
  ['userAgent', ''],
  ['userAgent', text(513)],
  ['userAgent', many(1001)],
  ['collection', 'News'],
  ['collection', 'col_1'],
  ['collection', []],
  ['collection', many(1001, () => COLLECTION)],
  ...['', 'https://a.example', 'a.example/x', 'a.*.example', '*', 'a b', '*.127.0.0.1'].map(
    (host): [string, unknown] => ['host', host],
  ),
  ['host', many(1001, (i) => `h${i}.example`)],
  ...['', 'news', '/a b', '/a//b', '/../a', '/a%2Fb', '/%', `/${text(500)}`].map((path): [string, unknown] => [
    'path',
    path,
  ]),
  ['path', many(1001, (i) => `/${i}`)],
  ['crawler', ''],
  ['crawler', 'gptbot'],
  ['crawler', ['GPTBot', 'No such bot']],
  ['crawler', many(1001, () => 'GPTBot')],
  ['crawlerOperator', 'openai'],
  ['crawlerPurpose', 'Training'],
  ['crawlerPurpose', []],
  ['crawlerVerified', ['ip']],
  ['crawlerVerified', 'true'],
  ['requesterVerified', 'ip'],
  ['requesterVerified', []],
  ['requesterVerified', ['ip', 'name']],
  ['requesterVerified', null],
  ['time', {}],
  ['time', { after: 'now' }],
  ['time', { before: 'tomorrow' }],
  ['time', { days: [] }],
  ['time', { days: ['monday'] }],
  ['time', { days: ['mon', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] }],
  ['time', { from: '24:00' }],
  ['time', { from: '9:00' }],
  ['time', { to: '09:60' }],
  ['time', { to: ' 09:00' }],
  ['time', { to: '09:000' }],
  ['time', { from: '09:00', timezone: 'Europe/Nowhere' }],
  ['time', { from: '09:00', until: '10:00' }],
];

test('a time of day that is none is told what it must be', () => {
  const [problem] = findProblems(ConditionsSchema as Schema, { time: { from: '9:00' } }, 'body');
  assert.deepEqual(problem, { param: 'time.from', message: '`time.from` must be a time of day from 00:00 to 23:59.' });
});

test('a name that the directory spells in another way is told how', () => {
  const told = (conditions: object): unknown => findProblems(ConditionsSchema as Schema, conditions, 'body');
  const asListed = 'as `GET /v1/crawlers` lists it';
  assert.deepEqual(told({ crawler: ['GPTBot', 'claudebot'], crawlerOperator: 'openai' }), [
    { param: 'crawler[1]', message: `\`crawler[1]\` must be the name of a crawler ${asListed} (nearest: ClaudeBot).` },
    { param: 'crawlerOperator', message: `\`crawlerOperator\` must be an operator ${asListed} (nearest: OpenAI).` },
  ]);
  assert.deepEqual(told({ crawlerNot: 'this is no crawler at all' }), [
    { param: 'crawlerNot', message: `\`crawlerNot\` must be the name of a crawler ${asListed}.` },
  ]);
});

const shown = (value: unknown): string => {
  const whole = JSON.stringify(value);
  return whole.length <= 60 ? whole : `${whole.slice(0, 50)}… (${whole.length})`;
};

describe('is taken', () => {
  for (const [key, value] of taken) test(`${key}: ${shown(value)}`, () => assert.ok(takes({ [key]: value })));
});

describe('is refused', () => {
  for (const [key, value] of refused) test(`${key}: ${shown(value)}`, () => assert.ok(!takes({ [key]: value })));
});
