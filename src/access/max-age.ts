/**
 * How long the asker may use an answer again instead of asking. Promise: never where the next check of the same could come
 * out otherwise without an edit (a limit, a time of day, a licence that begins or ends), and never longer than the
 * operator allows. What is not asked is not counted, so the operator's default is not at all.
 */
import type { CompiledPolicy } from '../policies/compile.ts';
import type { Facts } from '../policies/facts.ts';
import type { Verdict } from './decide.ts';

/** Whole seconds; 0: not at all. */
export function maxAgeOf(policy: CompiledPolicy, facts: Facts, { rule, reason }: Verdict, mostSeconds: number): number {
  const isLimited = reason === null && rule !== null && rule.limit !== null;
  if (mostSeconds === 0 || isLimited || policy.asksTime) return 0;
  let until = facts.at + mostSeconds * 1000;
  for (const { startsAt, expiresAt } of facts.licenses) {
    for (const moment of [startsAt, expiresAt]) {
      if (moment !== null && moment > facts.at && moment < until) until = moment;
    }
  }
  return Math.floor((until - facts.at) / 1000);
}
