/** Decisions on the wire: the fields of every decision, and what the log adds to them. */
import { type Static, Type } from 'typebox';
import { listSchema, pageProperties, spanProperties } from '../../api/http/list.ts';
import { MODES } from '../../api/permissions.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { AttributesSchema } from '../../rules/conditions/attributes.ts';
import { VERIFIED_KINDS } from '../../rules/facts.ts';
import { type LimitPeriod, PERIODS } from '../../rules/limit.ts';
import { ACTIONS } from '../../rules/policy.ts';
import { REASONS, type Reason } from '../../rules/reason.ts';
import { QuotaStatus } from '../../rules/terms/terms.ts';
import { ROBOTS_BREAKS } from '../history/logged.ts';
import { VERIFIED_FILTERS } from '../ledger/codes.ts';
import { REDUCIBLE, UNREADABLES } from '../ledger/inputs.ts';
import { RULE_PATTERN } from './rule-filter.ts';

export const DenialReason = Type.Enum(Object.keys(REASONS) as Reason[], { title: 'DenialReason' });
export const reasonOrNull = orNull(DenialReason, 'null when allowed');
export const MatchedRule = Type.Object(
  { index: Type.Integer({ description: 'Index in the stored `rules`' }), priority: Type.Integer() },
  { title: 'MatchedRule' },
);

/** The fields of a decision, apart from those that only its first answer or the log has. */
export const decisionProperties = {
  object: Type.Literal('access_decision'),
  allowed: Type.Boolean(),
  action: Type.Enum([...ACTIONS]),
  reason: reasonOrNull,
  message: Type.String(),
  permissions: Type.Array(Type.String(), { description: 'What an allow grants; empty on a denial' }),
  contentId: textOrNull('null: no item is registered at the URL'),
  externalId: textOrNull(),
  url: textOrNull('Host and path that the check asked for; the query only if a pattern of the collection names one'),
  collectionId: textOrNull('The most specific collection'),
  requesterId: textOrNull('null for an anonymous check, and in the log for public keys'),
  crawler: textOrNull('Name of the crawler that the user agent names; proves nothing'),
  verified: orNull(Type.Enum([...VERIFIED_KINDS]), 'How the requester was verified; null: not at all'),
  spoofed: Type.Optional(Type.Literal(true, { description: 'The visitor falsely claimed to be `claimed`' })),
  claimed: Type.Optional(Type.String({ description: 'The requester or crawler that was claimed' })),
  policyId: Type.String(),
  policyVersion: Type.Integer(),
  matchedRule: orNull(MatchedRule, 'null when the default action decided'),
  licenseId: textOrNull('The license that the rule matched'),
  rateLimit: orNull(
    Type.Object(
      {
        limit: Type.Integer(),
        remaining: Type.Integer({ description: 'Admissions left in the period' }),
        period: Type.Enum(Object.keys(PERIODS) as LimitPeriod[]),
        resetAt: Type.String({ description: 'When more admissions will be available' }),
        retryAfter: Type.Optional(Type.Integer({ description: 'Seconds until `resetAt`; only on a denial' })),
      },
      { title: 'RateLimitStatus' },
    ),
  ),
  quota: orNull(QuotaStatus, 'The quota of the license that decided; null without one'),
  enforced: Type.Boolean({
    description: 'false: the collection only observes, so let the request pass; `allowed` is what the policy says',
  }),
  recorded: Type.Boolean({ description: 'false for dry runs and for checks by public keys' }),
  created: Type.String(),
  mode: Type.Optional(
    Type.Literal('test', { description: 'Only of checks with a test key: recorded apart, and in no report' }),
  ),
};

export const LoggedDecision = Type.Object(
  {
    id: Type.String(),
    publicId: Type.String({ description: 'The id as partners and visitors see it; both are found' }),
    ...decisionProperties,
    file: Type.Optional(
      Type.String({ description: 'The URL that stands for all spellings of the file; absent where that is `url`' }),
    ),
    permission: textOrNull('The permission that the check requested'),
    purpose: textOrNull(),
    context: orNull(
      Type.Partial(
        Type.Object({
          ip: Type.String(),
          country: Type.String(),
          userAgent: Type.String(),
          method: Type.String({ description: 'The method of the original request' }),
          verified: Type.Enum([...VERIFIED_KINDS]),
          crawlerVerified: Type.Boolean({ description: 'The crawler that the user agent names was proven' }),
          attributes: AttributesSchema,
        }),
      ),
      'What the check said of the visitor; null for public keys',
    ),
    license: orNull(
      Type.Object({
        id: Type.Optional(Type.String({ description: 'Of a License token: the check could use no other license' })),
        type: Type.Optional(Type.String()),
        features: Type.Optional(Type.Array(Type.String())),
        expiresAt: Type.Optional(textOrNull()),
      }),
      'The license that the check vouched for, or that of its License token',
    ),
    urls: Type.Optional(
      Type.Object(
        { case: Type.Optional(Type.Literal('ignored')), finalSlash: Type.Optional(Type.Literal('ignored')) },
        { description: 'What the router of the caller ignores in paths, as the check said' },
      ),
    ),
    reduced: Type.Optional(
      Type.Array(Type.Enum([...REDUCIBLE]), {
        description:
          'Inputs that the privacy settings shortened or removed; conditions on them cannot be evaluated again',
      }),
    ),
    unreadable: Type.Optional(
      Type.Array(Type.Enum([...UNREADABLES]), {
        description: 'Inputs that could not be read: a proxy sent an address in no known form',
      }),
    ),
    candidate: Type.Optional(
      Type.Object(
        {
          allowed: Type.Boolean(),
          reason: reasonOrNull,
          rule: orNull(Type.Integer(), 'Index in the rules of the candidate'),
        },
        { description: 'What the candidate of the policy decided, before limits; absent without a candidate' },
      ),
    ),
    robots: Type.Optional(
      Type.Enum([...ROBOTS_BREAKS], {
        description: 'How the access broke robots.txt as it was then; only with the filter `robots`',
      }),
    ),
    names: Type.Optional(
      Type.Object(
        {
          content: textOrNull('Title of the item'),
          requester: textOrNull('null for anonymous checks and unregistered requesters'),
          policy: textOrNull('null once the policy is deleted, and for keys without `policies:read`'),
          collection: textOrNull('null once the collection is deleted'),
        },
        { description: 'Current names; only with `expand=names`' },
      ),
    ),
  },
  { title: 'LoggedDecision', description: 'A recorded decision and the check it answers' },
);
export const DecisionPage = listSchema(LoggedDecision);

const named = (description: string, maxLength = 128) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, format: 'plain-text', description }));

/** Filters that the log and usage share. */
export const groundsProperties = {
  collectionId: named('Only decisions in this collection'),
  crawler: named('Only requests whose user agent names this crawler'),
  verified: Type.Optional(
    Type.Enum([...VERIFIED_FILTERS], {
      description: 'Only requests that were verified in this way, in any way (`true`), or not at all (`false`)',
    }),
  ),
  licenseId: named('Only decisions that this license decided'),
  purpose: named('Only requests with this purpose'),
  permission: named('Only requests for this permission'),
  enforced: Type.Optional(
    Type.Boolean({ description: 'Only decisions that were enforced (true), or only observed (false)' }),
  ),
};

/** Filters by page that the log and usage share. */
export const pageFilters = {
  page: named('Only requests of this page: host and path, in any spelling that is the same file', 2048),
  pagePrefix: named(
    'Only requests of this page and of those below it, by whole segments of the path: a host, or host and path such as `www.example.com/news`',
    2048,
  ),
};

export const ruleFilter = Type.Optional(
  Type.String({
    pattern: RULE_PATTERN,
    expected: 'must be a policy, its version and the index of a rule, such as pol_…/3/0, or pol_…/3/default',
    description:
      'Only decisions by this rule: policy, version and index, such as `pol_…/3/0`; `pol_…/3/default` for the default action',
  }),
);
export const spoofed = Type.Optional(
  Type.Boolean({ description: 'Only requests whose visitor claimed a name falsely' }),
);

const expand = Type.Optional(
  Type.Enum(['names'], { description: 'Adds `names`: the current names of item, requester, policy and collection' }),
);
export const modeFilter = Type.Optional(
  Type.Enum([...MODES], { description: 'Decisions for `live` or for `test` keys. Default: the mode of your key' }),
);
export const ReadDecisionQuery = Type.Object({ expand }, { additionalProperties: false });
export const ListDecisionsQuery = Type.Object(
  {
    ...pageProperties,
    contentId: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Id or externalId' })),
    requesterId: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Not for public keys' })),
    policyId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    program: named(
      'Only requests whose user agent is of this program: an id of `groupBy=program`. Not for public keys, and not in the log of tests',
    ),
    allowed: Type.Optional(Type.Boolean()),
    reason: Type.Optional(DenialReason),
    url: named('Only URLs that begin like this: host and path; a scheme is ignored', 2048),
    ...pageFilters,
    rule: ruleFilter,
    spoofed,
    robots: Type.Optional(
      Type.Enum([...ROBOTS_BREAKS, 'any'], {
        description:
          'Only accesses of crawlers that broke robots.txt as it was then; `within_24h`: a copy that they may have kept for 24 hours allowed them. A page may have fewer entries than follow, and `totalCount` counts the accesses of crawlers',
      }),
    ),
    ...groundsProperties,
    ...spanProperties,
    mode: modeFilter,
    expand,
  },
  { additionalProperties: false },
);
export type ListDecisionsQuery = Static<typeof ListDecisionsQuery>;
