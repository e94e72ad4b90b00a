/**
 * The first key: made at the first start, or the one the operator chose. One that was made is marked as unseen until it was
 * shown: a start that ended in between left a key that nobody knows, and the next one replaces it.
 */
import { type Db, type Step, UniqueViolation } from '../db/db.ts';
import { fromBase32, newId } from '../lib/id.ts';
import { hashOfKey, newKeyText, prefixOfKey } from './key.ts';
import { hasKeys, insertKey, isUsed, revokeKey } from './store.ts';

/** The text of the key if this is the first start, or as good as that; undefined when somebody has a key. */
export async function ensureFirstKey(db: Db, chosen: string | null, now: number): Promise<string | undefined> {
  const unseen = await findUnseen(db);
  const inHands = unseen === undefined ? await hasKeys(db) : await isUsed(db, unseen);
  // What the operator chose needs no showing: it takes the place of one that another node may be about to show.
  const mayBeShown = unseen !== undefined && chosen === null && isBeingShown(db, unseen, now);
  if (inHands || mayBeShown) return undefined;
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
  const steps = [
    ...(unseen === undefined ? [] : [revokeKey(unseen, now, false), SEEN]),
    insertKey({ ...key, permissions: ['*'], allowedIps: [] }, hashOfKey(text)),
    ...(chosen === null ? [markUnseen(key.id)] : []),
  ];
  try {
    await db.atomic(steps);
  } catch (error) {
    // Another node that starts at the same time was first.
    if (error instanceof UniqueViolation && (await hasKeys(db))) return undefined;
    throw error;
  }
  return text;
}

const SHOWN_WITHIN_MS = 30_000;

/** On a cluster another node may have made it just now; nobody else works with an embedded store. */
function isBeingShown(db: Db, id: string, now: number): boolean {
  return db.engine === 'postgres' && now - (fromBase32(id.slice(4, 14)) ?? 0) < SHOWN_WITHIN_MS;
}

/** To be called when the key has been shown; it then stays, used or not. */
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
