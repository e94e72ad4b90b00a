/**
 * The answer of a policy to a request of a log. Each is decided as a check by an anonymous visitor of an item that
 * nothing is known of but its path: an article without tags and metadata. Rate limits never run out.
 */
import { decide } from '../../access/decide.ts';
import { ANONYMOUS, toFacts } from '../../access/facts.ts';
import type { Reason } from '../../ledger/reason.ts';
import { compile } from '../../policies/compile.ts';
import { UNPLACED } from '../../policies/facts.ts';
import type { PolicyFile } from '../policies/policy-file.ts';
import type { Visit } from './visit.ts';

export type PolicyOfFile = Pick<PolicyFile, 'name' | 'rules' | 'defaultAction'>;

/** Returns the reason of a denial; null when the policy allows. */
export type Answer = (visit: Visit) => Reason | null;

export function openAnswers({ rules, defaultAction = 'deny' }: PolicyOfFile): Answer {
  const policy = compile({ no: 0, id: 'pol_of_file', version: 1, rules, defaultAction });
  return ({ address, at, target, userAgent }) => {
    const path = target?.split('?', 1)[0] ?? '';
    const content = {
      no: 0,
      id: path,
      externalId: path,
      type: 'article',
      tags: [],
      metadata: {},
      policyId: policy.id,
      archived: false,
      ...UNPLACED,
    };
    const context = { ip: address, ...(userAgent === null ? {} : { userAgent }) };
    return decide(policy, toFacts({ content, requester: ANONYMOUS }, null, { context }, at)).reason;
  };
}
