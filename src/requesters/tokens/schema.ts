/** Tokens of requesters on the wire. */
import { type Static, Type } from 'typebox';
import { listSchema } from '../../api/http/list.ts';
import { GRACE_SECONDS_MAX } from '../../api/keys/schema.ts';
import { toIso } from '../../lib/clock.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import type { RequesterToken } from './token.ts';

export const CreateToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, format: 'plain-text' }),
    expiresAt: Type.Optional(orNull(Type.String({ format: 'date-time' }))),
  },
  { additionalProperties: false, title: 'CreateRequesterToken' },
);
export type CreateToken = Static<typeof CreateToken>;

export const RotateToken = Type.Object(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: GRACE_SECONDS_MAX,
        description: 'Seconds for which the old token stays valid',
      }),
    ),
  },
  { additionalProperties: false, title: 'RotateRequesterToken' },
);

export const TokenAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('requester_token'),
    requesterId: Type.String(),
    name: Type.String(),
    prefix: Type.String({ description: 'The first 12 characters of the token' }),
    expiresAt: textOrNull(),
    lastUsedAt: textOrNull(),
    created: Type.String(),
    updated: Type.String(),
    token: Type.Optional(Type.String({ description: 'The token itself; shown only once, in this answer' })),
  },
  { title: 'RequesterToken', description: 'A token by which a requester proves who it is' },
);
export const TokenPage = listSchema(TokenAnswer);

export const TokenRevoked = Type.Object(
  { id: Type.String(), object: Type.Literal('requester_token'), revoked: Type.Literal(true) },
  { title: 'RequesterTokenRevoked' },
);

const isoOrNull = (at: number | null): string | null => (at === null ? null : toIso(at));

export const tokenAnswer = (token: RequesterToken, text?: string) => ({
  id: token.id,
  object: 'requester_token' as const,
  requesterId: token.requesterId,
  name: token.name,
  prefix: token.prefix,
  expiresAt: isoOrNull(token.expiresAt),
  lastUsedAt: isoOrNull(token.lastUsedAt),
  created: toIso(token.createdAt),
  updated: toIso(token.updatedAt),
  ...(text === undefined ? {} : { token: text }),
});
