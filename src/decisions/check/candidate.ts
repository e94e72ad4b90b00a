/** Decides a check by the candidate of its policy, on the same facts. Limits are left out: nothing is used up. */

import { verdictOfAll, verdictOfSpellings } from '../../rules/alike.ts';
import type { CompiledCandidate, CompiledPolicy } from '../../rules/compile.ts';
import { decide, type Evaluation, type Verdict } from '../../rules/decide.ts';
import type { Facts } from '../../rules/facts.ts';
import { reasonCode } from '../../rules/reason.ts';
import { toCandidateText } from '../ledger/codes.ts';
import type { Subject } from '../snapshot/subject.ts';
import type { Ask } from './ask.ts';
import { toFacts } from './facts.ts';

/**
 * Returns the candidate's decision as the ledger keeps it. Of a URL with several readings, the candidate takes the
 * place of its policy alone: readings under other policies are decided by those.
 */
export function decideByCandidate(
  { no, policy: candidate }: CompiledCandidate,
  evaluation: Evaluation,
  subject: Subject,
  ask: Ask,
): string {
  const verdict = decide(candidate, evaluation.facts);
  const first = { policy: candidate, facts: evaluation.facts, verdict };
  const { reason, rule } =
    subject.others === undefined
      ? verdict
      : togetherWith(first, othersBy(candidate, evaluation, subject, ask), subject);
  return toCandidateText(no, reasonCode(reason), rule?.index ?? null);
}

const togetherWith = (first: Evaluation, rest: Evaluation[], { missing, spelled }: Subject): Verdict =>
  spelled === true ? verdictOfSpellings([first, ...rest]) : verdictOfAll(first, rest, missing === true);

const othersBy = (
  candidate: CompiledPolicy,
  { policy, facts: { at } }: Evaluation,
  { others = [], requester }: Subject,
  ask: Ask,
): Evaluation[] =>
  others.map((other) =>
    evaluateBy(
      other.policy.id === policy.id ? candidate : other.policy,
      toFacts({ ...other, requester }, ask.requesterId, ask, at),
    ),
  );

const evaluateBy = (policy: CompiledPolicy, facts: Facts): Evaluation => ({
  policy,
  facts,
  verdict: decide(policy, facts),
});
