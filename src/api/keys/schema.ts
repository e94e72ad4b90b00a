/** Keys on the wire. */
import { type Static, Type } from 'typebox';
import { toIso } from '../../lib/clock.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { MODES, PERMISSIONS, type Permission } from '../permissions.ts';
import { KEY_TYPES, type Key } from './key.ts';

const permission = Type.Enum(Object.keys(PERMISSIONS) as Permission[], { title: 'KeyPermission' });

export const GRACE_SECONDS_MAX = 604_800;

export const CreateKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, format: 'plain-text' }),
    type: Type.Enum([...KEY_TYPES]),
    mode: Type.Optional(
      Type.Enum([...MODES], {
        description: 'Default: `live`. A test key reads and checks; its checks are recorded apart',
      }),
    ),
    permissions: Type.Optional(Type.Array(permission, { minItems: 1, maxItems: 50 })),
    allowedIps: Type.Optional(Type.Array(Type.String({ format: 'ip-range', maxLength: 64 }), { maxItems: 100 })),
    expiresAt: Type.Optional(orNull(Type.String({ format: 'date-time' }))),
  },
  { additionalProperties: false, title: 'CreateApiKey' },
);
export type CreateKey = Static<typeof CreateKey>;

export const RotateKey = Type.Object(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: GRACE_SECONDS_MAX,
        description: 'Seconds for which the old key stays valid',
      }),
    ),
  },
  { additionalProperties: false, title: 'RotateApiKey' },
);

export const KeyAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('api_key'),
    name: Type.String(),
    type: Type.Enum([...KEY_TYPES]),
    mode: Type.Enum([...MODES], {
      description: 'The checks of a `test` key have limits, quotas and a log of their own, and are in no report',
    }),
    permissions: Type.Array(permission),
    allowedIps: Type.Array(Type.String()),
    prefix: Type.String({ description: 'The first 12 characters of the key; the first 17 of a test key' }),
    expiresAt: textOrNull(),
    createdAt: Type.String(),
    lastUsedAt: textOrNull(),
    key: Type.Optional(Type.String({ description: 'The key itself; shown only once, in this answer' })),
  },
  { title: 'ApiKey', description: 'An API key' },
);

export const KeyRevoked = Type.Object(
  { id: Type.String(), object: Type.Literal('api_key'), revoked: Type.Literal(true) },
  { title: 'ApiKeyRevoked' },
);

const isoOrNull = (at: number | null): string | null => (at === null ? null : toIso(at));

export const keyAnswer = (key: Key, text?: string) => ({
  id: key.id,
  object: 'api_key' as const,
  name: key.name,
  type: key.type,
  mode: key.mode,
  permissions: key.permissions,
  allowedIps: key.allowedIps,
  prefix: key.prefix,
  expiresAt: isoOrNull(key.expiresAt),
  createdAt: toIso(key.createdAt),
  lastUsedAt: isoOrNull(key.lastUsedAt),
  ...(text === undefined ? {} : { key: text }),
});
