/** Simulation and the impact preview on the wire. */
import { type Static, Type } from 'typebox';
import { listSchema } from '../../api/http/list.ts';
import { CheckEntry, CheckError, decisionAnswerProperties } from '../../decisions/check/schema.ts';
import { MatchedRule, reasonOrNull as reason } from '../../decisions/log/schema.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { RULES_MAX, RuleSchema } from '../../policies/schema.ts';
import { ACTIONS } from '../../rules/policy.ts';
import { Who } from '../usage/visitors-schema.ts';
import { CAUSES } from './tally.ts';

/** The deciding part of a policy. `name` and `description` are accepted so that the body of a policy can be sent. */
export const PolicyBody = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 200, description: 'Ignored' })),
    description: Type.Optional(orNull(Type.String({ maxLength: 2000 }), 'Ignored')),
    rules: Type.Array(RuleSchema, { maxItems: RULES_MAX }),
    defaultAction: Type.Optional(Type.Enum([...ACTIONS])),
  },
  { additionalProperties: false, title: 'UnstoredPolicy', description: 'Rules that need not be stored' },
);
export type PolicyBody = Static<typeof PolicyBody>;

export const SimulateRequest = Type.Object(
  {
    policy: PolicyBody,
    checks: Type.Array(CheckEntry, {
      minItems: 1,
      maxItems: 1000,
      description: 'As for `/v1/access/check`; `asOf` needs no `dryRun` here',
    }),
  },
  { additionalProperties: false, itemsApart: 'checks', title: 'Simulation' },
);

export const SimulateAnswer = listSchema(
  Type.Union([
    Type.Object(
      {
        ...decisionAnswerProperties,
        policyId: Type.Null(),
        policyVersion: Type.Null(),
      },
      {
        title: 'SimulatedDecision',
        description: 'A decision by the rules sent; `recorded` is false and rate limits are unused',
      },
    ),
    CheckError,
  ]),
  'SimulatedDecisionList',
);

const time = Type.String({ format: 'date-time' });

export const ImpactRequest = Type.Object(
  {
    policy: Type.Optional(PolicyBody),
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 999_999_999,
        description: 'A stored version of the policy, instead of `policy`',
      }),
    ),
    from: Type.Optional(Type.String({ format: 'date-time', description: 'Inclusive; 30 days before `to` by default' })),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive; now by default' })),
    examples: Type.Optional(Type.Integer({ minimum: 0, maximum: 20, description: '5 by default' })),
  },
  { additionalProperties: false, title: 'PreviewImpact' },
);
export type ImpactRequest = Static<typeof ImpactRequest>;

const count = Type.Integer({ minimum: 0 });
const turns = { allowToDeny: count, denyToAllow: count };
const matchedRule = orNull(MatchedRule);

export const ImpactAnswer = Type.Object(
  {
    object: Type.Literal('policy_impact'),
    policyId: Type.String(),
    from: time,
    to: time,
    decisions: Type.Integer({ minimum: 0, description: 'The sum of the counts below and `unknown.decisions`' }),
    unchanged: count,
    ...turns,
    otherPermissions: Type.Integer({ minimum: 0, description: 'Allowed as before, with other permissions' }),
    otherReason: Type.Integer({ minimum: 0, description: 'Denied as before, for another reason' }),
    limited: Type.Integer({
      minimum: 0,
      description: 'Denied by a rate limit; allowed by these rules if their limit admits it. Limits are not replayed.',
    }),
    byRequester: Type.Array(
      Type.Object({ id: textOrNull(), name: textOrNull(), ...turns }, { description: 'null: anonymous checks' }),
    ),
    byWho: Type.Array(Type.Object({ who: Who, ...turns }), {
      description:
        'The same, and anonymous checks by crawler or program. Beyond 20,000 of them, rare programs are counted as `other`; one that asks again later is counted anew, so its own number may be too low. The sum is exact',
    }),
    byContent: Type.Array(
      Type.Object({ id: Type.String(), externalId: Type.String(), title: Type.String(), ...turns }),
    ),
    byCollection: Type.Array(
      Type.Object({ id: Type.String(), name: textOrNull(), ...turns }, { description: 'name null: deleted since' }),
    ),
    byReason: Type.Array(Type.Object({ from: reason, to: reason, count })),
    examples: Type.Array(
      Type.Object({
        decisionId: Type.String(),
        created: time,
        contentId: textOrNull(),
        url: textOrNull(),
        requesterId: textOrNull(),
        who: Who,
        before: Type.Object({ allowed: Type.Boolean(), reason }),
        after: Type.Object({ allowed: Type.Boolean(), reason, matchedRule }),
      }),
    ),
    unknown: Type.Object({
      decisions: count,
      causes: Type.Array(Type.Object({ cause: Type.Enum([...CAUSES]), count })),
    }),
  },
  { title: 'PolicyImpact', description: 'How these rules would have decided the recorded checks' },
);
