/**
 * Runs the cases of a policy file. Each check is decided as the service would decide it, with the item, requester and
 * licenses that the case describes, and compared with what the case expects. Pure: nothing is stored, and rate limits
 * never run out.
 */
import { decide, type Verdict } from '../../access/decide.ts';
import { toFacts } from '../../access/facts.ts';
import type { Reason } from '../../ledger/reason.ts';
import { parseVisited } from '../../lib/locator.ts';
import { type Compilable, type CompiledPolicy, compile } from '../../policies/compile.ts';
import type { ContentFacts, LicenseFacts, Place, RequesterFacts } from '../../policies/facts.ts';
import type { Expectation, PolicyCase, PolicyFile } from './policy-file.ts';

/** The decision of a case. */
export interface Outcome {
  allowed: boolean;
  reason: Reason | null;
  permissions: readonly string[];
  /** Zero-based; null when the default action decided, or no rule was evaluated. */
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

/** Returns the results in the order of the cases. `now` is the time of checks that set none. */
export function runCases(file: PolicyFile, now: number): CaseResult[] {
  const policy = compile(toPolicy(file));
  return (file.cases ?? []).map(({ name, check, expect }) => {
    const outcome = toOutcome(decideCase(policy, check, now));
    const differences = compare(expect, outcome);
    return { name, passed: differences.length === 0, outcome, differences };
  });
}

const toPolicy = (file: PolicyFile): Compilable => ({
  no: 0,
  id: POLICY_ID,
  version: 1,
  rules: file.rules,
  defaultAction: file.defaultAction ?? 'deny',
});

const toOutcome = ({ reason, permissions, rule }: Verdict): Outcome => ({
  allowed: reason === null,
  reason,
  permissions,
  rule: rule?.index ?? null,
});

/** Fields that the case leaves out have the value of a check, an item or a requester without them. */
function decideCase(policy: CompiledPolicy, check: CaseCheck, now: number): Verdict {
  const requester = {
    facts: check.requester === undefined ? null : toRequester(check.requester),
    licenses: (check.licenses ?? []).map(toLicense),
  };
  const at = check.at === undefined ? now : Date.parse(check.at);
  const requesterId = check.requesterId ?? (check.requester === undefined ? undefined : 'requester');
  const place = {
    policyId: check.content?.policyId ?? policy.id,
    collectionId: check.collection ?? null,
    observed: false,
  };
  const locator = check.url === undefined ? undefined : parseVisited(check.url);
  const subject = {
    content: isUrlAlone(check) ? null : toContent(check, place),
    requester,
    ...(locator && { page: { ...place, locator, namesQuery: true } }),
  };
  return decide(policy, toFacts(subject, requesterId, check, at));
}

/** A URL without a registered item. */
const isUrlAlone = ({ url, contentId, content }: CaseCheck): boolean =>
  url !== undefined && contentId === undefined && content === undefined;

/** `contentId` is the id or externalId of the item; it fills in whichever the case does not set. */
function toContent({ contentId, content = {}, url }: CaseCheck, place: Place): ContentFacts {
  const id = contentId ?? content.externalId ?? 'item';
  return {
    no: 0,
    id,
    externalId: content.externalId ?? id,
    type: content.type ?? 'article',
    tags: content.tags ?? [],
    metadata: content.metadata ?? {},
    archived: content.archived ?? false,
    source: content.source ?? url ?? null,
    ownsPolicy: content.policyId !== undefined,
    ...place,
  };
}

const toRequester = (requester: NonNullable<CaseCheck['requester']>): RequesterFacts => ({
  type: requester.type ?? null,
  tags: requester.tags ?? [],
  metadata: requester.metadata ?? {},
  suspended: requester.suspended ?? false,
});

const toLicense = (license: NonNullable<CaseCheck['licenses']>[number]): LicenseFacts => ({
  id: null,
  type: license.type,
  features: license.features ?? [],
  startsAt: toTime(license.startsAt),
  expiresAt: toTime(license.expiresAt),
  active: true,
  scope: license.scope ?? null,
});

const toTime = (text: string | null | undefined): number | null => (text == null ? null : Date.parse(text));

/** Compares only the fields that the case names. */
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

/** Ignores order and duplicates. */
function sameMembers(some: readonly string[], others: readonly string[]): boolean {
  const [a, b] = [new Set(some), new Set(others)];
  return a.size === b.size && a.isSubsetOf(b);
}
