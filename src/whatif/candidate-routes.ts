/** Reads the candidate of a policy, with counts of its decisions so far. */
import type { Db } from '../db/db.ts';
import type { App } from '../http/app.ts';
import { route } from '../http/route.ts';
import { getPolicy, required } from '../policies/candidate-routes.ts';
import { candidateAnswer, candidateEtag } from '../policies/candidate-schema.ts';
import { findCandidate } from '../policies/candidate-store.ts';
import { CandidateAnswer, CandidateQuery, LIMIT_DEFAULT } from './candidate-schema.ts';
import type { Impacts } from './impact-thread.ts';
import { toSignal } from './routes.ts';

export function candidateFiguresRoute(app: App, { db, impacts }: { db: Db; impacts: Impacts }): void {
  const operation = {
    // It shows who requested what.
    permission: ['policies:read', 'analytics:read'],
    secretKey: true,
    tag: 'Policies',
    id: 'getPolicyCandidate',
    is: 'Read the candidate of a policy, and how its decisions differ',
    query: CandidateQuery,
    answer: CandidateAnswer,
  } as const;
  route(app, 'GET /v1/policies/:id/candidate', operation, async ({ params: { id }, query }, reply) => {
    const policy = await getPolicy(db, id);
    const candidate = required(policy, await findCandidate(db, id));
    const { no, policyNo, policyId, afterSeq } = candidate;
    const { limit = LIMIT_DEFAULT } = query;
    const figures = await impacts.count({ candidate: { no, policyNo, policyId, afterSeq }, limit }, toSignal(reply));
    reply.header('etag', candidateEtag(policy, candidate));
    return { ...candidateAnswer(candidate), ...figures };
  });
}
