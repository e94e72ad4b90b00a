/**
 * Hostile values in every condition and in every fact of a check, made from the table of conditions and the schema of
 * checks, so that a new key is covered by itself. A value is refused with 400, named, and nothing is stored; or it is
 * kept and given back as it was sent, and every check on it is answered.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../../kit/answer.ts';
import { startTestService, testClock } from '../../../kit/service.ts';
import { words } from '../../../kit/words.ts';
import { CheckRequest } from '../../../src/decisions/check/schema.ts';
import { CONDITION_SCHEMAS, getCondition } from '../../../src/rules/conditions/conditions.ts';
import {
  assertError,
  assertErrorShape,
  assertStatus,
  check,
  item,
  made,
  makeItem,
  makePolicy,
} from '../../http/given.ts';
import { crawlerNamed } from '../../oracle/places.ts';

const postern = await startTestService({ clock: testClock() });
after(() => postern[Symbol.asyncDispose]());

type Any = any;

const KEYS = Object.keys(CONDITION_SCHEMAS);
const exampleOf = (key: string): Any => getCondition(key).condition.example;
/** Returns a text for a key that takes texts; undefined for other keys. */
const textOf = (key: string): string | undefined =>
  [exampleOf(key)].flat().find((one): one is string => typeof one === 'string');

const policyCount = async (): Promise<number> => (await postern.call('GET', '/v1/policies?limit=1')).body.totalCount;

/** JSON text, so that keys such as `__proto__` and numbers such as 1e999 go over the wire as they stand. */
const rulesText = (key: string, value: string, action = 'allow'): string =>
  `[{"action":"${action}","conditions":{${JSON.stringify(key)}:${value}}}]`;

const post = (path: string, raw: string): Promise<Answer> => postern.call('POST', path, { raw });

const { id: contentId } = await makeItem(postern, [], { metadata: { constructor: 1, a: 1 }, tags: ['t'] });
await made(postern, '/v1/requesters', { id: 'registered', type: 't', tags: ['t'], metadata: { constructor: 1 } });
const CHECKS: readonly object[] = [
  { contentId },
  {
    contentId,
    requesterId: 'registered',
    permission: 'training',
    purpose: 'p',
    context: { ip: '203.0.113.7', country: 'DE', userAgent: 'İ\u212a\u0131 GPTBot' },
    license: { type: 'enterprise', features: ['api'], expiresAt: '2099-01-01T00:00:00Z' },
    explain: true,
  },
];

/** Refused, or kept as it is and harmless. Gives whether it was kept. */
async function refusedOrKept(key: string, value: string): Promise<boolean> {
  const rules = rulesText(key, value);
  const what = `${key}: ${value.slice(0, 80)}`;
  const answer = await post('/v1/policies', `{"name":"p","rules":${rules}}`);
  const lint = await post('/v1/policies/lint', `{"rules":${rules}}`);
  if (answer.status === 400) {
    assertErrorShape(answer, what);
    const { code, param } = answer.body.error;
    if (code !== 'invalid_json') assert.ok(param.startsWith(`rules[0].conditions.${key}`), `${what}: ${param}`);
    assert.deepEqual([lint.status, lint.body.error.param], [400, param], what);
    assert.ok(answer.text.length < 50_000, `a short answer: ${what}`);
    return false;
  }
  assertStatus(answer, 201, what);
  assertStatus(lint, 200, what);
  // Keys that look like integers come first.
  const kept = `"rules":${JSON.stringify(JSON.parse(rules))},`;
  assert.ok(answer.text.includes(kept), `given back as it was: ${what}`);
  const read = await postern.call('GET', `/v1/policies/${answer.body.id}`);
  assert.ok(read.text.includes(kept), `kept as it was: ${what}`);
  for (const action of ['allow', 'deny']) {
    const body = `{"policy":{"rules":${rulesText(key, value, action)}},"checks":${JSON.stringify(CHECKS)}}`;
    const simulated = await post('/v1/policies/simulate', body);
    assertStatus(simulated, 200, what);
    for (const one of simulated.body.data) assert.equal(typeof one.allowed, 'boolean', what);
  }
  return true;
}

/** Each of the list, and then: as many policies more as were kept. */
async function eachRefusedOrKept(key: string, values: readonly string[]): Promise<boolean[]> {
  const before = await policyCount();
  const kept: boolean[] = [];
  for (const value of values) kept.push(await refusedOrKept(key, value));
  assert.equal(await policyCount(), before + kept.filter(Boolean).length);
  return kept;
}

const nested = (open: string, depth: number, close: string): string => open.repeat(depth) + close.repeat(depth);
const LONG = 100_000;

/** Wrong for every key; the table below takes out what one kind may carry. */
const WRONG: readonly string[] = [
  'null',
  '0',
  '-1',
  '1.5',
  '1e21',
  '9007199254740993',
  '1e999',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '["\\ud800"]',
  '{"\\ud800":1}',
  JSON.stringify('x'.repeat(LONG)),
  JSON.stringify('é'.repeat(LONG / 2)),
  JSON.stringify(['x'.repeat(LONG)]),
  JSON.stringify({ ['x'.repeat(LONG)]: 1 }),
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '[true]',
  '[1]',
  '[{}]',
  '[["a"]]',
  '{"length":1,"0":"a"}',
  '{"__proto__":{"toString":"x"}}',
  '{"constructor":{"prototype":{}}}',
  '{"toString":null,"valueOf":null}',
  '{"after":{}}',
  '{"nope":"x"}',
  nested('[', 25, ']'),
  nested('[', 40, ']'),
  nested('[', 20_000, ']'),
  `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
  `[${'"a",'.repeat(50_000)}"a"]`,
  `[${'[],'.repeat(50_000)}[]]`,
];

describe('values of the wrong type or size', () => {
  for (const key of KEYS) {
    test(key, async () => {
      const kept = await eachRefusedOrKept(key, WRONG);
      const isMetadata = /Metadata/.test(key);
      // Texts without a form of their own are short here, and no list or object of another kind is taken.
      const allowed = isMetadata ? ['{"length":1,"0":"a"}', '{"nope":"x"}'] : [];
      assert.deepEqual(
        WRONG.filter((_, i) => kept[i]),
        isMetadata ? WRONG.filter((one) => allowed.includes(one) || one === '{"toString":null,"valueOf":null}') : [],
      );
      const takesBoolean = typeof exampleOf(key) === 'boolean' || key === 'requesterVerified';
      const other = takesBoolean ? '"true"' : 'true';
      assert.deepEqual(await eachRefusedOrKept(key, [other]), [false]);
    });
  }
});

/** The bounds in a schema's text branch and its list branch. */
function boundsOf(key: string): { characters: number | undefined; pattern: boolean; entries: number | undefined } {
  const schema = CONDITION_SCHEMAS[key] as Any;
  const branches: Any[] = schema.anyOf ?? [schema];
  const text = branches.find(({ type }) => type === 'string') ?? branches.find(({ type }) => type === 'array')?.items;
  return {
    characters: text?.maxLength,
    pattern: text?.pattern !== undefined || text?.format !== undefined || text?.enum !== undefined,
    entries: branches.find(({ type }) => type === 'array')?.maxItems,
  };
}

describe('sizes at the limits', () => {
  for (const key of KEYS) {
    const { characters, pattern, entries } = boundsOf(key);
    if (textOf(key) === undefined || (typeof exampleOf(key) === 'object' && !Array.isArray(exampleOf(key)))) continue;
    test(`${key}: a list of 1,000, and no more`, async () => {
      assert.equal(entries, 1000, 'as promised');
      const list = (count: number): string => JSON.stringify(Array.from({ length: count }, () => textOf(key)));
      assert.deepEqual(await eachRefusedOrKept(key, [list(999), list(1000), list(1001)]), [true, true, false]);
      if (pattern) return;
      // Each of them another, and as long as it may be.
      const long = Array.from({ length: 1000 }, (_, i) => String(i).padStart(characters ?? 0, 'ä'));
      assert.deepEqual(await eachRefusedOrKept(key, [JSON.stringify(long)]), [true]);
    });
    if (pattern || characters === undefined) continue;
    test(`${key}: texts of ${characters} characters, whatever their bytes`, async () => {
      for (const letter of ['a', 'ä', '語', '🦊', 'e\u0301']) {
        const of = (count: number): string => {
          const text = [...letter.repeat(count)].slice(0, count).join('');
          return JSON.stringify([text]);
        };
        const kept = await eachRefusedOrKept(key, [of(characters - 1), of(characters), of(characters + 1)]);
        assert.deepEqual(kept, [true, true, false], letter);
      }
    });
  }
  test('patterns have their limits too', async () => {
    for (const [key, count] of [
      ['requesterId', 128],
      ['permission', 64],
      ['requesterIdNot', 128],
      ['permissionNot', 64],
    ] as const) {
      const of = (length: number): string => JSON.stringify('a'.repeat(length));
      assert.deepEqual(await eachRefusedOrKept(key, [of(count - 1), of(count), of(count + 1)]), [true, true, false]);
    }
  });
  test('metadata: 50 keys, keys of 200 and texts of 1,000 characters, lists of 1,000', async () => {
    for (const key of KEYS.filter((one) => /Metadata/.test(one))) {
      const keys = (count: number): string =>
        JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])));
      const name = (length: number): string => JSON.stringify({ ['k'.repeat(length)]: 1 });
      const text = (length: number): string => JSON.stringify({ a: 'ä'.repeat(length) });
      const list = (length: number): string => JSON.stringify({ a: Array.from({ length }, (_, i) => i) });
      for (const [of, limit] of [
        [keys, 50],
        [name, 200],
        [text, 1000],
        [list, 1000],
      ] as const) {
        assert.deepEqual(await eachRefusedOrKept(key, [of(limit - 1), of(limit), of(limit + 1)]), [true, true, false]);
      }
    }
  });
});

/** Texts that look like `text`, or that some program takes for it, and are not it. */
function lookAlikes(text: string): string[] {
  const letters: Record<string, string> = { a: 'а', c: 'с', e: 'е', i: 'і', o: 'о', p: 'р', s: 'ѕ', x: 'х', d: 'ԁ' };
  const fullWidth = (one: string): string => String.fromCodePoint((one.codePointAt(0) as number) + 0xfee0);
  const first = text.slice(0, 1);
  return [
    [...text].map((one) => letters[one.toLowerCase()] ?? one).join(''),
    [...text].map((one) => (/[!-~]/.test(one) ? fullWidth(one) : one)).join(''),
    `${first}\u0301${text.slice(1)}`,
    `${first}\u200d${text.slice(1)}`,
    `\u202e${text}`,
    `\u200f${text}`,
    `\ufeff${text}`,
    `${text}\u00ad`,
    ` ${text}`,
    `${text} `,
    `${text}\n`,
    `${text}\u00a0`,
    `${text}\u0000`,
    `${text}\ud800`,
    text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase(),
    text.replaceAll(/k/gi, '\u212a').replaceAll(/i/gi, '\u0131').replaceAll(/s/gi, '\u017f'),
    [...text].toReversed().join(''),
    `${text}${text}`,
    '__proto__',
    'constructor',
    'toString',
    '*',
    '%',
  ].filter((one) => one !== text);
}

/** Where a check, or a record, carries what a key asks. A new key must be given its place here. */
const FACT: Record<string, (text: string) => Promise<object>> = {
  requesterId: async (requesterId) => ({ requesterId }),
  purpose: async (purpose) => ({ purpose }),
  permission: async (permission) => ({ permission }),
  country: async (country) => ({ context: { country } }),
  ip: async (ip) => ({ context: { ip } }),
  userAgent: async (userAgent) => ({ context: { userAgent } }),
  attributes: async (role) => ({ context: { attributes: { 'subject.role': role } } }),
  crawler: async (userAgent) => ({ context: { userAgent } }),
  // Neither is in a user agent: the crawler that has them is.
  crawlerOperator: async (text) => ({ context: { userAgent: text === 'OpenAI' ? 'GPTBot/1.2' : text } }),
  crawlerPurpose: async (text) => ({ context: { userAgent: text === 'training' ? 'GPTBot/1.2' : text } }),
  host: async (host) => asking(`https://${host}/`),
  path: async (path) => asking(`https://like.example${path}`),
  licenseType: async (type) => ({ license: { type } }),
  licenseFeatures: async (feature) => ({ license: { type: 'x', features: [feature] } }),
  contentId: async (id) => ({ contentId: id }),
  contentType: async (type) => registered('/v1/content', item({ type }), 'contentId'),
  contentTags: async (tag) => registered('/v1/content', item({ tags: [tag] }), 'contentId'),
  contentMetadata: async (section) => registered('/v1/content', item({ metadata: { section } }), 'contentId'),
  requesterType: async (type) => registered('/v1/requesters', { type }, 'requesterId'),
  requesterTags: async (tag) => registered('/v1/requesters', { tags: [tag] }, 'requesterId'),
  requesterMetadata: async (tier) => registered('/v1/requesters', { metadata: { tier } }, 'requesterId'),
};

/** Without an item there, the collection of everything decides. */
const asking = (url: string): object => ({ contentId: undefined, url });
await made(postern, '/v1/collections', { name: 'Everything', paths: ['*'] });

async function registered(path: string, body: object, as: string): Promise<object> {
  const answer = await postern.call('POST', path, { body });
  if (answer.status === 201) return { [as]: answer.body.id };
  assertStatus(answer, 400, path);
  return { refused: true };
}

describe('what looks like a value is not the value', () => {
  // No check carries the id of a collection.
  const carried = KEYS.filter((one) => getCondition(one).condition.negatable && one !== 'collection');
  for (const key of carried.filter((one) => !getCondition(one).negated)) {
    test(key, async () => {
      const fact = FACT[key];
      assert.ok(fact !== undefined, 'FACT says where a check carries it');
      const example = exampleOf(key);
      const text = /Metadata|attributes/.test(key) ? String([Object.values(example)].flat(2)[0]) : (textOf(key) ?? '');
      const itself = key === 'ip' ? '203.0.113.7' : text;
      const wanted = /Metadata|attributes/.test(key) ? example : [text];
      await made(postern, '/v1/content', item({ externalId: key === 'contentId' ? text : `like-${key}` }));
      const simulate = async (one: string): Promise<Any> => {
        const asked = await fact(one);
        if ('refused' in asked) return { error: {} };
        const permissions = key === 'permission' ? [itself] : ['full_access'];
        const policy = { rules: [{ action: 'allow', conditions: { [key]: wanted }, permissions }] };
        const body = { policy, checks: [{ contentId, dryRun: true, ...asked }] };
        return (await made(postern, '/v1/policies/simulate', body, 200)).data[0];
      };
      const whole = await simulate(itself);
      assert.equal(whole.allowed, true, JSON.stringify(whole));
      for (const one of lookAlikes(itself)) {
        const answer = await simulate(one);
        if (MEANT[key]?.(one, itself) !== true) assert.notEqual(answer.allowed, true, JSON.stringify(one));
      }
    });
  }
});

/** Texts that are another spelling of what is meant. */
const MEANT: Record<string, (text: string, itself: string) => boolean> = {
  // Compared in any case and anywhere inside.
  userAgent: (text, part) => text.toLowerCase().includes(part.toLowerCase()),
  crawler: (text, name) => crawlerNamed(text)?.name === name,
  // Names of hosts are compared as browsers send them.
  host: (text, host) => URL.canParse(`https://${text}/`) && new URL(`https://${text}/`).hostname === host,
  // A prefix.
  path: (text, prefix) => text.startsWith(prefix),
};

const ADDRESSES_REFUSED = [
  ...words(`
  010.0.0.1 0x0a.0.0.1 0x0a000001 167772161 10.1 10.0.1 10.0.0.1. 10.0.0.256 10.0.0.-1 +10.0.0.1 １０.0.0.1 10。0。0。1
  10.0.0.٣ [::1] ::1%eth0 fe80::1%1 :::1 1::2::3 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 ::ffff:010.0.0.1 ::ffff:10.0.0.256
  ::g 12345:: localhost 10.0.0.1:80
`),
  '10.0.0.1\n',
  ' 10.0.0.1',
];
const RANGES_REFUSED = words(`
  10.0.0.1/8 10.0.0.0/33 10.0.0.0/-1 10.0.0.0/08 10.0.0.0/8.0 10.0.0.0/0x8 10.0.0.0/٨ 10.0.0.0/ 10.0.0.0/8/8
  10.0.0.0/255.0.0.0 010.0.0.0/8 10/8 ::1/129 ::1/64 ::ffff:10.0.0.0/95 ::ffff:10.0.0.1/104 fe80::%eth0/64 /8 *
`);

describe('addresses in forms that programs read differently', () => {
  test('are refused in conditions and in checks', async () => {
    for (const key of ['ip', 'ipNot']) {
      const values = [...ADDRESSES_REFUSED, ...RANGES_REFUSED].map((one) => JSON.stringify(one));
      assert.ok((await eachRefusedOrKept(key, values)).every((kept) => !kept));
    }
    for (const ip of [...ADDRESSES_REFUSED, ...RANGES_REFUSED, '10.0.0.0/8', '10.0.0.1/32']) {
      const answer = await postern.call('POST', '/v1/access/check', { body: { contentId, context: { ip } } });
      assertError(answer, 'invalid_request', 'context.ip', ip);
    }
  });
  test('an IPv4 address in IPv6 clothes is the IPv4 address, one that is only like it is not', async () => {
    const { id } = await makeItem(postern, [{ action: 'allow', conditions: { ip: '10.0.0.0/8' } }]);
    const allowed = async (ip: string): Promise<boolean> =>
      (await check(postern, { contentId: id, context: { ip } })).allowed;
    for (const ip of ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:0a00:0001', '0:0:0:0:0:ffff:a00:1']) {
      assert.equal(await allowed(ip), true, ip);
    }
    for (const ip of [
      '11.0.0.1',
      '::10.0.0.1',
      '::ffff:0:10.0.0.1',
      '64:ff9b::10.0.0.1',
      '::fffe:10.0.0.1',
      'a00:1::',
    ]) {
      assert.equal(await allowed(ip), false, ip);
    }
  });
});

describe('moments, hours and time zones that there are not', () => {
  const MOMENTS = [
    ...words(`
    2026-02-30T00:00:00Z 2025-02-29T00:00:00Z 2026-11-31T00:00:00Z 2026-13-01T00:00:00Z 2026-00-10T00:00:00Z
    2026-11-00T00:00:00Z 2026-11-21T25:00:00Z 2026-11-21T09:60:00Z 2026-11-21T09:30:61Z 2026-11-21T09:30:00
    2026-11-21T09:30:00+25:00 2026-11-21T09:30:00+0100 2026-11-21T09:30:00Zulu 2026-11-21 20261121T093000Z
    +002026-11-21T09:30:00Z -000001-11-21T09:30:00Z ２０２６-11-21T09:30:00Z NOW tomorrow 0 2026-W47-6
  `),
    '2026-11-21 09:30:00Z',
    ' now',
    '',
  ];
  test('are refused', async () => {
    for (const text of MOMENTS) {
      for (const field of ['after', 'before']) {
        const value = JSON.stringify({ [field]: text });
        assert.deepEqual(await eachRefusedOrKept('time', [value]), [false], value);
        assert.deepEqual(await eachRefusedOrKept('licenseExpiry', [value]), [false], value);
      }
      const license = { type: 'a', expiresAt: text };
      const answer = await postern.call('POST', '/v1/access/check', { body: { contentId, license } });
      assertError(answer, 'invalid_request', 'license.expiresAt', text);
    }
    assert.deepEqual(await eachRefusedOrKept('time', ['{"after":"now"}']), [false]);
    const times = [
      { from: '24:00' },
      { from: '9:00' },
      { to: '09:60' },
      { to: '09:00:00' },
      { from: '-1:00' },
      { from: '٠٩:٠٠' },
      { days: ['Mon'] },
      { days: ['monday'] },
      { days: [] },
      { days: ['mon', 'mon', 'mon', 'mon', 'mon', 'mon', 'mon', 'mon'] },
      { timezone: 'Nowhere/Land' },
      { timezone: '' },
      { timezone: 'Europe/Berlin ' },
      { timezone: 'Europe/Вerlin' },
      { timezone: '+25:00' },
      { timezone: '../../etc/passwd' },
      { timezone: '\u0000' },
    ];
    const values = times.map((one) => JSON.stringify({ days: ['mon'], ...one }));
    const kept = await eachRefusedOrKept('time', values);
    assert.deepEqual(
      values.filter((_, i) => kept[i]),
      [],
    );
  });
  test('time zones in odd spellings are refused, or asked without a fault', async () => {
    const zones = words(`
      europe/BERLIN utc Z UTC+1 +01:00 -0130 +01 +01:00:30 GMT0 Etc/GMT+12 EST5EDT Europe/Kyiv Asia/Calcutta
      US/Pacific Factory CET Etc/Unknown posix/UTC UTC[u-ca=iso8601] +٠1:00 −01:00
    `);
    await eachRefusedOrKept(
      'time',
      zones.map((timezone) => JSON.stringify({ from: '09:00', timezone })),
    );
  });
  test('the first and last moments that can be written', async () => {
    const values = [
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999999999Z',
      '0001-01-01T00:00:00+23:59',
      '2026-11-21T24:00:00Z',
    ];
    for (const key of ['time', 'licenseExpiry']) {
      await eachRefusedOrKept(
        key,
        values.map((moment) => JSON.stringify({ after: moment, before: moment })),
      );
    }
  });
});

/** The fields of a check that carry a value, from its schema. */
function leavesOf(schema: Any, path: string[] = []): string[][] {
  if (schema.type !== 'object') return [path];
  if (schema.properties === undefined) return [path, [...path, 'subject.role']];
  return Object.entries(schema.properties).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}

const right = {
  contentId,
  requesterId: 'r',
  permission: 'training',
  purpose: 'p',
  context: { ip: '192.0.2.1', country: 'US', userAgent: 'x', attributes: { 'subject.role': 'x' } },
  license: { type: 'a', features: ['f'], expiresAt: '2030-01-01T00:00:00Z' },
  visitor: {
    authorization: 'Basic eDp5',
    method: 'GET',
    url: 'https://a.example/',
    signature: 's',
    signatureInput: 'i',
    signatureAgent: 'a',
  },
  explain: false,
  dryRun: true,
  asOf: '2026-11-21T09:30:00Z',
};

describe('hostile facts in a check', () => {
  // Allows what every key's example names, and so nothing that is sent here.
  const rules = KEYS.filter((key) => !getCondition(key).negated && !/^(default|hasValidLicense|time)$/.test(key)).map(
    (key) => ({
      action: 'allow',
      conditions: { [key]: exampleOf(key) },
    }),
  );
  const hostile = [
    ...WRONG,
    'true',
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"%00"',
    '"*"',
    '"\\u202epartner_openai"',
    '"partner_openаi"',
  ];
  for (const path of leavesOf(CheckRequest)) {
    test(path.join('.'), async () => {
      const { id: policyId } = await makePolicy(postern, rules);
      const source = `https://facts.example/${path.join('/')}`;
      const { id, externalId } = await made(postern, '/v1/content', item({ policyId, type: 'article', source }));
      const texts = hostile.map((value) => {
        const mark = 'PUT IT HERE';
        const body: Any = structuredClone({ ...right, contentId: id });
        // Stated and verified at once is refused.
        if (path[0] === 'visitor') delete body.context;
        // The check below carries a license of that type and end only where the license is the hostile part.
        if (path[0] !== 'license') delete body.license;
        if (path[0] !== 'asOf') delete body.asOf;
        if (path[0] !== 'visitor') delete body.visitor;
        // They are about a URL.
        if (path[0] === 'urls') Object.assign(body, { contentId: undefined, url: source, urls: {} });
        const parent = path.slice(0, -1).reduce((one, name) => one[name], body);
        parent[path.at(-1) as string] = mark;
        return JSON.stringify(body).replace(JSON.stringify(mark), () => value);
      });
      const before = (await postern.call('GET', `/v1/access/decisions?contentId=${id}`)).body.totalCount;
      const singles: Answer[] = [];
      for (const [i, raw] of texts.entries()) {
        const what = `${path.join('.')} = ${hostile[i]?.slice(0, 60)}`;
        const answer = await post('/v1/access/check', raw);
        singles.push(answer);
        if (answer.status === 200) {
          assert.equal(answer.body.allowed, false, what);
          assert.deepEqual([answer.body.contentId, answer.body.externalId], [id, externalId], what);
        } else {
          assertErrorShape(answer, what);
          const { code, param } = answer.body.error;
          if (code === 'content_not_found') assert.equal(path[0], 'contentId', what);
          else if (code !== 'invalid_json') assert.ok(param?.startsWith(path.join('.')), `${what}: ${param}`);
        }
      }
      // In a batch each fails alone, with the same words; what is no JSON spoils the whole and is left out.
      const whole = texts.map((raw, i) => ({ raw, single: singles[i] as Answer })).filter(({ raw }) => isJson(raw));
      const sized = whole.filter(({ raw }) => raw.length < 50_000);
      const batch = await post('/v1/access/check/batch', `{"checks":[${sized.map(({ raw }) => raw).join(',')}]}`);
      assertStatus(batch, 200);
      for (const [i, { single, raw }] of sized.entries()) {
        const one = batch.body.data[i];
        if (single.status === 200) assert.equal(one.reason, single.body.reason, raw);
        else assert.ok([single.body.error.code, 'invalid_request'].includes(one.error.code), raw.slice(0, 300));
      }
      // `dryRun` itself may be what is hostile, and is refused then.
      assert.equal((await postern.call('GET', `/v1/access/decisions?contentId=${id}`)).body.totalCount, before);
    });
  }
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('metadata keys with a meaning in JavaScript', () => {
  const NAMES = [...words('__proto__ constructor prototype hasOwnProperty toString 7 4k 01 a.b'), '', ' '];
  test('are keys like others, in conditions and in records, whatever stands beside them', async () => {
    for (const name of NAMES.filter((one) => one !== '')) {
      const own = JSON.stringify(name);
      for (const [condition, metadata] of [
        [`{${own}:"x"}`, `{${own}:"x"}`],
        [`{${own}:"x"}`, `{"b":1,${own}:"x"}`],
        [`{"b":1,${own}:"x"}`, `{${own}:"x","b":1}`],
      ]) {
        const say = `${condition} on ${metadata}`;
        const ask = async (key: string, metadataOf: string, none: boolean): Promise<boolean> => {
          const policy = await post('/v1/policies', `{"name":"p","rules":${rulesText(key, condition as string)}}`);
          assertStatus(policy, 201, say);
          const body = JSON.stringify(item({ policyId: policy.body.id }));
          const metadataText = none ? '{"c":1}' : metadata;
          const onItem = metadataOf === 'content' ? body.replace(/}$/, `,"metadata":${metadataText}}`) : body;
          const content = await post('/v1/content', onItem);
          const requester = await post('/v1/requesters', `{"metadata":${metadataText}}`);
          assertStatus(content, 201, say);
          assertStatus(requester, 201, say);
          return (await check(postern, { contentId: content.body.id, requesterId: requester.body.id })).allowed;
        };
        for (const owner of ['content', 'requester']) {
          assert.equal(await ask(`${owner}Metadata`, owner, false), true, say);
          // Without the key of its own nothing that every object has is taken for it.
          assert.equal(await ask(`${owner}Metadata`, owner, true), false, say);
          assert.equal(await ask(`${owner}MetadataNot`, owner, true), false, say);
        }
      }
    }
  });
});

test('nothing of all that was logged as an error', () => {
  assert.deepEqual(postern.logs.filter((line) => JSON.parse(line).level >= 50).slice(0, 3), []);
});
