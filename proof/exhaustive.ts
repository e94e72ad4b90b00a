/**
 * Every policy of at most three rules over a small vocabulary, with both default actions, against every check of a
 * small set: `decide` and the second implementation must agree on all of them. Nothing is drawn at random, so what
 * holds here holds for the whole vocabulary: order and ties, catch-alls, the silence rule, reasons, permissions,
 * limits.
 */
import assert from 'node:assert/strict';
import { factsOf, policyOf, verdictOf } from '../kit/oracle.ts';
import { type OracleInput, type OracleLicense, type OracleVerdict, oracleDecide } from '../test/oracle/decide.ts';

export interface ExhaustiveFigures {
  shapes: number;
  policies: number;
  checks: number;
  /** Policy, check and state of the limit. */
  combinations: number;
}

export type Size = 'small' | 'full';

const RULES_MAX = 3;
const AT = Date.parse('2026-11-21T09:30:00Z');

type Shape = OracleInput['policy']['rules'][number];

const both = (conditions: object | undefined, more: object = {}): Shape[] =>
  ['allow', 'deny'].map((action) => ({ action, ...(conditions === undefined ? {} : { conditions }), ...more }));

/**
 * Rules that may stand in any of the three places; an equal priority, a missing one and one out of order among them.
 */
const SMALL: readonly Shape[] = [
  ...both(undefined),
  ...both({ default: true }),
  ...both({ default: false }),
  ...both({ hasValidLicense: false }),
  ...both({ hasValidLicense: true }),
  ...both({ licenseType: 'a' }),
  ...both({ licenseTypeNot: 'a' }),
  ...both({ purpose: 'p' }),
  ...both({ purposeNot: 'p' }),
  ...both({ purpose: 'p' }, { priority: 2 }),
  { action: 'deny', conditions: { default: true }, priority: 0 },
  { action: 'allow', conditions: { licenseType: 'b' }, priority: 2 },
  { action: 'allow', conditions: { purpose: 'p' }, permissions: [] },
  { action: 'allow', permissions: ['training'], priority: 3 },
  { action: 'allow', rateLimit: { requests: 1, period: 'hour' } },
];

const FULL: readonly Shape[] = [
  ...SMALL,
  ...both(undefined, { priority: 1 }),
  ...both({ default: true, purpose: 'p' }),
  ...both({ hasValidLicense: false, purpose: 'p' }),
  ...both({ hasValidLicense: true, licenseTypeNot: 'a' }),
  ...both({ licenseType: ['a', 'b'], licenseFeatures: ['x'] }),
  ...both({ licenseFeatures: ['x', 'y'] }, { priority: 2 }),
  ...both({ licenseFeaturesNot: ['x'] }),
  ...both({ licenseExpiry: { before: '2026-12-01T00:00:00Z' } }),
  ...both({ licenseExpiry: { after: 'now' }, licenseType: 'b' }),
  ...both({ requesterTypeNot: 't' }),
  ...both({ permission: 'training' }),
  ...both({ permissionNot: 'training' }, { priority: -1 }),
  { action: 'allow', conditions: { licenseType: 'a', hasValidLicense: false } },
  { action: 'allow', conditions: { licenseType: 'a', licenseTypeNot: 'a' } },
  { action: 'allow', conditions: { licenseType: 'a' }, permissions: ['full_access', 'training'], priority: 1 },
  {
    action: 'allow',
    conditions: { default: true },
    permissions: ['preview_only'],
    rateLimit: { requests: 1, period: 'day' },
  },
  { action: 'deny', permissions: ['training'], rateLimit: { requests: 1, period: 'day' }, priority: 2 },
];

type Check = Omit<OracleInput, 'usedUp' | 'policy'>;

const license = (type: string, more: Partial<OracleLicense> = {}): OracleLicense => ({
  type,
  features: [],
  startsAt: null,
  expiresAt: null,
  status: 'active',
  scope: {},
  ...more,
});

const LICENSES: Record<Size, readonly (readonly OracleLicense[])[]> = {
  small: [
    [],
    [license('a')],
    [license('b')],
    [license('a', { expiresAt: AT })],
    [license('b', { expiresAt: AT }), license('a', { status: 'suspended' })],
    [license('b'), license('a', { expiresAt: AT - 1 })],
  ],
  full: [
    [],
    [license('a')],
    [license('b', { features: ['x'] })],
    [license('a', { expiresAt: AT, features: ['x', 'y'] })],
    [license('a', { expiresAt: AT + 1, features: ['x'] })],
    [license('b', { expiresAt: AT }), license('a', { status: 'suspended' })],
    [license('b'), license('a', { expiresAt: AT - 1 })],
    [license('a', { features: ['x'] }), license('b', { features: ['y'] })],
    [license('a', { scope: { contentTypes: ['report'] } }), license('b', { startsAt: AT + 1 })],
  ],
};

function checksOf(size: Size): Check[] {
  const full = size === 'full';
  const base: Check = {
    at: AT,
    content: {
      id: 'cnt_01jd3v0000000000000000000a',
      externalId: 'one',
      type: 'article',
      tags: [],
      metadata: {},
      status: 'active',
      policyId: 'pol_01jd3v0000000000000000000a',
    },
    requesterId: 'r',
    requester: { type: null, tags: [], metadata: {}, status: 'active' },
    licenses: [],
    permission: null,
    purpose: null,
    context: {},
  };
  const checks: Check[] = [];
  for (const licenses of LICENSES[size]) {
    for (const purpose of full ? [null, 'p'] : [null, 'p', 'q']) {
      for (const permission of [null, 'training', 'preview_only']) {
        for (const type of full ? [null, 't'] : [null]) {
          checks.push({
            ...base,
            licenses: [...licenses],
            purpose,
            permission,
            requester: { type, tags: [], metadata: {}, status: 'active' },
          });
        }
      }
    }
  }
  checks.push(
    { ...base, requester: null, requesterId: null },
    { ...base, content: { ...base.content, status: 'archived' }, licenses: [license('a')], purpose: 'p' },
    { ...base, requester: { type: 't', tags: [], metadata: {}, status: 'suspended' }, licenses: [license('a')] },
  );
  return checks;
}

/** Lists of at most `RULES_MAX` shapes, each in every place. */
function* ruleLists(shapes: readonly Shape[]): Generator<Shape[]> {
  let lists: Shape[][] = [[]];
  for (let length = 0; ; length++) {
    yield* lists;
    if (length === RULES_MAX - 1) break;
    lists = lists.flatMap((list) => shapes.map((shape) => [...list, shape]));
  }
  for (const list of lists) for (const shape of shapes) yield [...list, shape];
}

/** Throws with the policy and the check at the first difference. */
export function runExhaustive(size: Size, tell: (line: string) => void = () => {}): ExhaustiveFigures {
  const shapes = size === 'full' ? FULL : SMALL;
  const checks = checksOf(size).map((check) => ({ check, facts: factsOf(check) }));
  const content = (checks[0] as { check: Check }).check.content;
  const figures = { shapes: shapes.length, policies: 0, checks: checks.length, combinations: 0 };
  for (const rules of ruleLists(shapes)) {
    const limited = rules.some((rule) => rule.rateLimit !== undefined);
    for (const defaultAction of ['allow', 'deny'] as const) {
      const policy = { rules, defaultAction };
      const compiled = policyOf({ policy, content });
      for (const { check, facts } of checks) {
        for (const full of limited ? [false, true] : [false]) {
          const usedUp = () => full;
          const verdict = verdictOf(compiled, facts, usedUp);
          const wanted = oracleDecide({ ...check, policy, usedUp });
          if (!same(verdict, wanted)) {
            assert.deepEqual(verdict, wanted, `differs for ${JSON.stringify({ ...check, policy, full })}`);
          }
          figures.combinations++;
        }
      }
      figures.policies++;
      if (figures.policies % 100_000 === 0) tell(`${figures.policies} policies, ${figures.combinations} combinations`);
    }
  }
  return figures;
}

/** Millions of times, so not with deepEqual. */
function same(a: OracleVerdict, b: OracleVerdict): boolean {
  return (
    a.allowed === b.allowed &&
    a.reason === b.reason &&
    a.matchedRule?.index === b.matchedRule?.index &&
    a.matchedRule?.priority === b.matchedRule?.priority &&
    a.permissions.length === b.permissions.length &&
    a.permissions.every((permission, i) => permission === b.permissions[i])
  );
}
