/** Requests that find neither an item nor a collection, on the wire. */
import { type Static, Type } from 'typebox';
import { listSchema, pageProperties } from '../../api/http/list.ts';
import { textOrNull } from '../../lib/nullable.ts';

const closed = { additionalProperties: false } as const;
const hour = (description: string) => Type.String({ format: 'date-time', description });

const SORTS = ['requests', 'lastSeen'] as const;
export type UnregisteredSort = (typeof SORTS)[number];

export const UnregisteredQuery = Type.Object(
  {
    ...pageProperties,
    from: Type.Optional(
      Type.String({ maxLength: 64, description: 'A date or a date-time, UTC; its hour is counted whole.' }),
    ),
    to: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'A date, whose day is included, or an exclusive date-time; an hour that it cuts is counted whole.',
      }),
    ),
    host: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        format: 'plain-text',
        description: 'Only this host, with its port where one is served.',
      }),
    ),
    sort: Type.Optional(
      Type.Enum([...SORTS], { default: 'requests', description: 'Greatest or latest first, then by host and path.' }),
    ),
  },
  closed,
);

const UnregisteredRow = Type.Object(
  {
    host: textOrNull('null: more hosts in one hour than are counted apart.'),
    path: textOrNull('The first segment of the path, such as `/news`; null: more in one hour than are counted apart.'),
    crawler: textOrNull('The crawler that the user agent names.'),
    requesterId: textOrNull('null: anonymous, and for public keys.'),
    requests: Type.Integer({ minimum: 1, description: 'Requests in the span.' }),
    firstSeen: hour('Start of the first hour with such a request.'),
    lastSeen: hour('Start of the last hour with such a request.'),
  },
  { ...closed, title: 'UnregisteredRequests' },
);
export type UnregisteredRow = Static<typeof UnregisteredRow>;
export const UnregisteredPage = listSchema(UnregisteredRow);
