/** Plans the rotation of the keys that sign License tokens. */
import type { Edit } from '../../api/changes/change.ts';
import type { Db } from '../../db/db.ts';
import { toIso } from '../../lib/clock.ts';
import { inForce, makeKey, rotateKeys } from './keys.ts';
import { insertFirstKeys, readKeys, replaceKeys, type SigningKey } from './store.ts';

export async function planRotate(db: Db, atOnce: boolean, now: number): Promise<Edit> {
  const before = await readKeys(db);
  const after = before === undefined ? [makeKey(now, now)] : rotateKeys(before, { atOnce, now });
  const answer = toAnswer(after, now);
  return {
    steps: [before === undefined ? insertFirstKeys(after) : replaceKeys(before, after)],
    changes: [
      {
        kind: 'signing_keys.rotated',
        id: 'signing_keys',
        object: answer,
        ...(before === undefined ? {} : { before: toAnswer(before, now) }),
      },
    ],
    status: 200,
    body: answer,
  };
}

const toAnswer = (keys: readonly SigningKey[], now: number) => ({
  object: 'signing_keys' as const,
  keys: inForce(keys, now).map(({ kid, createdAt, signsFrom }) => ({
    kid,
    created: toIso(createdAt),
    signsFrom: toIso(signsFrom),
  })),
});
