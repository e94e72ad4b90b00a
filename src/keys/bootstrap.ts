/** The first key: made at the first start, or the one the operator chose. */
import type { Db } from '../db/db.ts';
import { newId } from '../lib/id.ts';
import { hashOfKey, newKeyText, prefixOfKey } from './key.ts';
import { hasKeys, insertKey } from './store.ts';

/** The text of the key if this is the first start; undefined when there are keys. */
export async function ensureFirstKey(db: Db, chosen: string | null, now: number): Promise<string | undefined> {
  if (await hasKeys(db)) return undefined;
  const text = chosen ?? newKeyText('secret');
  const key = {
    id: newId('key_', now),
    prefix: prefixOfKey(text),
    name: 'First key',
    type: 'secret',
    permissions: ['*'],
    allowedIps: [],
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
  } as const;
  await db.atomic([insertKey({ ...key, permissions: ['*'], allowedIps: [] }, hashOfKey(text))]);
  return text;
}
