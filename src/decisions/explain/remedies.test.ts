/** Each remedy was tried: with it, the same check is allowed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { factsOf, policyOf } from '../../../kit/oracle.ts';
import { ALL_KEYS, inputArbitrary } from '../../../test/oracle/arbitrary.ts';
import { oracleDecide } from '../../../test/oracle/decide.ts';
import { decide, type Evaluation } from '../../rules/decide.ts';
import { VERIFIED_KINDS } from '../../rules/facts.ts';
import { parseWanted } from '../ledger/codes.ts';
import type { RuleRemedy as Remedy } from '../ledger/decision.ts';
import { remediesFor, wantedLicense } from './remedies.ts';

const CASES = Number(process.env.CASES ?? 20_000);

function evaluated(input: Parameters<typeof policyOf>[0] & Parameters<typeof factsOf>[0]): Evaluation {
  const [policy, facts] = [policyOf(input), factsOf(input)];
  return { policy, facts, verdict: decide(policy, facts) };
}

test('a remedy turns the denial, says the second implementation', () => {
  const offered = { license: 0, verification: 0, permission: 0, wait: 0 };
  fc.assert(
    fc.property(inputArbitrary(ALL_KEYS), (generated) => {
      const input = { ...generated, usedUp: () => false };
      for (const remedy of remediesFor(evaluated(input), () => {}, VERIFIED_KINDS)) {
        offered[remedy.kind]++;
        for (const tried of withRemedy(input, remedy)) assert.equal(oracleDecide(tried).allowed, true);
      }
    }),
    { numRuns: CASES },
  );
  for (const [kind, count] of Object.entries(offered))
    assert.ok(count >= CASES / 1000, `${kind} was offered ${count} times`);
});

test('each license type that is recorded with a denial turns it', () => {
  let recorded = 0;
  fc.assert(
    fc.property(inputArbitrary(ALL_KEYS), (generated) => {
      const input = { ...generated, usedUp: () => false };
      const evaluation = evaluated(input);
      const wanted = wantedLicense(evaluation, true);
      const { reason } = evaluation.verdict;
      assert.equal(wanted !== null, reason === 'no_license' || reason === 'license_expired');
      if (wanted === null) return;
      const offered = remediesFor(evaluation).flatMap((one) => (one.kind === 'license' ? [one.licenseType] : []));
      const expected = offered.includes(null) ? null : [...new Set(offered.flatMap((types) => types ?? []))].toSorted();
      if (offered.length > 0) recorded++;
      assert.deepEqual(parseWanted(wanted).types, expected);
    }),
    { numRuns: CASES },
  );
  assert.ok(recorded >= CASES / 1000, `${recorded} licenses were recorded`);
});

type Input = Parameters<typeof oracleDecide>[0];

/** An anonymous check of an article, of which nothing more is known. */
const PLAIN: Omit<Input, 'policy'> = {
  at: 0,
  content: {
    id: 'cnt_1',
    externalId: 'a',
    type: 'article',
    tags: [],
    metadata: {},
    status: 'active',
    policyId: 'pol_1',
  },
  requesterId: null,
  requester: null,
  licenses: [],
  permission: null,
  purpose: null,
  context: {},
  usedUp: () => false,
};

describe('what is offered', () => {
  const at = Date.parse('2026-11-21T09:30:00Z');
  type Rule = Parameters<typeof policyOf>[0]['policy']['rules'][number];
  type Given = Partial<Input> & { defaultAction?: 'allow' | 'deny' };
  /** Returns the remedies of an anonymous check of an article at `at`. */
  function offered(rules: Rule[], { defaultAction = 'deny', ...given }: Given = {}): Remedy[] {
    return remediesFor(evaluated({ ...PLAIN, at, policy: { rules, defaultAction }, ...given }));
  }
  const allow = (conditions: object, more: object = {}): Rule => ({ action: 'allow', conditions, ...more });
  const deny = (conditions: object): Rule => ({ action: 'deny', conditions });
  const license = (
    licenseType: string[] | null,
    licenseFeatures: string[],
    rule: number,
    licenseExpiry?: { after?: string; before?: string },
  ): Remedy => ({
    kind: 'license',
    licenseType,
    licenseFeatures,
    ...(licenseExpiry === undefined ? {} : { licenseExpiry }),
    rule,
  });
  const wait = (until: string): Remedy => ({ kind: 'wait', until });
  const held = { type: 'a', features: [], startsAt: null, expiresAt: null, status: 'active' as const, scope: {} };

  const cases: [string, Rule[], Remedy[], Given?][] = [
    ['nothing to who is allowed', [allow({})], []],
    ['nothing to who is allowed, though a rule misses a licence', [allow({}), allow({ hasValidLicense: true })], []],
    ['nothing where nothing helps', [allow({ purpose: 'a' })], []],
    ['a licence of any kind', [allow({ hasValidLicense: true })], [license(null, [], 0)]],
    ['a licence with features', [allow({ licenseFeatures: ['x', 'y'] })], [license(null, ['x', 'y'], 0)]],
    ['a licence of any of the types', [allow({ licenseType: ['b', 'a'] })], [license(['b', 'a'], [], 0)]],
    [
      'only those types that help',
      [deny({ licenseType: 'b' }), allow({ licenseType: ['a', 'b'] })],
      [license(['a'], [], 1)],
    ],
    [
      'no licence when an earlier rule denies all of its types',
      [deny({ licenseType: ['a', 'b'] }), allow({ licenseType: ['a', 'b'] })],
      [],
    ],
    [
      'no licence when an earlier rule denies all who have one',
      [deny({ hasValidLicense: true }), allow({ hasValidLicense: true })],
      [],
    ],
    [
      'a licence for each rule that asks for one, in their order',
      [allow({ licenseType: 'a' }, { priority: 9 }), allow({ licenseType: 'b' })],
      [license(['b'], [], 1), license(['a'], [], 0)],
    ],
    [
      'no licence to a rule that would still not hold',
      [allow({ licenseType: 'a', purpose: 'x' }), allow({ licenseType: 'b' })],
      [license(['b'], [], 1)],
    ],
    [
      'no licence for a rule that is asked earlier and would still not hold, though it helps another',
      [allow({ licenseType: 'a', purpose: 'x' }), allow({ licenseType: 'a' })],
      [license(['a'], [], 1)],
    ],
    [
      'a licence of any kind, though one type is denied, whatever its name',
      [deny({ licenseType: ['any', 'x'] }), allow({ hasValidLicense: true })],
      [license(null, [], 1)],
    ],
    [
      'a licence beside those held, of which one rule takes away the use',
      [deny({ licenseType: 'a' }), allow({ licenseType: 'b' })],
      [],
      { licenses: [held] },
    ],
    [
      'a licence that ends before what the rule says',
      [allow({ licenseExpiry: { before: '2026-11-21T09:30:00.002Z' } })],
      [license(null, [], 0, { before: '2026-11-21T09:30:00.002Z' })],
    ],
    [
      'a licence that ends within what the rule says',
      [allow({ licenseType: 'a', licenseExpiry: { after: '2026-12-01T00:00:00Z', before: '2027-01-01T00:00:00Z' } })],
      [license(['a'], [], 0, { after: '2026-12-01T00:00:00Z', before: '2027-01-01T00:00:00Z' })],
    ],
    [
      'any licence, where a rule denies all who have none',
      [deny({ hasValidLicense: false }), allow({})],
      [license(null, [], 0)],
    ],
    [
      'any licence, where the default action then allows',
      [allow({ licenseType: 'a' }), deny({ hasValidLicense: false, purpose: 'p' })],
      [license(['a'], [], 0), license(null, [], 1)],
      { defaultAction: 'allow', purpose: 'p' },
    ],
    [
      'a licence of the types without which a rule denies, with the features without which it denies',
      [deny({ licenseTypeNot: ['a', 'b'], licenseFeaturesNot: ['x', 'y'] }), allow({})],
      [license(['a', 'b'], ['x', 'y'], 0)],
    ],
    [
      'any licence, told once, where a rule asks for one and the next denies everybody',
      [allow({ hasValidLicense: true }), deny({})],
      [license(null, [], 0)],
    ],
    [
      'a licence of any type with the features without which a rule denies',
      [deny({ licenseFeaturesNot: 'x' }), allow({})],
      [license(null, ['x'], 0)],
    ],
    [
      'a licence of any type but those that a rule names, whatever it names',
      [allow({ hasValidLicense: true, licenseTypeNot: 'mutant' })],
      [license(null, [], 0)],
    ],
    ['no licence where the next rule denies all the same', [deny({ hasValidLicense: false }), deny({}), allow({})], []],
    [
      'no licence that the next rule denies',
      [deny({ licenseTypeNot: 'a' }), deny({ licenseType: 'a' }), allow({})],
      [],
    ],
    [
      'the licence of the rule that allows, where any other leaves the denial to another rule',
      [deny({ hasValidLicense: false }), allow({ licenseType: 'a' })],
      [license(['a'], [], 1)],
    ],
    ['no licence that would have to have ended', [allow({ licenseExpiry: { before: 'now' } })], []],
    ['no licence that grants another permission', [allow({ hasValidLicense: true })], [], { permission: 'training' }],
    [
      'those permissions that the rule grants',
      [allow({}, { permissions: ['preview_only', 'inference'] })],
      [{ kind: 'permission', permissions: ['preview_only', 'inference'] }],
      { permission: 'training' },
    ],
    [
      'those permissions that the rule still grants when asked for them',
      [deny({ permission: 'inference' }), allow({}, { permissions: ['preview_only', 'inference'] })],
      [{ kind: 'permission', permissions: ['preview_only'] }],
      { permission: 'training' },
    ],
    ['no permission of a rule that grants none', [allow({}, { permissions: [] })], [], { permission: 'training' }],
    [
      'what the default action grants',
      [],
      [{ kind: 'permission', permissions: ['full_access'] }],
      { permission: 'training', defaultAction: 'allow' },
    ],
    ['no permission when it is not the permission', [allow({ purpose: 'a' })], [], { permission: 'training' }],
    [
      'no other permission where a rule denies the one asked for',
      [deny({ permission: 'training' }), allow({})],
      [],
      { permission: 'training' },
    ],
    [
      'the first moment that a rule begins',
      [
        allow({ time: { after: '2026-11-25T00:00:00Z' } }),
        allow({ time: { after: '2026-11-23T00:00:00Z' } }),
        allow({ time: { after: '2026-11-22T00:00:00Z' }, purpose: 'a' }),
      ],
      [wait('2026-11-23T00:00:00.000Z')],
    ],
    [
      'the moment that a denial ends',
      [deny({ time: { before: '2026-11-22T00:00:00Z' } }), allow({})],
      [wait('2026-11-22T00:00:00.000Z')],
    ],
    ['no moment that has passed', [allow({ time: { before: '2026-11-21T09:30:00Z' } })], []],
    [
      'no span that has passed',
      [allow({ time: { after: '2026-11-20T00:00:00Z', before: '2026-11-21T00:00:00Z' } })],
      [],
    ],
    [
      'the moment that a licence begins',
      [allow({ licenseType: 'a' })],
      [license(['a'], [], 0), wait('2026-11-21T09:30:01.000Z')],
      { licenses: [{ ...held, startsAt: at + 1000 }] },
    ],
    [
      'the next opening on the same day, in its time zone',
      [allow({ time: { from: '18:00', to: '20:00', timezone: 'America/New_York' } })],
      [wait('2026-11-21T23:00:00.000Z')],
    ],
    ['the end of a night', [allow({ time: { from: '10:00', to: '09:00' } })], [wait('2026-11-21T10:00:00.000Z')]],
    [
      'the next opening on a working day, of a Saturday',
      [allow({ time: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' } })],
      [wait('2026-11-23T09:00:00.000Z')],
    ],
    [
      'the same day a week later, where its hours are over',
      [allow({ time: { days: ['sat'], to: '09:00' } })],
      [wait('2026-11-28T00:00:00.000Z')],
    ],
    [
      'the end of a day that is denied, also where its zone changes to summer time',
      [deny({ time: { days: ['sun'], timezone: 'Europe/Berlin' } }), allow({})],
      [wait('2026-03-29T22:00:00.000Z')],
      { at: Date.parse('2026-03-29T00:30:00Z') },
    ],
    [
      'no opening after the span has ended',
      [allow({ time: { before: '2026-11-22T00:00:00Z', from: '08:00', to: '09:00' } })],
      [],
    ],
    [
      'no moment behind twenty others',
      [
        ...Array.from({ length: 20 }, (_, day) =>
          allow({ time: { after: `2026-12-${String(day + 1).padStart(2, '0')}T00:00:00Z` }, purpose: 'a' }),
        ),
        allow({ time: { after: '2026-12-31T00:00:00Z' } }),
      ],
      [],
    ],
    [
      'the twentieth of twenty, each counted once',
      [
        ...Array.from({ length: 19 }, (_, day) =>
          ['a', 'b'].map((purpose) =>
            allow({ time: { after: `2026-12-${String(day + 1).padStart(2, '0')}T00:00:00Z` }, purpose }),
          ),
        ).flat(),
        // Those that are not ahead do not count.
        allow({ time: { after: '2026-11-20T00:00:00Z', before: '2026-11-21T09:30:00Z' } }),
        allow({ time: { after: '2026-12-31T00:00:00Z' } }),
      ],
      [wait('2026-12-31T00:00:00.000Z')],
    ],
  ];
  for (const [name, rules, expected, given] of cases) {
    test(name, () => assert.deepEqual(offered(rules, given), expected));
  }

  test('on the facts of the check and no others', () => {
    const metadata = { tier: 1 };
    const requester = { type: 'person', tags: ['t'], metadata, status: 'active' as const };
    const facts = {
      requesterId: 'r',
      requester,
      purpose: 'p',
      context: { country: 'DE', ip: '10.0.0.1', userAgent: 'bot' },
    };
    const conditions = {
      hasValidLicense: true,
      requesterId: 'r',
      requesterType: 'person',
      requesterTags: 't',
      requesterMetadata: metadata,
      purpose: 'p',
      country: 'DE',
      ip: '10.0.0.0/8',
      userAgent: 'bot',
      contentType: 'article',
      permission: 'preview_only',
    };
    assert.deepEqual(offered([allow(conditions)], { ...facts, permission: 'preview_only' }), [license(null, [], 0)]);
  });
});

test('no more than 2,000 things are tried for one denial', () => {
  const types = (rule: number) => Array.from({ length: 1000 }, (_, i) => `${rule}-${i}`);
  const rules = [0, 1, 2].map((rule) => ({ action: 'allow' as const, conditions: { licenseType: types(rule) } }));
  const input: Input = { ...PLAIN, policy: { rules, defaultAction: 'deny' } };
  let tries = 0;
  const remedies = remediesFor(evaluated(input), () => tries++);
  assert.equal(tries, 2000);
  assert.deepEqual(
    remedies.map((remedy) => remedy.kind === 'license' && remedy.licenseType?.length),
    [1000, 1000],
  );
});

function withRemedy(input: Input, remedy: Remedy): Input[] {
  if (remedy.kind === 'wait') return [{ ...input, at: Date.parse(remedy.until) }];
  if (remedy.kind === 'verification') {
    return remedy.verified.map((verified) => ({
      ...input,
      context: { ...input.context, verified, crawlerVerified: verified !== 'token' },
    }));
  }
  if (remedy.kind === 'permission') return remedy.permissions.map((permission) => ({ ...input, permission }));
  const before = remedy.licenseExpiry?.before;
  return (remedy.licenseType ?? ['any']).map((type) => ({
    ...input,
    licenses: [
      ...input.licenses,
      {
        type,
        features: remedy.licenseFeatures,
        startsAt: null,
        expiresAt: before === undefined ? null : (before === 'now' ? input.at : Date.parse(before)) - 1,
        status: 'active' as const,
        scope: {},
      },
    ],
  }));
}
