/** Checks and their answers on the wire. */
import { type Static, Type } from 'typebox';
import { errorProperties } from '../../api/http/error-schema.ts';
import { listSchema } from '../../api/http/list.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { OfferedSchema } from '../../requesters/offers/schema.ts';
import { AttributesSchema } from '../../rules/conditions/attributes.ts';
import { CountryCode, Method, PermissionName, Purpose, RequesterId } from '../../rules/conditions/names.ts';
import { VERIFIED_KINDS } from '../../rules/facts.ts';
import { decisionProperties } from '../log/schema.ts';

const shortText = Type.String({ minLength: 1, maxLength: 64 });
const header = Type.String({ maxLength: 4096, description: 'The header of this name' });

export const CheckRequest = Type.Object(
  {
    contentId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Id or externalId of the item' }),
    ),
    url: Type.Optional(
      Type.String({
        format: 'http-url',
        maxLength: 2048,
        description:
          'Instead of `contentId`: the URL that was asked for. Finds the item that is served there; without one, its collection decides.',
      }),
    ),
    urls: Type.Optional(
      Type.Object(
        { case: Type.Optional(Type.Literal('ignored')), finalSlash: Type.Optional(Type.Literal('ignored')) },
        {
          additionalProperties: false,
          title: 'RouterUrls',
          description:
            'With `url`: what your router ignores in paths, if that is more than the site says. Items, collections and rules are found by both; what either denies is denied.',
        },
      ),
    ),
    requesterId: Type.Optional(RequesterId),
    permission: Type.Optional(PermissionName),
    purpose: Type.Optional(Purpose),
    context: Type.Optional(
      Type.Object(
        {
          ip: Type.Optional(Type.String({ format: 'ip', maxLength: 64 })),
          ipUnreadable: Type.Optional(
            Type.Boolean({
              description:
                'Instead of `ip`: your proxy sent an address that cannot be read. Every deny rule that names an address then holds, and no allow rule that does.',
            }),
          ),
          country: Type.Optional(CountryCode),
          userAgent: Type.Optional(Type.String({ maxLength: 1024 })),
          method: Type.Optional(Method),
          verified: Type.Optional(
            Type.Enum([...VERIFIED_KINDS], {
              description: 'How the calling server verified the requester that it names; without one it says nothing',
            }),
          ),
          crawlerVerified: Type.Optional(
            Type.Boolean({
              description: 'Whether the calling server verified the crawler that the user agent names; only that one',
            }),
          ),
          attributes: Type.Optional(AttributesSchema),
        },
        { additionalProperties: false },
      ),
    ),
    license: Type.Optional(
      Type.Object(
        {
          type: shortText,
          features: Type.Optional(Type.Array(shortText, { maxItems: 50 })),
          expiresAt: Type.Optional(orNull(Type.String({ format: 'date-time' }))),
        },
        { additionalProperties: false, description: 'A license that the calling server vouches for' },
      ),
    ),
    visitor: Type.Optional(
      Type.Object(
        {
          authorization: Type.Optional(Type.String({ maxLength: 4096, description: 'Its `Authorization` header' })),
          method: Type.Optional(Type.String({ minLength: 1, maxLength: 32, description: '`GET` by default' })),
          url: Type.Optional(
            Type.String({ format: 'http-url', maxLength: 2048, description: 'As it was requested; `url` by default' }),
          ),
          signature: Type.Optional(header),
          signatureInput: Type.Optional(header),
          signatureAgent: Type.Optional(header),
        },
        {
          additionalProperties: false,
          title: 'Visitor',
          description:
            'What the visitor sent to prove who it is: finds the requester as `/v1/authorize` does. Never stored. Signatures need its `url`.',
        },
      ),
    ),
    explain: Type.Optional(Type.Boolean({ description: 'Adds `explanation` and, on a denial, `remedies`' })),
    page: Type.Optional(
      Type.String({
        maxLength: 2048,
        description:
          'The URL of the page that the visitor wants. Adds `signals`: what the answer to it says about licenses; not with `asOf`. `id` is then the one that visitors may see.',
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Decides without recording and without using a rate limit or a quota' }),
    ),
    asOf: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'With `dryRun`: decides as of this past time, with the policy version, requester and licenses of then. Past limits and quotas are unknown: `rateLimit` and `quota` are null.',
      }),
    ),
  },
  { additionalProperties: false, oneRequired: ['contentId', 'url'], title: 'Check' },
);
export type CheckRequest = Static<typeof CheckRequest>;

/** An entry of a list of checks, each validated on its own. */
export const CheckEntry = Type.Unknown({ entry: CheckRequest });

export const BatchRequest = Type.Object(
  { checks: Type.Array(CheckEntry, { minItems: 1, maxItems: 1000 }) },
  { additionalProperties: false, itemsApart: 'checks', title: 'CheckBatch' },
);

const Remedy = Type.Union(
  [
    Type.Object({
      kind: Type.Literal('license'),
      licenseType: orNull(Type.Array(Type.String()), 'Any of these; null: any type'),
      licenseFeatures: Type.Array(Type.String(), { description: 'All of these' }),
      licenseExpiry: Type.Optional(
        Type.Object(
          { after: Type.Optional(Type.String()), before: Type.Optional(Type.String()) },
          { description: "When the license must end, as in the rule's condition" },
        ),
      ),
      rule: Type.Integer({ description: 'Index in the stored `rules` of the rule that requires the license' }),
      offers: Type.Optional(
        Type.Array(OfferedSchema, { description: 'Offers of such licenses; each would have turned the denial' }),
      ),
    }),
    Type.Object({ kind: Type.Literal('permission'), permissions: Type.Array(Type.String()) }),
    Type.Object({
      kind: Type.Literal('verification'),
      verified: Type.Array(Type.Enum([...VERIFIED_KINDS]), {
        description:
          'Ways to prove its name, any of which would do: a token, a signature, or a request from its published addresses (`ip`) or host names (`dns`)',
      }),
    }),
    Type.Object({ kind: Type.Literal('wait'), until: Type.String() }),
    Type.Object({
      kind: Type.Literal('amend'),
      licenseId: Type.String({ description: 'The license whose terms include no more units' }),
    }),
  ],
  { title: 'Remedy' },
);

const PageSignals = Type.Object(
  {
    headers: Type.Object(
      {
        link: Type.Optional(Type.String()),
        'tdm-reservation': Type.Optional(Type.String()),
        'tdm-policy': Type.Optional(Type.String()),
        'content-usage': Type.Optional(Type.String()),
      },
      { description: 'For the answer to an allowed or observed request' },
    ),
    denialHeaders: Type.Object(
      {
        link: Type.Optional(Type.String()),
        'www-authenticate': Type.Optional(
          Type.String({ description: 'Asks for a License token; only of sites with a license server' }),
        ),
      },
      { description: 'For the answer to a denied request' },
    ),
    licensingUrl: textOrNull('The page of the site about licenses'),
    free: Type.Optional(
      Type.Literal(true, {
        description:
          'The page is a file for crawlers, such as robots.txt or a sitemap in the settings of the site: serve it also if access is denied',
      }),
    ),
  },
  { title: 'PageSignals', description: 'With `page`: what the answer to the visitor says about licenses' },
);

export const decisionAnswerProperties = {
  id: textOrNull('null when the decision was not recorded'),
  ...decisionProperties,
  maxAge: Type.Optional(
    Type.Integer({ description: 'Seconds for which the caller may reuse this decision; absent: not at all' }),
  ),
  explanation: Type.Optional(
    Type.Unknown({
      description:
        'With `explain`: every rule in evaluation order. null for keys without `policies:read`; fields of the item are withheld from keys without `content:read`.',
    }),
  ),
  remedies: Type.Optional(
    Type.Array(Remedy, { description: 'With `explain`: what would have turned the denial into an allow' }),
  ),
  signals: Type.Optional(PageSignals),
};
export const DecisionAnswer = Type.Object(decisionAnswerProperties, {
  title: 'AccessDecision',
  description: 'A decision',
});

export const CheckError = Type.Object(
  { error: Type.Object(errorProperties) },
  { title: 'CheckError', description: 'This check could not be decided; the others could' },
);
export const BatchAnswer = listSchema(Type.Union([DecisionAnswer, CheckError]), 'AccessDecisionList');
