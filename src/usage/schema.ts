/** The usage report on the wire: its query and its answer. What the words mean in time is period's business. */
import { type Static, Type } from 'typebox';
import { REASONS } from '../ledger/reason.ts';
import { GROUP_DEFAULT, GROUPS, PERIOD_DEFAULT, PERIODS } from './period.ts';
import { LIMIT_DEFAULT } from './report.ts';

/** The kinds of content there are. */
const CONTENT_TYPES = ['article', 'report', 'image', 'dataset', 'video'] as const;

const keys = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];
const count = (description: string) => Type.Integer({ minimum: 0, description });
const closed = { additionalProperties: false } as const;

export const UsageQuery = Type.Object(
  {
    period: Type.Optional(
      Type.Enum(keys(PERIODS), {
        default: PERIOD_DEFAULT,
        description:
          'Days up to and including today; `year` is 365 days, `all` begins with the first decision. `startDate` and `endDate` win over it.',
      }),
    ),
    startDate: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Start, inclusive: a date or a date-time (ISO 8601). Without `endDate`: until now.',
      }),
    ),
    endDate: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'End: a date, whose day is included, or a date-time, which is exclusive. Without `startDate`: `period` back from it.',
      }),
    ),
    groupBy: Type.Optional(Type.Enum([...GROUPS], { default: GROUP_DEFAULT, description: 'Length of a bucket.' })),
    timezone: Type.Optional(
      Type.String({
        maxLength: 64,
        default: 'UTC',
        description: 'IANA time zone whose clocks say where days, weeks, months and hours begin.',
      }),
    ),
    contentId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Only this content: its id or externalId.' }),
    ),
    requesterId: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Only this requester.' })),
    type: Type.Optional(Type.Enum([...CONTENT_TYPES], { description: 'Only content that is of this type now.' })),
    reason: Type.Optional(
      Type.Enum(keys(REASONS), { description: 'Only denials for this reason: who is turned away, and for what.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: LIMIT_DEFAULT, description: 'Length of the two top lists.' }),
    ),
  },
  closed,
);
export type UsageQuery = Static<typeof UsageQuery>;

export const UsageReport = Type.Object(
  {
    object: Type.Literal('usage_report'),
    summary: Type.Object(
      {
        totalRequests: count('Decisions recorded in the period.'),
        allowed: count('Of these, allowed.'),
        denied: count('Of these, denied.'),
        uniqueRequesters: count('Different requesters; anonymous checks are none.'),
        uniqueContent: count('Different items asked for.'),
      },
      closed,
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
      { description: 'Every bucket of the period, ascending; those without decisions too.' },
    ),
    topContent: Type.Array(
      Type.Object({ id: Type.String(), title: Type.String(), requests: count('Decisions on it.') }, closed),
      { description: 'The items asked for most, then by id.' },
    ),
    topRequesters: Type.Array(
      Type.Object({ id: Type.String(), name: Type.String(), requests: count('Decisions on its checks.') }, closed),
      { description: 'The requesters that asked most, then by id.' },
    ),
    byDenialReason: Type.Array(
      Type.Object({ reason: Type.Enum(keys(REASONS)), count: count('Denials for this reason.') }, closed),
      { description: 'The reasons that occurred, the most frequent first.' },
    ),
    period: Type.Object(
      {
        startDate: Type.String({ format: 'date-time', description: 'Start of what was counted, inclusive.' }),
        endDate: Type.String({ format: 'date-time', description: 'End of what was counted, exclusive.' }),
        groupBy: Type.Enum([...GROUPS]),
        timezone: Type.String(),
      },
      closed,
    ),
  },
  closed,
);
export type UsageReport = Static<typeof UsageReport>;
