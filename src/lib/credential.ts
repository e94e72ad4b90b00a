/**
 * Random secrets that people copy: a prefix, 43 random base62 characters (256 bits), 6 base62 characters of the CRC-32
 * of all before. The checksum refuses mistyped ones without a query and lets secret scanners be sure. A store keeps
 * only the SHA-256, which is enough for a random text of this size.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY = /^[0-9A-Za-z]{49}$/;
/** Random characters that are shown. */
const SHOWN = 5;
const RANDOM = 43;
const CHECKSUM = 6;

export function newCredential(prefix: string): string {
  let text = prefix;
  while (text.length < prefix.length + RANDOM) {
    // Skipping bytes from 248 on makes every digit equally likely.
    for (const byte of randomBytes(64)) {
      if (byte < 248 && text.length < prefix.length + RANDOM) text += DIGITS[byte % 62];
    }
  }
  return text + checksum(text);
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM; i++) {
    digits = DIGITS[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Checks form and checksum, not whether the credential exists. */
export const isCredential = (text: string, prefix: string): boolean =>
  text.startsWith(prefix) &&
  BODY.test(text.slice(prefix.length)) &&
  checksum(text.slice(0, -CHECKSUM)) === text.slice(-CHECKSUM);

export const hashCredential = (text: string): string => hash('sha256', text, 'base64url');

/** Returns why a credential no longer counts, or undefined while it does. */
export function findEnd(of: { revokedAt: number | null; expiresAt: number | null }, now: number): End | undefined {
  if (of.revokedAt !== null && of.revokedAt <= now) return { how: 'revoked', at: of.revokedAt };
  return of.expiresAt !== null && now >= of.expiresAt ? { how: 'expired', at: of.expiresAt } : undefined;
}

export interface End {
  how: 'revoked' | 'expired';
  at: number;
}

/** The end of a credential. A rotation *replaces* it: then it ends with its grace. */
export interface Lifetime {
  expiresAt: number | null;
  /** null: it has no successor. */
  replacedAt: number | null;
  /** Its expiry before it was replaced. */
  ownExpiresAt: number | null;
}

/** Returns the expiry of a successor: the credential's own, not the end of a grace. */
export const expiryToInherit = (of: Lifetime): number | null =>
  of.replacedAt === null ? of.expiresAt : of.ownExpiresAt;

/** Returns the lifetime of a credential that is replaced now: it ends with this grace, or with an earlier one. */
export const inGrace = (of: Lifetime, now: number, graceMs: number): Lifetime & { expiresAt: number } => ({
  expiresAt: Math.min(of.expiresAt ?? Infinity, now + graceMs),
  replacedAt: of.replacedAt ?? now,
  ownExpiresAt: expiryToInherit(of),
});

/** The beginning that identifies a credential to people and reveals nothing. */
export const shownPrefix = (text: string): string => text.slice(0, text.lastIndexOf('_') + 1 + SHOWN);
