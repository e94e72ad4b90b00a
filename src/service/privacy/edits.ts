/** Plans an erasure: deletes what is registered, and leaves the rest to the eraser. */
import type { Edit } from '../../api/changes/change.ts';
import type { Db } from '../../db/db.ts';
import { isCounted } from '../../decisions/history/retention/erase.ts';
import { newId } from '../../lib/id.ts';
import { planDelete, requesterNotFound } from '../../requesters/edits.ts';
import { PSEUDONYM_PREFIX } from '../../requesters/requester.ts';
import { findRequester } from '../../requesters/store.ts';
import { erasureAnswer } from './schema.ts';
import { type Erasure, findRunning, insertErasure } from './store.ts';

export interface ErasurePlan {
  db: Db;
  now: number;
  /** The newest decision. */
  head: number;
  keyId: string | null;
  /** Returns whether decisions name the id. */
  isSeen(id: string): Promise<boolean>;
}

/** Throws requester_not_found for an id that nothing is known of. */
export async function planErase({ db, now, head, keyId, isSeen }: ErasurePlan, id: string): Promise<Edit> {
  const running = await findRunning(db, id);
  const requester = await findRequester(db, id);
  if (running !== undefined) return { steps: [], changes: [], status: 200, body: erasureAnswer(running) };
  if (requester === undefined && !(await isKnown(db, id)) && !(await isSeen(id))) throw requesterNotFound(id);
  const erasure: Erasure = {
    id: newId('era_', now),
    pseudonym: newId(PSEUDONYM_PREFIX, now),
    requesterId: id,
    status: 'decisions',
    walkedSeq: 0,
    lastSeq: head,
    decisions: 0,
    keyId,
    createdAt: now,
    updatedAt: now,
  };
  const deleted = requester === undefined ? { steps: [], changes: [] } : await planDelete(db, requester, now);
  return {
    steps: [...deleted.steps, insertErasure(erasure)],
    changes: deleted.changes,
    status: 200,
    body: erasureAnswer(erasure),
  };
}

/** Returns whether the id is named apart from decisions. */
async function isKnown(db: Db, id: string): Promise<boolean> {
  const [row] = await db.read<{ known: number }>(
    `select case when exists (select 1 from history where owner_id = $1)
       or exists (select 1 from license_terms where requester_id = $1)
       or exists (select 1 from unregistered where requester_id = $1) then 1 else 0 end as known`,
    [id],
  );
  return row?.known === 1 || (await isCounted(db, id));
}
