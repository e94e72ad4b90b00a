/**
 * No search misses an item: over random policies, requesters, licenses and items, everything that `decide` allows,
 * `findAllowable` has announced for the item's place. Where neither a rule nor a license distinguishes
 * items, the announcement is the decision.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { factsOf, policyOf } from '../../kit/oracle.ts';
import { runSeed } from '../../kit/random.ts';
import { ALL_KEYS, checkArbitrary, inputArbitrary } from '../../test/oracle/arbitrary.ts';
import { type CompiledPolicy, compile } from './compile.ts';
import { readsItem } from './conditions/conditions.ts';
import { decide } from './decide.ts';
import { Facts } from './facts.ts';
import type { Rule } from './policy.ts';
import { type Allowable, findAllowable, findAssumptions, findDependencies, type ItemsOf } from './reach.ts';

const RUNS = Number(process.env.CASES ?? 2_000);
/** Items of each policy and requester. */
const ITEMS = 10;

const worlds = fc.tuple(checkArbitrary(ALL_KEYS), fc.array(inputArbitrary([]), { minLength: ITEMS, maxLength: ITEMS }));

const factsAt = (facts: Facts, more: Partial<Pick<Facts, 'content' | 'place'>>): Facts =>
  new Facts({
    ...facts,
    page: undefined,
    verified: facts.verified ?? undefined,
    attributes: facts.attributes ?? undefined,
    ...more,
  });

const includes = (allowable: Allowable, { id, externalId }: { id: string; externalId: string }): boolean =>
  typeof allowable === 'string' ? allowable === 'any' : allowable.includes(id) || allowable.includes(externalId);

const distinguishesItems = ({ rules }: CompiledPolicy, { licenses }: Facts): boolean =>
  rules.some(({ conditions }) => Object.keys(conditions).some(readsItem)) ||
  licenses.some(({ scope }) => scope?.contentIds !== undefined || scope?.contentTypes || scope?.tags);

test('whatever is allowed is looked for', (t) => {
  t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
  let [allowed, denied, spared] = [0, 0, 0];
  fc.assert(
    fc.property(worlds, ([{ content, url: _, ...check }, others]) => {
      const item = content ?? (others[0]?.content as NonNullable<typeof content>);
      const asked = factsOf({ ...check, content: item });
      const policy = policyOf({ ...check, content: item });
      for (const other of others) {
        const own = asked.content as NonNullable<Facts['content']>;
        const { ownsPolicy } = other.content;
        const place = { policyId: own.policyId, collectionId: own.collectionId, observed: false };
        const archived = other.content.status === 'archived';
        const facts = factsAt(asked, { content: { ...own, ...other.content, archived, ...place }, place });
        const isAllowed = decide(policy, facts).reason === null;
        const named = ownsPolicy ? { ...place, collectionId: null } : place;
        const common = ownsPolicy ? 'policy' : 'place';
        const allowable = findAllowable(policy, factsAt(asked, { content: null, place: named }), common);
        const isSought = includes(allowable, other.content);
        if (isAllowed) allowed++;
        else denied++;
        if (!isSought) spared++;
        assert.ok(isSought || !isAllowed);
        if (!ownsPolicy && !archived && !distinguishesItems(policy, facts)) assert.equal(isSought, isAllowed);
      }
    }),
    { numRuns: RUNS },
  );
  t.diagnostic(
    `${allowed + denied} cells, ${allowed} allowed; of ${denied} denied, ${spared} without a look at the item`,
  );
  assert.ok(allowed > 0 && spared > denied / 3);
});

const policyOfRules = (rules: Rule[]): CompiledPolicy =>
  compile({ no: 1, id: 'pol_x', version: 1, rules, defaultAction: 'deny' });

const mayAllow = (policy: CompiledPolicy, facts: Facts, common: ItemsOf): boolean =>
  findAllowable(policy, facts, common) !== 'none';

const place = { policyId: 'pol_x', collectionId: null, observed: false };
const askedBy = (more: object = {}): Facts =>
  new Facts({
    at: 0,
    content: null,
    place,
    requesterId: 'acme',
    requester: null,
    permission: null,
    purpose: null,
    country: null,
    ip: null,
    userAgent: null,
    licenses: [],
    ...more,
  });

test('who is blocked before any rule about items is not looked for', () => {
  const blocked: Rule = { action: 'deny', conditions: { requesterId: 'acme' } };
  const open: Rule = { action: 'allow', conditions: { contentTags: 'open' } };
  const everything: Rule = { action: 'allow', conditions: {} };
  const ask = (rules: Rule[], more?: object): boolean => mayAllow(policyOfRules(rules), askedBy(more), 'place');
  assert.equal(ask([blocked, open, everything]), false);
  assert.equal(ask([open, blocked, everything]), true);
  assert.equal(ask([blocked, open, everything], { requesterId: 'other' }), true);
  assert.equal(ask([{ ...open, permissions: ['preview_only'] }, blocked], { permission: 'training' }), false);
  assert.equal(ask([{ action: 'allow', conditions: { hasValidLicense: true, contentTags: 'open' } }]), false);
  const suspended = { requester: { type: null, tags: [], metadata: {}, suspended: true } };
  assert.equal(ask([everything], suspended), false);
});

test('a license of some items is looked for where they may be', () => {
  const held = { id: 'lic_1', type: 'a', features: [], startsAt: null, expiresAt: null, active: true };
  const policy = policyOfRules([{ action: 'allow', conditions: { licenseType: 'a' } }]);
  const ask = (scope: object | null): boolean => mayAllow(policy, askedBy({ licenses: [{ ...held, scope }] }), 'place');
  assert.equal(ask(null), true);
  assert.equal(ask({ tags: ['x'] }), true);
  assert.equal(ask({ tags: ['x'], policyIds: ['pol_y'] }), false);
  assert.equal(ask({ collectionIds: ['col_1'] }), false);
});

test('a license of some items does not exclude the others', () => {
  const held = { id: 'lic_1', type: 'a', features: [], startsAt: null, expiresAt: null, active: true };
  const ask = (conditions: Rule['conditions'], scope: object | null): boolean =>
    mayAllow(policyOfRules([{ action: 'allow', conditions }]), askedBy({ licenses: [{ ...held, scope }] }), 'place');
  assert.equal(ask({ hasValidLicense: false }, { tags: ['x'] }), true);
  assert.equal(ask({ hasValidLicense: false }, null), false);
  assert.equal(ask({ hasValidLicense: true, licenseTypeNot: 'a' }, { contentTypes: ['video'] }), true);
});

test('items that are named by their ids are looked for by these', () => {
  const named = (rules: Rule[], more?: object) => findAllowable(policyOfRules(rules), askedBy(more), 'place');
  const byId: Rule = { action: 'allow', conditions: { contentId: ['a', 'b'], contentTagsNot: 'x' } };
  const licensed: Rule = { action: 'allow', conditions: { licenseType: 'a' } };
  const held = { id: 'lic_1', type: 'a', features: [], startsAt: null, expiresAt: null, active: true };
  assert.deepEqual(named([byId]), ['a', 'b']);
  assert.equal(named([byId, { action: 'allow', conditions: { contentTags: 'y' } }]), 'any');
  assert.deepEqual(named([byId, licensed], { licenses: [{ ...held, scope: { contentIds: ['c'] } }] }), ['a', 'b', 'c']);
  assert.equal(
    named([licensed], {
      licenses: [
        { ...held, scope: { contentIds: ['c'] } },
        { ...held, scope: null },
      ],
    }),
    'any',
  );
  const without: Rule = { action: 'allow', conditions: { hasValidLicense: false } };
  assert.equal(named([without], { licenses: [{ ...held, scope: { contentIds: ['c'] } }] }), 'any');
});

test('an item with a policy of its own may be in any collection', () => {
  const policy = policyOfRules([{ action: 'allow', conditions: { collection: 'col_1' } }]);
  assert.equal(mayAllow(policy, askedBy(), 'policy'), true);
  assert.equal(mayAllow(policy, askedBy(), 'place'), false);
});

test('facts that were not stated are named, with how they are taken', () => {
  const policy = policyOfRules([
    { action: 'deny', conditions: { countryNot: 'DE', purpose: 'training' } },
    { action: 'allow', conditions: { requesterVerified: true }, permissions: ['training'] },
    { action: 'allow', conditions: { time: { days: ['thu'] }, requesterType: 'bot' } },
    { action: 'allow', conditions: { requesterId: 'acme' } },
    { action: 'allow', conditions: { userAgent: 'never reached' } },
  ]);
  assert.deepEqual(findAssumptions([policy], { stated: ['purpose'], pages: false }), [
    { condition: 'country', taken: 'unknown' },
    { condition: 'requesterVerified', taken: 'unverified' },
    { condition: 'time', taken: 'now' },
    { condition: 'userAgent', taken: 'unknown' },
  ]);
  const dependencies = (facts: Facts): string[] => findDependencies({ policy, facts, verdict: decide(policy, facts) });
  assert.deepEqual(dependencies(askedBy({ purpose: 'reading' })), ['requesterVerified']);
  assert.deepEqual(dependencies(askedBy()), ['country', 'purpose', 'requesterVerified']);
  assert.deepEqual(dependencies(askedBy({ purpose: 'reading', verified: 'token' })), []);
});
