/** Rules that allow by a name whose owner could be verified: where they are reported and where not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '../policy.ts';
import { lint } from './lint.ts';
import { NOBODY, namedBy, type Verifiable } from './unverified.ts';

const allow = (conditions: object, more: object = {}) => ({ action: 'allow', conditions, ...more }) as Rule;
const deny = (conditions: object) => ({ action: 'deny', conditions }) as Rule;

const VERIFIABLE: Verifiable = {
  requesterIds: new Set(['partner']),
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
  assert.deepEqual([named.byLicense, named.byKind, named.metadataKeys], [false, false, []]);
  const byMetadata = namedBy([allow({ requesterMetadata: { a: 1, b: 2 }, requesterMetadataNot: { b: 3, c: 4 } })]);
  assert.deepEqual([byMetadata.byKind, byMetadata.metadataKeys], [true, ['a', 'b', 'c']]);
  assert.equal(namedBy([allow({ requesterTags: 'a' })]).byKind, true);
  assert.equal(namedBy([allow({ requesterType: 'a', requesterVerified: true })]).byKind, false);
  assert.equal(namedBy([allow({ hasValidLicense: true })]).byLicense, true);
});

test('a rule for a crawler that does not ask for its proof, of a service or not', () => {
  const found: [object, string][] = [
    [{ crawler: ['ClaudeBot', 'GPTBot'] }, 'crawler'],
    [{ crawlerOperator: 'OpenAI' }, 'crawlerOperator'],
    [{ crawlerPurpose: 'training', crawlerNot: 'ClaudeBot' }, 'crawlerPurpose'],
    [{ crawler: 'curl' }, 'crawler'],
    [{ crawler: 'GPTBot', crawlerVerified: false }, 'crawler'],
    [{ crawler: 'GPTBot', hasValidLicense: true }, 'crawler'],
    [{ crawler: 'GPTBot', requesterVerified: true }, 'crawler'],
    [{ crawler: 'GPTBot', requesterVerified: ['ip', 'dns'] }, 'crawler'],
    [{ crawler: 'GPTBot', requesterTags: 'crawler', requesterVerified: true }, 'crawler'],
    [{ crawler: 'GPTBot', requesterId: 'other' }, 'crawler'],
  ];
  for (const [conditions, key] of found) {
    const rules = [allow(conditions)];
    for (const verifiable of [VERIFIABLE, NOBODY]) {
      assert.deepEqual(warned(rules, verifiable), [`${CONDITION}.${key}`], JSON.stringify(conditions));
    }
    assert.deepEqual(warned([allow({ ...conditions, crawlerVerified: true })]), []);
    assert.deepEqual(warned([allow(conditions, { permissions: [] })]), []);
    assert.deepEqual(warned([deny(conditions)]), []);
    assert.deepEqual(warned([deny({ crawlerVerified: false }), allow({ ...conditions, crawlerVerified: true })]), []);
  }
  const gptbot = allow({ crawler: 'GPTBot' });
  assert.deepEqual(warned([deny({ crawlerVerified: false }), gptbot]), []);
  assert.deepEqual(warned([deny({ crawler: 'GPTBot', crawlerVerified: false }), gptbot]), []);
  assert.deepEqual(warned([deny({ crawlerVerified: false, country: 'DE' }), gptbot]), ['rules[1].conditions.crawler']);
  for (const conditions of [
    { crawlerPurposeNot: 'training' },
    { crawlerNot: 'GPTBot' },
    { crawlerVerified: true },
    { crawler: 'Googlebot', crawlerPurpose: 'training' },
    { crawler: 'GPTBot', requesterId: 'partner', requesterVerified: true },
  ]) {
    assert.deepEqual(warned([allow(conditions)]), [], JSON.stringify(conditions));
  }
});

test('the advice names the condition, and why the proof of a requester does not do', () => {
  const messageFor = (conditions: object) =>
    lint([allow(conditions)], 'deny').find(({ code }) => code === 'identities_not_required')?.message;
  assert.equal(
    messageFor({ crawler: 'GPTBot' }),
    'Anybody may use the name `GPTBot`, and this rule does not require its proof. Require `crawlerVerified: true`.',
  );
  assert.equal(
    messageFor({ crawler: 'GPTBot', requesterVerified: true }),
    '`requesterVerified` proves the requester: a partner with a token of its own may use the name `GPTBot`. ' +
      'Require `crawlerVerified: true` too.',
  );
  assert.match(messageFor({ crawler: 'curl' }) ?? '', /knows no proof of it, so only your own server can state one\.$/);
});
