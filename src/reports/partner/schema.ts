/** The partner's own view on the wire: who it is, what it holds, what it was answered. */
import { type Static, Type } from 'typebox';
import { listSchema, pageProperties, spanProperties } from '../../api/http/list.ts';
import { MODES } from '../../api/permissions.ts';
import { DenialReason, decisionProperties, groundsProperties, LoggedDecision } from '../../decisions/log/schema.ts';
import { toIso } from '../../lib/clock.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import {
  isValidNow,
  FIELDS as LICENSE_FIELDS,
  LICENSE_STATUSES,
  type License,
} from '../../requesters/licenses/license.ts';
import { OfferedSchema } from '../../requesters/offers/schema.ts';
import type { Requester } from '../../requesters/requester.ts';
import type { RequesterToken } from '../../requesters/tokens/token.ts';
import { identities } from '../../rules/crawlers/identity.ts';
import { QuotaStatus } from '../../rules/terms/terms.ts';
import { ListStatementsQuery } from '../statements/schema.ts';

// ---------------------------------------------------------------------------------------------------------------------
// Licenses

const { type, features, startsAt, expiresAt, terms } = LICENSE_FIELDS;

const Scope = Type.Object(
  {
    contentIds: Type.Optional(Type.Array(Type.String())),
    contentTypes: Type.Optional(Type.Array(Type.String())),
    tags: Type.Optional(Type.Array(Type.String())),
    collectionIds: Type.Optional(
      Type.Array(Type.String(), { description: 'Decisions say which collection they belong to' }),
    ),
    isNarrower: Type.Optional(
      Type.Literal(true, { description: 'The publisher covers only a part of that: ask for the items in question' }),
    ),
  },
  { title: 'PartnerLicenseScope' },
);

export const PartnerLicense = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('license'),
    type,
    features,
    scope: orNull(Scope, 'The items that it covers; null: all'),
    startsAt,
    expiresAt,
    status: Type.Enum([...LICENSE_STATUSES]),
    valid: Type.Boolean({ description: 'Whether the license is active, started and not expired now' }),
    terms,
    termsEffectiveAt: textOrNull('When these terms take effect'),
    quota: Type.Optional(orNull(QuotaStatus, 'In `GET /v1/me`, of a valid license. null: the license has none')),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'PartnerLicense', description: 'A license, as its requester sees it' },
);
export const PartnerLicensePage = listSchema(PartnerLicense);

export const licenseView = (license: License, at: number) => ({
  id: license.id,
  object: 'license' as const,
  type: license.type,
  features: license.features,
  scope: scopeView(license.scope),
  startsAt: isoOrNull(license.startsAt),
  expiresAt: isoOrNull(license.expiresAt),
  status: license.status,
  valid: isValidNow(license, at),
  terms: license.terms,
  termsEffectiveAt: isoOrNull(license.termsFrom),
  created: toIso(license.createdAt),
  updated: toIso(license.updatedAt),
});

const isoOrNull = (at: number | null): string | null => (at === null ? null : toIso(at));

/** Policies are the publisher's own matter. */
function scopeView(scope: License['scope']): Static<typeof Scope> | null {
  if (scope === null) return null;
  const { policyIds, ...rest } = scope;
  return policyIds === undefined ? rest : { ...rest, isNarrower: true };
}

// ---------------------------------------------------------------------------------------------------------------------
// The partner

const RateLimit = decisionProperties.rateLimit;

const PublisherShown = Type.Object(
  {
    name: textOrNull(),
    contact: textOrNull('A mail address or a URL'),
    logo: textOrNull('A picture, as a data URL'),
  },
  { description: 'The publisher, as its settings say' },
);
export type PublisherShown = Static<typeof PublisherShown>;

export const PartnerAnswer = Type.Object(
  {
    object: Type.Literal('partner'),
    requester: Type.Object({
      id: Type.String(),
      name: Type.String(),
      userAgents: Type.Array(Type.String(), { description: 'Texts in the user agent by which it is recognized' }),
      identities,
      created: Type.String(),
    }),
    token: Type.Object({
      id: Type.String(),
      name: Type.String(),
      prefix: Type.String(),
      expiresAt: textOrNull(),
    }),
    licenses: Type.Array(PartnerLicense, {
      description: 'Those that are valid or begin later, newest first, at most 100; `GET /v1/me/licenses` lists all',
    }),
    publisher: PublisherShown,
    receipts: Type.Boolean({ description: 'There are receipts of decisions and of final statements' }),
    offers: Type.Array(OfferedSchema, {
      description: 'Kinds of licenses that anybody may ask for, with their prices; at most 100',
    }),
    limits: Type.Array(
      Type.Object({ rateLimit: RateLimit, decisionId: Type.String(), at: Type.String() }, { title: 'PartnerLimit' }),
      { description: 'Its own rate limits, each as the latest of its last 100 decisions left it' },
    ),
  },
  { title: 'Partner', description: 'The requester of the token' },
);

export const partnerView = (requester: Requester, token: RequesterToken) => ({
  object: 'partner' as const,
  requester: {
    id: requester.id,
    name: requester.name,
    userAgents: requester.userAgents,
    identities: requester.identities,
    created: toIso(requester.createdAt),
  },
  token: { id: token.id, name: token.name, prefix: token.prefix, expiresAt: isoOrNull(token.expiresAt) },
});

// ---------------------------------------------------------------------------------------------------------------------
// Decisions

const {
  policyId: _policyId,
  policyVersion: _policyVersion,
  matchedRule: _matchedRule,
  requesterId: _requesterId,
  spoofed: _spoofed,
  claimed: _claimed,
  ...shownProperties
} = decisionProperties;
const { file, permission, purpose, context, license } = LoggedDecision.properties;

export const PartnerDecision = Type.Object(
  {
    id: Type.String(),
    ...shownProperties,
    source: textOrNull('The address of the item; null for a denial, and for a page without an item'),
    file,
    permission,
    purpose,
    context: { ...context, description: 'null unless the requester was verified' },
    license,
  },
  { title: 'PartnerDecision', description: 'A recorded decision about the partner' },
);
export const PartnerDecisionPage = listSchema(PartnerDecision);

export const ListOwnDecisionsQuery = Type.Object(
  {
    ...pageProperties,
    contentId: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Id or externalId' })),
    allowed: Type.Optional(Type.Boolean()),
    reason: Type.Optional(DenialReason),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        format: 'plain-text',
        description: 'Only URLs that begin like this: host and path; a scheme is ignored',
      }),
    ),
    ...groundsProperties,
    ...spanProperties,
    mode: Type.Optional(
      Type.Enum([...MODES], { description: '`test`: decisions for test keys of the publisher. Default: `live`' }),
    ),
  },
  { additionalProperties: false },
);
export type ListOwnDecisionsQuery = Static<typeof ListOwnDecisionsQuery>;

const { requesterId: _ofRequester, timezone: _ofOutside, ...ownStatements } = ListStatementsQuery.properties;
export const ListOwnStatementsQuery = Type.Object(ownStatements, { additionalProperties: false });
export type ListOwnStatementsQuery = Static<typeof ListOwnStatementsQuery>;
