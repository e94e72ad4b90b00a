/**
 * Runs the cases of a policy file, pure: each check is decided as the service would decide it, on what the case says of the
 * item, the requester and its licences, and compared with what the case expects. Nothing is stored and nothing is counted:
 * rate limits are never used up.
 */
import type { Reason } from '../ledger/reason.ts';
import { type Compilable, type CompiledPolicy, compile } from '../policies/compile.ts';
import type { ContentFacts, LicenseFacts, RequesterFacts } from '../policies/facts.ts';
import { decide, type Verdict } from './decide.ts';
import type { Expectation, PolicyCase, PolicyFile } from './policy-file.ts';
import { factsOf } from './subject.ts';

/** What came of a case. */
export interface Outcome {
  allowed: boolean;
  reason: Reason | null;
  permissions: readonly string[];
  /** Zero-based; null: the default action decided, or no rule was asked. */
  rule: number | null;
}

export interface Difference {
  field: keyof Outcome;
  expected: Outcome[keyof Outcome];
  actual: Outcome[keyof Outcome];
}

export interface CaseResult {
  name: string;
  passed: boolean;
  outcome: Outcome;
  /** In the order allowed, reason, permissions, rule; empty when the case passed. */
  differences: Difference[];
}

type CaseCheck = PolicyCase['check'];

const POLICY_ID = 'pol_under_test';

/** The results in the order of the cases; `now` is the moment of the checks that name none. */
export function runCases(file: PolicyFile, now: number): CaseResult[] {
  const policy = compile(policyOf(file));
  return (file.cases ?? []).map(({ name, check, expect }) => {
    const outcome = outcomeOf(verdictOf(policy, check, now));
    const differences = compare(expect, outcome);
    return { name, passed: differences.length === 0, outcome, differences };
  });
}

const policyOf = (file: PolicyFile): Compilable => ({
  no: 0,
  id: POLICY_ID,
  version: 1,
  rules: file.rules,
  defaultAction: file.defaultAction ?? 'deny',
});

const outcomeOf = ({ reason, permissions, rule }: Verdict): Outcome => ({
  allowed: reason === null,
  reason,
  permissions,
  rule: rule?.index ?? null,
});

/** What the case leaves out is what a check, an item or a requester without it would be. */
function verdictOf(policy: CompiledPolicy, check: CaseCheck, now: number): Verdict {
  const requester = {
    facts: check.requester === undefined ? null : requesterOf(check.requester),
    licenses: (check.licenses ?? []).map(licenseOf),
  };
  const at = check.at === undefined ? now : Date.parse(check.at);
  const requesterId = check.requesterId ?? (check.requester === undefined ? undefined : 'requester');
  const subject = { content: contentOf(policy, check), requester };
  return decide(policy, factsOf(subject, requesterId, check, at));
}

/** `contentId` may be either name of the item; it stands for the one that is not given otherwise. */
function contentOf(policy: CompiledPolicy, { contentId, content = {} }: CaseCheck): ContentFacts {
  const id = contentId ?? content.externalId ?? 'item';
  return {
    no: 0,
    id,
    externalId: content.externalId ?? id,
    type: content.type ?? 'article',
    tags: content.tags ?? [],
    metadata: content.metadata ?? {},
    policyId: content.policyId ?? policy.id,
    archived: content.archived ?? false,
  };
}

const requesterOf = (requester: NonNullable<CaseCheck['requester']>): RequesterFacts => ({
  type: requester.type ?? null,
  tags: requester.tags ?? [],
  metadata: requester.metadata ?? {},
  suspended: requester.suspended ?? false,
});

const licenseOf = (license: NonNullable<CaseCheck['licenses']>[number]): LicenseFacts => ({
  id: null,
  type: license.type,
  features: license.features ?? [],
  startsAt: momentOf(license.startsAt),
  expiresAt: momentOf(license.expiresAt),
  active: true,
  scope: license.scope ?? null,
});

const momentOf = (text: string | null | undefined): number | null => (text == null ? null : Date.parse(text));

/** What the case does not name may be anything. */
function compare(expect: Expectation, outcome: Outcome): Difference[] {
  const { allowed, reason, permissions, rule } = expect;
  const differences: Difference[] = [];
  const differ = <F extends keyof Outcome>(field: F, expected: Outcome[F]): void => {
    differences.push({ field, expected, actual: outcome[field] });
  };
  if (allowed !== outcome.allowed) differ('allowed', allowed);
  if (reason !== undefined && reason !== outcome.reason) differ('reason', reason);
  if (permissions !== undefined && !sameMembers(permissions, outcome.permissions)) differ('permissions', permissions);
  if (rule !== undefined && rule !== outcome.rule) differ('rule', rule);
  return differences;
}

/** In any order. */
function sameMembers(some: readonly string[], others: readonly string[]): boolean {
  const [a, b] = [new Set(some), new Set(others)];
  return a.size === b.size && a.isSubsetOf(b);
}
