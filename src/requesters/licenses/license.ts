/** A license: a right that a requester holds for a time, for some items or for all. */
import { type Static, Type } from 'typebox';
import { metadata } from '../../api/changes/metadata.ts';
import { parseIso } from '../../lib/clock.ts';
import { firstValues, optional, schemas } from '../../lib/fields.ts';
import { orNull } from '../../lib/nullable.ts';
import { fieldPath, type Problem } from '../../lib/refined.ts';
import { ContentTypeName } from '../../rules/conditions/names.ts';
import { CONTENT_TYPES } from '../../rules/content-types.ts';
import { isValid, type LicenseFacts } from '../../rules/facts.ts';
import { LicenseQuotas } from '../../rules/terms/quota.ts';
import { newTermsProblems, Terms } from '../../rules/terms/terms.ts';
import type { Segment } from '../../rules/terms/timeline.ts';

export const LICENSE_STATUSES = ['active', 'suspended', 'revoked'] as const;
export type LicenseStatus = (typeof LICENSE_STATUSES)[number];

const shortText = Type.String({ minLength: 1, maxLength: 64 });
const timeOrNull = orNull(Type.String({ format: 'date-time' }));
const refs = (item: ReturnType<typeof Type.String>) => Type.Optional(Type.Array(item, { minItems: 1, maxItems: 1000 }));
const Scope = Type.Object(
  {
    contentIds: refs(Type.String({ minLength: 1, maxLength: 255 })),
    contentTypes: Type.Optional(Type.Array(ContentTypeName, { minItems: 1, maxItems: CONTENT_TYPES.length })),
    tags: refs(shortText),
    policyIds: refs(shortText),
    collectionIds: Type.Optional(
      Type.Array(shortText, {
        maxItems: 1000,
        description:
          'Covers what is decided by one of these collections. An empty list, or a deleted collection, covers nothing',
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'LicenseScope',
    description: 'What the license covers; it must be in every list given',
  },
);

/** A new field goes here and into the columns of `store`. */
const OPTIONAL = {
  features: optional(Type.Array(shortText, { maxItems: 50 }), []),
  scope: optional(orNull(Scope), null),
  startsAt: optional(timeOrNull, null),
  expiresAt: optional(timeOrNull, null),
  // Revoking is final and has its own operation.
  status: optional(Type.Enum(['active', 'suspended']), 'active'),
  metadata: optional(metadata, {}),
  terms: optional(orNull(Terms), null),
};
export const FIRST_VALUES = firstValues(OPTIONAL);

/** The fields that publishers write, in the order of answers. */
export const FIELDS = { type: shortText, ...schemas(OPTIONAL) };
const Fields = Type.Object(FIELDS);

/** The rules of every body that makes a license. */
export const newLicenseProblems = (
  body: { startsAt?: string | null; expiresAt?: string | null; terms?: Terms | null },
  path: string,
): Problem[] => [...timesProblems(body, path), ...newTermsProblems(body.terms, fieldPath(path, 'terms'))];

/** A rule of every body that has both times. */
export function timesProblems(
  { startsAt, expiresAt }: { startsAt?: string | null; expiresAt?: string | null },
  path: string,
): Problem[] {
  const [start, end] = [startsAt, expiresAt].map((time) => (time == null ? undefined : parseIso(time)));
  return start === undefined || end === undefined || start < end
    ? []
    : [{ param: fieldPath(path, 'expiresAt'), message: ENDS_BEFORE }];
}

export const ENDS_BEFORE = '`expiresAt` must be after `startsAt`.';

export interface License extends Omit<Static<typeof Fields>, 'startsAt' | 'expiresAt' | 'status'> {
  id: string;
  requesterId: string;
  startsAt: number | null;
  expiresAt: number | null;
  status: LicenseStatus;
  /** The number of the newest version of the terms; 0: there never were any. */
  termsVersion: number;
  /** When that version takes effect. */
  termsFrom: number | null;
  createdAt: number;
  updatedAt: number;
}

export const LICENSE_PREFIX = 'lic_';

/** `segments`: when which terms are in force. */
export const toLicenseFacts = (license: License, segments: readonly Segment[] = []): LicenseFacts => ({
  id: license.id,
  type: license.type,
  features: license.features,
  startsAt: license.startsAt,
  expiresAt: license.expiresAt,
  active: license.status === 'active',
  scope: license.scope,
  ...(segments.some(({ terms }) => terms.quota !== undefined) ? { quotas: new LicenseQuotas(license, segments) } : {}),
});

/** The license that expires first serves first, then the older. */
export const inServingOrder = (licenses: readonly License[]): License[] =>
  licenses.toSorted(
    (a, b) =>
      (a.expiresAt ?? Infinity) - (b.expiresAt ?? Infinity) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1),
  );

/** True while the license is active, started and not expired; its scope does not matter. */
export const isValidNow = (license: License, at: number): boolean => isValid(toLicenseFacts(license), at);
