/**
 * Engines that decide inside the process what TEN_RULES decide, each set up once as its documentation advises; a check
 * costs what it takes from the check and its item to the answer. Where TEN_RULES put their denials first, an engine in
 * which a denial always wins, or in which the last rule wins, decides alike. The tenth rule, deny for the rest, is what
 * all but json-rules-engine do without a rule.
 */
import { createMongoAbility, type RawRuleOf } from '@casl/ability';
import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import { type RuleProperties, Engine as RulesEngine } from 'json-rules-engine';
import type { CheckRequest } from '../../src/access/schema.ts';
import type { ContentFacts } from '../../src/policies/facts.ts';
import type { ItemCheck } from '../inputs.ts';

export interface Engine {
  name: string;
  /** A note on the setup. */
  note: string;
  allows(check: ItemCheck, item: ContentFacts): boolean | Promise<boolean>;
}

const PARTNERS = ['partner_0001', 'partner_0002', 'partner_0003', 'partner_0004', 'partner_0005'];
const UNWELCOME = ['bytespider', 'petalbot', 'semrushbot'];

const lowerAgent = ({ context }: CheckRequest): string => context?.userAgent?.toLowerCase() ?? '';

const CEDAR_PARTNERS = `[${PARTNERS.map((id) => `Requester::"${id}"`).join(', ')}].contains(principal)`;
const CEDAR_POLICIES = [
  ['forbid', UNWELCOME.map((name) => `context.userAgent like "*${name}*"`).join(' || ')],
  ['forbid', '["KP", "IR"].contains(context.country)'],
  ['forbid', 'context.tags.contains("embargoed")'],
  ['forbid', `["training", "fine_tuning"].contains(context.purpose) && !${CEDAR_PARTNERS}`],
  ['forbid', 'context.type == "dataset" && !["research", "search_indexing"].contains(context.purpose)'],
  ['permit', CEDAR_PARTNERS],
  ['permit', 'context.purpose == "search_indexing"'],
  ['permit', 'context.tags.contains("open")'],
  ['permit', 'context.purpose == "research" && ["report", "dataset"].contains(context.type)'],
]
  .map(([effect, expression]) => `${effect}(principal, action, resource) when { ${expression} };`)
  .join('\n');

/** Policies parsed once. What is known of the item goes with the context: as an entity it costs more. */
export function openCedar(): Engine {
  const parsed = cedar.preparsePolicySet('ten', { staticPolicies: CEDAR_POLICIES });
  if (parsed.type !== 'success') throw new Error(JSON.stringify(parsed.errors));
  const action = { type: 'Action', id: 'access' };
  return {
    name: 'cedar-wasm',
    note: 'cedar-wasm: `statefulIsAuthorized` on a preparsed policy set, no schema, no entities; its `like` minds capitals, so the user agent is put in small letters first.',
    allows(check, item) {
      const answer = cedar.statefulIsAuthorized({
        principal: { type: 'Requester', id: check.requesterId ?? '' },
        action,
        resource: { type: 'Content', id: check.contentId },
        context: {
          userAgent: lowerAgent(check),
          country: check.context?.country ?? '',
          purpose: check.purpose ?? '',
          type: item.type,
          tags: item.tags as string[],
        },
        preparsedPolicySetId: 'ten',
        entities: [],
      });
      if (answer.type !== 'success') throw new Error(JSON.stringify(answer.errors));
      return answer.response.decision === 'allow';
    },
  };
}

/** In brackets, because casbin's `in` binds less than `&&`. */
const isIn = (what: string, values: readonly string[]): string =>
  `(${what} in [${values.map((value) => `'${value}'`).join(', ')}])`;
const CASBIN_DENY = [
  'isUnwelcome(r.ask.userAgent)',
  isIn('r.ask.country', ['KP', 'IR']),
  "('embargoed' in r.ask.tags)",
  `${isIn('r.ask.purpose', ['training', 'fine_tuning'])}&&!${isIn('r.ask.requesterId', PARTNERS)}`,
  `r.ask.type == 'dataset'&&!${isIn('r.ask.purpose', ['research', 'search_indexing'])}`,
];
const CASBIN_ALLOW = [
  isIn('r.ask.requesterId', PARTNERS),
  "r.ask.purpose == 'search_indexing'",
  "('open' in r.ask.tags)",
  `r.ask.purpose == 'research'&&${isIn('r.ask.type', ['report', 'dataset'])}`,
];
const casbinModel = (policy: string, effect: string, matcher: string): string => `
[request_definition]
r = ask
[policy_definition]
p = ${policy}
[policy_effect]
e = ${effect}
[matchers]
m = ${matcher}`;
/** Without a space before a bracket: casbin takes one with a comma inside for a list. */
const anyOf = (expressions: readonly string[]): string => expressions.map((one) => `(${one})`).join('||');

async function openCasbin(name: string, note: string, model: string, policies?: string): Promise<Engine> {
  const adapter = policies === undefined ? [] : [new StringAdapter(policies)];
  const enforcer = await newEnforcer(newModelFromString(model), ...adapter);
  await enforcer.addFunction('isUnwelcome', (agent: string) => UNWELCOME.some((one) => agent.includes(one)));
  return {
    name,
    note,
    allows: (check, item) =>
      enforcer.enforceSync({
        requesterId: check.requesterId,
        purpose: check.purpose,
        country: check.context?.country,
        userAgent: lowerAgent(check),
        type: item.type,
        tags: item.tags,
      }),
  };
}

/** All conditions in one matcher: compiled once, one evaluation a check. */
export const openCasbinMatcher = (): Promise<Engine> =>
  openCasbin(
    'casbin, one matcher',
    'casbin: `enforceSync`; its cached enforcer remembers answers to requests of strings and decides nothing, so it is left out. Once with all conditions in one matcher, once with a policy line for each rule, by priority, and `eval`.',
    casbinModel('ask', 'some(where (p.eft == allow))', `!(${anyOf(CASBIN_DENY)})&&(${anyOf(CASBIN_ALLOW)})`),
  );

/** A policy line for each rule, as it advises for many attribute rules. */
export const openCasbinLines = (): Promise<Engine> =>
  openCasbin(
    'casbin, a line for each rule',
    '',
    casbinModel('rule, eft', 'priority(p.eft) || deny', 'eval(p.rule)'),
    [
      ...CASBIN_DENY.map((rule) => `p, "${rule}", deny`),
      ...CASBIN_ALLOW.map((rule) => `p, "${rule}", allow`),
      'p, "true", deny',
    ].join('\n'),
  );

const when = (fact: string, operator: string, value: unknown) => ({ fact, operator, value });
const RULES: readonly [allow: boolean, ...conditions: ReturnType<typeof when>[]][] = [
  [false, when('userAgent', 'isUnwelcome', UNWELCOME)],
  [false, when('country', 'in', ['KP', 'IR'])],
  [false, when('tags', 'contains', 'embargoed')],
  [false, when('purpose', 'in', ['training', 'fine_tuning']), when('requesterId', 'notIn', PARTNERS)],
  [false, when('type', 'equal', 'dataset'), when('purpose', 'notIn', ['research', 'search_indexing'])],
  [true, when('requesterId', 'in', PARTNERS)],
  [true, when('purpose', 'equal', 'search_indexing')],
  [true, when('tags', 'contains', 'open')],
  [true, when('purpose', 'equal', 'research'), when('type', 'in', ['report', 'dataset'])],
  [false],
];

/** A shared engine for all checks; the first matching rule stops it. */
export function openJsonRulesEngine(): Engine {
  const engine = new RulesEngine(
    RULES.map(
      ([allow, ...all], index): RuleProperties => ({
        conditions: { all },
        event: { type: allow ? 'allow' : 'deny' },
        priority: RULES.length - index,
      }),
    ),
  );
  engine.addOperator('isUnwelcome', (agent: string, names: readonly string[]) =>
    names.some((name) => agent.includes(name)),
  );
  engine.on('success', () => engine.stop());
  return {
    name: 'json-rules-engine',
    note: 'json-rules-engine: built once, constant facts in each run, a priority for each rule, stopped by the first that holds; an operator of ours for the user agent. It only answers by promise.',
    async allows(check, item) {
      const { events } = await engine.run({
        requesterId: check.requesterId,
        purpose: check.purpose,
        country: check.context?.country,
        userAgent: lowerAgent(check),
        type: item.type,
        tags: item.tags,
      });
      return events[0]?.type === 'allow';
    },
  };
}

/** CASL takes a subject's type from its class. */
class Asked {
  readonly purpose: string | undefined;
  readonly country: string | undefined;
  readonly userAgent: string | undefined;
  readonly type: string;
  readonly tags: readonly string[];

  constructor({ purpose, context }: CheckRequest, { type, tags }: ContentFacts) {
    this.purpose = purpose;
    this.country = context?.country;
    this.userAgent = context?.userAgent;
    this.type = type;
    this.tags = tags;
  }
}

/** Builds an ability for each kind of requester, with the purpose as the action. The last matching rule wins. */
export function openCasl(): Engine {
  const abilityOf = (isPartner: boolean) =>
    createMongoAbility([
      { action: 'research', subject: 'Asked', conditions: { type: { $in: ['report', 'dataset'] } } },
      { action: 'manage', subject: 'Asked', conditions: { tags: 'open' } },
      { action: 'search_indexing', subject: 'Asked' },
      ...(isPartner ? [{ action: 'manage', subject: 'Asked' }] : []),
      {
        action: 'manage',
        subject: 'Asked',
        inverted: true,
        conditions: { type: 'dataset', purpose: { $nin: ['research', 'search_indexing'] } },
      },
      ...(isPartner ? [] : [{ action: ['training', 'fine_tuning'], subject: 'Asked', inverted: true }]),
      { action: 'manage', subject: 'Asked', inverted: true, conditions: { tags: 'embargoed' } },
      { action: 'manage', subject: 'Asked', inverted: true, conditions: { country: { $in: ['KP', 'IR'] } } },
      {
        action: 'manage',
        subject: 'Asked',
        inverted: true,
        conditions: { userAgent: { $regex: /bytespider|petalbot|semrushbot/i } },
      },
    ] satisfies RawRuleOf<ReturnType<typeof createMongoAbility>>[]);
  const [ofPartners, ofOthers] = [abilityOf(true), abilityOf(false)];
  const partners = new Set(PARTNERS);
  return {
    name: 'CASL',
    note: 'CASL: abilities belong to a user, so there are two, built once: of partners and of others. The purpose is the action, and what is known of the request and of the item together is the subject. It has no test for a part of a text: a regular expression stands in.',
    allows(check, item) {
      const ability = partners.has(check.requesterId ?? '') ? ofPartners : ofOthers;
      return ability.can(check.purpose ?? 'none', new Asked(check, item));
    },
  };
}
