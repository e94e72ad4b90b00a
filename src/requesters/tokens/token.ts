/**
 * Tokens of requesters: credentials with `svc_rt_`. A visitor who sends one proves to be that requester; it is no API
 * key.
 */
import { isCredential, type Lifetime, newCredential } from '../../lib/credential.ts';

const PREFIX = 'svc_rt_';

export const TOKEN_PREFIX = 'tok_';

export interface RequesterToken extends Lifetime {
  id: string;
  requesterId: string;
  /** The first characters of the token. */
  prefix: string;
  name: string;
  revokedAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export const newTokenText = (): string => newCredential(PREFIX);

/** Checks form and checksum, not whether the token exists. */
export const isTokenText = (text: string): boolean => isCredential(text, PREFIX);
