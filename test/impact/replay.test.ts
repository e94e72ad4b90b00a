/** Decisions decided again, in memory: every count is what the second implementation says, and nothing is guessed. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import type { RecordedDecision } from '../../src/decisions/history/past.ts';
import { decisionId } from '../../src/decisions/ledger/decision.ts';
import { type Known, PastStates, type PresentItem, Replay, recordedVersion } from '../../src/reports/whatif/impact.ts';
import { toReport } from '../../src/reports/whatif/report.ts';
import { CAUSES, type ImpactTally } from '../../src/reports/whatif/tally.ts';
import type { Past } from '../../src/requesters/licenses/history.ts';
import type { License } from '../../src/requesters/licenses/license.ts';
import { FIRST_VALUES } from '../../src/requesters/requester.ts';
import { UNPLACED } from '../../src/rules/facts.ts';
import type { PolicyVersion, Rule } from '../../src/rules/policy.ts';
import { type Reason, reasonCode } from '../../src/rules/reason.ts';
import { ALL_KEYS, inputArbitrary, policyArbitrary } from '../oracle/arbitrary.ts';
import { type OracleInput, type OracleVerdict, oracleDecide } from '../oracle/decide.ts';

const CASES = Number(process.env.CASES ?? 3_000);
const LEDGER_NO = 3;
const NOON = Date.parse('2026-11-20T12:00:00Z');

type Policy = Pick<PolicyVersion, 'rules' | 'defaultAction'>;

const versionOf = (policy: Policy, version: number): PolicyVersion => ({
  no: 1,
  id: 'pol_1',
  version,
  name: 'p',
  description: null,
  ...policy,
});

const itemOf = (facts: Partial<PresentItem['facts']> = {}, editedAt: number | null = null): PresentItem => ({
  facts: {
    no: 7,
    id: 'cnt_7',
    externalId: 'seven',
    type: 'article',
    tags: [],
    metadata: {},
    policyId: 'pol_1',
    archived: false,
    ...UNPLACED,
    ...facts,
  },
  title: 'Seven',
  editedAt,
});

/** Returns a past in which a requester and its licenses never changed. */
function pastOf({ requester, licenses }: Pick<OracleInput, 'requester' | 'licenses'>): Past {
  if (requester === null) return { createdAt: null, versions: [] };
  const common = { metadata: {}, createdAt: 0, updatedAt: 0 };
  return {
    createdAt: 0,
    versions: [
      {
        kind: 'requester',
        id: 'r',
        at: 0,
        record: { ...FIRST_VALUES, ...common, no: 1, id: 'r', name: 'r', ...requester },
      },
      ...licenses.map((license, i) => {
        const id = `lic_${i}`;
        const record = { ...common, id, requesterId: 'r', ...license } as License;
        return { kind: 'license' as const, id, at: 0, record };
      }),
    ],
  };
}

/** The decision that the log holds for a check with this verdict. */
function toDecision(input: OracleInput, { reason, matchedRule }: OracleVerdict): RecordedDecision {
  const { permission, purpose } = input;
  // A service that judged the crawler states what came of it.
  const context = input.context?.userAgent == null ? input.context : { crawlerVerified: false, ...input.context };
  return {
    seq: 5,
    at: input.at,
    contentNo: 7,
    requesterId: input.requesterId,
    version: 1,
    reason: reasonCode(reason as Reason | null),
    ruleIndex: matchedRule?.index ?? null,
    inputs: JSON.stringify({ context }),
    permission,
    purpose,
    url: null,
    collectionId: null,
    crawler: null,
    claimed: null,
    verified: null,
  };
}

test('each decision counts as the second implementation says', () => {
  const turned = { allowToDeny: 0, denyToAllow: 0, otherPermissions: 0, otherReason: 0, unchanged: 0, limited: 0 };
  const law = fc.property(
    inputArbitrary(ALL_KEYS),
    policyArbitrary(ALL_KEYS),
    fc.boolean(),
    (given, drafted, isUsedUp) => {
      // Where a limit refused, most rules have one.
      const generated = isUsedUp ? { ...given, policy: withLimits(given.policy) } : given;
      const other = isUsedUp && given.at % 2 === 0 ? withLimits(drafted) : drafted;
      // A license without a calling server behind it belongs to a registered requester.
      const licenses = generated.requester === null ? [] : generated.licenses;
      const input: OracleInput = { ...generated, licenses, usedUp: () => isUsedUp };
      const before = oracleDecide(input);
      const after = oracleDecide({ ...input, policy: other, usedUp: () => false });
      const { status, ...content } = input.content;
      const item = itemOf({ ...content, archived: status === 'archived' });
      const decision = toDecision(input, before);
      const replay = new Replay({ draft: versionOf(other, 2), ledgerNo: LEDGER_NO, examples: 3 });
      replay.add(decision, {
        item,
        requester: input.requesterId == null ? undefined : new PastStates(pastOf(input)),
        version: recordedVersion(versionOf(input.policy, 1)),
      });
      const { counts, byReason, examples, unknown, byRequester, byContent } = replay.tally();
      const kind = kindOf(before, after, input, other);
      turned[kind]++;
      assert.deepEqual(counts, {
        decisions: 1,
        unchanged: 0,
        allowToDeny: 0,
        denyToAllow: 0,
        otherPermissions: 0,
        otherReason: 0,
        limited: 0,
        [kind]: 1,
      });
      assert.deepEqual(unknown, { decisions: 0, causes: [] });
      const turns = kind === 'allowToDeny' || kind === 'denyToAllow';
      const one = { allowToDeny: 0, denyToAllow: 0, [kind]: 1 };
      assert.deepEqual([...byRequester], turns ? [[input.requesterId, one]] : []);
      assert.deepEqual([...byContent], turns ? [[7, one]] : []);
      const reasons = [{ from: before.reason, to: after.reason, count: 1 }];
      assert.deepEqual(byReason, turns || kind === 'otherReason' ? reasons : []);
      const example = {
        decisionId: decisionId(LEDGER_NO, input.at, 5),
        created: new Date(input.at).toISOString(),
        contentId: content.id,
        url: null,
        requesterId: input.requesterId,
        before: { allowed: before.allowed, reason: before.reason },
        after: { allowed: after.allowed, reason: after.reason, matchedRule: after.matchedRule },
      };
      assert.deepEqual(
        examples.map(({ visitor: _, ...rest }) => rest),
        turns ? [example] : [],
      );
    },
  );
  fc.assert(law, { numRuns: CASES });
  for (const [kind, count] of Object.entries(turned)) assert.ok(count >= CASES / 500, `${kind}: ${count}`);
});

const withLimits = ({ rules, defaultAction }: Policy): Policy => ({
  defaultAction,
  rules: rules.map((rule, i) => (i < 4 ? { ...rule, rateLimit: { requests: 1, period: 'day' } } : rule)),
});

/** Names the kind of change between two verdicts; `draft` gave the second. */
function kindOf(before: OracleVerdict, after: OracleVerdict, { content, requester }: OracleInput, draft: Policy) {
  if (content.status === 'archived' || requester?.status === 'suspended') return 'unchanged';
  if (before.reason === 'rate_limit_exceeded' && after.allowed && isLimited(after, draft)) return 'limited';
  if (before.allowed !== after.allowed) return before.allowed ? 'allowToDeny' : 'denyToAllow';
  if (!before.allowed) return before.reason === after.reason ? 'unchanged' : 'otherReason';
  const same = new Set(before.permissions).symmetricDifference(new Set(after.permissions)).size === 0;
  return same ? 'unchanged' : 'otherPermissions';
}

const isLimited = ({ matchedRule }: OracleVerdict, { rules }: Policy): boolean =>
  matchedRule !== null && rules[matchedRule.index]?.rateLimit !== undefined;

// ---------------------------------------------------------------------------------------------------------------------

const allow = (conditions: object = {}, more: object = {}): Rule => ({ action: 'allow', conditions, ...more }) as Rule;
const policy = (...rules: Rule[]): Policy => ({ rules, defaultAction: 'deny' });

interface Given {
  before?: Policy;
  draft?: Policy;
  /** The same number as that of the decisions: they were decided by the draft. */
  draftVersion?: number;
  items?: [number, PresentItem][];
  pasts?: Record<string, Past>;
  examples?: number;
}

const recorded = (more: Partial<RecordedDecision> = {}): RecordedDecision => ({
  seq: 1,
  at: NOON,
  contentNo: 7,
  requesterId: null,
  version: 1,
  reason: 0,
  ruleIndex: 0,
  inputs: null,
  permission: null,
  purpose: null,
  url: null,
  collectionId: null,
  crawler: null,
  claimed: null,
  verified: null,
  ...more,
});

const NOBODY: Past = { createdAt: null, versions: [] };

function replayed(
  decisions: Partial<RecordedDecision>[],
  { before = policy(allow()), draft = policy(), draftVersion = 2, items, pasts = {}, examples = 10 }: Given,
): ImpactTally {
  const present = new Map(items ?? [[7, itemOf()]]);
  const states = new Map(Object.entries(pasts).map(([id, past]) => [id, new PastStates(past)]));
  const versions = new Map([[1, recordedVersion(versionOf(before, 1))]]);
  const knownOf = ({ contentNo, requesterId, version }: RecordedDecision): Known => ({
    item: present.get(contentNo),
    requester: states.get(requesterId ?? ''),
    version: versions.get(version),
  });
  const replay = new Replay({ draft: versionOf(draft, draftVersion), ledgerNo: LEDGER_NO, examples });
  for (const decision of decisions) {
    const one = recorded(decision);
    replay.add(one, knownOf(one));
  }
  return replay.tally();
}

const causesOf = (decisions: Partial<RecordedDecision>[], given: Given): Record<string, number> => {
  const { unknown, counts } = replayed(decisions, given);
  for (const { cause } of unknown.causes) assert.ok(CAUSES.includes(cause), cause);
  const causes = Object.fromEntries(unknown.causes.map(({ cause, count }) => [cause, count]));
  assert.equal(
    unknown.decisions,
    unknown.causes.reduce((sum, { count }) => sum + count, 0),
  );
  assert.equal(counts.decisions, decisions.length);
  return causes;
};

describe('what is not known', () => {
  const registered = (licenses: OracleInput['licenses']): Past =>
    pastOf({ requester: { type: null, tags: [], metadata: {}, status: 'active' }, licenses });
  const license = (scope: object): OracleInput['licenses'][number] => ({
    type: 'a',
    features: [],
    startsAt: null,
    expiresAt: null,
    status: 'active',
    scope,
  });
  const edited: [number, PresentItem][] = [[7, itemOf({}, NOON + 1)]];
  const asksType = policy(allow({ contentType: 'article' }));

  test('a requester of whom nothing is kept', () => {
    assert.deepEqual(causesOf([{ requesterId: 'r' }], {}), { requester_history: 1 });
    const later = { createdAt: 0, versions: [] };
    assert.deepEqual(causesOf([{ requesterId: 'r' }], { pasts: { r: later } }), { requester_history: 1 });
    assert.deepEqual(causesOf([{ requesterId: 'r' }], { pasts: { r: NOBODY } }), {});
    assert.deepEqual(causesOf([{}], {}), {});
  });
  test('an item that was edited, where the draft asks what it was', () => {
    for (const key of ['contentType', 'contentTypeNot', 'contentTags', 'contentTagsNot']) {
      assert.deepEqual(
        causesOf([{}], { items: edited, draft: policy(allow({ [key]: 'x' })) }),
        { item_edited: 1 },
        key,
      );
    }
    for (const key of ['contentMetadata', 'contentMetadataNot']) {
      const draft = policy(allow({ purpose: 'x' }), allow({ [key]: { tier: 1 } }));
      assert.deepEqual(causesOf([{}], { items: edited, draft }), { item_edited: 1 }, key);
    }
    assert.deepEqual(
      causesOf([{}], { items: edited, draft: policy(allow({ contentId: 'cnt_7' }), { action: 'deny' }) }),
      {},
    );
    const other: [number, PresentItem][] = [[7, itemOf()]];
    assert.deepEqual(causesOf([{}], { items: other, draft: asksType }), {});
  });
  test('an edit counts from its moment on', () => {
    const items = edited;
    assert.deepEqual(causesOf([{ at: NOON }, { at: NOON + 1 }, { at: NOON + 2 }], { items, draft: asksType }), {
      item_edited: 1,
    });
  });
  test('an item that was edited, where a licence asks what it was', () => {
    const asked = (scope: object) =>
      causesOf([{ requesterId: 'r' }], { items: edited, pasts: { r: registered([license({}), license(scope)]) } });
    assert.deepEqual(asked({ contentTypes: ['article'] }), { item_edited: 1 });
    assert.deepEqual(asked({ tags: ['a'] }), { item_edited: 1 });
    assert.deepEqual(asked({ contentIds: ['seven'] }), {});
    assert.deepEqual(asked({ policyIds: ['pol_1'] }), {});
    assert.deepEqual(asked(null as never), {});
  });
  test('a decision that does not come out as it was recorded', () => {
    const asked = (decision: Partial<RecordedDecision>, more: Given = {}) => causesOf([decision], more);
    assert.deepEqual(asked({ reason: reasonCode('policy_denied') }), { not_reproduced: 1 });
    assert.deepEqual(asked({ ruleIndex: 1 }), { not_reproduced: 1 });
    assert.deepEqual(asked({ ruleIndex: null }), { not_reproduced: 1 });
    assert.deepEqual(asked({ version: 9 }), { not_reproduced: 1 });
    const limited = { reason: reasonCode('rate_limit_exceeded') };
    assert.deepEqual(asked(limited), {});
    assert.deepEqual(asked({ ...limited, ruleIndex: null }), { not_reproduced: 1 });
    assert.deepEqual(asked(limited, { before: policy({ action: 'deny' }) }), { not_reproduced: 1 });
    // What the item was plays no part in it: an edit is no excuse; and where it plays one, the item is as it was.
    assert.deepEqual(asked({ ruleIndex: 1 }, { items: edited }), { not_reproduced: 1 });
    assert.deepEqual(asked({ ruleIndex: 1 }, { before: asksType }), { not_reproduced: 1 });
    // The draft is the version that decided.
    assert.deepEqual(asked({ ruleIndex: 1 }, { draft: policy(allow()), draftVersion: 1 }), { not_reproduced: 1 });
    assert.deepEqual(asked({}, { draft: policy(allow()), draftVersion: 1 }), {});
  });
  test('the most frequent cause first', () => {
    const { unknown } = replayed([{ ruleIndex: 1 }, { requesterId: 'r' }, { requesterId: 'r' }], {});
    assert.deepEqual(unknown, {
      decisions: 3,
      causes: [
        { cause: 'requester_history', count: 2 },
        { cause: 'not_reproduced', count: 1 },
      ],
    });
  });
  test('what an edited item was granted is read from the rule that decided', () => {
    const before = policy(
      allow({ contentType: 'report' }, { permissions: ['training', 'inference'] }),
      allow({ contentType: 'image' }),
    );
    const grants = (permissions: string[], ruleIndex: number | null) =>
      replayed([{ ruleIndex }], { before, draft: policy(allow({}, { permissions })), items: edited }).counts;
    assert.equal(grants(['inference', 'training'], 0).unchanged, 1);
    assert.equal(grants(['inference'], 0).otherPermissions, 1);
    assert.equal(grants(['inference', 'training', 'full_access'], 0).otherPermissions, 1);
    assert.equal(grants(['full_access'], 1).unchanged, 1);
    assert.equal(grants(['full_access'], null).unchanged, 1);
    assert.equal(grants(['training'], null).otherPermissions, 1);
  });
  test('who was denied was granted nothing', () => {
    const denied = { reason: reasonCode('policy_denied'), ruleIndex: 0 };
    const before = policy({ action: 'deny', conditions: { contentType: 'article' } });
    const { counts } = replayed([denied], { before, draft: policy({ action: 'deny' }), items: edited });
    assert.deepEqual([counts.unchanged, counts.otherPermissions], [1, 0]);
  });
  test('deleted items are passed over', () => {
    assert.equal(replayed([{}, { contentNo: 8 }], {}).counts.decisions, 1);
  });
  test('archived and suspended were decided before any rule', () => {
    const tally = replayed(
      (['content_archived', 'requester_suspended'] as const).map((reason) => ({
        reason: reasonCode(reason),
        ruleIndex: null,
        requesterId: 'unknown',
        version: 9,
      })),
      {},
    );
    assert.deepEqual([tally.counts.unchanged, tally.unknown.decisions], [2, 0]);
  });
});

describe('a requester is taken as it was', () => {
  const record = (type: string): Past['versions'][number]['record'] => ({
    ...FIRST_VALUES,
    no: 1,
    id: 'r',
    name: 'r',
    type,
    createdAt: NOON,
    updatedAt: NOON,
  });
  const past: Past = {
    createdAt: NOON,
    versions: [
      { kind: 'requester', id: 'r', at: NOON, record: record('a') },
      { kind: 'requester', id: 'r', at: NOON + 10, record: record('b') },
      { kind: 'requester', id: 'r', at: NOON + 20, record: null },
    ],
  };
  const typeAt = (states: PastStates, at: number) => states.at(NOON + at)?.facts?.type;
  test('between its edits, in whatever order it is asked for', () => {
    const moments: [number, string | undefined][] = [
      [-1, undefined],
      [0, 'a'],
      [9, 'a'],
      [10, 'b'],
      [19, 'b'],
      [20, undefined],
      [99, undefined],
    ];
    for (const order of [moments, moments.toReversed()]) {
      const states = new PastStates(past);
      for (const [at, type] of order) assert.equal(typeAt(states, at), type, String(at));
    }
  });
  test('is not known when it was there before what is kept', () => {
    const states = new PastStates({ createdAt: NOON, versions: past.versions.slice(1) });
    assert.deepEqual([states.at(NOON - 1)?.facts, states.at(NOON), typeAt(states, 10)], [null, undefined, 'b']);
    assert.deepEqual(new PastStates({ createdAt: null, versions: [] }).at(NOON), { facts: null, licenses: [] });
  });
  test('a state that was asked for is worked out once', () => {
    const states = new PastStates(past);
    assert.equal(states.at(NOON), states.at(NOON + 9));
    assert.notEqual(states.at(NOON), states.at(NOON + 10));
  });
});

describe('the account', () => {
  const draft = policy(allow({ purpose: 'b' }));
  const before = policy(allow({ purpose: 'a' }), allow({ purpose: 'c' }, { permissions: ['training'] }));
  const asked = (purpose: string, seq: number, more: Partial<RecordedDecision> = {}): Partial<RecordedDecision> => ({
    seq,
    inputs: JSON.stringify({ purpose }),
    ...more,
  });
  const turned = (purpose: string, seq: number): Partial<RecordedDecision> =>
    purpose === 'b' ? asked(purpose, seq, { reason: 7, ruleIndex: null }) : asked(purpose, seq);
  test('examples are the first of each kind, the frequent kind first, in turns, up to the number asked for', () => {
    const decisions = [turned('b', 1), turned('a', 2), turned('a', 3), turned('b', 4), turned('a', 5)];
    const seen = (examples: number) =>
      replayed(decisions, { before, draft, examples }).examples.map((one) =>
        decisions.findIndex(({ seq }) => one.decisionId === decisionId(LEDGER_NO, NOON, seq as number)),
      );
    assert.deepEqual(seen(10), [1, 0, 2, 3, 4]);
    assert.deepEqual(seen(3), [1, 0, 2]);
    assert.deepEqual(seen(1), [1]);
    assert.deepEqual(seen(0), []);
  });
  test('by reason, the most frequent first', () => {
    assert.deepEqual(replayed([turned('b', 1), turned('a', 2), turned('a', 3)], { before, draft }).byReason, [
      { from: null, to: 'policy_denied', count: 2 },
      { from: 'policy_denied', to: null, count: 1 },
    ]);
  });
  test('by requester and item, both ways', () => {
    const items: [number, PresentItem][] = [7, 8].map((no) => [no, itemOf({ no })]);
    const decisions = [
      { ...turned('a', 1), requesterId: 'r' },
      { ...turned('b', 2), requesterId: 'r', contentNo: 8 },
      { ...turned('a', 3), requesterId: 'r', contentNo: 8 },
      turned('a', 4),
      asked('x', 5, { reason: 7, ruleIndex: null, requesterId: 'q' }),
    ];
    const tally = replayed(decisions, { before, draft, items, pasts: { r: NOBODY, q: NOBODY } });
    assert.deepEqual(Object.fromEntries(tally.byRequester), {
      r: { allowToDeny: 2, denyToAllow: 1 },
      null: { allowToDeny: 1, denyToAllow: 0 },
    });
    assert.deepEqual(Object.fromEntries(tally.byContent), {
      7: { allowToDeny: 2, denyToAllow: 0 },
      8: { allowToDeny: 1, denyToAllow: 1 },
    });
  });
  test('by who: a requester, else a crawler by its proof, else a program; rare programs beyond a bound are one', () => {
    const agent = (userAgent?: string) => ({ inputs: JSON.stringify({ purpose: 'a', context: { userAgent } }) });
    const decisions = [
      { ...turned('a', 1), requesterId: 'r', crawler: 'GPTBot' },
      { ...turned('a', 2), crawler: 'GPTBot' },
      { ...turned('a', 3), crawler: 'GPTBot', verified: 1 },
      { ...turned('a', 4), crawler: 'GPTBot', claimed: 'GPTBot' },
      { ...turned('a', 5), ...agent('FooBot/1.0') },
      { ...turned('a', 6), ...agent('foobot/2.0') },
      turned('a', 7),
      { ...turned('a', 8), inputs: JSON.stringify({ purpose: 'a', context: {}, reduced: ['context.userAgent'] }) },
    ];
    const flood = Array.from({ length: 20_050 }, (_, i) => ({ ...turned('a', 10 + i), ...agent(`made-up-${i}/1.0`) }));
    const tally = (list: Partial<RecordedDecision>[]) => {
      const { byWho } = replayed(list, { before, draft, pasts: { r: NOBODY } });
      return [...byWho.values()].map(({ visitor, allowToDeny }) => [...Object.values(visitor), allowToDeny]);
    };
    const all = [
      ['requester', 'r', 1],
      ['crawler', 'GPTBot', 'none', 1],
      ['crawler', 'GPTBot', 'verified', 1],
      ['crawler', 'GPTBot', 'spoofed', 1],
      ['program', 'foobot', 2],
      ['no_user_agent', null, 1],
      ['unknown', null, 1],
    ];
    assert.deepEqual(tally(decisions), all);
    const flooded = tally([...decisions, ...flood]);
    assert.deepEqual(flooded.slice(0, all.length), all);
    assert.ok(flooded.length <= 20_000 && flooded.some(([, name]) => name === 'other'));
    const sum = flooded.reduce((total, row) => total + (row.at(-1) as number), 0);
    assert.equal(sum, decisions.length + flood.length);
  });
  test('inputs are remembered by their text, however many there are', () => {
    const many = Array.from({ length: 10_050 }, (_, i) =>
      asked('a', i, { inputs: JSON.stringify({ purpose: 'a', n: i }) }),
    );
    const twice = [...many, ...many.slice(0, 60)];
    assert.equal(replayed(twice, { before, draft }).counts.allowToDeny, twice.length);
  });
});

describe('the report', () => {
  const tally = replayed([], {});
  const turns = (allowToDeny: number, denyToAllow = 0) => ({ allowToDeny, denyToAllow });
  const span = { draft: versionOf(policy(), 1), from: NOON, to: NOON + 1000 };
  const report = (more: Partial<ImpactTally>, asked: unknown[] = []) =>
    toReport(
      {
        async names(ids) {
          asked.push(['names', ids]);
          return new Map([['b', 'Bee']]);
        },
        async collections(ids) {
          return new Map(ids.filter((id) => id !== 'col_gone').map((id) => [id, `Name of ${id}`]));
        },
        async items(nos, policyId) {
          asked.push(['items', nos, policyId]);
          return new Map(
            nos.filter((no) => no !== 9).map((no) => [no, itemOf({ no, id: `cnt_${no}`, externalId: `e${no}` })]),
          );
        },
      },
      span,
      { ...tally, ...more },
    );
  test('has the counts, the span and the policy', async () => {
    const { counts, byReason, examples, unknown } = tally;
    assert.deepEqual(await report({}), {
      object: 'policy_impact',
      policyId: 'pol_1',
      from: '2026-11-20T12:00:00.000Z',
      to: '2026-11-20T12:00:01.000Z',
      ...counts,
      byRequester: [],
      byWho: [],
      byContent: [],
      byCollection: [],
      byReason,
      examples,
      unknown,
    });
  });
  test('names the collections that are still there', async () => {
    const byCollection = new Map([
      ['col_a', turns(1)],
      ['col_gone', turns(0, 3)],
    ]);
    assert.deepEqual((await report({ byCollection })).byCollection, [
      { id: 'col_gone', name: null, ...turns(0, 3) },
      { id: 'col_a', name: 'Name of col_a', ...turns(1) },
    ]);
  });
  test('the most changes first, equal ones by name; nobody has no name', async () => {
    const by: [string | null, ReturnType<typeof turns>][] = [
      ['c', turns(1)],
      ['b', turns(0, 1)],
      [null, turns(1, 0)],
      ['d', turns(1, 2)],
    ];
    for (const order of [by, by.toReversed()]) {
      const asked: unknown[] = [];
      const { byRequester } = await report({ byRequester: new Map(order) }, asked);
      assert.deepEqual(byRequester, [
        { id: 'd', name: 'd', ...turns(1, 2) },
        { id: null, name: null, ...turns(1) },
        { id: 'b', name: 'Bee', ...turns(0, 1) },
        { id: 'c', name: 'c', ...turns(1) },
      ]);
      assert.deepEqual(asked[0], ['names', ['d', 'b', 'c']]);
    }
  });
  test('items by their present names; deleted ones are left out', async () => {
    const asked: unknown[] = [];
    const by: [number, ReturnType<typeof turns>][] = [
      [9, turns(5)],
      [10, turns(1)],
      [8, turns(1)],
    ];
    assert.deepEqual((await report({ byContent: new Map(by) }, asked)).byContent, [
      { id: 'cnt_8', externalId: 'e8', title: 'Seven', ...turns(1) },
      { id: 'cnt_10', externalId: 'e10', title: 'Seven', ...turns(1) },
    ]);
    assert.deepEqual(asked[1], ['items', [9, 8, 10], 'pol_1']);
  });
  test('twenty of each', async () => {
    const many = Array.from({ length: 21 }, (_, i): [number, ReturnType<typeof turns>] => [100 + i, turns(i + 1)]);
    const { byContent } = await report({ byContent: new Map(many) });
    assert.deepEqual([byContent.length, byContent.at(-1)?.id], [20, 'cnt_101']);
  });
});
