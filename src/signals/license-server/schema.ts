/** The license server on the wire. OAuth lets clients send what a server does not know: it is ignored. */
import { Type } from 'typebox';

export const TokenRequest = Type.Object(
  {
    grant_type: Type.String({ maxLength: 64, description: '`client_credentials`' }),
    license: Type.String({ description: 'The element `license` of license.xml that you accept; at most 16 KiB' }),
    resource: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'A URL, or the `url` of a `content` in license.xml',
    }),
  },
  { title: 'LicenseTokenRequest' },
);

export const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ description: 'Send it as `Authorization: License …` to the site' }),
    token_type: Type.Literal('License'),
    expires_in: Type.Integer({ description: 'Seconds, at most 600' }),
  },
  { title: 'LicenseToken' },
);

const OAuthErrorAnswer = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  { title: 'OAuthError', description: 'A refusal as OAuth has it (RFC 6749, 5.2)' },
);
export const REFUSALS = { 400: OAuthErrorAnswer, 401: OAuthErrorAnswer };

export const KeySet = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kid: Type.String(),
        kty: Type.String(),
        crv: Type.String(),
        x: Type.String(),
        y: Type.String(),
        alg: Type.String(),
        use: Type.String(),
      }),
    ),
  },
  { title: 'LicenseTokenKeys', description: 'A JWK Set (RFC 7517) with the keys that verify License tokens' },
);

export const IntrospectRequest = Type.Object(
  { token: Type.String({ maxLength: 8192, description: 'The License token' }) },
  { title: 'IntrospectRequest' },
);

export const IntrospectAnswer = Type.Object(
  {
    active: Type.Boolean({ description: 'false: nothing else is said' }),
    token_type: Type.Optional(Type.Literal('License')),
    client_id: Type.Optional(Type.String({ description: 'The requester' })),
    sub: Type.Optional(Type.String({ description: 'The requester' })),
    license_id: Type.Optional(Type.String({ description: 'The only license that checks with it may use' })),
    aud: Type.Optional(Type.String({ description: 'It holds at this URL and below' })),
    iss: Type.Optional(Type.String()),
    iat: Type.Optional(Type.Integer()),
    exp: Type.Optional(Type.Integer()),
  },
  { title: 'LicenseTokenState' },
);
