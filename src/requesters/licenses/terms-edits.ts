/** Plans the terms of a license: their version, and when it takes effect. */

import { fail, invalid } from '../../api/errors.ts';
import type { Db } from '../../db/db.ts';
import { sameJson } from '../../lib/json.ts';
import { newTermsProblems, type Terms } from '../../rules/terms/terms.ts';
import { effectiveFrom, fixedWithin, segmentAt, toSegments } from '../../rules/terms/timeline.ts';
import type { UpdateLicense } from '../schema.ts';
import type { License } from './license.ts';
import { findTerms } from './terms-store.ts';

/** A statement reads all versions of its license. */
const VERSIONS_MAX = 1_000;

type LicenseTerms = Pick<License, 'terms' | 'termsVersion' | 'termsFrom'>;

export function firstTerms(terms: Terms | null | undefined, at: number): LicenseTerms {
  if (terms == null) return { terms: null, termsVersion: 0, termsFrom: null };
  return { terms, termsVersion: 1, termsFrom: at };
}

/** Throws invalid_request. */
export async function editedTerms(db: Db, before: License, edit: UpdateLicense, at: number): Promise<LicenseTerms> {
  const { terms } = edit;
  const now = edit.effective === 'now';
  if (terms === undefined || isStored(before, terms, now ? at : Infinity)) {
    return { terms: before.terms, termsVersion: before.termsVersion, termsFrom: before.termsFrom };
  }
  requireEditable(before);
  if (!sameJson(terms, before.terms)) requireNew(terms);
  const segments = toSegments(await findTerms(db, before.id));
  if (now) requireSamePeriods(segmentAt(segments, at)?.terms, terms);
  // The running period keeps what it was billed by until then.
  const from = now && terms === null ? at : effectiveFrom(segments, at, now);
  return { terms, termsVersion: before.termsVersion + 1, termsFrom: from };
}

/** Throws invalid_request. */
function requireNew(terms: Terms | null): void {
  const problems = newTermsProblems(terms, 'terms');
  if (problems.length > 0) throw invalid(problems);
}

const refused = (param: string, message: string): Error => fail('invalid_request', message, { param });

/** Returns whether the newest version says the same and takes effect by `at`. */
const isStored = (before: License, terms: Terms | null, at: number): boolean =>
  sameJson(terms, before.terms) && (before.termsFrom ?? 0) <= at;

/** Throws invalid_request. */
function requireEditable({ status, termsVersion }: License): void {
  if (status === 'revoked') {
    throw refused('terms', 'The terms of a revoked license have ended; create a new license.');
  }
  if (termsVersion >= VERSIONS_MAX) {
    throw refused('terms', `A license has at most ${VERSIONS_MAX} versions of its terms; create a new license.`);
  }
}

/** Throws invalid_request. */
function requireSamePeriods(inForce: Terms | undefined, terms: Terms | null): void {
  const [fixed] = inForce === undefined ? [] : fixedWithin(inForce, terms);
  if (fixed === undefined) return;
  const message = `\`terms.${fixed}\` cannot change within a period; leave out \`effective\` to change it with the next one.`;
  throw refused(`terms.${fixed}`, message);
}
