/** Plans the edits of API keys by another key or by a user, who must hold what they grant or end. */

import type { Db } from '../../db/db.ts';
import { expiryToInherit, hashCredential, inGrace, shownPrefix } from '../../lib/credential.ts';
import { newId } from '../../lib/id.ts';
import type { Edit } from '../changes/change.ts';
import { fail } from '../errors.ts';
import { type FindHolder, type Holder, requireMayEnd, requireMayGrant } from './grant.ts';
import { isUnrestricted, type Key, newKeyText } from './key.ts';
import { planKey } from './make.ts';
import { keyAnswer } from './schema.ts';
import { findKey, hasOtherUnrestricted, insertKey, replaceKey, requireUnchanged, revokeKey } from './store.ts';

export interface KeyEdit {
  db: Db;
  /** Id of the key or the user that makes the request. */
  callerId: string;
  holderOf: FindHolder;
  now: number;
  /** Returns a key as answers show it, with its last use. */
  show(key: Key): object;
}

/** Throws insufficient_permissions. */
export async function planCreate({ callerId, holderOf }: KeyEdit, key: Key, text: string): Promise<Edit> {
  const caller = await holderOf(callerId);
  requireMayGrant(caller, key);
  const edit = planKey(key, text);
  return { ...edit, steps: [caller.unchanged, ...edit.steps] };
}

/** Throws insufficient_permissions, last_admin_key. */
export async function planRevoke({ db, callerId, holderOf, now, show }: KeyEdit, key: Key): Promise<Edit> {
  const caller = await holderOf(callerId);
  requireMayEnd(caller, key);
  const guarded = await requireNotLast(db, key);
  return {
    steps: [caller.unchanged, revokeKey(key.id, now, guarded)],
    changes: [{ kind: 'api_key.revoked', id: key.id, object: show(key) }],
    status: 200,
    body: { id: key.id, object: 'api_key', revoked: true },
  };
}

/**
 * The old key works for another `graceMs`. One that is in its grace already can be rotated again, by who lost the
 * answer: its end is never later. Throws invalid_request, insufficient_permissions.
 */
export async function planRotate({ callerId, holderOf, now, show }: KeyEdit, old: Key, graceMs: number): Promise<Edit> {
  if (old.expiresAt !== null && old.expiresAt <= now) {
    throw fail('invalid_request', 'This API key has expired; create a new one instead.');
  }
  const caller = await holderOf(callerId);
  requireMayEnd(caller, old);
  const text = newKeyText(old.type, old.mode);
  const key: Key = {
    ...old,
    id: newId('key_', now),
    prefix: shownPrefix(text),
    expiresAt: expiryToInherit(old),
    replacedAt: null,
    ownExpiresAt: null,
    lastUsedAt: null,
    createdAt: now,
  };
  // The caller receives the new key, so it must hold everything that the new key can do.
  requireMayGrant(caller, key);
  const replaced = inGrace(old, now, graceMs);
  return {
    steps: [
      caller.unchanged,
      requireUnchanged(old),
      insertKey(key, hashCredential(text)),
      graceMs === 0 ? revokeKey(old.id, now, false) : replaceKey(old.id, replaced),
    ],
    changes: [
      { kind: 'api_key.created', id: key.id, object: keyAnswer(key) },
      { kind: 'api_key.rotated', id: old.id, object: show({ ...old, ...replaced }), before: show(old) },
    ],
    status: 201,
    secret: true,
    body: keyAnswer(key, text),
  };
}

/** Throws invalid_api_key when the key was revoked. */
export async function keyHolder(db: Db, id: string): Promise<Holder> {
  const key = await findKey(db, id);
  if (key === undefined) throw fail('invalid_api_key', 'This API key was revoked. Use another one.');
  return { ...key, unchanged: requireUnchanged(key) };
}

/** Returns true when the revocation must be guarded. Throws last_admin_key if no unrestricted key would remain. */
async function requireNotLast(db: Db, key: Key): Promise<boolean> {
  if (!isUnrestricted(key)) return false;
  if (await hasOtherUnrestricted(db, key.id)) return true;
  throw fail(
    'last_admin_key',
    'This is the last key with * that has no expiry and no allowedIps. Create another such key first, or rotate it.',
  );
}
