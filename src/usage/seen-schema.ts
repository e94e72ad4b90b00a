/** Seen requesters and denied demand on the wire. */
import { type Static, Type } from 'typebox';
import { pageOf, pageProperties, spanProperties } from '../http/list.ts';
import type { Reason } from '../ledger/reason.ts';
import { DenialReason, groundsProperties } from '../ledger/schema.ts';
import { ContentTypeName } from '../policies/names.ts';
import { DEMAND_SORTS, SEEN_SORTS, TREND_PARTS } from './seen-sorts.ts';

const closed = { additionalProperties: false } as const;
const count = (description: string) => Type.Integer({ minimum: 0, description });
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const time = (description: string) => Type.String({ format: 'date-time', description });
const q = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    format: 'plain-text',
    description: 'Part of an id or a name, case-insensitive.',
  }),
);

const enforced = Type.Optional(
  Type.Boolean({
    default: true,
    description: 'false: counts the decisions that were only observed instead of those that were enforced.',
  }),
);

export const SeenListQuery = Type.Object(
  {
    ...pageProperties,
    ...spanProperties,
    q,
    registered: Type.Optional(
      Type.Boolean({ description: 'Only registered requesters (true), or only unregistered ones (false).' }),
    ),
    status: Type.Optional(
      Type.Enum(['active', 'suspended'], {
        description: 'Only registered requesters with this status. Needs `policies:read`.',
      }),
    ),
    enforced,
    sort: Type.Optional(
      Type.Enum([...SEEN_SORTS], { default: 'requests', description: 'Greatest or latest first, then by id.' }),
    ),
  },
  closed,
);
export type SeenListQuery = Static<typeof SeenListQuery>;

const SeenRow = Type.Object(
  {
    id: Type.String({ description: 'The id that the checks named.' }),
    name: Type.String({ description: 'The name of the registered requester, else the id.' }),
    registered: Type.Boolean(),
    status: Type.Union([Type.Enum(['active', 'suspended']), Type.Null()], {
      description: 'null if unregistered. Like `type` and `tags`, only for keys with `policies:read`.',
    }),
    type: nullable('null if unregistered or without a type.'),
    tags: Type.Array(Type.String()),
    requests: count('Recorded decisions in the span.'),
    allowed: count('Of these, allowed.'),
    denied: count('Of these, denied.'),
    lastSeen: Type.Union([time('Time of the newest decision in the span.'), Type.Null()]),
  },
  { ...closed, title: 'SeenRequester' },
);
export type SeenRow = Static<typeof SeenRow>;
export const SeenPage = pageOf(SeenRow);

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
    q,
    requesterId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    contentId: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Id or externalId' })),
    type: Type.Optional(ContentTypeName),
    purpose: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    reason: Type.Optional(Type.Enum([...DEMAND_REASONS], { description: 'Only denials for this reason.' })),
    collectionId: groundsProperties.collectionId,
    crawler: groundsProperties.crawler,
    enforced,
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

const DemandRow = Type.Object(
  {
    requesterId: nullable('null: all anonymous checks.'),
    name: nullable('The name of the registered requester, else the id.'),
    registered: Type.Boolean(),
    denied: count('Denials in the span.'),
    previous: count('Denials in the span of the same length before it.'),
    trend: Type.Array(Type.Integer({ minimum: 0 }), {
      description: `Denials in ${TREND_PARTS} equal parts of the span, oldest first.`,
    }),
    uniqueContent: count('Distinct items that were denied.'),
    lastSeen: time('Time of the newest of these denials.'),
    byReason: Type.Array(Type.Object({ reason: DenialReason, count: count('Denials for this reason.') }, closed), {
      description: 'Most frequent first.',
    }),
    purposes: Type.Array(
      Type.Object({ purpose: nullable('null: no purpose named.'), denied: count('Denials for this purpose.') }, closed),
      { description: 'The ten most frequent, most frequent first.' },
    ),
    topContent: Type.Array(
      Type.Object({ id: Type.String(), title: Type.String(), denied: count('Denials of this item.') }, closed),
      { description: 'The three items denied most.' },
    ),
  },
  { ...closed, title: 'Demand' },
);
export type DemandRow = Static<typeof DemandRow>;
export const DemandPage = pageOf(DemandRow);
