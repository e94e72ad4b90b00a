/**
 * Runs the cases of a policy file. Each check is decided as the service would decide it, with the item, requester and
 * licenses that the case describes, and compared with what the case expects. Pure: nothing is stored, and rate limits
 * never run out.
 */

import { toFacts } from '../../decisions/check/facts.ts';
import { type Locator, parseLocator, parseVisited } from '../../lib/urls/locator.ts';
import { findReadings } from '../../lib/urls/readings.ts';
import { USUAL_URLS } from '../../lib/urls/spellings.ts';
import { areAlike, verdictOfAll } from '../../rules/alike.ts';
import { type Compilable, type CompiledPolicy, compile } from '../../rules/compile.ts';
import { decide, type Evaluation, type Verdict } from '../../rules/decide.ts';
import type { ContentFacts, LicenseFacts, Place, RequesterFacts } from '../../rules/facts.ts';
import type { Reason } from '../../rules/reason.ts';
import { indexOf } from './file-collections.ts';
import type { Expectation, PolicyCase, PolicyFile } from './policy-file.ts';

/** The decision of a case. */
export interface CaseOutcome {
  allowed: boolean;
  reason: Reason | null;
  permissions: readonly string[];
  /** Zero-based; null when the default action decided, or no rule was evaluated. */
  rule: number | null;
}

export interface CaseDifference {
  field: keyof CaseOutcome;
  expected: CaseOutcome[keyof CaseOutcome];
  actual: CaseOutcome[keyof CaseOutcome];
}

export interface CaseResult {
  name: string;
  passed: boolean;
  outcome: CaseOutcome;
  /** A service would refuse the check: the readings of its URL are not all allowed alike. */
  refused?: true;
  /** In the order allowed, reason, permissions, rule; empty when the case passed. */
  differences: CaseDifference[];
}

type CaseCheck = PolicyCase['check'];

const POLICY_ID = 'pol_under_test';

/** Returns the results in the order of the cases. `now` is the time of checks that set none. */
export function runCases(file: PolicyFile, now: number): CaseResult[] {
  const policy = compile(toPolicy(file));
  const namesHost = openHosts(file);
  return (file.cases ?? []).map(({ name, check, expect }) => {
    const [first, ...rest] = evaluateCase(policy, check, now, namesHost) as [Evaluation, ...Evaluation[]];
    const outcome = toOutcome(verdictOfAll(first, rest, false));
    const differences = compare(expect, outcome);
    const refused = areAlike(first, rest, false) ? {} : { refused: true as const };
    return { name, passed: differences.length === 0, outcome, ...refused, differences };
  });
}

const toPolicy = (file: PolicyFile): Compilable => ({
  no: 0,
  id: POLICY_ID,
  version: 1,
  rules: file.rules,
  defaultAction: file.defaultAction ?? 'deny',
});

const toOutcome = ({ reason, permissions, rule }: Verdict): CaseOutcome => ({
  allowed: reason === null,
  reason,
  permissions,
  rule: rule?.index ?? null,
});

type NamesHost = (host: string) => boolean;

/** Returns a function that says whether a collection of the file names a host, with its port. */
function openHosts({ collections = [] }: PolicyFile): NamesHost {
  const index = indexOf(collections, POLICY_ID);
  return (host) => index.namesHost(host);
}

/**
 * Decides a check under each reading of its URL, all of which lead to what the case describes. Fields that the case
 * leaves out have the value of a check, an item or a requester without them.
 */
function evaluateCase(policy: CompiledPolicy, check: CaseCheck, now: number, namesHost: NamesHost): Evaluation[] {
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
  const content = isUrlAlone(check) ? null : toContent(check, place);
  return locatorsOf(check, namesHost).map((locator) => {
    const page = locator && { page: { ...place, locator, namesQuery: true } };
    const facts = toFacts({ content, requester, ...page }, requesterId, check, at);
    return { policy, facts, verdict: decide(policy, facts) };
  });
}

/** Returns the readings of the URL, by the usual rules for URLs that are one file; [undefined] without one. */
function locatorsOf({ url, content }: CaseCheck, namesHost: NamesHost): (Locator | undefined)[] {
  const locator = url === undefined ? undefined : parseVisited(url);
  const readings = locator && findReadings(locator, USUAL_URLS.index);
  // What has an unreadable one is a fault of the file.
  if (locator === undefined || readings === undefined || readings === 'unreadable') return [locator];
  const { host } = locator;
  const isOwnHost = namesHost(host) || (content?.source !== undefined && parseLocator(content.source)?.host === host);
  const all = readings.map((one) => one.locator);
  return isOwnHost ? all.filter((one) => one.host === host) : all;
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
function compare(expect: Expectation, outcome: CaseOutcome): CaseDifference[] {
  const { allowed, reason, permissions, rule } = expect;
  const differences: CaseDifference[] = [];
  const differ = <F extends keyof CaseOutcome>(field: F, expected: CaseOutcome[F]): void => {
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
