/** Plans another key for the log, in place of one that leaked or was lost. */
import type { Edit } from '../../../api/changes/change.ts';
import { fail } from '../../../api/errors.ts';
import type { Db } from '../../../db/db.ts';
import { toIso } from '../../../lib/clock.ts';
import { keepKeys, type LogKey, makeKey, readKeys, type Signing, signNote, toVerifier } from './keys.ts';
import { CHECKPOINT, readCheckpoint } from './publish.ts';

/** Throws invalid_request where no log is kept. */
export function requireLog(signing: Signing | null): Signing {
  if (signing === null) throw fail('invalid_request', 'This installation keeps no log. Set POSTERN_RECEIPTS first.');
  return signing;
}

/** The newest checkpoint is signed again, so that receipts need the old key no more. */
export async function planRotateLogKey(db: Db, signing: Signing, now: number): Promise<Edit> {
  const before = await readKeys(db, now);
  const after = [...before.map(({ privateKey: _, ...key }) => ({ ...key, until: key.until ?? now })), makeKey(now)];
  const checkpoint = await readCheckpoint(db);
  const text = checkpoint?.note.slice(0, checkpoint.note.indexOf('\n\n') + 1);
  return {
    steps: [
      keepKeys(before, after),
      ...(checkpoint === undefined || text === undefined
        ? []
        : [
            {
              sql: 'update settings set value = $3 where name = $1 and value = $2',
              params: [
                CHECKPOINT,
                JSON.stringify(checkpoint),
                JSON.stringify({ ...checkpoint, note: signNote(text, after) }),
              ],
              expect: 1,
            },
          ]),
    ],
    changes: [
      {
        kind: 'log_keys.rotated',
        id: 'log_keys',
        object: toLogKeys(after, signing),
        before: toLogKeys(before, signing),
      },
    ],
    status: 200,
    body: toLogKeys(after, signing),
  };
}

/** The newest first. */
export const toLogKeys = (keys: readonly LogKey[], { origin }: Signing) => ({
  object: 'log_keys' as const,
  keys: keys.toReversed().map((key) => ({
    key: toVerifier(origin, key),
    since: key.since === undefined ? null : toIso(key.since),
    until: key.until === undefined ? null : toIso(key.until),
  })),
});
