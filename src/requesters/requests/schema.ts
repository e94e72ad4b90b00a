/** Requests for licenses on the wire. */
import { type Static, Type } from 'typebox';
import { listSchema, pageProperties } from '../../api/http/list.ts';
import { toIso } from '../../lib/clock.ts';
import { partial } from '../../lib/fields.ts';
import { textOrNull } from '../../lib/nullable.ts';
import { refined } from '../../lib/refined.ts';
import { RequesterId } from '../../rules/conditions/names.ts';
import { FIELDS as LICENSE_FIELDS, newLicenseProblems } from '../licenses/license.ts';
import { type LicenseRequest, REQUEST_STATUSES } from './request.ts';

const note = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description }));
const status = Type.Enum([...REQUEST_STATUSES]);

export const CreateRequest = Type.Object(
  {
    licenseType: Type.String({ minLength: 1, maxLength: 64, format: 'plain-text', description: 'The kind of license' }),
    collectionId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'The collection that you want to use' }),
    ),
    note: note('What you want to do, for the publisher'),
  },
  { additionalProperties: false, title: 'CreateLicenseRequest' },
);
export type CreateRequest = Static<typeof CreateRequest>;

export const GrantRequest = refined(
  Type.Object(
    {
      ...partial(LICENSE_FIELDS),
      free: Type.Optional(Type.Boolean({ description: 'Grants a license without terms, which is never billed' })),
      answer: note('For the requester'),
    },
    {
      additionalProperties: false,
      title: 'GrantLicenseRequest',
      description:
        'Fields of the license, with `terms` or `free: true`. A request for a collection is granted for that collection, unless `scope` is null or has other `collectionIds`. Without `expiresAt`, the license ends a year after it starts; null: no end.',
    },
  ),
  newLicenseProblems,
);
export type GrantRequest = Static<typeof GrantRequest>;

export const DeclineRequest = Type.Object(
  { answer: note('For the requester') },
  { additionalProperties: false, title: 'DeclineLicenseRequest' },
);

export const RequestAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('license_request'),
    requesterId: Type.String(),
    licenseType: Type.String(),
    collectionId: textOrNull('The collection that it is about'),
    note: textOrNull('From the requester'),
    status,
    answer: textOrNull('From the publisher'),
    licenseId: textOrNull('The license that was granted'),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'LicenseRequest', description: 'A request for a license' },
);
export const RequestPage = listSchema(RequestAnswer);

export const ListOwnRequestsQuery = Type.Object(
  { ...pageProperties, status: Type.Optional(status) },
  { additionalProperties: false },
);
export const ListRequestsQuery = Type.Object(
  { ...pageProperties, status: Type.Optional(status), requesterId: Type.Optional(RequesterId) },
  { additionalProperties: false },
);

export const requestAnswer = (request: LicenseRequest) => ({
  id: request.id,
  object: 'license_request' as const,
  requesterId: request.requesterId,
  licenseType: request.licenseType,
  collectionId: request.collectionId,
  note: request.note,
  status: request.status,
  answer: request.answer,
  licenseId: request.licenseId,
  created: toIso(request.createdAt),
  updated: toIso(request.updatedAt),
});
