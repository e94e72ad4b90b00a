/** Candidates of policies on the wire. */
import { type Static, Type } from 'typebox';
import { deletedSchema } from '../api/http/list.ts';
import { toIso } from '../lib/clock.ts';
import { textOrNull } from '../lib/nullable.ts';
import type { Candidate } from '../rules/candidate.ts';
import { ACTIONS, type Policy } from '../rules/policy.ts';
import { policyEtag, RULES_MAX, RuleSchema, warnings } from './schema.ts';

const action = Type.Enum([...ACTIONS]);

export const PutCandidate = Type.Object(
  { rules: Type.Array(RuleSchema, { maxItems: RULES_MAX }), defaultAction: Type.Optional(action) },
  { additionalProperties: false, title: 'PutPolicyCandidate' },
);
export type PutCandidate = Static<typeof PutCandidate>;

export const candidateProperties = {
  id: Type.String({ description: 'Id of the policy' }),
  object: Type.Literal('policy_candidate'),
  rules: Type.Array(RuleSchema),
  defaultAction: action,
  since: Type.String({ description: 'When these rules became the candidate' }),
  setBy: textOrNull('Id of the key or user that set it'),
};
export const CandidateWithWarnings = Type.Object(
  { ...candidateProperties, warnings },
  { title: 'PolicyCandidate', description: 'Rules that are tried beside a policy, and warnings about them' },
);
export const CandidateDeleted = Type.Object(deletedSchema('policy_candidate').properties, {
  title: 'PolicyCandidateDeleted',
});

type Shown = Pick<Candidate, 'policyId' | 'rules' | 'defaultAction' | 'keyId' | 'createdAt'>;

export const candidateAnswer = ({ policyId, rules, defaultAction, keyId, createdAt }: Shown) => ({
  id: policyId,
  object: 'policy_candidate' as const,
  rules,
  defaultAction,
  since: toIso(createdAt),
  setBy: keyId,
});

/** Changes with the candidate and with the version of its policy: what is published is what was seen. */
export const candidateEtag = (policy: Policy, candidate: Candidate): string =>
  `${policyEtag(policy).slice(0, -1)}-${candidate.no}"`;
