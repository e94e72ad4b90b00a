/** Rules that allow by a name whose owner could be verified: where they are reported and where not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '../../../kit/pluck.ts';
import { CRAWLERS } from '../../crawlers/directory.ts';
import type { Rule } from '../policy.ts';
import { lint } from './lint.ts';
import { NOBODY, namedBy, type Verifiable } from './unverified.ts';

const allow = (conditions: object, more: object = {}) => ({ action: 'allow', conditions, ...more }) as Rule;
const deny = (conditions: object) => ({ action: 'deny', conditions }) as Rule;
const crawler = (name: string) => CRAWLERS.find((one) => one.name === name) as (typeof CRAWLERS)[number];

const VERIFIABLE: Verifiable = {
  requesterIds: new Set(['partner']),
  crawlers: new Set([crawler('GPTBot')]),
  kinds: [
    { type: 'ai', tags: ['crawler', 'training'], metadata: { tier: 'gold', level: 2 } },
    { type: null, tags: ['partner'], metadata: {} },
  ],
  licenseTypes: new Set(['training']),
};
const warned = (rules: Rule[], verifiable = VERIFIABLE): string[] =>
  lint(rules, 'deny', verifiable)
    .filter(({ code }) => code === 'identities_not_required')
    .map(({ param }) => param);
const CONDITION = 'rules[0].conditions';

test('a rule for a requester, a crawler or a license, whose owner has identities', () => {
  const found: [object, string][] = [
    [{ requesterId: 'partner' }, 'requesterId'],
    [{ requesterId: ['other', 'partner'], licenseType: 'other' }, 'requesterId'],
    [{ crawler: ['ClaudeBot', 'GPTBot'] }, 'crawler'],
    [{ crawlerOperator: 'OpenAI' }, 'crawlerOperator'],
    [{ crawlerPurpose: 'training', crawlerNot: 'ClaudeBot' }, 'crawlerPurpose'],
    [{ requesterType: ['media', 'ai'] }, 'requesterType'],
    [{ requesterTags: 'crawler', requesterTagsNot: 'search' }, 'requesterTags'],
    [{ requesterType: 'ai', requesterTags: ['training'], licenseType: 'archive' }, 'requesterType'],
    [{ requesterTags: ['partner', 'nonprofit'] }, 'requesterTags'],
    [{ requesterMetadata: { tier: ['silver', 'gold'] } }, 'requesterMetadata'],
    [{ requesterMetadata: { tier: 'gold' }, requesterMetadataNot: { level: 1 } }, 'requesterMetadata'],
    [{ requesterId: 'partner', requesterVerified: false }, 'requesterId'],
    [{ hasValidLicense: true }, 'hasValidLicense'],
    [{ licenseType: ['archive', 'training'], country: 'DE' }, 'licenseType'],
    [{ licenseFeatures: ['images'] }, 'licenseFeatures'],
    [{ licenseExpiry: { after: 'now' } }, 'licenseExpiry'],
  ];
  for (const [conditions, key] of found) {
    const rules = [allow(conditions)];
    assert.deepEqual(warned(rules), [`${CONDITION}.${key}`], JSON.stringify(conditions));
    assert.deepEqual(warned(rules, NOBODY), []);
    assert.deepEqual(warned([allow({ ...conditions, requesterVerified: true })]), []);
    assert.deepEqual(warned([allow({ ...conditions, requesterVerified: ['signature'] })]), []);
    assert.deepEqual(warned([allow(conditions, { permissions: [] })]), []);
    assert.deepEqual(warned([deny(conditions)]), []);
  }
});

test('a rule for others, or for everyone', () => {
  for (const conditions of [
    {},
    { default: true },
    { requesterId: 'other' },
    { requesterId: 'other', hasValidLicense: true },
    { requesterIdNot: 'partner' },
    { requesterType: 'media' },
    { requesterTags: ['nonprofit'] },
    { requesterType: 'ai', requesterTags: 'partner' },
    { requesterTags: 'crawler', requesterTagsNot: ['training'] },
    { requesterType: 'ai', requesterTypeNot: 'ai' },
    { requesterTypeNot: 'media' },
    { requesterMetadata: { tier: 'silver' } },
    { requesterMetadata: { level: '2' } },
    { requesterMetadata: { tier: 'gold', other: 1 } },
    { requesterMetadata: { tier: 'gold' }, requesterTags: 'partner' },
    { requesterMetadata: { tier: 'gold' }, requesterMetadataNot: { level: 2 } },
    { requesterMetadataNot: { tier: 'silver' } },
    { requesterType: 'media', licenseType: 'training' },
    { crawler: 'ClaudeBot' },
    { crawlerPurpose: 'search' },
    { crawlerOperator: 'OpenAI', crawlerNot: 'GPTBot' },
    { crawlerPurposeNot: 'search' },
    { licenseType: 'archive' },
    { hasValidLicense: false },
  ])
    assert.deepEqual(warned([allow(conditions)]), [], JSON.stringify(conditions));
});

test('a rule that decides only verified checks', () => {
  const partner = allow({ requesterId: 'partner' });
  assert.deepEqual(warned([deny({ requesterVerified: false }), partner]), []);
  assert.deepEqual(warned([deny({ requesterId: 'partner', requesterVerified: false }), partner]), []);
  assert.deepEqual(warned([deny({ requesterVerified: false, country: 'DE' }), partner]), [
    'rules[1].conditions.requesterId',
  ]);
  // Evaluated afterwards, by its priority.
  assert.deepEqual(
    warned([
      { ...deny({ requesterVerified: false }), priority: 9 },
      { ...partner, priority: 1 },
    ]),
    ['rules[1].conditions.requesterId'],
  );
  // Never reached.
  assert.deepEqual(warned([deny({}), partner]), []);
});

test('what lint asks about is what rules that may be reported name', () => {
  const named = namedBy([
    allow({ requesterId: ['a', 'b'] }),
    allow({ requesterId: 'b' }),
    allow({ requesterId: 'c', requesterVerified: true }),
    deny({ requesterId: 'd', licenseType: 'x' }),
    allow({ crawler: ['GPTBot', 'ClaudeBot'], crawlerOperatorNot: 'Anthropic' }),
  ]);
  assert.deepEqual(named.requesterIds, ['a', 'b']);
  assert.deepEqual(pluck(named.crawlers, 'name'), ['GPTBot']);
  assert.deepEqual([named.byLicense, named.byKind, named.metadataKeys], [false, false, []]);
  const byMetadata = namedBy([allow({ requesterMetadata: { a: 1, b: 2 }, requesterMetadataNot: { b: 3, c: 4 } })]);
  assert.deepEqual([byMetadata.byKind, byMetadata.metadataKeys], [true, ['a', 'b', 'c']]);
  assert.equal(namedBy([allow({ requesterTags: 'a' })]).byKind, true);
  assert.equal(namedBy([allow({ requesterType: 'a', requesterVerified: true })]).byKind, false);
  assert.equal(namedBy([allow({ hasValidLicense: true })]).byLicense, true);
});
