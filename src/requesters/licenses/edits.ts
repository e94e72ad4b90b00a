/** Plans the edits of licenses: what each one writes, announces and answers. */

import type { Change, Edit } from '../../api/changes/change.ts';
import { toEdit } from '../../api/changes/edit.ts';
import type { ChangeKind } from '../../api/changes/kinds.ts';
import { editedMetadata } from '../../api/changes/metadata.ts';
import { fail } from '../../api/errors.ts';
import type { Db } from '../../db/db.ts';
import { parseIso } from '../../lib/clock.ts';
import { newId } from '../../lib/id.ts';
import { type CreateLicense, licenseAnswer, licenseEtag, type UpdateLicense } from '../schema.ts';
import { deleteLicense, expectFinals, findRequester, insertLicense, updateLicense } from '../store.ts';
import { type FindUnbilled, judgeDates } from './date-edits.ts';
import { ENDS_BEFORE, FIRST_VALUES, LICENSE_PREFIX, type License } from './license.ts';
import { editedTerms, firstTerms } from './terms-edits.ts';

export const licenseNotFound = (id: string) => fail('license_not_found', `There is no license ${id.slice(0, 100)}.`);

export function newLicense(body: CreateLicense, at: number): License {
  return {
    ...FIRST_VALUES,
    ...body,
    id: newId(LICENSE_PREFIX, at),
    features: [...new Set(body.features)],
    startsAt: toTime(body.startsAt),
    expiresAt: toTime(body.expiresAt),
    ...firstTerms(body.terms, at),
    createdAt: at,
    updatedAt: at,
  };
}

/** Throws invalid_request. */
export async function planCreate(db: Db, license: License, at: number): Promise<Edit> {
  if ((await findRequester(db, license.requesterId)) === undefined) {
    throw fail('invalid_request', `There is no requester ${license.requesterId}; register it first.`, {
      param: 'requesterId',
    });
  }
  return {
    steps: insertLicense(license),
    changes: [changed(license, 'license.created', at)],
    status: 201,
    body: licenseAnswer(license, at),
    etag: licenseEtag(license, at),
  };
}

export interface LicenseEditDeps {
  db: Db;
  /** Returns the periods that other dates would give up. */
  findUnbilled: FindUnbilled;
}

/** Throws invalid_request and statement_final. The answer has `warnings` if there are some. */
export async function planUpdate(
  deps: LicenseEditDeps,
  before: License,
  edit: UpdateLicense,
  at: number,
): Promise<Edit> {
  if (before.status === 'revoked' && edit.status !== undefined) {
    throw fail('invalid_request', 'A revoked license stays revoked; create a new one.', { param: 'status' });
  }
  const { metadataReplace, effective: _effective, ...fields } = edit;
  const after: License = {
    ...before,
    ...fields,
    features: [...new Set(edit.features ?? before.features)],
    startsAt: edit.startsAt === undefined ? before.startsAt : toTime(edit.startsAt),
    expiresAt: edit.expiresAt === undefined ? before.expiresAt : toTime(edit.expiresAt),
    metadata: editedMetadata(before.metadata, edit),
    ...(await editedTerms(deps.db, before, edit, at)),
    updatedAt: nextUpdate(before, at),
  };
  requireBounds(after);
  const judged = await judgeDates(deps, before, after);
  const planned = updated(before, after, 'license.updated', at);
  // A statement may have become final meanwhile.
  const steps = judged === undefined ? planned.steps : [...planned.steps, expectFinals(before.id, judged.finals)];
  const { warnings = [] } = judged ?? {};
  return { ...planned, steps, ...(warnings.length === 0 ? {} : { body: { ...(planned.body as object), warnings } }) };
}

export const planRevoke = (before: License, at: number): Edit =>
  updated(before, { ...before, status: 'revoked', updatedAt: nextUpdate(before, at) }, 'license.revoked', at);

/** Announces the license as revoked. */
export const planDelete = (license: License, at: number): Edit => ({
  steps: deleteLicense(license, at),
  changes: [
    { ...changed({ ...license, status: 'revoked' }, 'license.revoked', at), before: licenseAnswer(license, at) },
  ],
  status: 200,
  body: { id: license.id, object: 'license', deleted: true },
});

const changed = (license: License, kind: ChangeKind, at: number): Change => ({
  kind,
  id: license.id,
  ownerId: license.requesterId,
  object: licenseAnswer(license, at),
});

const updated = (before: License, after: License, kind: ChangeKind, at: number): Edit =>
  toEdit(before, after, {
    steps: updateLicense(after, before),
    changes: [{ ...changed(after, kind, at), before: licenseAnswer(before, at) }],
    answer: (license) => ({ body: licenseAnswer(license, at), etag: licenseEtag(license, at) }),
  });

/** Gives each version of a license its own time. */
const nextUpdate = ({ updatedAt }: License, at: number): number => Math.max(at, updatedAt + 1);

const toTime = (text: string | null | undefined): number | null => (text == null ? null : (parseIso(text) ?? null));

/** Throws invalid_request. */
function requireBounds({ startsAt, expiresAt }: License): void {
  if (startsAt !== null && expiresAt !== null && startsAt >= expiresAt) {
    throw fail('invalid_request', ENDS_BEFORE, { param: 'expiresAt' });
  }
}
