/** New keys: the checks that a body's schema cannot make, and the edit that stores a key. */

import { parseIso } from '../../lib/clock.ts';
import { hashCredential, shownPrefix } from '../../lib/credential.ts';
import { newId } from '../../lib/id.ts';
import type { Edit } from '../changes/change.ts';
import { fail } from '../errors.ts';
import { isForTests, type Mode, PERMISSIONS, type Permission } from '../permissions.ts';
import { type Key, type KeyType, newKeyText } from './key.ts';
import { type CreateKey, keyAnswer } from './schema.ts';
import { insertKey } from './store.ts';

const DEFAULT_PERMISSIONS: Readonly<Record<Mode, Readonly<Record<KeyType, readonly Permission[]>>>> = {
  live: { secret: ['*'], public: ['content:read'] },
  test: { secret: ['content:read', 'policies:read', 'access:check', 'analytics:read'], public: ['content:read'] },
};

/** Creates the key that `body` requests, with its text. Throws invalid_request. */
export function newKey(body: CreateKey, now: number): { key: Key; text: string } {
  const { type, mode = 'live' } = body;
  const permissions = [...new Set(body.permissions ?? DEFAULT_PERMISSIONS[mode][type])];
  if (type === 'public') requireEach(permissions, 'A public key', (one) => PERMISSIONS[one].public);
  if (mode === 'test') requireEach(permissions, 'A test key', isForTests);
  const expiresAt = toExpiry(body.expiresAt, now);
  const text = newKeyText(type, mode);
  const key: Key = {
    id: newId('key_', now),
    prefix: shownPrefix(text),
    name: body.name,
    type,
    mode,
    permissions,
    allowedIps: [...new Set(body.allowedIps ?? [])],
    expiresAt,
    replacedAt: null,
    ownExpiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
  };
  return { key, text };
}

/** Plans to store a new key; the answer holds its text. */
export const planKey = (key: Key, text: string): Edit => ({
  steps: [insertKey(key, hashCredential(text))],
  changes: [{ kind: 'api_key.created', id: key.id, object: keyAnswer(key) }],
  status: 201,
  secret: true,
  body: keyAnswer(key, text),
});

/** Throws invalid_request for a time that has passed. */
export function toExpiry(text: string | null | undefined, now: number): number | null {
  const expiresAt = text == null ? null : (parseIso(text) ?? null);
  if (expiresAt === null || expiresAt > now) return expiresAt;
  throw fail('invalid_request', '`expiresAt` must be in the future.', { param: 'expiresAt' });
}

/** Throws invalid_request for the first permission that such a key may not hold. */
function requireEach(permissions: readonly Permission[], key: string, may: (one: Permission) => boolean): void {
  const wrong = permissions.findIndex((one) => !may(one));
  if (wrong === -1) return;
  const allowed = (Object.keys(PERMISSIONS) as Permission[]).filter(may);
  throw fail('invalid_request', `${key} may hold only ${allowed.join(', ')}.`, { param: `permissions[${wrong}]` });
}
