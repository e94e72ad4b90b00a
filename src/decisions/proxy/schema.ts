/** The options and headers of `/v1/authorize` on the wire. */
import { type Static, Type } from 'typebox';
import { type Failure, fail } from '../../api/errors.ts';
import { validatorCompiler } from '../../api/http/validate.ts';
import { PermissionName, Purpose } from '../../rules/conditions/names.ts';
import { BODIES, BODY_PLACES } from './body.ts';

export const AuthorizeOptions = Type.Object(
  {
    origin: Type.Optional(
      Type.String({
        pattern: '^https?://[A-Za-z0-9._:\\[\\]-]+/?$',
        maxLength: 300,
        description: 'The origin of the site, such as https://example.com; replaces the host that a request names',
        expected:
          'must be the origin of the site, such as https://example.com; names in other scripts in their xn-- form',
      }),
    ),
    requesterHeader: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9-]{1,64}$',
        description: 'The header in which your proxy sends the requester id',
        expected: 'must be the name of the header in which your proxy sends the requester id',
      }),
    ),
    permission: Type.Optional(PermissionName),
    purpose: Type.Optional(Purpose),
    denyStatus: Type.Optional(
      Type.String({
        pattern: '^(401|402|429)(,(401|402|429))*$',
        description: 'The statuses besides 403 that your proxy passes on: any of 401, 402 and 429, separated by commas',
        expected: 'must list the statuses besides 403 that your proxy passes on: any of 401, 402 and 429',
      }),
    ),
    payPerCrawl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          "Only Cloudflare's Pay Per Crawl reaches the site: a request that it will charge counts as licensed with this type, at the price of its offer",
      }),
    ),
    body: Type.Optional(
      Type.Enum([...BODIES], {
        description: 'Denials have a body for the visitor: problem details, or a small page; none by default',
      }),
    ),
    bodyIn: Type.Optional(
      Type.Enum([...BODY_PLACES], {
        description:
          'Where that body is; `header`: in `X-Postern-Body`, with its type in `X-Postern-Body-Type`, for proxies that drop the body',
      }),
    ),
    unknown: Type.Optional(
      Type.Enum(['deny', 'allow'], { description: 'The answer for unregistered content; deny by default' }),
    ),
  },
  { additionalProperties: false },
);
/** For the API document only: visitors may send anything in these headers, so they are not validated. */
export const AuthorizeHeaders = Type.Object({
  'x-original-uri': Type.Optional(
    Type.String({ description: 'The target that the visitor requested: path and query, or a URL' }),
  ),
  'x-forwarded-uri': Type.Optional(Type.String({ description: 'The same, from proxies that use this name' })),
  'x-forwarded-host': Type.Optional(
    Type.String({ description: 'The host that the visitor requested; `origin` takes precedence' }),
  ),
  'x-forwarded-for': Type.Optional(
    Type.String({
      description: 'The last entry that is no trusted proxy is the address of the visitor, with a port or without',
    }),
  ),
  forwarded: Type.Optional(Type.String({ description: 'The same (RFC 7239), without `X-Forwarded-For`' })),
  'user-agent': Type.Optional(Type.String({ description: "The visitor's user agent" })),
});

export type AuthorizeOptions = Static<typeof AuthorizeOptions>;

export const PATH = '/v1/authorize';
const validate = validatorCompiler({ schema: AuthorizeOptions, method: 'GET', url: PATH, httpPart: 'querystring' });

/** Throws invalid_request. */
export function readOptions(given: unknown): AuthorizeOptions {
  const read = validate(given) as { value: AuthorizeOptions } | { error: Failure };
  if ('error' in read) throw read.error;
  const { requesterHeader = '' } = read.value;
  if (/^(authorization|cookie|host|x-postern-key)$/i.test(requesterHeader)) {
    throw fail('invalid_request', `\`requesterHeader\` cannot be ${requesterHeader}.`, { param: 'requesterHeader' });
  }
  if (read.value.bodyIn !== undefined && read.value.body === undefined) {
    throw fail('invalid_request', '`bodyIn` says where `body` is: set that too.', { param: 'bodyIn' });
  }
  return read.value;
}
