/** The license that a denial lacked, as the ledger records it for the report of demand. */

import type { Evaluation } from '../../rules/decide.ts';
import { toWanted } from '../ledger/wanted.ts';
import { licenseRemedies } from './remedies.ts';

/** License types tried for one denial. Every denial takes this path, so there are few. */
const TRIES_MAX = 16;

/** Returns null unless it is recorded, and denied because a license is missing. */
export function wantedLicense(evaluation: Evaluation, recorded: boolean): string | null {
  const { reason } = evaluation.verdict;
  if (!recorded) return null;
  if (reason !== 'no_license' && reason !== 'license_expired') return null;
  const types: string[] = [];
  for (const { licenseType } of licenseRemedies(evaluation, TRIES_MAX)) {
    if (licenseType === null) return toWanted(null);
    types.push(...licenseType);
  }
  return toWanted(types);
}
