/** Rules that are not stored, on the wire: for simulation and for the impact preview. */
import { type Static, Type } from 'typebox';
import { pageOf } from '../http/list.ts';
import { ACTIONS } from '../policies/policy.ts';
import { RULES_MAX, RuleSchema } from '../policies/schema.ts';
import { CheckError, DecisionAnswer } from './schema.ts';

/** Of a policy only what decides; its name and description may be sent along, so that a policy's own body can be. */
export const PolicyBody = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 200, description: 'Says nothing here' })),
    description: Type.Optional(
      Type.Union([Type.String({ maxLength: 2000 }), Type.Null()], { description: 'Says nothing here' }),
    ),
    rules: Type.Array(RuleSchema, { maxItems: RULES_MAX }),
    defaultAction: Type.Optional(Type.Enum([...ACTIONS])),
  },
  { additionalProperties: false, description: 'Rules that need not be stored' },
);
export type PolicyBody = Static<typeof PolicyBody>;

export const SimulateRequest = Type.Object(
  {
    policy: PolicyBody,
    checks: Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: 1000,
      description: 'As for /v1/access/check; `asOf` needs no `dryRun` here',
    }),
  },
  { additionalProperties: false, itemsApart: 'checks' },
);

export const SimulateAnswer = pageOf(
  Type.Union([
    Type.Object(
      {
        ...DecisionAnswer.properties,
        policyId: Type.Null(),
        policyVersion: Type.Null(),
      },
      { description: 'A decision by the rules that were sent; `recorded` is false, a rate limit is shown as unused' },
    ),
    CheckError,
  ]),
);
