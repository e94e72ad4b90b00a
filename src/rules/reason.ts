/** Reasons for denials, and the kinds of events that decisions become. */

/** The closed list of reasons for a denial. The ledger stores `code`, which never changes its meaning; 0 = allowed. */
export const REASONS = {
  no_license: { code: 1, message: 'A valid license for this content is required.' },
  license_expired: { code: 2, message: 'The license for this content has expired.' },
  rate_limit_exceeded: { code: 3, message: 'The rate limit for this access is used up.' },
  permission_not_granted: { code: 4, message: 'The permission asked for is not granted.' },
  content_archived: { code: 5, message: 'This content is archived and not available.' },
  requester_suspended: { code: 6, message: 'This requester is suspended.' },
  policy_denied: { code: 7, message: 'The policy of this content denies access.' },
  quota_exceeded: { code: 8, message: 'The quota of the license is used up.' },
} as const;

export type Reason = keyof typeof REASONS;

/** Returns the kind of event that a decision with this code of a reason becomes. */
export function accessKind(code: number): `access.${'granted' | 'denied' | 'rate_limited'}` {
  if (code === 0) return 'access.granted';
  return code === REASONS.rate_limit_exceeded.code ? 'access.rate_limited' : 'access.denied';
}

export const ALLOWED_MESSAGE = 'Access granted.';

export const reasonCode = (reason: Reason | null): number => (reason === null ? 0 : REASONS[reason].code);

const BY_CODE = new Map(Object.entries(REASONS).map(([name, { code }]) => [code, name as Reason]));

export function decodeReason(code: number): Reason | null {
  if (code === 0) return null;
  const reason = BY_CODE.get(code as 1);
  if (reason === undefined) throw new Error(`no reason has the code ${code}`);
  return reason;
}
