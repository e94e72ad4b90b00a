/** The usage report on the wire: its query and its answer. */
import { type Static, Type } from 'typebox';
import { DIMENSIONS } from '../../decisions/history/columns/dimensions.ts';
import { DenialReason, groundsProperties, pageFilters, ruleFilter, spoofed } from '../../decisions/log/schema.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { ContentTypeName } from '../../rules/conditions/names.ts';
import { GROUP_DEFAULT, GROUPS, PERIOD_DEFAULT, PERIODS } from './period.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const closed = { additionalProperties: false } as const;

/** Length of the top lists. */
export const LIMIT_DEFAULT = 10;

export const UsageQuery = Type.Object(
  {
    period: Type.Optional(
      Type.Enum(Object.keys(PERIODS) as (keyof typeof PERIODS)[], {
        default: PERIOD_DEFAULT,
        description:
          'Days up to and including today; `year` is 365 days, `all` starts at the first decision. `startDate` and `endDate` take precedence.',
      }),
    ),
    startDate: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Start, inclusive: a date or a date-time (ISO 8601). Without `endDate`, the report ends now.',
      }),
    ),
    endDate: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'End: a date, whose day is included, or an exclusive date-time. Without `startDate`, the report starts one `period` earlier.',
      }),
    ),
    groupBy: Type.Optional(
      Type.Enum([...GROUPS, ...DIMENSIONS], {
        default: GROUP_DEFAULT,
        description: 'Length of a bucket; or what to count by in `groups`, and the buckets are days.',
      }),
    ),
    timezone: Type.Optional(
      Type.String({
        maxLength: 64,
        default: 'UTC',
        description: 'IANA time zone in which days, weeks, months and hours start.',
      }),
    ),
    contentId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Only this content: its id or externalId.' }),
    ),
    requesterId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Only this requester. Not for public keys.' }),
    ),
    type: Type.Optional(ContentTypeName),
    reason: Type.Optional(DenialReason),
    ...groundsProperties,
    ...pageFilters,
    rule: ruleFilter,
    spoofed,
    enforced: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'false: counts the decisions that were only observed instead of those that were enforced.',
      }),
    ),
    expand: Type.Optional(
      Type.Enum(['trends'], {
        description:
          '`trends` adds the requests by bucket to each entry of the top lists, at most 100,000 numbers in all.',
      }),
    ),
    compare: Type.Optional(
      Type.Enum(['previous'], { description: '`previous` adds the summary of the preceding period of equal length.' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: LIMIT_DEFAULT,
        description: 'Length of the lists. Without it, CSV has all groups.',
      }),
    ),
  },
  closed,
);
export type UsageQuery = Static<typeof UsageQuery>;

const Summary = Type.Object(
  {
    totalRequests: count('Decisions recorded in the period.'),
    allowed: count('Allowed decisions.'),
    denied: count('Denied decisions.'),
    uniqueRequesters: count('Distinct requesters; anonymous checks do not count.'),
    uniqueContent: count('Distinct items requested.'),
    uniquePages: count('Distinct pages requested: URLs without an item; queries and spellings of a file are one.'),
    observed: Type.Object(
      {
        requests: count('Decisions that were only observed; no other number counts them.'),
        wouldAllow: count('Those that the policy allowed.'),
        wouldDeny: count('Those that the policy denied.'),
      },
      closed,
    ),
  },
  closed,
);

const outcomes = {
  requests: count('Decisions.'),
  allowed: count('Allowed decisions.'),
  denied: count('Denied decisions.'),
};

const trend = Type.Optional(
  Type.Array(count('Decisions in the bucket.'), {
    description: 'Its requests in each bucket of `timeSeries`; only with `expand=trends`.',
  }),
);

export const UsageReport = Type.Object(
  {
    object: Type.Literal('usage_report'),
    summary: Summary,
    previous: Type.Optional(
      orNull(
        Type.Object(
          {
            startDate: Type.String({ format: 'date-time', description: 'Inclusive.' }),
            endDate: Type.String({ format: 'date-time', description: 'Exclusive: the start of the period.' }),
            summary: Summary,
          },
          closed,
        ),
        'The preceding period; only with `compare=previous`. Whole days are preceded by as many days. null: nothing precedes `all`.',
      ),
    ),
    timeSeries: Type.Array(
      Type.Object(
        {
          date: Type.String({
            description:
              'The bucket: its day, the Monday of its week, the first of its month, or the start of its hour.',
          }),
          requests: count('Decisions in the bucket.'),
          allowed: count('Allowed decisions.'),
          denied: count('Denied decisions.'),
        },
        closed,
      ),
      { description: 'Every bucket of the period in order, including empty ones.' },
    ),
    topContent: Type.Array(
      Type.Object({ id: Type.String(), title: Type.String(), requests: count('Decisions on it.'), trend }, closed),
      { description: 'The items requested most, then by id.' },
    ),
    topPages: Type.Array(
      Type.Object(
        {
          page: Type.String({ description: 'Host and path, without a query.' }),
          requests: count('Decisions on it.'),
          trend,
        },
        closed,
      ),
      { description: 'The pages without an item that were requested most, then by their address.' },
    ),
    topRequesters: Type.Array(
      Type.Object(
        { id: Type.String(), name: Type.String(), requests: count('Decisions on its checks.'), trend },
        closed,
      ),
      { description: 'The requesters with the most checks, then by id. Empty for public keys.' },
    ),
    byDenialReason: Type.Array(
      Type.Object({ reason: DenialReason, count: count('Denials for this reason.') }, closed),
      { description: 'The reasons that occurred, most frequent first.' },
    ),
    byCrawler: Type.Array(
      Type.Object(
        {
          crawler: Type.String({ description: 'Its name in the crawler directory.' }),
          ...outcomes,
          verified: count('Requests that were verified.'),
          spoofed: count('Requests whose visitor claimed a name falsely.'),
        },
        closed,
      ),
      { description: 'The crawlers that user agents named most, then by name. A name proves nothing.' },
    ),
    byCollection: Type.Array(
      Type.Object(
        {
          collectionId: Type.String(),
          name: textOrNull('null: the collection is deleted.'),
          ...outcomes,
        },
        closed,
      ),
      { description: 'The collections with the most decisions, then by id.' },
    ),
    groups: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: textOrNull(
              'The collection, crawler, page, program, kind of verification, license, purpose, permission or policy, or whether it was enforced. null: none.',
            ),
            name: Type.Optional(textOrNull('The name of a collection. null: deleted, or no collection.')),
            policyVersion: Type.Optional(Type.Integer({ description: 'Only with `groupBy=rule`.' })),
            ruleIndex: Type.Optional(
              orNull(
                Type.Integer(),
                'In the rules of that version; null: the default action. Only with `groupBy=rule`.',
              ),
            ),
            ...outcomes,
          },
          closed,
        ),
        { description: 'The most frequent first; only if `groupBy` names what to count by.' },
      ),
    ),
    period: Type.Object(
      {
        startDate: Type.String({ format: 'date-time', description: 'Start of the report, inclusive.' }),
        endDate: Type.String({ format: 'date-time', description: 'End of the report, exclusive.' }),
        groupBy: Type.Enum([...GROUPS]),
        timezone: Type.String(),
      },
      closed,
    ),
  },
  { ...closed, title: 'UsageReport' },
);
export type UsageReport = Static<typeof UsageReport>;
