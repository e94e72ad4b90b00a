/** Which checks may be asked as they stand, and what those that may are decided on. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure } from '../../api/errors.ts';
import type { Caller } from '../../api/permissions.ts';
import { UNPLACED } from '../../rules/facts.ts';
import { ANONYMOUS } from '../snapshot/subject.ts';
import { type Ask, type AskTerms, acceptOne } from './ask.ts';
import { type Inputs, toFacts } from './facts.ts';

const now = Date.parse('2026-11-21T09:30:00Z');
const MOMENT = '2026-11-21T09:30:00.000Z';
const LATER = '2026-11-21T09:30:00.001Z';
const license = { type: 'a' };

describe('a check is accepted or told why not', () => {
  const ask = (one: unknown, terms: Partial<AskTerms> & { readOnly?: boolean } = {}): Ask | Failure => {
    const { readOnly = false, ...more } = terms;
    const caller: Caller = { keyId: 'key_1', credential: '', mode: 'live', permissions: new Set<string>(), readOnly };
    return acceptOne({ caller, now: () => now, dry: false, ...more }, one);
  };
  const accepted: [string, object, (Partial<AskTerms> & { readOnly?: boolean })?][] = [
    ['an ordinary one', { contentId: 'a' }],
    ['one of a public key', { contentId: 'a', purpose: 'x' }, { readOnly: true }],
    ['a licence that a secret key vouches for', { contentId: 'a', license }],
    ['a dry run as of a moment', { contentId: 'a', dryRun: true, asOf: '2020-01-01T00:00:00Z' }],
    ['a dry run as of now', { contentId: 'a', dryRun: true, asOf: MOMENT }],
    ['as of a moment where nothing is recorded anyway', { contentId: 'a', asOf: MOMENT }, { dry: true }],
  ];
  for (const [name, one, terms] of accepted) {
    test(name, () => {
      const asOf = 'asOf' in one ? { asOf: Date.parse(one.asOf as string) } : {};
      assert.deepEqual(ask(one, terms), { ...one, ...asOf });
    });
  }

  const refused: [string, unknown, string | undefined, RegExp, (Partial<AskTerms> & { readOnly?: boolean })?][] = [
    ['none at all', 7, undefined, /check/],
    ['one without an item', {}, 'contentId', /contentId/],
    [
      'a licence that a public key vouches for',
      { contentId: 'a', license },
      'license',
      /secret key/,
      { readOnly: true },
    ],
    ['as of a moment, to be recorded', { contentId: 'a', asOf: MOMENT }, 'asOf', /"dryRun": true/],
    ['the same with dryRun: false', { contentId: 'a', dryRun: false, asOf: MOMENT }, 'asOf', /"dryRun": true/],
    ['as of the future', { contentId: 'a', dryRun: true, asOf: LATER }, 'asOf', /must not be in the future/],
  ];
  for (const [name, one, param, message, terms] of refused) {
    test(name, () => {
      const refusal = ask(one, terms);
      assert.ok(refusal instanceof Failure);
      const told = refusal.toError();
      assert.deepEqual([told.code, told.param ?? undefined], ['invalid_request', param]);
      assert.match(told.message, message);
    });
  }
  test('a fault of ours is not taken for one of the check', () => {
    const broken = {
      get contentId(): string {
        throw new RangeError('a fault');
      },
    };
    assert.throws(() => ask(broken), RangeError);
  });
});

describe('the facts of a check', () => {
  const content = {
    no: 1,
    id: 'cnt_1',
    externalId: 'a',
    type: 'article',
    tags: [],
    metadata: {},
    policyId: 'pol_1',
    archived: false,
    ...UNPLACED,
  };
  const facts = (asked: Inputs, requester = ANONYMOUS, id?: string | null) => {
    const { at, requesterId, permission, purpose, country, ip, userAgent, licenses, ...more } = toFacts(
      { content, requester },
      id,
      asked,
      now,
    );
    assert.deepEqual([at, more.content, more.requester], [now, content, requester.facts]);
    return { requesterId, permission, purpose, country, ip, userAgent, licenses };
  };
  const NONE = {
    requesterId: null,
    permission: null,
    purpose: null,
    country: null,
    ip: null,
    userAgent: null,
    licenses: [],
  };
  const stored = { id: 'lic_1', type: 'b', features: ['x'], startsAt: 1, expiresAt: 2, active: false, scope: {} };
  const vouched = { id: null, type: 'a', features: [], startsAt: null, expiresAt: null, active: true, scope: null };

  test('what is left out is unknown', () => {
    assert.deepEqual(facts({}), NONE);
    assert.deepEqual(facts({ context: {} }, ANONYMOUS, null), NONE);
  });
  test('what is said is known', () =>
    assert.deepEqual(
      facts(
        { permission: 'training', purpose: 'p', context: { country: 'DE', ip: '10.0.0.1', userAgent: 'bot' } },
        ANONYMOUS,
        'r',
      ),
      {
        requesterId: 'r',
        permission: 'training',
        purpose: 'p',
        country: 'DE',
        ip: '10.0.0.1',
        userAgent: 'bot',
        licenses: [],
      },
    ));
  test('the licence vouched for stands behind the stored ones, for every item and from the beginning', () => {
    const requester = { facts: { type: null, tags: [], metadata: {}, suspended: false }, licenses: [stored] };
    assert.deepEqual(facts({}, requester, 'r').licenses, [stored]);
    assert.deepEqual(facts({ license }, requester, 'r').licenses, [stored, vouched]);
    assert.deepEqual(facts({ license: { type: 'a', features: ['y'], expiresAt: MOMENT } }).licenses, [
      { ...vouched, features: ['y'], expiresAt: now },
    ]);
    assert.deepEqual(facts({ license: { type: 'a', expiresAt: null } }).licenses, [vouched]);
  });
});
