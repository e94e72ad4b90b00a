/** Denied demand on the wire. */
import { type Static, Type } from 'typebox';
import { listSchema, pageProperties } from '../../api/http/list.ts';
import { DEMAND_DIMENSIONS, DEMAND_SORTS, TREND_PARTS } from '../../decisions/history/columns/dimensions.ts';
import { DenialReason, groundsProperties } from '../../decisions/log/schema.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { ContentTypeName } from '../../rules/conditions/names.ts';
import type { Reason } from '../../rules/reason.ts';
import { Terms } from '../../rules/terms/terms.ts';
import { PERIODS, type PeriodName } from './period.ts';
import { closed, count, enforced, q, time } from './seen-schema.ts';
import { Who } from './visitors-schema.ts';

const DIMENSION = `(${DEMAND_DIMENSIONS.join('|')})`;
/** Each at most once. */
const GROUPS_PATTERN = `^(?!.*\\b(\\w+)\\b.*\\b\\1\\b)${DIMENSION}(,${DIMENSION})*$`;

/** The reasons of denials that a license would have turned into an allow. */
export const DEMAND_REASONS = ['no_license', 'license_expired'] as const satisfies Reason[];

export const DemandListQuery = Type.Object(
  {
    ...pageProperties,
    from: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Inclusive: a date or a date-time, UTC. Default: 30 days before `to`.',
      }),
    ),
    to: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'A date, whose day is included, or an exclusive date-time. Default: now.',
      }),
    ),
    period: Type.Optional(
      Type.Enum(Object.keys(PERIODS) as PeriodName[], { description: 'Days back from `to`, including its day.' }),
    ),
    timezone: Type.Optional(
      Type.String({ maxLength: 64, format: 'time-zone', description: 'The time zone of days. Default: UTC.' }),
    ),
    groupBy: Type.Optional(
      Type.String({
        pattern: GROUPS_PATTERN,
        expected: `must be one or more of ${DEMAND_DIMENSIONS.join(', ')}, each once, with commas in between`,
        description:
          'What a row is: `who` by default, or several such as `who,purpose,licenseType`. `who` is a requester; checks without one are apart by crawler and program, which `requester` counts as one. Public keys see no requesters: `crawler` by default.',
      }),
    ),
    q,
    requesterId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    contentId: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Id or externalId' })),
    type: Type.Optional(ContentTypeName),
    purpose: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    reason: Type.Optional(Type.Enum([...DEMAND_REASONS], { description: 'Only denials for this reason.' })),
    collectionId: groundsProperties.collectionId,
    crawler: groundsProperties.crawler,
    licenseType: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Only denials that a license of this type would have turned.',
      }),
    ),
    enforced,
    order: Type.Optional(
      Type.Enum(['desc', 'asc'], { default: 'desc', description: 'asc: the least or oldest first.' }),
    ),
    sort: Type.Optional(
      Type.Enum([...DEMAND_SORTS], {
        default: 'denied',
        description: '`change` is `denied` minus `previous`. Greatest or latest first, then by id.',
      }),
    ),
  },
  closed,
);
export type DemandListQuery = Static<typeof DemandListQuery>;

const denied = count('Denials.');
const lacking = {
  licenseTypes: Type.Array(Type.String(), { description: 'Types of which any one would have turned the denials.' }),
  anyLicense: Type.Boolean({
    description:
      'A license of any type would have. Without it and without types, no license alone would have, or an earlier version recorded them.',
  }),
};

const Estimate = Type.Object(
  {
    amount: Type.String({ description: 'A decimal in the currency.' }),
    amountMicros: orNull(Type.Integer(), 'In 1/1,000,000 of the currency; null beyond 2^53.'),
    currency: Type.String(),
    units: count('What the terms would have counted.'),
    basis: Type.Object(
      {
        licenseType: Type.String(),
        licenseId: textOrNull(
          'The license whose terms count: one of the requester, or the newest valid one of this type; null: the price list.',
        ),
        termsVersion: orNull(Type.Integer()),
        offerId: textOrNull('The entry of the price list; null: terms of a license.'),
        unit: Terms.properties.unit,
      },
      closed,
    ),
  },
  {
    ...closed,
    title: 'DemandEstimate',
    description:
      'The denied requests at the prices of the cheapest type, without minimum and flat fee: those of a license of this type that the requester holds, or else of the price list, or else of the newest valid license. Only for secret keys with `requesters:read`.',
  },
);
export type Estimate = Static<typeof Estimate>;

const DemandRow = Type.Object(
  {
    requesterId: textOrNull('null: without a requester, or not grouped by `who` or `requester`.'),
    name: textOrNull('The name of the registered requester, else the id.'),
    registered: Type.Boolean(),
    who: Type.Optional(Who),
    crawler: Type.Optional(textOrNull('Only if grouped by it. null: no crawler.')),
    collectionId: Type.Optional(textOrNull('Only if grouped by it. null: in no collection.')),
    collectionName: Type.Optional(textOrNull('Only if grouped by collection.')),
    purpose: Type.Optional(textOrNull('Only if grouped by it. null: no purpose named.')),
    license: Type.Optional(Type.Object(lacking, { ...closed, description: 'Only if grouped by license type.' })),
    denied: count('Denials in the span.'),
    previous: count('Denials in the span of the same length before it.'),
    trend: Type.Array(Type.Integer({ minimum: 0 }), {
      description: `Denials in ${TREND_PARTS} equal parts of the span, oldest first.`,
    }),
    since: time('Time of the first of these denials, also before the span.'),
    lastSeen: time('Time of the newest of these denials.'),
    uniqueContent: count('Distinct items that were denied.'),
    uniqueUrls: count('Distinct URLs without an item that were denied; all spellings of a file are one.'),
    byReason: Type.Array(Type.Object({ reason: DenialReason, count: count('Denials for this reason.') }, closed), {
      description: 'Most frequent first.',
    }),
    byLicense: Type.Array(Type.Object({ ...lacking, denied, estimate: orNull(Estimate) }, closed), {
      description: 'By the license that would have turned them: the ten most frequent, most frequent first.',
    }),
    purposes: Type.Array(
      Type.Object(
        { purpose: textOrNull('null: no purpose named.'), denied: count('Denials for this purpose.') },
        closed,
      ),
      { description: 'The ten most frequent, most frequent first.' },
    ),
    crawlers: Type.Array(Type.Object({ crawler: Type.String(), denied }, closed), {
      description: 'The three most frequent.',
    }),
    collections: Type.Array(
      Type.Object({ collectionId: Type.String(), name: textOrNull('null: deleted.'), denied }, closed),
      { description: 'The three most frequent.' },
    ),
    topContent: Type.Array(
      Type.Object({ id: Type.String(), title: Type.String(), denied: count('Denials of this item.') }, closed),
      { description: 'The three items denied most.' },
    ),
  },
  { ...closed, title: 'Demand' },
);
export type DemandRow = Static<typeof DemandRow>;
export const DemandPage = listSchema(DemandRow);
