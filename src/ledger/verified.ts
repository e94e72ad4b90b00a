/** The codes under which the ledger stores how a requester was verified; they never change their meaning. */
import { VERIFIED_KINDS, type VerifiedKind } from '../policies/facts.ts';

export const verifiedCode = (kind: VerifiedKind | null): number | null =>
  kind === null ? null : VERIFIED_KINDS.indexOf(kind) + 1;

export const toVerified = (code: number | null): VerifiedKind | null =>
  code === null ? null : (VERIFIED_KINDS[code - 1] ?? null);
