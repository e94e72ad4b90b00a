/** A candidate: rules that decide beside those of a policy, so that their effect is seen before they are published. */
import { type CompiledPolicy, compile } from './compile.ts';
import type { Action, Rule } from './policy.ts';

export interface Candidate {
  /** Decisions name the candidate by this number, which is never given twice. */
  no: number;
  policyId: string;
  policyNo: number;
  rules: Rule[];
  defaultAction: Action;
  /** The newest decision before the candidate: all of its own come later. */
  afterSeq: number;
  /** The newest decision up to which divergences were announced, and when (epoch ms). */
  announcedSeq: number;
  announcedAt: number | null;
  /** Id of the key or user that set it. */
  keyId: string | null;
  createdAt: number;
}

/** The candidate sees what the policy sees, so what its rules ask for is read, too. */
export function withCandidate(policy: CompiledPolicy, candidate: Candidate | undefined): CompiledPolicy {
  if (candidate === undefined) return policy;
  const { no, rules, defaultAction } = candidate;
  // No recorded decision has version 0.
  const compiled = compile({ no: policy.no, id: policy.id, version: 0, rules, defaultAction });
  return {
    ...policy,
    asksMetadata: policy.asksMetadata || compiled.asksMetadata,
    asksSource: policy.asksSource || compiled.asksSource,
    candidate: { no, policy: compiled },
  };
}
