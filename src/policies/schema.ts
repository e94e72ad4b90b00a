/** Policies on the wire. */
import { type Static, Type } from 'typebox';
import { addFormat } from '../api/http/formats.ts';
import { deletedSchema, listSchema } from '../api/http/list.ts';
import { toIso } from '../lib/clock.ts';
import { orNull, textOrNull } from '../lib/nullable.ts';
import { CONDITION_SCHEMAS } from '../rules/conditions/conditions.ts';
import { crawlerNames, crawlerOperators } from '../rules/conditions/crawler-conditions.ts';
import { PermissionName } from '../rules/conditions/names.ts';
import { type LimitPeriod, PERIODS } from '../rules/limit.ts';
import { LINT_CODES } from '../rules/lint/warning.ts';
import { ACTIONS, type Policy, type PolicyVersion, SCOPES } from '../rules/policy.ts';

export const RULES_MAX = 100;

addFormat('crawler-name', {
  test: (text) => crawlerNames().has(text),
  expected: 'must be the name of a crawler as `GET /v1/crawlers` lists it',
  known: crawlerNames,
});
addFormat('crawler-operator', {
  test: (text) => crawlerOperators().has(text),
  expected: 'must be an operator as `GET /v1/crawlers` lists it',
  known: crawlerOperators,
});

const action = Type.Enum([...ACTIONS]);
const name = Type.String({ minLength: 1, maxLength: 200, format: 'plain-text' });
const description = orNull(Type.String({ maxLength: 2000 }));

export const ConditionsSchema = Type.Object(
  Object.fromEntries(Object.entries(CONDITION_SCHEMAS).map(([key, schema]) => [key, Type.Optional(schema)])),
  {
    additionalProperties: false,
    title: 'Conditions',
    description: 'All must match for the rule to decide; see docs/conditions.md',
  },
);

export const RuleSchema = Type.Object(
  {
    action,
    priority: Type.Optional(Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 })),
    conditions: Type.Optional(ConditionsSchema),
    permissions: Type.Optional(
      Type.Array(PermissionName, { maxItems: 50, description: 'What an allow grants; `full_access` by default' }),
    ),
    rateLimit: Type.Optional(
      Type.Object(
        {
          requests: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
          period: Type.Enum(Object.keys(PERIODS) as LimitPeriod[]),
          scope: Type.Optional(Type.Enum([...SCOPES])),
        },
        { additionalProperties: false, title: 'RateLimit' },
      ),
    ),
    message: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { additionalProperties: false, title: 'Rule' },
);
const rules = Type.Array(RuleSchema, { maxItems: RULES_MAX });

export const CreatePolicy = Type.Object(
  { name, description: Type.Optional(description), rules, defaultAction: Type.Optional(action) },
  { additionalProperties: false, title: 'CreatePolicy' },
);
export type CreatePolicy = Static<typeof CreatePolicy>;

export const UpdatePolicy = Type.Object(
  {
    name: Type.Optional(name),
    description: Type.Optional(description),
    rules: Type.Optional(rules),
    defaultAction: Type.Optional(action),
  },
  { additionalProperties: false, minProperties: 1, title: 'UpdatePolicy' },
);
export type UpdatePolicy = Static<typeof UpdatePolicy>;

export const PolicyAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('policy'),
    name: Type.String(),
    description: textOrNull(),
    rules: Type.Array(RuleSchema),
    defaultAction: action,
    version: Type.Integer(),
    isDefault: Type.Boolean(),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'Policy', description: 'A policy' },
);
export const warnings = Type.Array(
  Type.Object(
    { code: Type.Enum([...LINT_CODES]), message: Type.String(), param: Type.String() },
    { title: 'LintWarning' },
  ),
  { description: 'Rules that are valid but probably wrong' },
);
export const PolicyWithWarnings = Type.Object(
  { ...PolicyAnswer.properties, warnings },
  { title: 'PolicyWithWarnings', description: 'A policy, and warnings about its rules' },
);

export const LintPolicy = Type.Object(
  { name: Type.Optional(name), description: Type.Optional(description), rules, defaultAction: Type.Optional(action) },
  { additionalProperties: false, title: 'LintPolicy' },
);
export type LintPolicy = Static<typeof LintPolicy>;
export const LintAnswer = Type.Object({ object: Type.Literal('policy_lint'), warnings }, { title: 'PolicyLint' });

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
        from: orNull(Type.Integer(), 'Index in `from`; null for an added rule'),
        to: orNull(Type.Integer(), 'Index in `to`; null for a removed rule'),
        rule: Type.Optional(RuleSchema),
        fields: Type.Optional(Type.Array(fieldChange)),
      }),
    ),
  },
  { title: 'PolicyDiff', description: 'The differences between two versions' },
);

export const PolicyPage = listSchema(PolicyAnswer);
export const PolicyDeleted = deletedSchema('policy');

export const TemplatePage = listSchema(
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
          check: Type.Object({}, { description: 'A check, with the item and the requester it is about' }),
          expect: Type.Object({
            allowed: Type.Boolean(),
            reason: Type.Optional(textOrNull()),
            permissions: Type.Optional(Type.Array(Type.String())),
            rule: Type.Optional(orNull(Type.Integer({ description: 'Index in `rules`' }))),
          }),
        }),
      ),
    },
    { title: 'PolicyTemplate', description: 'A policy to start from, and the cases it decides' },
  ),
);

export const Rollback = Type.Object(
  { version: Type.Integer({ minimum: 1, maximum: 999_999_999 }) },
  { additionalProperties: false, title: 'RollbackPolicy' },
);
export type Rollback = Static<typeof Rollback>;

export const VersionAnswer = Type.Object(
  {
    id: Type.String({ description: 'Id of the policy' }),
    object: Type.Literal('policy_version'),
    version: Type.Integer(),
    name: Type.String(),
    description: textOrNull(),
    rules: Type.Array(RuleSchema),
    defaultAction: action,
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'PolicyVersion', description: 'A policy as it was in one version' },
);
export const VersionPage = listSchema(VersionAnswer);

export const versionAnswer = (version: PolicyVersion & { createdAt: number }) => ({
  id: version.id,
  object: 'policy_version' as const,
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
  object: 'policy' as const,
  name: policy.name,
  description: policy.description,
  rules: policy.rules,
  defaultAction: policy.defaultAction,
  version: policy.version,
  isDefault: policy.isDefault,
  created: toIso(policy.createdAt),
  updated: toIso(policy.updatedAt),
});

/** The ETag of a policy is its version. */
export const policyEtag = (policy: Pick<PolicyVersion, 'version'>): string => `"${policy.version}"`;
