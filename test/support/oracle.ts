/** The oracle's inputs as ours. */
import { compile } from '../../src/policies/compile.ts';
import { Facts } from '../../src/policies/facts.ts';
import type { OracleInput } from '../oracle/decide.ts';

export const policyOf = ({ policy, content }: OracleInput) =>
  compile({
    no: 1,
    id: content.policyId,
    version: 1,
    name: 'p',
    description: null,
    rules: policy.rules,
    defaultAction: policy.defaultAction,
  });

export const factsOf = (input: OracleInput): Facts =>
  new Facts({
    at: input.at,
    content: { ...input.content, no: 1, archived: input.content.status === 'archived' },
    requesterId: input.requesterId,
    requester: input.requester && { ...input.requester, suspended: input.requester.status === 'suspended' },
    permission: input.permission,
    purpose: input.purpose,
    country: input.context.country ?? null,
    ip: input.context.ip ?? null,
    userAgent: input.context.userAgent ?? null,
    licenses: input.licenses.map((license) => ({ ...license, id: null, active: license.status === 'active' })),
  });
