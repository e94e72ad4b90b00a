/** Plans the edits of candidates: what each one writes, announces and answers. */
import type { Edit } from '../api/changes/change.ts';
import { sameJson } from '../lib/json.ts';
import type { Candidate } from '../rules/candidate.ts';
import type { Policy } from '../rules/policy.ts';
import { candidateAnswer, type PutCandidate } from './candidate-schema.ts';
import { endCandidate, replaceCandidate } from './candidate-store.ts';
import { newVersion, toPolicyReply } from './edits.ts';

/** Other rules are another candidate, counted from its own beginning. */
export function planPut(
  policy: Policy,
  before: Candidate | undefined,
  { rules, defaultAction = 'deny' }: PutCandidate,
  author: { keyId: string | null; at: number },
): Edit {
  if (before !== undefined && before.defaultAction === defaultAction && sameJson(before.rules, rules)) {
    return { steps: [], changes: [], status: 200, body: candidateAnswer(before) };
  }
  const next = { policyId: policy.id, rules, defaultAction, keyId: author.keyId, createdAt: author.at };
  const change = { id: policy.id, object: candidateAnswer(next) };
  return {
    steps: replaceCandidate(before, next),
    changes: [
      before === undefined
        ? { ...change, kind: 'policy_candidate.created' }
        : { ...change, kind: 'policy_candidate.updated', before: candidateAnswer(before) },
    ],
    status: before === undefined ? 201 : 200,
    body: candidateAnswer(next),
  };
}

const removal = (candidate: Candidate): Pick<Edit, 'steps' | 'changes'> => ({
  steps: endCandidate(candidate),
  changes: [{ kind: 'policy_candidate.deleted', id: candidate.policyId, object: candidateAnswer(candidate) }],
});

export const planDiscard = (candidate: Candidate): Edit => ({
  ...removal(candidate),
  status: 200,
  body: { id: candidate.policyId, object: 'policy_candidate', deleted: true },
});

/** Adds a version with the candidate's rules, and ends the candidate. */
export function planPublish(policy: Policy, candidate: Candidate, at: number): Edit {
  const { rules, defaultAction } = candidate;
  const next: Policy = { ...policy, rules, defaultAction, version: policy.version + 1, updatedAt: at };
  const published = newVersion(policy, next, 'policy.updated');
  const ended = removal(candidate);
  return {
    steps: [...published.steps, ...ended.steps],
    changes: [...published.changes, ...ended.changes],
    status: 200,
    ...toPolicyReply(next),
  };
}
