/** The oracle's inputs as ours, and our verdicts in the oracle's words. */

import { type Collection, FIRST_VALUES } from '../src/content/collections/collection.ts';
import { CollectionIndex, type Selected } from '../src/content/collections/collection-index.ts';
import { parseLocator, parseVisited } from '../src/lib/urls/locator.ts';
import { type CompiledPolicy, compile } from '../src/rules/compile.ts';
import { decide } from '../src/rules/decide.ts';
import { Facts, type Place, type VisitedPage } from '../src/rules/facts.ts';
import type { OracleCollection } from '../test/oracle/collections.ts';
import type { OracleCheck, OracleInput, OracleVerdict } from '../test/oracle/decide.ts';

type Checked = Pick<OracleCheck, 'content' | 'policyId'>;

const policyIdOf = ({ content, policyId }: Checked): string => content?.policyId ?? (policyId as string);

export const policyOf = ({ policy, ...check }: Checked & Pick<OracleCheck, 'policy'>): CompiledPolicy =>
  compile({
    no: 1,
    id: policyIdOf(check),
    version: 1,
    rules: policy.rules,
    defaultAction: policy.defaultAction,
  });

const toCollection = (one: OracleCollection): Collection => ({
  ...FIRST_VALUES,
  ...(one as Pick<Collection, keyof OracleCollection>),
  name: 'C',
  no: 1,
  version: 1,
  updatedAt: 1,
});

/** Many checks have the same collections. */
const indexes = new WeakMap<readonly OracleCollection[], CollectionIndex>();

function indexOf(collections: readonly OracleCollection[]): CollectionIndex {
  const known = indexes.get(collections);
  if (known !== undefined) return known;
  const index = new CollectionIndex();
  for (const one of collections) index.put(toCollection(one));
  indexes.set(collections, index);
  return index;
}

function placeOf(check: Omit<OracleCheck, 'usedUp' | 'policy'>, selected: Selected): Place {
  const found = check.collections === undefined ? undefined : indexOf(check.collections).find(selected);
  return { policyId: policyIdOf(check), collectionId: found?.id ?? null, observed: false };
}

function pageOf(check: Omit<OracleCheck, 'usedUp' | 'policy'>): VisitedPage | undefined {
  if (check.url === undefined) return undefined;
  const locator = parseVisited(check.url);
  if (locator === undefined) throw new Error(`a check of ${check.url} is refused`);
  return { ...placeOf(check, { locator, item: null }), locator, namesQuery: false };
}

function contentOf(check: Omit<OracleCheck, 'usedUp' | 'policy'>): Facts['content'] {
  const { content } = check;
  if (content === null) return null;
  const { source = null, ownsPolicy = false } = content;
  const place = placeOf(check, { locator: source === null ? undefined : parseLocator(source), item: content });
  return { ...content, no: 1, archived: content.status === 'archived', source, ownsPolicy, ...place };
}

export const factsOf = (input: Omit<OracleCheck, 'usedUp' | 'policy'>): Facts =>
  new Facts({
    at: input.at,
    content: contentOf(input),
    page: pageOf(input),
    requesterId: input.requesterId,
    requester: input.requester && { ...input.requester, suspended: input.requester.status === 'suspended' },
    permission: input.permission,
    purpose: input.purpose,
    country: input.context.country ?? null,
    ip: input.context.ip ?? null,
    ipUnreadable: input.context.ipUnreadable,
    userAgent: input.context.userAgent ?? null,
    verified: input.context.verified,
    crawlerVerified: input.context.crawlerVerified,
    attributes: input.context.attributes,
    licenses: input.licenses.map((license) => ({ ...license, id: null, active: license.status === 'active' })),
  });

/** The ledger's part, a used-up limit, is played by `usedUp`. */
export function verdictOf(policy: CompiledPolicy, facts: Facts, usedUp: OracleInput['usedUp']): OracleVerdict {
  const { rule, reason, permissions } = decide(policy, facts);
  const limited = reason === null && rule?.limit != null && usedUp(rule.index);
  const final = limited ? 'rate_limit_exceeded' : reason;
  return {
    allowed: final === null,
    reason: final,
    permissions: final === null ? [...permissions] : [],
    matchedRule: rule === null ? null : { index: rule.index, priority: rule.priority },
  };
}
