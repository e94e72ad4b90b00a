/** Requesters and licenses on the wire. */
import { type Static, Type } from 'typebox';
import { deletedOf, pageOf, pageProperties } from '../http/list.ts';
import { toIso } from '../lib/clock.ts';
import { partial, pick } from '../lib/fields.ts';
import { RequesterId as requesterId } from '../policies/names.ts';
import { isValidNow, FIELDS as LICENSE_FIELDS, LICENSE_STATUSES, type License } from './license.ts';
import { FIELDS as REQUESTER_FIELDS, type Requester } from './requester.ts';

const shortText = Type.String({ minLength: 1, maxLength: 64 });
const metadataReplace = Type.Boolean();

export const CreateRequester = Type.Object(partial({ id: requesterId, ...REQUESTER_FIELDS }), {
  additionalProperties: false,
  title: 'CreateRequester',
});
export type CreateRequester = Static<typeof CreateRequester>;

export const UpdateRequester = Type.Object(partial({ ...REQUESTER_FIELDS, metadataReplace }), {
  additionalProperties: false,
  minProperties: 1,
  fixed: ['id'],
  title: 'UpdateRequester',
});
export type UpdateRequester = Static<typeof UpdateRequester>;

export const ListRequestersQuery = Type.Object(
  {
    ...pageProperties,
    type: Type.Optional(shortText),
    tag: Type.Optional(shortText),
    status: Type.Optional(REQUESTER_FIELDS.status),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Words of the name' })),
  },
  { additionalProperties: false },
);

export const RequesterAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('requester'),
    ...REQUESTER_FIELDS,
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'Requester', description: 'A requester' },
);
export const RequesterPage = pageOf(RequesterAnswer);
export const RequesterDeleted = deletedOf('requester');

export const requesterAnswer = (requester: Requester) => ({
  id: requester.id,
  object: 'requester' as const,
  ...pick(requester, REQUESTER_FIELDS),
  created: toIso(requester.createdAt),
  updated: toIso(requester.updatedAt),
});

const { type, ...optionalFields } = LICENSE_FIELDS;

export const CreateLicense = Type.Object(
  { requesterId, type, ...partial(optionalFields) },
  { additionalProperties: false, title: 'CreateLicense' },
);
export type CreateLicense = Static<typeof CreateLicense>;

export const UpdateLicense = Type.Object(partial({ ...LICENSE_FIELDS, metadataReplace }), {
  additionalProperties: false,
  minProperties: 1,
  fixed: ['requesterId'],
  title: 'UpdateLicense',
});
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
    ...LICENSE_FIELDS,
    status: Type.Enum([...LICENSE_STATUSES]),
    valid: Type.Boolean({ description: 'Whether the license is active, started and not expired now' }),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'License', description: 'A license' },
);
export const LicensePage = pageOf(LicenseAnswer);
export const LicenseDeleted = deletedOf('license');

const isoOrNull = (at: number | null): string | null => (at === null ? null : toIso(at));

export const licenseAnswer = (license: License, at: number) => ({
  id: license.id,
  object: 'license' as const,
  requesterId: license.requesterId,
  ...pick(license, LICENSE_FIELDS),
  startsAt: isoOrNull(license.startsAt),
  expiresAt: isoOrNull(license.expiresAt),
  valid: isValidNow(license, at),
  created: toIso(license.createdAt),
  updated: toIso(license.updatedAt),
});
