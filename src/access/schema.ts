/** Checks and their answers on the wire. */
import { type Static, Type } from 'typebox';
import { REASONS, type Reason } from '../ledger/reason.ts';
import { PERIODS, type Period } from '../limits/limit.ts';
import { COUNTRY_PATTERN, PERMISSION_PATTERN, REQUESTER_ID_PATTERN } from '../policies/conditions.ts';
import { ACTIONS } from '../policies/policy.ts';

export const CheckRequest = Type.Object(
  {
    contentId: Type.String({ minLength: 1, maxLength: 255, description: 'Id or externalId of the item' }),
    requesterId: Type.Optional(
      Type.String({
        pattern: REQUESTER_ID_PATTERN,
        description: 'must have 1 to 128 letters, digits or . _ : @ / -; leave it out for an anonymous check',
      }),
    ),
    permission: Type.Optional(
      Type.String({
        pattern: PERMISSION_PATTERN,
        description: 'must be a small letter followed by at most 63 small letters, digits or underscores',
      }),
    ),
    purpose: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    context: Type.Optional(
      Type.Object(
        {
          ip: Type.Optional(Type.String({ format: 'ip', maxLength: 64 })),
          country: Type.Optional(
            Type.String({ pattern: COUNTRY_PATTERN, description: 'must be an ISO 3166 alpha-2 code in capitals' }),
          ),
          userAgent: Type.Optional(Type.String({ maxLength: 1024 })),
        },
        { additionalProperties: false },
      ),
    ),
    license: Type.Optional(
      Type.Object(
        {
          type: Type.String({ minLength: 1, maxLength: 64 }),
          features: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 50 })),
          expiresAt: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
        },
        { additionalProperties: false, description: 'A licence the asking server vouches for' },
      ),
    ),
    explain: Type.Optional(Type.Boolean()),
    dryRun: Type.Optional(Type.Boolean()),
    asOf: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'With `dryRun`: decide as of this past moment, by the policy version, the requester and the licences of then. Rate limits are not applied as of the past: `rateLimit` is null.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type CheckRequest = Static<typeof CheckRequest>;

export const BatchRequest = Type.Object(
  { checks: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1000 }) },
  { additionalProperties: false, itemsApart: 'checks' },
);

const textOrNull = Type.Union([Type.String(), Type.Null()]);

export const DecisionAnswer = Type.Object(
  {
    id: textOrNull,
    object: Type.Literal('access_decision'),
    allowed: Type.Boolean(),
    action: Type.Enum([...ACTIONS]),
    reason: Type.Union([Type.Enum(Object.keys(REASONS) as Reason[]), Type.Null()]),
    message: Type.String(),
    permissions: Type.Array(Type.String()),
    contentId: Type.String(),
    externalId: Type.String(),
    requesterId: textOrNull,
    policyId: Type.String(),
    policyVersion: Type.Integer(),
    matchedRule: Type.Union([Type.Object({ index: Type.Integer(), priority: Type.Integer() }), Type.Null()]),
    licenseId: textOrNull,
    rateLimit: Type.Union([
      Type.Object({
        limit: Type.Integer(),
        remaining: Type.Integer(),
        period: Type.Enum(Object.keys(PERIODS) as Period[]),
        resetAt: Type.String(),
        retryAfter: Type.Optional(Type.Integer({ description: 'Seconds' })),
      }),
      Type.Null(),
    ]),
    recorded: Type.Boolean(),
    created: Type.String(),
    maxAge: Type.Optional(
      Type.Integer({ description: 'Seconds for which the asker may use this answer again; absent: not at all' }),
    ),
    explanation: Type.Optional(Type.Unknown({ description: 'With `explain`: every rule in the order it was asked' })),
    remedies: Type.Optional(
      Type.Array(
        Type.Union([
          Type.Object({
            kind: Type.Literal('license'),
            licenseType: Type.Union([Type.Array(Type.String()), Type.Null()], {
              description: 'One of these; null: any',
            }),
            licenseFeatures: Type.Array(Type.String(), { description: 'All of these' }),
            licenseExpiry: Type.Optional(
              Type.Object(
                { after: Type.Optional(Type.String()), before: Type.Optional(Type.String()) },
                { description: 'When it must end, as in the condition of the rule' },
              ),
            ),
            rule: Type.Integer({ description: 'The rule that asks for it, by its place in the stored list' }),
          }),
          Type.Object({ kind: Type.Literal('permission'), permissions: Type.Array(Type.String()) }),
          Type.Object({ kind: Type.Literal('wait'), until: Type.String() }),
        ]),
        { description: 'With `explain`: what would have turned the denial' },
      ),
    ),
  },
  { description: 'A decision' },
);

/** In the place of a decision, where many checks are answered together. */
export const CheckError = Type.Object(
  { error: Type.Object({ code: Type.String(), message: Type.String(), type: Type.String() }) },
  { description: 'This check could not be decided; the others could' },
);
