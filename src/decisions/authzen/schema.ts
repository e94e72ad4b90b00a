/**
 * Evaluations on the wire (OpenID AuthZEN Authorization API 1.0). Unlike everywhere else, unknown fields are ignored:
 * the specification demands it.
 */
import { type Static, Type } from 'typebox';
import { textOrNull } from '../../lib/nullable.ts';
import { CountryCode, PermissionName, Purpose, RequesterId } from '../../rules/conditions/names.ts';
import { reasonOrNull } from '../log/schema.ts';

const EVALUATIONS_MAX = 1000;

/** Unknown fields are ignored. */
export const OPEN = { additionalProperties: true };

export const kind = Type.String({ minLength: 1, maxLength: 256 });
export const properties = Type.Optional(
  Type.Object(
    {},
    {
      ...OPEN,
      description: 'Texts, numbers and booleans are attributes that rules can read; other values are ignored',
    },
  ),
);

export const Subject = Type.Object(
  { type: kind, id: RequesterId, properties },
  { ...OPEN, title: 'EvaluationSubject', description: 'The requester; `id` is its id' },
);
export const Action = Type.Object(
  { name: PermissionName, properties },
  { ...OPEN, title: 'EvaluationAction', description: '`name` is the permission' },
);
export const Resource = Type.Object(
  {
    type: kind,
    id: Type.String({ minLength: 1, maxLength: 2048, description: 'Id or externalId of the item, or a URL' }),
    properties,
  },
  { ...OPEN, title: 'EvaluationResource', description: 'The item or URL that is asked for' },
);
export const Context = Type.Object(
  {
    purpose: Type.Optional(Purpose),
    country: Type.Optional(CountryCode),
    ip: Type.Optional(Type.String({ format: 'ip', maxLength: 64 })),
    userAgent: Type.Optional(Type.String({ maxLength: 1024 })),
  },
  { ...OPEN, title: 'EvaluationContext', description: 'Facts about the original request' },
);

export const EvaluationRequest = Type.Object(
  { subject: Subject, action: Action, resource: Resource, context: Type.Optional(Context) },
  { ...OPEN, title: 'Evaluation' },
);
export type EvaluationRequest = Static<typeof EvaluationRequest>;

const SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;

/** Defaults of all evaluations: each may lack what the evaluations bring. */
const entityDefault = Type.Optional(Type.Object({}, OPEN));

export const EvaluationsRequest = Type.Object(
  {
    subject: entityDefault,
    action: entityDefault,
    resource: entityDefault,
    context: entityDefault,
    evaluations: Type.Optional(Type.Array(Type.Unknown(), { maxItems: EVALUATIONS_MAX })),
    options: Type.Optional(
      Type.Object(
        {
          evaluations_semantic: Type.Optional(
            Type.Enum([...SEMANTICS], { description: 'When to stop; `execute_all` by default: never' }),
          ),
        },
        OPEN,
      ),
    ),
  },
  { ...OPEN, title: 'Evaluations', itemsApart: 'evaluations' },
);
export type EvaluationsRequest = Static<typeof EvaluationsRequest>;

const EvaluationContextAnswer = Type.Object(
  {
    id: Type.Optional(textOrNull('Id of the decision')),
    reason: Type.Optional(
      Type.Union([reasonOrNull, Type.Enum(['content_not_found', 'ambiguous_content'])], {
        description: 'null when allowed',
      }),
    ),
    reason_user: Type.Optional(Type.Object({ en: Type.String() }, { description: 'On a denial: a sentence' })),
    remedies: Type.Optional(
      Type.Array(Type.Unknown(), {
        description: 'Of one evaluation: what would have turned the denial, as checks with `explain` have it',
      }),
    ),
    enforced: Type.Optional(
      Type.Literal(false, {
        description: 'The collection only observes: `decision` is true, also where the policy denies',
      }),
    ),
    allowed: Type.Optional(Type.Boolean({ description: 'With `enforced`: what the policy says' })),
    error: Type.Optional(
      Type.Object({ status: Type.Integer(), message: Type.String() }, { description: 'This evaluation is not valid' }),
    ),
  },
  { title: 'EvaluationDecisionContext' },
);

export const EvaluationAnswer = Type.Object(
  { decision: Type.Boolean(), context: EvaluationContextAnswer },
  { title: 'EvaluationDecision' },
);

export const EvaluationsAnswer = Type.Object(
  {
    evaluations: Type.Optional(Type.Array(EvaluationAnswer, { description: 'In the order of the request' })),
    decision: Type.Optional(Type.Boolean({ description: 'Without `evaluations` in the request' })),
    context: Type.Optional(EvaluationContextAnswer),
  },
  { title: 'EvaluationDecisions' },
);

export const Configuration = Type.Object(
  {
    policy_decision_point: Type.String(),
    access_evaluation_endpoint: Type.String(),
    access_evaluations_endpoint: Type.String(),
    search_subject_endpoint: Type.String(),
    search_resource_endpoint: Type.String(),
    search_action_endpoint: Type.String(),
  },
  { title: 'AuthzenConfiguration' },
);
