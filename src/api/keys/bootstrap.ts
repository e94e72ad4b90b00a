/**
 * The first key: created at the first start, or chosen by the operator. A created key is marked as unseen until it is
 * shown. If the process ends before that, the next start replaces the key.
 */
import { type Db, type Step, UniqueViolation } from '../../db/db.ts';
import { hashCredential, shownPrefix } from '../../lib/credential.ts';
import { fromBase32, newId } from '../../lib/id.ts';
import { newKeyText } from './key.ts';
import { hasKeys, insertKey, isUsed, revokeKey } from './store.ts';

/** Returns the text of a new first key, or undefined if a key is already in use or about to be shown. */
export async function ensureFirstKey(db: Db, chosen: string | null, now: number): Promise<string | undefined> {
  const unseen = await findUnseen(db);
  const inHands = unseen === undefined ? await hasKeys(db) : await isUsed(db, unseen);
  // A key that the operator chose needs no showing; it replaces one that another node may be about to show.
  const mayBeShown = unseen !== undefined && chosen === null && isBeingShown(db, unseen, now);
  if (inHands || mayBeShown) return undefined;
  const text = chosen ?? newKeyText('secret');
  const key = {
    id: newId('key_', now),
    prefix: shownPrefix(text),
    name: 'First key',
    type: 'secret',
    mode: 'live',
    permissions: ['*'],
    allowedIps: [],
    expiresAt: null,
    replacedAt: null,
    ownExpiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
  } as const;
  const steps = [
    ...(unseen === undefined ? [] : [revokeKey(unseen, now, false), SEEN]),
    insertKey({ ...key, permissions: ['*'], allowedIps: [] }, hashCredential(text)),
    ...(chosen === null ? [markUnseen(key.id)] : []),
  ];
  try {
    await db.atomic(steps);
  } catch (error) {
    // Another node that starts at the same time was faster.
    if (error instanceof UniqueViolation && (await hasKeys(db))) return undefined;
    throw error;
  }
  return text;
}

const SHOWN_WITHIN_MS = 30_000;

/** In a cluster, another node may have created the key just now; SQLite has only one node. */
function isBeingShown(db: Db, id: string, now: number): boolean {
  return db.engine === 'postgres' && now - (fromBase32(id.slice(4, 14)) ?? 0) < SHOWN_WITHIN_MS;
}

/** Marks the first key as shown; it then stays, used or not. */
export const firstKeyShown = (db: Db): Promise<void> => db.atomic([SEEN]);

const markUnseen = (id: string): Step => ({
  sql: `insert into settings (name, value) values ('unseen_key', $1)`,
  params: [id],
});
const SEEN: Step = { sql: `delete from settings where name = 'unseen_key'` };

async function findUnseen(db: Db): Promise<string | undefined> {
  const [row] = await db.read<{ value: string }>(`select value from settings where name = 'unseen_key'`);
  return row?.value;
}
