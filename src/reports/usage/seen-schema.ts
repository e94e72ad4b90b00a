/** Seen requesters on the wire. */
import { type Static, Type } from 'typebox';
import { listSchema, pageProperties, spanProperties } from '../../api/http/list.ts';
import { SEEN_SORTS } from '../../decisions/history/columns/dimensions.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';

export const closed = { additionalProperties: false } as const;
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const time = (description: string) => Type.String({ format: 'date-time', description });
export const q = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    format: 'plain-text',
    description: 'Part of an id or a name, case-insensitive.',
  }),
);

export const enforced = Type.Optional(
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
    status: orNull(
      Type.Enum(['active', 'suspended']),
      'null if unregistered. Like `type` and `tags`, only for keys with `policies:read`.',
    ),
    type: textOrNull('null if unregistered or without a type.'),
    tags: Type.Array(Type.String()),
    requests: count('Recorded decisions in the span.'),
    allowed: count('Allowed decisions.'),
    denied: count('Denied decisions.'),
    verified: count('Decisions for a verified requester.'),
    lastSeen: orNull(time('Time of the newest decision in the span.')),
  },
  { ...closed, title: 'SeenRequester' },
);
export type SeenRow = Static<typeof SeenRow>;
export const SeenPage = listSchema(SeenRow);
