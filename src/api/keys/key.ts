/** API keys: credentials with `svc_sk_` or `svc_pk_`, and `test_` after it for test keys. */
import { isCredential, type Lifetime, newCredential } from '../../lib/credential.ts';
import { MODES, type Mode, type Permission } from '../permissions.ts';

export const KEY_TYPES = ['secret', 'public'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

const PREFIXES = {
  live: { secret: 'svc_sk_', public: 'svc_pk_' },
  test: { secret: 'svc_sk_test_', public: 'svc_pk_test_' },
} as const;

export interface Key extends Lifetime {
  id: string;
  prefix: string;
  name: string;
  type: KeyType;
  mode: Mode;
  permissions: Permission[];
  allowedIps: string[];
  revokedAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
}

export const newKeyText = (type: KeyType, mode: Mode = 'live'): string => newCredential(PREFIXES[mode][type]);

/** Checks form and checksum, not whether the key exists. */
export const isKeyText = (text: string): boolean =>
  MODES.some((mode) => KEY_TYPES.some((type) => isCredential(text, PREFIXES[mode][type])));

/** Holds `*` from any address, without expiry. The last such key must stay, so that any mistake can be undone. */
export const isUnrestricted = (key: Key): boolean =>
  key.permissions.includes('*') && key.allowedIps.length === 0 && key.expiresAt === null;
