/**
 * Sets, publishes and discards the candidate of a policy. What it decided is counted in
 * reports/whatif/candidate-routes.
 */
import type { FastifyRequest } from 'fastify';
import type { Author, Edit } from '../api/changes/change.ts';
import { fail } from '../api/errors.ts';
import type { App } from '../api/http/app.ts';
import { requireMatch } from '../api/http/etag.ts';
import type { Committed } from '../api/http/reply.ts';
import { edit } from '../api/http/route.ts';
import type { Db } from '../db/db.ts';
import type { Candidate } from '../rules/candidate.ts';
import type { Policy } from '../rules/policy.ts';
import { planDiscard, planPublish, planPut } from './candidate-edits.ts';
import { CandidateDeleted, CandidateWithWarnings, candidateEtag, PutCandidate } from './candidate-schema.ts';
import { findCandidate } from './candidate-store.ts';
import { withWarnings } from './edits.ts';
import type { PolicyDeps } from './routes.ts';
import { PolicyWithWarnings, policyEtag } from './schema.ts';
import { findPolicy } from './store.ts';

const editing = { tag: 'Policies', permission: 'policies:write', ifMatch: true } as const;

export function candidateRoutes(app: App, deps: PolicyDeps): void {
  const { clock, findVerifiable } = deps;
  const put = {
    ...editing,
    id: 'putPolicyCandidate',
    is: 'Try rules beside a policy: from now on they also decide its recorded checks',
    body: PutCandidate,
    answers: { 200: CandidateWithWarnings, 201: CandidateWithWarnings },
  };
  edit(app, 'PUT /v1/policies/:id/candidate', put, (request) =>
    commit(deps, request, (policy, before) => {
      const author = { keyId: request.caller.keyId, at: clock.now() };
      return withWarnings(findVerifiable, planPut(policy, before, request.body, author));
    }),
  );

  const publish = {
    ...editing,
    id: 'publishPolicyCandidate',
    is: 'Publish the candidate as a new version',
    answer: PolicyWithWarnings,
  };
  edit(app, 'POST /v1/policies/:id/candidate/publish', publish, (request) =>
    commit(deps, request, (policy, candidate) =>
      withWarnings(findVerifiable, planPublish(policy, required(policy, candidate), clock.now())),
    ),
  );

  const discard = {
    ...editing,
    id: 'deletePolicyCandidate',
    is: 'Discard the candidate',
    answer: CandidateDeleted,
  };
  edit(app, 'DELETE /v1/policies/:id/candidate', discard, (request) =>
    commit(deps, request, (policy, candidate) => planDiscard(required(policy, candidate))),
  );
}

type EditRequest = Author & { params: { id: string }; headers: FastifyRequest['headers'] };

/** Plans in the queue of the policy's id. `If-Match` takes the ETag of the policy or of its candidate. */
const commit = (
  { db, changes }: PolicyDeps,
  request: EditRequest,
  plan: (policy: Policy, candidate: Candidate | undefined) => Edit | Promise<Edit>,
): Promise<Committed> =>
  changes.commit(request, request.params.id, async () => {
    const policy = await getPolicy(db, request.params.id);
    const candidate = await findCandidate(db, policy.id);
    requireMatch(request, policyEtag(policy), ...(candidate === undefined ? [] : [candidateEtag(policy, candidate)]));
    return plan(policy, candidate);
  });

/** Throws policy_not_found. */
export async function getPolicy(db: Db, id: string): Promise<Policy> {
  const policy = await findPolicy(db, id);
  if (policy === undefined) throw fail('policy_not_found', `There is no policy ${id.slice(0, 100)}.`);
  return policy;
}

/** Throws candidate_not_found. */
export function required(policy: Policy, candidate: Candidate | undefined): Candidate {
  if (candidate !== undefined) return candidate;
  throw fail('candidate_not_found', `Policy ${policy.id} has no candidate. Set one with PUT.`);
}
