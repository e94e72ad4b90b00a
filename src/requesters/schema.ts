/** Requesters and licences on the wire. */
import { type Static, Type } from 'typebox';
import { pageOf, pageProperties } from '../http/list.ts';
import { metadata } from '../http/metadata.ts';
import { toIso } from '../lib/clock.ts';
import { REQUESTER_ID_PATTERN } from '../policies/conditions.ts';
import { isValidNow, LICENSE_STATUSES, type License } from './license.ts';
import { REQUESTER_STATUSES, type Requester } from './requester.ts';

const shortText = Type.String({ minLength: 1, maxLength: 64 });
const tags = Type.Array(shortText, { maxItems: 50 });
/** Shorter ones would be found in the user agent of nearly everybody. */
const userAgents = Type.Array(Type.String({ minLength: 3, maxLength: 256, format: 'plain-text' }), {
  maxItems: 50,
  description: 'Texts that its user agent contains, in upper or lower case; `/v1/authorize` knows it by them',
});
const name = Type.String({ minLength: 1, maxLength: 200, format: 'plain-text' });
const type = Type.Union([shortText, Type.Null()]);
const status = Type.Enum([...REQUESTER_STATUSES]);
const requesterId = Type.String({
  pattern: REQUESTER_ID_PATTERN,
  description: 'must have 1 to 128 letters, digits or . _ : @ / -',
});

export const CreateRequester = Type.Object(
  {
    id: Type.Optional(requesterId),
    name: Type.Optional(name),
    type: Type.Optional(type),
    tags: Type.Optional(tags),
    userAgents: Type.Optional(userAgents),
    metadata: Type.Optional(metadata),
    status: Type.Optional(status),
  },
  { additionalProperties: false },
);
export type CreateRequester = Static<typeof CreateRequester>;

export const UpdateRequester = Type.Object(
  {
    name: Type.Optional(name),
    type: Type.Optional(type),
    tags: Type.Optional(tags),
    userAgents: Type.Optional(userAgents),
    metadata: Type.Optional(metadata),
    metadataReplace: Type.Optional(Type.Boolean()),
    status: Type.Optional(status),
  },
  { additionalProperties: false, minProperties: 1, fixed: ['id'] },
);
export type UpdateRequester = Static<typeof UpdateRequester>;

export const ListRequestersQuery = Type.Object(
  {
    ...pageProperties,
    type: Type.Optional(shortText),
    tag: Type.Optional(shortText),
    status: Type.Optional(status),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Words of the name' })),
  },
  { additionalProperties: false },
);

export const RequesterAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('requester'),
    name: Type.String(),
    type,
    tags: Type.Array(Type.String()),
    userAgents: Type.Array(Type.String()),
    metadata,
    status,
    created: Type.String(),
    updated: Type.String(),
  },
  { description: 'A requester' },
);
export const RequesterPage = pageOf(RequesterAnswer);
export const RequesterDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('requester'),
  deleted: Type.Literal(true),
});

export const requesterAnswer = (requester: Requester) => ({
  id: requester.id,
  object: 'requester',
  name: requester.name,
  type: requester.type,
  tags: requester.tags,
  userAgents: requester.userAgents,
  metadata: requester.metadata,
  status: requester.status,
  created: toIso(requester.createdAt),
  updated: toIso(requester.updatedAt),
});

const moment = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
const features = Type.Array(shortText, { maxItems: 50 });
const refs = (item: ReturnType<typeof Type.String>) => Type.Optional(Type.Array(item, { minItems: 1, maxItems: 1000 }));
const scope = Type.Union([
  Type.Object(
    {
      contentIds: refs(Type.String({ minLength: 1, maxLength: 255 })),
      contentTypes: Type.Optional(
        Type.Array(Type.Enum(['article', 'report', 'image', 'dataset', 'video']), { minItems: 1, maxItems: 5 }),
      ),
      tags: refs(shortText),
      policyIds: refs(shortText),
    },
    { additionalProperties: false, description: 'What it is for; every list given must cover the item' },
  ),
  Type.Null(),
]);
/** Revoking is for good and has an operation of its own. */
const licenseStatus = Type.Enum(['active', 'suspended']);

export const CreateLicense = Type.Object(
  {
    requesterId,
    type: shortText,
    features: Type.Optional(features),
    scope: Type.Optional(scope),
    startsAt: Type.Optional(moment),
    expiresAt: Type.Optional(moment),
    status: Type.Optional(licenseStatus),
    metadata: Type.Optional(metadata),
  },
  { additionalProperties: false },
);
export type CreateLicense = Static<typeof CreateLicense>;

export const UpdateLicense = Type.Object(
  {
    type: Type.Optional(shortText),
    features: Type.Optional(features),
    scope: Type.Optional(scope),
    startsAt: Type.Optional(moment),
    expiresAt: Type.Optional(moment),
    status: Type.Optional(licenseStatus),
    metadata: Type.Optional(metadata),
    metadataReplace: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1, fixed: ['requesterId'] },
);
export type UpdateLicense = Static<typeof UpdateLicense>;

export const ListLicensesQuery = Type.Object(
  {
    ...pageProperties,
    requesterId: Type.Optional(requesterId),
    type: Type.Optional(shortText),
    status: Type.Optional(Type.Enum([...LICENSE_STATUSES])),
    expiresBefore: Type.Optional(Type.String({ format: 'date-time' })),
    expiresAfter: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { additionalProperties: false },
);

export const LicenseAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('license'),
    requesterId: Type.String(),
    type: Type.String(),
    features: Type.Array(Type.String()),
    scope,
    startsAt: moment,
    expiresAt: moment,
    status: Type.Enum([...LICENSE_STATUSES]),
    valid: Type.Boolean({ description: 'Active and within its time, now' }),
    metadata,
    created: Type.String(),
    updated: Type.String(),
  },
  { description: 'A licence' },
);
export const LicensePage = pageOf(LicenseAnswer);
export const LicenseDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('license'),
  deleted: Type.Literal(true),
});

const isoOrNull = (at: number | null): string | null => (at === null ? null : toIso(at));

export const licenseAnswer = (license: License, at: number) => ({
  id: license.id,
  object: 'license',
  requesterId: license.requesterId,
  type: license.type,
  features: license.features,
  scope: license.scope,
  startsAt: isoOrNull(license.startsAt),
  expiresAt: isoOrNull(license.expiresAt),
  status: license.status,
  valid: isValidNow(license, at),
  metadata: license.metadata,
  created: toIso(license.createdAt),
  updated: toIso(license.updatedAt),
});
