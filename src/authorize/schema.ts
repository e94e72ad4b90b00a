/** How a proxy is set up to ask, and what it is answered. */
import { type Static, Type } from 'typebox';
import { PERMISSION_PATTERN } from '../policies/conditions.ts';

export const AuthorizeOptions = Type.Object(
  {
    origin: Type.Optional(
      Type.String({
        pattern: '^https?://[^/?#\\s@\\\\]+/?$',
        maxLength: 300,
        description: 'must be the origin of the site, such as https://example.com; then no host of a request counts',
      }),
    ),
    requesterHeader: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9-]{1,64}$',
        description: 'must be the name of the header in which your proxy says who asks',
      }),
    ),
    permission: Type.Optional(
      Type.String({
        pattern: PERMISSION_PATTERN,
        description: 'must be a small letter followed by at most 63 small letters, digits or underscores',
      }),
    ),
    purpose: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    denyStatus: Type.Optional(
      Type.String({
        pattern: '^(401|402|429)(,(401|402|429))*$',
        description: 'must list the statuses beside 403 that your proxy lets through, of 401, 402 and 429',
      }),
    ),
    unknown: Type.Optional(
      Type.Enum(['deny', 'allow'], { description: 'What comes of content that is not registered; deny by default' }),
    ),
  },
  { additionalProperties: false },
);
/** For the description alone: what a visitor may have sent in them is looked at, not refused. */
export const AuthorizeHeaders = Type.Object({
  'x-original-uri': Type.Optional(Type.String({ description: 'What the visitor asked for: path and query, or a URL' })),
  'x-forwarded-uri': Type.Optional(Type.String({ description: 'The same, where a proxy calls it so' })),
  'x-forwarded-host': Type.Optional(Type.String({ description: 'The host that was asked; `origin` wins' })),
  'x-forwarded-for': Type.Optional(Type.String({ description: 'Its last entry is the visitor' })),
  'user-agent': Type.Optional(Type.String({ description: "The visitor's" })),
});

export type AuthorizeOptions = Static<typeof AuthorizeOptions>;
