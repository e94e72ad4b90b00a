/** Policies on the wire. */
import { type Static, Type } from 'typebox';
import { pageOf } from '../http/list.ts';
import { toIso } from '../lib/clock.ts';
import { PERIODS, type Period } from '../limits/limit.ts';
import { CONDITION_SCHEMAS, PERMISSION_PATTERN } from './conditions.ts';
import { LINT_CODES } from './lint.ts';
import { ACTIONS, type Policy, type PolicyVersion, SCOPES } from './policy.ts';

export const RULES_MAX = 100;

const action = Type.Enum([...ACTIONS]);
const name = Type.String({ minLength: 1, maxLength: 200, format: 'plain-text' });
const description = Type.Union([Type.String({ maxLength: 2000 }), Type.Null()]);

export const ConditionsSchema = Type.Object(
  Object.fromEntries(Object.entries(CONDITION_SCHEMAS).map(([key, schema]) => [key, Type.Optional(schema)])),
  { additionalProperties: false, description: 'What must all hold for the rule to decide; see docs/conditions' },
);

export const RuleSchema = Type.Object(
  {
    action,
    priority: Type.Optional(Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 })),
    conditions: Type.Optional(ConditionsSchema),
    permissions: Type.Optional(
      Type.Array(
        Type.String({
          pattern: PERMISSION_PATTERN,
          description: 'must be a small letter followed by at most 63 small letters, digits or underscores',
        }),
        { maxItems: 50 },
      ),
    ),
    rateLimit: Type.Optional(
      Type.Object(
        {
          requests: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
          period: Type.Enum(Object.keys(PERIODS) as Period[]),
          scope: Type.Optional(Type.Enum([...SCOPES])),
        },
        { additionalProperties: false },
      ),
    ),
    message: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { additionalProperties: false },
);
const rules = Type.Array(RuleSchema, { maxItems: RULES_MAX });

export const CreatePolicy = Type.Object(
  { name, description: Type.Optional(description), rules, defaultAction: Type.Optional(action) },
  { additionalProperties: false },
);
export type CreatePolicy = Static<typeof CreatePolicy>;

export const UpdatePolicy = Type.Object(
  {
    name: Type.Optional(name),
    description: Type.Optional(description),
    rules: Type.Optional(rules),
    defaultAction: Type.Optional(action),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type UpdatePolicy = Static<typeof UpdatePolicy>;

export const PolicyAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('policy'),
    name: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    rules: Type.Array(RuleSchema),
    defaultAction: action,
    version: Type.Integer(),
    isDefault: Type.Boolean(),
    created: Type.String(),
    updated: Type.String(),
  },
  { description: 'A policy' },
);
const warnings = Type.Array(
  Type.Object({ code: Type.Enum([...LINT_CODES]), message: Type.String(), param: Type.String() }),
  { description: 'What is valid and yet hardly meant' },
);
export const PolicyWithWarnings = Type.Object({ ...PolicyAnswer.properties, warnings });

export const LintPolicy = Type.Object(
  { name: Type.Optional(name), description: Type.Optional(description), rules, defaultAction: Type.Optional(action) },
  { additionalProperties: false },
);
export type LintPolicy = Static<typeof LintPolicy>;
export const LintAnswer = Type.Object({ object: Type.Literal('policy_lint'), warnings });

const fieldChange = Type.Object({
  path: Type.String(),
  from: Type.Optional(Type.Unknown()),
  to: Type.Optional(Type.Unknown()),
});
export const DiffAnswer = Type.Object(
  {
    object: Type.Literal('policy_diff'),
    policyId: Type.String(),
    from: Type.Integer(),
    to: Type.Integer(),
    fields: Type.Array(fieldChange),
    rules: Type.Array(
      Type.Object({
        change: Type.String({ description: 'added, removed, moved, changed or moved_and_changed' }),
        from: Type.Union([Type.Integer(), Type.Null()]),
        to: Type.Union([Type.Integer(), Type.Null()]),
      }),
    ),
  },
  { description: 'What lies between two versions' },
);

export const PolicyPage = pageOf(PolicyAnswer);
export const PolicyDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('policy'),
  deleted: Type.Literal(true),
});

export const TemplatePage = pageOf(
  Type.Object(
    {
      id: Type.String(),
      object: Type.Literal('policy_template'),
      name: Type.String(),
      description: Type.String(),
      rules: Type.Array(RuleSchema),
      defaultAction: action,
      cases: Type.Array(
        Type.Object({
          name: Type.String(),
          check: Type.Object({}, { description: 'A check, and what it knows of the item and the requester' }),
          expect: Type.Object({
            allowed: Type.Boolean(),
            reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
            permissions: Type.Optional(Type.Array(Type.String())),
            rule: Type.Optional(Type.Union([Type.Integer({ description: 'Index in `rules`' }), Type.Null()])),
          }),
        }),
      ),
    },
    { description: 'A policy to begin with, and what it does' },
  ),
);

export const Rollback = Type.Object(
  { version: Type.Integer({ minimum: 1, maximum: 999_999_999 }) },
  { additionalProperties: false },
);
export type Rollback = Static<typeof Rollback>;

export const VersionAnswer = Type.Object(
  {
    id: Type.String({ description: 'Id of the policy' }),
    object: Type.Literal('policy_version'),
    version: Type.Integer(),
    name: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    rules: Type.Array(RuleSchema),
    defaultAction: action,
    created: Type.String(),
    updated: Type.String(),
  },
  { description: 'A policy as it was' },
);
export const VersionPage = pageOf(VersionAnswer);

export const versionAnswer = (version: PolicyVersion & { createdAt: number }) => ({
  id: version.id,
  object: 'policy_version',
  version: version.version,
  name: version.name,
  description: version.description,
  rules: version.rules,
  defaultAction: version.defaultAction,
  created: toIso(version.createdAt),
  // A version never changes.
  updated: toIso(version.createdAt),
});

export const policyAnswer = (policy: Policy) => ({
  id: policy.id,
  object: 'policy',
  name: policy.name,
  description: policy.description,
  rules: policy.rules,
  defaultAction: policy.defaultAction,
  version: policy.version,
  isDefault: policy.isDefault,
  created: toIso(policy.createdAt),
  updated: toIso(policy.updatedAt),
});

/** A policy's ETag is its version. */
export const policyEtag = (policy: Pick<PolicyVersion, 'version'>): string => `"${policy.version}"`;
