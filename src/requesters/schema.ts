/** Requesters and licenses on the wire. */
import { type Static, Type } from 'typebox';
import { digestEtag } from '../api/http/etag.ts';
import { deletedSchema, listSchema, pageProperties } from '../api/http/list.ts';
import { toIso } from '../lib/clock.ts';
import { partial, pick } from '../lib/fields.ts';
import { orNull, textOrNull } from '../lib/nullable.ts';
import { fieldPath, type Problem, refined } from '../lib/refined.ts';
import { RequesterId as requesterId } from '../rules/conditions/names.ts';
import { purpose as crawlerPurpose } from './crawlers/schema.ts';
import {
  isValidNow,
  FIELDS as LICENSE_FIELDS,
  LICENSE_STATUSES,
  type License,
  newLicenseProblems,
  timesProblems,
} from './licenses/license.ts';
import type { StoredTerms } from './licenses/terms-store.ts';
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
export const RequesterPage = listSchema(RequesterAnswer);
export const RequesterDeleted = deletedSchema('requester');

export const requesterAnswer = (requester: Requester) => ({
  id: requester.id,
  object: 'requester' as const,
  ...pick(requester, REQUESTER_FIELDS),
  created: toIso(requester.createdAt),
  updated: toIso(requester.updatedAt),
});

export const requesterEtag = (requester: Requester): string => digestEtag(requesterAnswer(requester));

export const RequesterCsv = Type.String({
  minLength: 1,
  title: 'RequesterCsv',
  description:
    'CSV with a row of names: `id`, `name`, `type`, `tags` and `userAgents` (separated by `|`), `contactName`, `email`, `billingAddress`; an `id` or a `name` is required. An empty cell keeps what is stored. At most 1,000 rows',
});
export const ImportQuery = Type.Object(
  {
    dryRun: Type.Optional(Type.Boolean({ description: 'Checks each line and writes nothing' })),
    update: Type.Optional(
      Type.Boolean({
        description: 'Changes registered requesters, too. Without it, a line that would change one is an error',
        default: false,
      }),
    ),
  },
  { additionalProperties: false },
);
export const RequestersImported = Type.Object(
  {
    object: Type.Literal('requester_import'),
    dryRun: Type.Boolean(),
    created: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer(),
    requesters: Type.Array(
      Type.Object({
        line: Type.Integer({ description: 'The line of the file, from 1' }),
        id: textOrNull('null: a dry run generates no id'),
        name: Type.String(),
        outcome: Type.Enum(['created', 'updated', 'unchanged']),
        changed: Type.Array(Type.String(), { description: 'The fields of a registered requester that change' }),
      }),
      { description: 'In the order of the file' },
    ),
  },
  { title: 'RequestersImported' },
);

const crawlerName = Type.String({ minLength: 1, maxLength: 64, format: 'plain-text' });

export const RegisterCrawlers = Type.Object(
  {
    names: Type.Optional(
      Type.Array(crawlerName, { maxItems: 1000, description: 'Names of crawlers of the directory, case-insensitive' }),
    ),
    purposes: Type.Optional(
      Type.Array(crawlerPurpose, { maxItems: 10, description: 'All crawlers with one of these purposes' }),
    ),
  },
  { additionalProperties: false, minProperties: 1, title: 'RegisterCrawlers' },
);
export type RegisterCrawlers = Static<typeof RegisterCrawlers>;

export const CrawlersRegistered = Type.Object(
  {
    object: Type.Literal('crawler_registration'),
    created: Type.Integer(),
    unchanged: Type.Integer(),
    requesters: Type.Array(
      Type.Object({
        crawler: Type.String(),
        requesterId: Type.String({
          description: 'Its requester: a new one, or the one that had this id or one of the user agents before',
        }),
        created: Type.Boolean(),
      }),
      { description: 'In the order of the directory' },
    ),
  },
  { title: 'CrawlersRegistered' },
);

const { type, ...optionalFields } = LICENSE_FIELDS;

export const CreateLicense = refined(
  Type.Object(
    { requesterId, type, ...partial(optionalFields) },
    { additionalProperties: false, title: 'CreateLicense' },
  ),
  newLicenseProblems,
);
export type CreateLicense = Static<typeof CreateLicense>;

const effective = Type.Enum(['now', 'next_period'], {
  description: 'When new `terms` take effect: from the next period (the default), or from the start of the running one',
});

export const UpdateLicense = refined(
  Type.Object(partial({ ...LICENSE_FIELDS, metadataReplace, effective }), {
    additionalProperties: false,
    minProperties: 1,
    fixed: ['requesterId'],
    title: 'UpdateLicense',
  }),
  (edit, path) => [...timesProblems(edit, path), ...effectiveProblems(edit, path)],
);
export type UpdateLicense = Static<typeof UpdateLicense>;

function effectiveProblems(
  { terms, effective: when }: { terms?: unknown; effective?: string },
  path: string,
): Problem[] {
  if (when === undefined || terms !== undefined) return [];
  const message = '`effective` says when new `terms` take effect; send both.';
  return [{ param: fieldPath(path, 'effective'), message }];
}

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
    termsVersion: orNull(Type.Integer(), 'Number of the newest version of `terms`'),
    termsEffectiveAt: textOrNull('When that version takes effect'),
    valid: Type.Boolean({ description: 'Whether the license is active, started and not expired now' }),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'License', description: 'A license' },
);
export const EditedLicense = Type.Object(
  {
    ...LicenseAnswer.properties,
    warnings: Type.Optional(
      Type.Array(
        Type.Object(
          { code: Type.Enum(['unbilled_period']), message: Type.String(), param: Type.Enum(['startsAt', 'expiresAt']) },
          { title: 'LicenseWarning' },
        ),
        { description: 'Billing periods that are no longer billed with the new dates; absent without any' },
      ),
    ),
  },
  { title: 'EditedLicense', description: 'A license, and warnings about the edit' },
);
export const LicensePage = listSchema(LicenseAnswer);
export const LicenseDeleted = deletedSchema('license');

const isoOrNull = (at: number | null): string | null => (at === null ? null : toIso(at));

export const licenseAnswer = (license: License, at: number) => ({
  id: license.id,
  object: 'license' as const,
  requesterId: license.requesterId,
  ...pick(license, LICENSE_FIELDS),
  startsAt: isoOrNull(license.startsAt),
  expiresAt: isoOrNull(license.expiresAt),
  termsVersion: license.termsVersion === 0 ? null : license.termsVersion,
  termsEffectiveAt: isoOrNull(license.termsFrom),
  valid: isValidNow(license, at),
  created: toIso(license.createdAt),
  updated: toIso(license.updatedAt),
});

/** Another one as soon as the license becomes valid or invalid. */
export const licenseEtag = (license: License, at: number): string => digestEtag(licenseAnswer(license, at));

export const TERMS_STATES = ['current', 'pending', 'past', 'replaced'] as const;

export const TermsVersionAnswer = Type.Object(
  {
    object: Type.Literal('license_terms'),
    licenseId: Type.String(),
    version: Type.Integer(),
    terms: LICENSE_FIELDS.terms,
    state: Type.Enum([...TERMS_STATES], {
      description: '`replaced`: a later version replaced it before it took effect',
    }),
    effectiveFrom: Type.String(),
    effectiveTo: textOrNull('null: without an end'),
    created: Type.String(),
    updated: Type.String(),
  },
  { title: 'LicenseTermsVersion', description: 'The terms of a license as one edit left them; null: they ended' },
);
export const TermsVersionPage = listSchema(TermsVersionAnswer);

/** Returns the versions, newest first, as they are at a time. */
export function termsVersionAnswers(licenseId: string, versions: readonly StoredTerms[], at: number) {
  return versions
    .map(({ version, terms, from, createdAt }) => {
      // A later version also ends the time without terms that an earlier one began.
      const next = Math.min(...versions.filter((one) => one.version > version).map((one) => one.from));
      const isReplaced = next <= from;
      const to = isReplaced ? from : next;
      return {
        object: 'license_terms' as const,
        licenseId,
        version,
        terms,
        state: isReplaced ? ('replaced' as const) : stateAt(from, to, at),
        effectiveFrom: toIso(from),
        effectiveTo: Number.isFinite(to) ? toIso(to) : null,
        created: toIso(createdAt),
        updated: toIso(createdAt),
      };
    })
    .toSorted((a, b) => b.version - a.version);
}

const stateAt = (from: number, to: number, at: number) =>
  at < from ? ('pending' as const) : at < to ? ('current' as const) : ('past' as const);
