/** A person as the provider describes them, and the reasons of a failed sign-in. */

import type { Role } from '../permissions.ts';
import type { OidcConfig } from './oidc.ts';

export interface Person {
  issuer: string;
  /** The provider's name for the person. */
  subject: string;
  name: string;
  email: string | null;
  /** null: the provider gives the person none. */
  role: Role | null;
  /** Names the round trip, so that it counts once. */
  state: string;
}

/**
 * `expired`: the round trip took too long, was used, or began in another browser. `refused`: by the provider. `failed`:
 * the provider's answer cannot be trusted.
 */
export const FAILURES = ['expired', 'refused', 'no_role', 'suspended', 'unavailable', 'failed'] as const;
export type FailureReason = (typeof FAILURES)[number];

/** A sign-in failed; the person sees the reason, the log has the message. */
export class SignInFailed extends Error {
  readonly reason: FailureReason;
  constructor(reason: FailureReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

type Claims = Readonly<Record<string, unknown>>;

/** The claim by its whole name, or by a path such as `realm_access.roles`. undefined: it is absent. */
export function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split('.')) {
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, part)) return undefined;
    found = (found as Claims)[part];
  }
  return found;
}

/** The role of the first value that the claim has; null without one. */
export function pickRole(claims: Claims, { roleClaim, roles }: OidcConfig): Role | null {
  const has = new Set([findClaim(claims, roleClaim)].flat());
  return roles.find(([value]) => value === '*' || has.has(value))?.[1] ?? null;
}

const NAME_MAX = 200;

/** The person's name, as far as the provider knows it; without it the address or the provider's own id. */
export function pickPersonName(claims: Claims): string {
  const given = [claims.name, claims.preferred_username, claims.email, claims.sub].find(
    (one) => typeof one === 'string' && one.trim() !== '',
  );
  return plain(given as string);
}

export const pickEmail = ({ email }: Claims): string | null =>
  typeof email === 'string' && email.trim() !== '' ? plain(email) : null;

/** Without control characters and unpaired surrogates, and not longer than a name may be. */
const plain = (text: string): string =>
  [
    ...text
      .toWellFormed()
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim(),
  ]
    .slice(0, NAME_MAX)
    .join('');
