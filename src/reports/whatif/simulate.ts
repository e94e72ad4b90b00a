/**
 * Decides checks by rules that are not stored, as if the item's policy had these rules. Nothing is stored and nothing
 * is used up: a rate limit or a quota shows as unused.
 */

import { Failure, unavailable } from '../../api/errors.ts';
import type { Caller } from '../../api/permissions.ts';
import type { Db } from '../../db/db.ts';
import type { Ask } from '../../decisions/check/ask.ts';
import { decidingReading, evaluate, explainerFor, toDraft, toQuotaClaim } from '../../decisions/check/draft.ts';
import { openHistory, readSubjects } from '../../decisions/explain/as-of.ts';
import { type Explainer, type Explanation, openExplainer } from '../../decisions/explain/explain.ts';
import { type Decision, settle } from '../../decisions/ledger/decision.ts';
import { unusedGrant } from '../../decisions/ledger/quota/quota.ts';
import type { Snapshot } from '../../decisions/snapshot/snapshot.ts';
import type { Subject } from '../../decisions/snapshot/subject.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { Identities } from '../../requesters/identities/identities.ts';
import type { KnownOffers } from '../../requesters/offers/known.ts';
import { type CompiledPolicy, compile } from '../../rules/compile.ts';
import { peek } from '../../rules/limit.ts';
import type { PolicyVersion } from '../../rules/policy.ts';
import type { PolicyBody } from './schema.ts';

export interface SimulateDeps {
  db: Db;
  snapshot: Snapshot;
  offers: KnownOffers;
  identities: Pick<Identities, 'proofsOf'>;
  now: () => number;
}

/** A decision of no stored policy. */
type Simulated = Omit<Decision, 'policyId' | 'policyVersion'> & { policyId: null; policyVersion: null };

/** Puts a body's rules in place of a stored version's. */
export const withRules = (
  stored: Pick<PolicyVersion, 'no' | 'id' | 'version'>,
  { rules, defaultAction = 'deny' }: PolicyBody,
): PolicyVersion => ({ ...stored, name: '', description: null, rules, defaultAction });

/** Returns the decisions in the order of the checks. Throws Unavailable. */
export async function simulate(
  { db, snapshot, offers, identities, now }: SimulateDeps,
  caller: Caller,
  body: PolicyBody,
  asks: readonly (Ask | Failure)[],
): Promise<(Simulated | { error: ReturnType<Failure['toError']> })[]> {
  const policy = compile(withRules({ no: 0, id: '', version: 0 }, body));
  const history = openHistory(db);
  const accepted = asks.filter((ask): ask is Ask => !(ask instanceof Failure));
  const subjects = await readSubjects(db, accepted, {
    inForce: (at) => (at === undefined ? snapshot.inForce() : history.inForce(at)),
    // Of a URL with several readings, those under another policy are decided by that one.
    policy: (id, at, first) => {
      if (id === first) return policy;
      return at === undefined ? storedPolicy(snapshot, id) : history.policy(id, at);
    },
    requester: (id, at) => (at === undefined ? snapshot.findRequester(id) : history.requester(id, at)),
  });
  const at = now();
  const explainer = openExplainer(caller, 'checks', { identities }, await offers.read());
  return mapInSlices(asks, (ask) => {
    if (ask instanceof Failure) return { error: ask.toError() };
    const subject = subjects.get(ask) as Subject | Failure;
    if (subject instanceof Failure) return { error: subject.toError() };
    const deciding = decidingReading(subject, ask, ask.asOf ?? at);
    return deciding instanceof Failure ? { error: deciding.toError() } : decideDraft(deciding, ask, explainer, at);
  });
}

async function storedPolicy(snapshot: Snapshot, id: string): Promise<CompiledPolicy> {
  const policy = await snapshot.findPolicy(id);
  if (policy === undefined) throw unavailable('A policy was deleted meanwhile. Retry the request.');
  return policy;
}

function decideDraft(subject: Subject, ask: Ask, explainer: Explainer, now: number): Simulated {
  const { asOf } = ask;
  const at = asOf ?? now;
  const evaluation = evaluate(subject, ask, at);
  const draft = toDraft(evaluation, explainerFor(ask, explainer), false);
  const { limit } = draft;
  const granted = limit === null || asOf !== undefined ? null : peek([], limit, at);
  const claim = asOf === undefined ? toQuotaClaim(evaluation, draft.decision) : null;
  const quota = claim === null ? {} : { quota: unusedGrant(claim) };
  const decision = settle(draft, { id: null, at, granted, ...quota });
  if (decision.explanation !== undefined) {
    decision.explanation = { ...(decision.explanation as Explanation), policyId: null, policyVersion: null };
  }
  return { ...decision, policyId: null, policyVersion: null };
}
