/** The codes under which the ledger stores how a requester was verified; they never change their meaning. */
import { VERIFIED_KINDS, type VerifiedKind } from '../../rules/facts.ts';

export const verifiedCode = (kind: VerifiedKind | null): number | null =>
  kind === null ? null : VERIFIED_KINDS.indexOf(kind) + 1;

/** `true`: verified in any way; `false`: not at all. */
export const VERIFIED_FILTERS = ['true', 'false', ...VERIFIED_KINDS] as const;

/** Returns the code, or whether there is one. */
export function verifiedFilter(text: (typeof VERIFIED_FILTERS)[number]): number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return VERIFIED_KINDS.indexOf(text) + 1;
}

export const toVerified = (code: number | null): VerifiedKind | null =>
  code === null ? null : (VERIFIED_KINDS[code - 1] ?? null);
