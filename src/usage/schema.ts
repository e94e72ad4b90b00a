/** The usage report on the wire: its query and its answer. */
import { type Static, Type } from 'typebox';
import { DenialReason } from '../ledger/schema.ts';
import { ContentTypeName } from '../policies/names.ts';
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
    groupBy: Type.Optional(Type.Enum([...GROUPS], { default: GROUP_DEFAULT, description: 'Length of a bucket.' })),
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
    requesterId: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Only this requester.' })),
    type: Type.Optional(ContentTypeName),
    reason: Type.Optional(DenialReason),
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
      Type.Integer({ minimum: 1, maximum: 100, default: LIMIT_DEFAULT, description: 'Length of the two top lists.' }),
    ),
  },
  closed,
);
export type UsageQuery = Static<typeof UsageQuery>;

const Summary = Type.Object(
  {
    totalRequests: count('Decisions recorded in the period.'),
    allowed: count('Of these, allowed.'),
    denied: count('Of these, denied.'),
    uniqueRequesters: count('Distinct requesters; anonymous checks do not count.'),
    uniqueContent: count('Distinct items requested.'),
  },
  closed,
);

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
      Type.Union(
        [
          Type.Object(
            {
              startDate: Type.String({ format: 'date-time', description: 'Inclusive.' }),
              endDate: Type.String({ format: 'date-time', description: 'Exclusive: the start of the period.' }),
              summary: Summary,
            },
            closed,
          ),
          Type.Null(),
        ],
        {
          description:
            'The preceding period; only with `compare=previous`. Whole days are preceded by as many days. null: nothing precedes `all`.',
        },
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
          allowed: count('Of these, allowed.'),
          denied: count('Of these, denied.'),
        },
        closed,
      ),
      { description: 'Every bucket of the period in order, including empty ones.' },
    ),
    topContent: Type.Array(
      Type.Object({ id: Type.String(), title: Type.String(), requests: count('Decisions on it.'), trend }, closed),
      { description: 'The items requested most, then by id.' },
    ),
    topRequesters: Type.Array(
      Type.Object(
        { id: Type.String(), name: Type.String(), requests: count('Decisions on its checks.'), trend },
        closed,
      ),
      { description: 'The requesters with the most checks, then by id.' },
    ),
    byDenialReason: Type.Array(
      Type.Object({ reason: DenialReason, count: count('Denials for this reason.') }, closed),
      { description: 'The reasons that occurred, most frequent first.' },
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
