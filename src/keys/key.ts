/**
 * API keys: `svc_sk_` or `svc_pk_`, 43 random base62 characters (256 bits), 6 base62 characters of the CRC-32 of all
 * before. The checksum refuses mistyped keys without a query and lets secret scanners be sure. The store keeps only the
 * SHA-256, which is enough for a random key of this size.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Permission } from '../permissions.ts';

export const KEY_TYPES = ['secret', 'public'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

const PREFIXES = { secret: 'svc_sk_', public: 'svc_pk_' } as const;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^svc_[sp]k_[0-9A-Za-z]{49}$/;
const SHOWN = 12;
const RANDOM = 43;
const CHECKSUM = 6;

export interface Key {
  id: string;
  prefix: string;
  name: string;
  type: KeyType;
  permissions: Permission[];
  allowedIps: string[];
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
}

export function newKeyText(type: KeyType): string {
  let text: string = PREFIXES[type];
  while (text.length < PREFIXES[type].length + RANDOM) {
    // Skipping bytes from 248 on makes every digit equally likely.
    for (const byte of randomBytes(64)) {
      if (byte < 248 && text.length < PREFIXES[type].length + RANDOM) text += DIGITS[byte % 62];
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

/** Checks form and checksum, not whether the key exists. */
export const isKeyText = (text: string): boolean =>
  FORM.test(text) && checksum(text.slice(0, -CHECKSUM)) === text.slice(-CHECKSUM);

export const hashOfKey = (text: string): string => hash('sha256', text, 'base64url');
export const prefixOfKey = (text: string): string => text.slice(0, SHOWN);

/** Holds `*` from any address, without expiry. The last such key must stay, so that any mistake can be undone. */
export const isUnrestricted = (key: Key): boolean =>
  key.permissions.includes('*') && key.allowedIps.length === 0 && key.expiresAt === null;
