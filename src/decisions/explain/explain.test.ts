/** An explanation shows for each rule and condition what decided, in agreement with the second implementation. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { factsOf, policyOf } from '../../../kit/oracle.ts';
import { pluck } from '../../../kit/pluck.ts';
import { ALL_KEYS, inputArbitrary } from '../../../test/oracle/arbitrary.ts';
import { type OracleInput, oracleDecide } from '../../../test/oracle/decide.ts';
import type { Caller } from '../../api/permissions.ts';
import type { PriceList } from '../../requesters/offers/price-list.ts';
import { decide } from '../../rules/decide.ts';
import { explain, openExplainer } from './explain.ts';

type Rule = OracleInput['policy']['rules'][number];
const CASES = Number(process.env.CASES ?? 5_000);

const explained = (input: OracleInput) => {
  const [policy, facts] = [policyOf(input), factsOf(input)];
  return explain({ policy, facts, verdict: decide(policy, facts) });
};

/** Would a rule of these conditions alone decide, were nothing archived or suspended? */
function wouldHold(input: OracleInput, rule: Rule, conditions: object): boolean {
  const { content, requester } = input;
  const alone = oracleDecide({
    ...input,
    content: { ...content, status: 'active' },
    requester: requester && { ...requester, status: 'active' },
    policy: { rules: [{ action: rule.action, conditions }], defaultAction: 'deny' },
  });
  return alone.matchedRule !== null;
}

test('rules in the order in which they are asked, each with what held of it', () => {
  fc.assert(
    fc.property(inputArbitrary(ALL_KEYS), (generated) => {
      const input: OracleInput = { ...generated, usedUp: () => false };
      const { rules } = input.policy;
      const told = explained(input);
      const { policyId, policyVersion, defaultAction } = told;
      assert.deepEqual(
        [policyId, policyVersion, defaultAction],
        [input.content.policyId, 1, input.policy.defaultAction],
      );
      const isLast = ({ conditions }: Rule): number => (conditions?.default === true ? 1 : 0);
      const order = rules
        .map((rule, index) => ({ rule, index, priority: rule.priority ?? index + 1 }))
        .toSorted((a, b) => isLast(a.rule) - isLast(b.rule) || a.priority - b.priority || a.index - b.index);
      const { matchedRule } = oracleDecide(input);
      assert.deepEqual(
        told.rules.map(({ conditions, ...rest }) => rest),
        order.map(({ rule, index, priority }) => ({
          index,
          priority,
          action: rule.action,
          held: wouldHold(input, rule, rule.conditions ?? {}),
          decided: matchedRule?.index === index,
        })),
      );
      for (const { index, conditions } of told.rules) {
        const rule = rules[index];
        assert.deepEqual(
          conditions.map(({ key, expected, held }) => ({ key, expected, held })),
          Object.entries(rule.conditions ?? {}).map(([key, expected]) => ({
            key,
            expected,
            held: wouldHold(input, rule, { [key]: expected }),
          })),
        );
      }
    }),
    { numRuns: CASES },
  );
});

describe('what a condition met', () => {
  const at = Date.parse('2026-11-21T09:30:00Z');
  const license = (type: string, expiresAt: number | null, features: string[] = []) => ({
    type,
    features,
    startsAt: null,
    expiresAt,
    status: 'active' as const,
    scope: {},
  });
  const known: OracleInput = {
    at,
    policy: { rules: [], defaultAction: 'deny' },
    content: {
      id: 'cnt_1',
      externalId: 'article-1',
      type: 'article',
      tags: ['a'],
      metadata: { tier: 1 },
      status: 'active',
      policyId: 'pol_1',
      source: 'https://A.example/n%c3%a4x?q=+',
    },
    requesterId: 'r',
    requester: { type: 'person', tags: ['t'], metadata: { tier: 2 }, status: 'active' },
    licenses: [license('basic', null, ['x']), license('gold', at + 1000), license('past', at - 1)],
    permission: 'preview_only',
    purpose: 'reading',
    context: { ip: '10.0.0.1', country: 'DE', userAgent: 'GPTBot/1', verified: 'dns' },
    collections: [{ id: 'col_1', hosts: ['a.example'], paths: [], contentTypes: [], contentTags: [], createdAt: 1 }],
    usedUp: () => false,
  };
  const { requester: _, ...rest } = known;
  const silent: OracleInput = {
    ...rest,
    requesterId: null,
    requester: null,
    licenses: [],
    permission: null,
    purpose: null,
    context: {},
  };

  const met = (input: OracleInput, conditions: object): unknown[] => {
    const policy = { rules: [{ action: 'allow', conditions }], defaultAction: 'deny' as const };
    return explained({ ...input, policy }).rules[0]?.conditions.map(({ actual }) => actual) ?? [];
  };

  const cases: [conditions: object, known: unknown, silent: unknown][] = [
    [{ default: true }, null, null],
    [{ hasValidLicense: true }, true, false],
    [{ licenseType: 'basic' }, ['basic', 'gold'], []],
    [{ licenseTypeNot: 'basic' }, ['basic', 'gold'], []],
    [{ licenseFeatures: ['x'] }, [['x'], []], []],
    [{ licenseExpiry: { after: 'now' } }, [null, '2026-11-21T09:30:01.000Z'], []],
    [{ requesterId: 'r' }, 'r', null],
    [{ requesterIdNot: 'r' }, 'r', null],
    [{ requesterType: 'person' }, 'person', null],
    [{ requesterTags: 't' }, ['t'], null],
    [{ requesterMetadata: { tier: 1 } }, { tier: 2 }, null],
    [{ purpose: 'a' }, 'reading', null],
    [{ permission: 'training' }, 'preview_only', null],
    [{ contentId: 'article-1' }, 'cnt_1', 'cnt_1'],
    [{ contentType: 'report' }, 'article', 'article'],
    [{ contentTags: ['b'] }, ['a'], ['a']],
    [{ contentMetadata: { tier: 2 } }, { tier: 1 }, { tier: 1 }],
    [{ country: 'AT' }, 'DE', null],
    [{ ip: '10.0.0.0/8' }, '10.0.0.1', null],
    [{ userAgent: 'bot' }, 'GPTBot/1', null],
    [{ time: { days: ['mon'] } }, '2026-11-21T09:30:00.000Z', '2026-11-21T09:30:00.000Z'],
    [{ collectionNot: 'col_01jd3v0000000000000000000a' }, 'col_1', 'col_1'],
    [{ host: '*.example' }, 'a.example', 'a.example'],
    [{ path: '/' }, '/n%C3%A4x', '/n%C3%A4x'],
    [{ pathNot: ['/b', '/?q='] }, '/n%C3%A4x?q=%20', '/n%C3%A4x?q=%20'],
    [{ crawler: 'CCBot' }, 'GPTBot', null],
    [{ crawlerOperatorNot: 'Google' }, 'OpenAI', null],
    [{ crawlerPurpose: 'search' }, 'training', null],
    [{ requesterVerified: true }, 'dns', null],
  ];
  for (const [conditions, actual, unknown] of cases) {
    test(JSON.stringify(conditions), () => {
      assert.deepEqual(met(known, conditions), [actual]);
      assert.deepEqual(met(silent, conditions), [unknown]);
    });
  }

  test('of metadata only what the condition names', () => {
    const { content } = known;
    const metadata = { tier: 1, desk: 'x', __proto__: 'none' };
    const given = { ...known, content: { ...content, metadata } };
    assert.deepEqual(met(given, { contentMetadata: { desk: 'y', toString: 1 } }), [{ desk: 'x' }]);
    assert.deepEqual(met(given, { contentMetadataNot: { tier: 1 } }), [{ tier: 1 }]);
  });
  test('what the item is like is withheld from who may not read content', () => {
    const conditions = {
      contentType: 'a',
      contentTagsNot: 'b',
      contentMetadata: { tier: 1 },
      contentId: 'article-1',
      requesterMetadata: { tier: 2 },
      host: 'b.example',
      pathNot: '/',
      collection: 'col_01jd3v0000000000000000000a',
    };
    const policy = policyOf({ ...known, policy: { rules: [{ action: 'allow', conditions }], defaultAction: 'deny' } });
    const facts = factsOf(known);
    const [rule] = explain({ policy, facts, verdict: decide(policy, facts) }, false).rules;
    assert.deepEqual(pluck(rule?.conditions ?? [], 'key', 'actual', 'withheld'), [
      ['contentType', null, 'content:read'],
      ['contentTagsNot', null, 'content:read'],
      ['contentMetadata', null, 'content:read'],
      ['contentId', 'cnt_1', undefined],
      ['requesterMetadata', { tier: 2 }, undefined],
      ['host', null, 'content:read'],
      ['pathNot', null, 'content:read'],
      ['collection', 'col_1', undefined],
    ]);
    // Of a URL that was asked for, the caller knows host and path.
    const asked = factsOf({ ...known, url: 'https://A.example/n%c3%a4x' });
    const [same] = explain({ policy, facts: asked, verdict: decide(policy, asked) }, false).rules;
    assert.deepEqual(pluck(same?.conditions.slice(5, 7) ?? [], 'actual', 'withheld'), [
      ['a.example', undefined],
      ['/n%C3%A4x', undefined],
    ]);
  });
});

test('nothing is looked up for the remedies of a check that is allowed', () => {
  const asked: string[] = [];
  const offers = { at: () => void asked.push('offers') } as unknown as PriceList;
  const proofsOf = () => {
    asked.push('proofs');
    return [];
  };
  const { explain: explainOne } = openExplainer(
    { permissions: new Set() } as unknown as Caller,
    'body',
    { identities: { proofsOf } },
    offers,
  );
  fc.assert(
    fc.property(inputArbitrary(ALL_KEYS), (input) => {
      const [policy, facts] = [policyOf(input), factsOf(input)];
      const verdict = decide(policy, facts);
      fc.pre(verdict.reason === null);
      assert.deepEqual(explainOne({ policy, facts, verdict }), { explanation: null, remedies: [] });
    }),
    { numRuns: 200 },
  );
  assert.deepEqual(asked, []);
});
