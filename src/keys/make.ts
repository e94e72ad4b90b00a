/** New keys: the checks that a body's schema cannot make, and the edit that stores a key. */

import type { Edit } from '../changes/change.ts';
import { fail } from '../errors.ts';
import { parseIso } from '../lib/clock.ts';
import { hashOf, shownOf } from '../lib/credential.ts';
import { newId } from '../lib/id.ts';
import { PERMISSIONS, type Permission } from '../permissions.ts';
import { type Key, newKeyText } from './key.ts';
import { type CreateKey, keyAnswer } from './schema.ts';
import { insertKey } from './store.ts';

const DEFAULT_PERMISSIONS = { secret: ['*'], public: ['content:read'] } as const;

/** Creates the key that `body` requests, with its text. Throws invalid_request. */
export function newKey(body: CreateKey, now: number): { key: Key; text: string } {
  const permissions = [...new Set(body.permissions ?? DEFAULT_PERMISSIONS[body.type])];
  if (body.type === 'public') requirePublic(permissions);
  const expiresAt = toExpiry(body.expiresAt, now);
  const text = newKeyText(body.type);
  const key: Key = {
    id: newId('key_', now),
    prefix: shownOf(text),
    name: body.name,
    type: body.type,
    permissions,
    allowedIps: [...new Set(body.allowedIps ?? [])],
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
  };
  return { key, text };
}

/** Plans to store a new key; the answer holds its text. */
export const planKey = (key: Key, text: string): Edit => ({
  steps: [insertKey(key, hashOf(text))],
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

function requirePublic(permissions: readonly Permission[]): void {
  const wrong = permissions.findIndex((permission) => !PERMISSIONS[permission].public);
  if (wrong === -1) return;
  const may = Object.entries(PERMISSIONS).filter(([, row]) => row.public);
  throw fail('invalid_request', `A public key may hold only ${may.map(([name]) => name).join(', ')}.`, {
    param: `permissions[${wrong}]`,
  });
}
