/** The cases of a policy file: what a case leaves out, and how it differs when it fails. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pluck } from '../../../kit/pluck.ts';
import { runCases } from './cases.ts';
import type { Expectation, PolicyCase, PolicyFile } from './policy-file.ts';

const now = Date.parse('2026-11-21T09:30:00Z');
type Rules = PolicyFile['rules'];

const run = (rules: Rules, check: PolicyCase['check'], expect: Expectation, more: Partial<PolicyFile> = {}) => {
  const [result] = runCases({ name: 'p', rules, cases: [{ name: 'c', check, expect }], ...more }, now);
  assert.ok(result !== undefined);
  assert.equal(result.name, 'c');
  assert.equal(result.passed, result.differences.length === 0);
  return result;
};

const allow = (conditions: Record<string, unknown>, more: object = {}): Rules[number] => ({
  action: 'allow',
  conditions,
  ...more,
});

describe('a case by URL', () => {
  const when = (conditions: Record<string, unknown>, check: PolicyCase['check']): boolean =>
    run([allow(conditions)], check, { allowed: true }).passed;

  test('has no item unless the case describes one', () => {
    const url = 'https://WWW.a.example/news/%78?q=1';
    assert.ok(when({ host: '*.a.example', path: '/news/x' }, { url }));
    assert.ok(when({ path: '/news/x?q=1' }, { url }));
    assert.ok(!when({ contentType: 'article' }, { url }));
    assert.ok(!when({ contentTypeNot: 'report' }, { url }));
    assert.ok(when({ contentType: 'article', path: '/news/x' }, { url, content: {} }));
    assert.ok(when({ contentId: 'a', path: '/news/x' }, { url, contentId: 'a' }));
  });
  test('an item has the address of its source, or none', () => {
    assert.ok(when({ path: '/a' }, { content: { source: 'https://a.example/a' } }));
    assert.ok(!when({ pathNot: '/b' }, {}));
  });
  test('collection, crawler and verification are what the case says', () => {
    const collection = 'col_01jd3v0000000000000000000a';
    assert.ok(when({ collection }, { url: 'https://a.example', collection }));
    assert.ok(when({ collection }, { collection }));
    assert.ok(when({ collectionNot: collection }, {}));
    assert.ok(when({ crawlerPurpose: 'training' }, { context: { userAgent: 'GPTBot/1.2' } }));
    assert.ok(when({ requesterVerified: ['ip'] }, { requesterId: 'r', context: { verified: 'ip' } }));
    assert.ok(!when({ requesterVerified: true }, { context: { verified: 'token' } }), 'of nobody');
    const proven = { context: { userAgent: 'GPTBot/1.2', crawlerVerified: true } };
    assert.ok(when({ crawlerVerified: true }, proven));
    assert.ok(!when({ crawlerVerified: true }, { context: { crawlerVerified: true } }), 'no crawler is named');
    assert.ok(when({ requesterVerified: false }, {}));
    const attributes = { 'subject.role': 'admin' };
    assert.ok(when({ attributes }, { context: { attributes } }));
    assert.ok(!when({ attributes }, {}), 'nothing is stated');
  });
});

describe('a URL with several readings', () => {
  const rules = [{ action: 'deny' as const, conditions: { path: '/shut/' } }, allow({})];
  const outcomeOf = (url: string, check: PolicyCase['check'] = {}, more: Partial<PolicyFile> = {}) => {
    const { outcome, refused } = run(more.rules ?? rules, { url, ...check }, { allowed: true }, more);
    return [outcome.allowed, outcome.reason, outcome.rule, refused ?? false];
  };

  test('is allowed only where all readings allow the same', () => {
    for (const path of ['/shut;x/a', '/shut%3Bx/a', '/index.php/shut/a', '/shut./a', '/a/;/shut%3F']) {
      const [allowed, reason] = outcomeOf(`https://a.example${path}`);
      if (path.startsWith('/a/')) assert.equal(allowed, true, path);
      else assert.deepEqual([allowed, reason], [false, 'policy_denied'], path);
    }
    assert.deepEqual(outcomeOf('https://a.example/open;x'), [true, null, 1, false]);
    assert.deepEqual(outcomeOf('https://a.example/shut;x/a'), [false, 'policy_denied', 0, true]);
    assert.deepEqual(outcomeOf('https://a.example/shut/a;x'), [false, 'policy_denied', 0, false]);
  });
  test('is denied where the readings have other permissions', () => {
    const others = [allow({ path: '/shut/' }, { permissions: ['preview_only'] }), allow({})];
    assert.deepEqual(outcomeOf('https://a.example/shut;x/a', {}, { rules: others }), [
      false,
      'policy_denied',
      null,
      true,
    ]);
  });
  test('has no reading without a port that is named', () => {
    const closed = [{ action: 'deny' as const, conditions: { host: 'a.example' } }, allow({})];
    const url = 'https://a.example:8443/';
    assert.equal(outcomeOf(url, {}, { rules: closed })[0], false);
    assert.equal(outcomeOf(url, { content: { source: 'https://a.example:8443/' } }, { rules: closed })[0], true);
    const collections = [{ name: 'C', hosts: ['a.example:8443'] }] as unknown as PolicyFile['collections'];
    assert.equal(outcomeOf(url, {}, { rules: closed, ...(collections && { collections }) })[0], true);
    assert.equal(outcomeOf('https://a.example./', {}, { rules: closed })[0], false);
  });
});

describe('differences', () => {
  const rules = [allow({ purpose: 'a' }, { permissions: ['training', 'inference'] }), { action: 'deny' as const }];
  const allowed = { allowed: true, reason: null, permissions: ['training', 'inference'], rule: 0 };
  const denied = { allowed: false, reason: 'policy_denied' as const, permissions: [], rule: 1 };

  test('the outcome is told, and none when it is what is expected', () => {
    assert.deepEqual(run(rules, { purpose: 'a' }, allowed), {
      name: 'c',
      passed: true,
      outcome: allowed,
      differences: [],
    });
    assert.deepEqual(run(rules, {}, denied), { name: 'c', passed: true, outcome: denied, differences: [] });
  });
  test('each on its own', () => {
    const wrong: [Partial<Expectation>, string][] = [
      [{ allowed: true }, 'allowed'],
      [{ reason: null }, 'reason'],
      [{ reason: 'no_license' }, 'reason'],
      [{ permissions: ['training'] }, 'permissions'],
      [{ rule: 0 }, 'rule'],
      [{ rule: null }, 'rule'],
    ];
    for (const [expect, field] of wrong) {
      const [expected] = Object.values(expect);
      const { passed, differences } = run(rules, {}, { allowed: false, ...expect });
      assert.deepEqual(differences, [{ field, expected, actual: denied[field as keyof typeof denied] }]);
      assert.equal(passed, false);
    }
  });
  test('all, in their order', () =>
    assert.deepEqual(pluck(run(rules, {}, allowed).differences, 'field'), [
      'allowed',
      'reason',
      'permissions',
      'rule',
    ]));
  test('permissions in any order, but all of them and no others', () => {
    const failed = (permissions: string[]): boolean =>
      !run(rules, { purpose: 'a' }, { allowed: true, permissions }).passed;
    assert.deepEqual(
      [
        ['inference', 'training'],
        ['training'],
        ['training', 'inference', 'redistribution'],
        ['training', 'redistribution'],
        [],
      ].map(failed),
      [false, true, true, true, true],
    );
  });
  test('what is not expected may be anything', () => assert.ok(run(rules, {}, { allowed: false }).passed));
});

describe('what is left out', () => {
  /** Does an allow rule of these conditions hold for the check? */
  const holds = (conditions: Record<string, unknown>, check: PolicyCase['check']): boolean =>
    run([allow(conditions)], check, { allowed: true }).passed;

  test('the default action denies', () => {
    assert.equal(run([], {}, { allowed: false }).passed, true);
    assert.equal(run([], {}, { allowed: true }, { defaultAction: 'allow' }).passed, true);
    assert.equal(run([], {}, { allowed: false }, { defaultAction: 'deny', description: null }).passed, true);
    // Neither is the same as no word of it at all.
    const { differences } = run([], {}, { allowed: false, reason: 'policy_denied', rule: null });
    assert.deepEqual(differences, []);
  });
  test('an item is an article without tags and metadata, of this policy', () => {
    assert.ok(holds({ contentType: 'article' }, {}));
    for (const tag of ['', 'mutant']) assert.ok(!holds({ contentTags: tag }, {}));
    assert.ok(holds({ contentTagsNot: 'a' }, {}));
    assert.ok(!holds({ contentMetadataNot: { a: 1 } }, {}));
    const licensed = (policyIds: string[], content = {}) =>
      holds({ hasValidLicense: true }, { content, requester: {}, licenses: [{ type: 'a', scope: { policyIds } }] });
    assert.ok(!licensed(['pol_other']) && licensed(['pol_other'], { policyId: 'pol_other' }));
    assert.ok(licensed(['pol_under_test']) && !licensed(['pol_under_test'], { policyId: 'pol_other' }));
  });
  test('one name of an item stands for the other', () => {
    assert.ok(holds({ contentId: 'x' }, { contentId: 'x' }));
    assert.ok(holds({ contentId: 'x' }, { content: { externalId: 'x' } }));
    assert.ok(holds({ contentId: 'x' }, { contentId: 'x', content: { externalId: 'y' } }));
    assert.ok(holds({ contentId: 'y' }, { contentId: 'x', content: { externalId: 'y' } }));
    assert.ok(holds({ contentId: 'item' }, {}));
  });
  test('who is described has an id; who is not is anonymous', () => {
    assert.ok(!holds({ requesterIdNot: 'x' }, {}));
    assert.ok(holds({ requesterIdNot: 'x' }, { requester: {} }));
    assert.ok(holds({ requesterId: 'requester' }, { requester: {} }));
    assert.ok(holds({ requesterId: 'r' }, { requesterId: 'r', requester: {} }));
    assert.ok(!holds({ requesterTagsNot: 'x' }, { requesterId: 'r' }));
  });
  test('a requester has no type, no tags, no metadata and is not suspended', () => {
    assert.ok(!holds({ requesterTypeNot: 'x' }, { requester: {} }));
    assert.ok(holds({ requesterTagsNot: 'x' }, { requester: {} }));
    assert.ok(!holds({ requesterTags: 'mutant' }, { requester: {} }));
    assert.ok(!holds({ requesterMetadataNot: { a: 1 } }, { requester: {} }));
  });
  test('a licence has no features, no begin, no end and is for everything', () => {
    const check = { requester: {}, licenses: [{ type: 'a' }] };
    assert.ok(holds({ hasValidLicense: true, licenseExpiry: { after: '2999-01-01T00:00:00Z' } }, check));
    assert.ok(!holds({ licenseFeatures: ['mutant'] }, check));
    assert.ok(holds({ licenseType: 'a' }, check));
    assert.ok(holds({ hasValidLicense: true }, { ...check, at: '1960-01-01T00:00:00Z' }));
  });
  test('a check is of the moment it is run', () => {
    assert.ok(holds({ time: { after: '2026-11-21T09:30:00Z', before: '2026-11-21T09:30:01Z' } }, {}));
    assert.ok(holds({ time: { before: '2020-01-01T00:00:00Z' } }, { at: '2019-01-01T00:00:00Z' }));
  });
  test('a file without cases has no results', () => assert.deepEqual(runCases({ name: 'p', rules: [] }, now), []));
});
