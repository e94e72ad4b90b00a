/** The impact preview on the wire. */
import { type Static, Type } from 'typebox';
import { REASONS, type Reason } from '../ledger/reason.ts';
import { CAUSES } from './impact.ts';
import { PolicyBody } from './simulate-schema.ts';

const moment = Type.String({ format: 'date-time' });

export const ImpactRequest = Type.Object(
  {
    policy: Type.Optional(PolicyBody),
    version: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 999_999_999, description: 'A version of the policy, instead of `policy`' }),
    ),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Inclusive; without it, 30 days before `to`' }),
    ),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Exclusive; without it, now' })),
    examples: Type.Optional(Type.Integer({ minimum: 0, maximum: 20, description: '5 without it' })),
  },
  { additionalProperties: false },
);
export type ImpactRequest = Static<typeof ImpactRequest>;

const count = Type.Integer({ minimum: 0 });
const turns = { allowToDeny: count, denyToAllow: count };
const textOrNull = Type.Union([Type.String(), Type.Null()]);
const reason = Type.Union([Type.Enum(Object.keys(REASONS) as Reason[]), Type.Null()]);
const matchedRule = Type.Union([Type.Object({ index: Type.Integer(), priority: Type.Integer() }), Type.Null()]);

export const ImpactAnswer = Type.Object(
  {
    object: Type.Literal('policy_impact'),
    policyId: Type.String(),
    from: moment,
    to: moment,
    decisions: Type.Integer({ minimum: 0, description: 'The sum of the counts that follow and of unknown.decisions' }),
    unchanged: count,
    ...turns,
    otherPermissions: Type.Integer({ minimum: 0, description: 'Allowed as before, with other permissions' }),
    otherReason: Type.Integer({ minimum: 0, description: 'Denied as before, for another reason' }),
    limited: Type.Integer({
      minimum: 0,
      description:
        'Denied by a rate limit, and allowed by these rules if their limit admits it; limits are not replayed',
    }),
    byRequester: Type.Array(
      Type.Object({ id: textOrNull, name: textOrNull, ...turns }, { description: 'null: anonymous checks' }),
    ),
    byContent: Type.Array(
      Type.Object({ id: Type.String(), externalId: Type.String(), title: Type.String(), ...turns }),
    ),
    byReason: Type.Array(Type.Object({ from: reason, to: reason, count })),
    examples: Type.Array(
      Type.Object({
        decisionId: Type.String(),
        created: moment,
        contentId: Type.String(),
        requesterId: textOrNull,
        before: Type.Object({ allowed: Type.Boolean(), reason }),
        after: Type.Object({ allowed: Type.Boolean(), reason, matchedRule }),
      }),
    ),
    unknown: Type.Object({
      decisions: count,
      causes: Type.Array(Type.Object({ cause: Type.Enum([...CAUSES]), count })),
    }),
  },
  { description: 'What would have become of the decisions of the past' },
);
