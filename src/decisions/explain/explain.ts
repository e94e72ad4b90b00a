/**
 * The explanation of a decision: every rule in the order of evaluation, every condition with the value that it met.
 * The size of a request's explanations, and the work for its remedies, are bounded. The bound is checked before the
 * work, so that a batch is refused before any of it is recorded. Values that the caller may not read are withheld.
 */
import { fail } from '../../api/errors.ts';
import { type Caller, holdsPermission } from '../../api/permissions.ts';
import { reduceIp } from '../../lib/ip-precision.ts';
import type { Identities } from '../../requesters/identities/identities.ts';
import { NO_OFFERS, type OffersAt, type PriceList } from '../../requesters/offers/price-list.ts';
import type { CompiledRule, ConditionTrace } from '../../rules/compile.ts';
import { tellsOfItem, UNREADABLE } from '../../rules/conditions/conditions.ts';
import type { Evaluation } from '../../rules/decide.ts';
import type { Facts, VerifiedKind } from '../../rules/facts.ts';
import type { Action } from '../../rules/policy.ts';
import type { Decision, RuleRemedy } from '../ledger/decision.ts';
import { reduceUserAgent } from '../ledger/inputs.ts';
import { FULL_PRECISION, type Precision } from '../precision.ts';
import { remediesFor } from './remedies.ts';

export interface RuleTrace {
  index: number;
  priority: number;
  action: Action;
  held: boolean;
  /** This rule decided. */
  decided: boolean;
  conditions: ConditionTrace[];
}

export interface Explanation {
  policyId: string;
  policyVersion: number;
  defaultAction: Action;
  rules: RuleTrace[];
}

/** Without `mayReadContent`, values of the item are withheld. `onRule` may throw to stop. */
export function explain(
  { policy, facts, verdict }: Evaluation,
  mayReadContent = true,
  onRule: (trace: RuleTrace) => void = () => {},
): Explanation {
  return {
    policyId: policy.id,
    policyVersion: policy.version,
    defaultAction: policy.defaultAction,
    rules: policy.rules.map((rule) => {
      const conditions = rule.trace(facts);
      const trace: RuleTrace = {
        index: rule.index,
        priority: rule.priority,
        action: rule.action,
        held: rule.holds(facts),
        decided: rule === verdict.rule,
        conditions: mayReadContent ? conditions : conditions.map((one) => withheld(one, facts)),
      };
      onRule(trace);
      return trace;
    }),
  };
}

/** Withholds the value, and that a key of the metadata is absent. */
function withheld(trace: ConditionTrace, facts: Facts): ConditionTrace {
  if (!tellsOfItem(trace.key, facts)) return trace;
  const { unknown: _, ...rest } = trace;
  return { ...rest, actual: null, withheld: 'content:read' };
}

/** Characters of all explanations of a request, as JSON: as many as its body may have. */
const CHARACTERS_MAX = 16 * 1024 * 1024;
/** Rules evaluated to find remedies for a request; about 0.2 s of plain rules. */
const EVALUATIONS_MAX = 2_000_000;
/** Characters of a rule or a condition besides its values. */
const FRAME = 100;

/** Explains the checks of one request. */
export interface Explainer {
  /** Throws invalid_request when the explanations of the request become too long. */
  explain(evaluation: Evaluation): Pick<Decision, 'explanation' | 'remedies'>;
  /** The same for checks of the past, whose offers are not kept. */
  ofPast: Pick<Explainer, 'explain'>;
}

/** Shows of an address and a user agent what is kept of them: an explanation can be stored with its answer. */
function reduce(trace: ConditionTrace, { ip, userAgent }: Precision): void {
  const { key, actual } = trace;
  if (typeof actual !== 'string') return;
  if (key === 'ip' || key === 'ipNot') trace.actual = actual === UNREADABLE ? actual : (reduceIp(ip, actual) ?? null);
  else if (key === 'userAgent' || key === 'userAgentNot') trace.actual = reduceUserAgent(userAgent, actual) ?? null;
}

export interface ExplainerDeps {
  /** Bounds the part of a visitor's address that explanations show. */
  precision?: typeof FULL_PRECISION;
  /** Knows how a visitor could prove its name; without it, no proof is offered. */
  identities?: Pick<Identities, 'proofsOf'>;
}

/** Returns the ways in which a visitor could prove its name, its token first. */
const possibleProofs = (
  { requester, requesterId, crawler }: Facts,
  identities: ExplainerDeps['identities'],
): VerifiedKind[] =>
  identities === undefined
    ? []
    : [
        ...(requester === null ? [] : (['token'] as const)),
        ...identities.proofsOf({ requesterId, crawler: crawler?.name }),
      ];

/** `param`: the field of the request that the error names. */
export function openExplainer(
  { permissions }: Caller,
  param: string,
  { precision = FULL_PRECISION, identities }: ExplainerDeps,
  offers: PriceList,
): Explainer {
  const mayReadPolicies = holdsPermission(permissions, 'policies:read');
  const mayReadContent = holdsPermission(permissions, 'content:read');
  let characters = 0;
  let evaluations = 0;
  const tooMuch = (what: string) =>
    fail('invalid_request', `${what} of this request are too long. Ask for fewer at once with \`explain\`.`, { param });
  const add = (more: number): void => {
    characters += more;
    if (characters > CHARACTERS_MAX) throw tooMuch('The explanations');
  };

  function explainWithin(evaluation: Evaluation): Explanation {
    add(evaluation.policy.rules.reduce((sum, rule) => sum + getSize(rule), FRAME));
    const explained = explain(evaluation, mayReadContent, (trace) => add(measureValues(trace)));
    for (const { conditions } of explained.rules) for (const one of conditions) reduce(one, precision);
    return explained;
  }

  const explainWith = (evaluation: Evaluation, offersAt: () => OffersAt): ReturnType<Explainer['explain']> => ({
    explanation: mayReadPolicies ? explainWithin(evaluation) : null,
    // An allowed check needs none, and most checks are.
    remedies: evaluation.verdict.reason === null ? [] : findRemedies(evaluation, offersAt()),
  });

  const findRemedies = (evaluation: Evaluation, offered: OffersAt): RuleRemedy[] =>
    remediesFor(
      evaluation,
      () => {
        evaluations += evaluation.policy.rules.length;
        if (evaluations > EVALUATIONS_MAX) throw tooMuch('The remedies');
      },
      possibleProofs(evaluation.facts, identities),
      offered,
    );

  return {
    explain: (evaluation) => {
      const { place, at } = evaluation.facts;
      return explainWith(evaluation, () => offers.at(place.collectionId, at));
    },
    ofPast: { explain: (evaluation) => explainWith(evaluation, () => NO_OFFERS) },
  };
}

const sizes = new WeakMap<CompiledRule, number>();

/** Returns the characters of a rule's trace without the values that its conditions met. */
function getSize(rule: CompiledRule): number {
  let size = sizes.get(rule);
  if (size === undefined) {
    size = JSON.stringify(rule.conditions).length + FRAME * (1 + Object.keys(rule.conditions).length);
    sizes.set(rule, size);
  }
  return size;
}

const measureValues = ({ conditions }: RuleTrace): number =>
  conditions.reduce((sum, { actual }) => sum + JSON.stringify(actual).length, 0);
