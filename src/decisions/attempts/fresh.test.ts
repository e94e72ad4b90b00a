/** An attempt may fail before it has a promise, or after: both ways it ends in the same answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fail } from '../../api/errors.ts';
import type { Caller } from '../../api/permissions.ts';
import { Unavailable } from '../../db/db.ts';
import { type Grounds, Stale } from '../ledger/ledger.ts';
import { decideFresh } from './fresh.ts';

const callerOf = (keyId: string): Caller => ({
  keyId,
  credential: 'x',
  mode: 'live',
  permissions: new Set(['access:check']),
  readOnly: false,
});

/** Ways to fail: at once, and later. */
const WAYS: Record<string, (error: Error) => Promise<never>> = {
  thrown: (error) => {
    throw error;
  },
  rejected: (error) => Promise.reject(error),
};

for (const [way, end] of Object.entries(WAYS)) {
  test(`${way}: a stale attempt starts over with the key as it is now, until one is recorded`, async () => {
    let admitted = 0;
    const asker = { caller: callerOf('key_0'), arrivedAt: 5, admit: async () => callerOf(`key_${++admitted}`) };
    const seen: [caller: string, grounds: Grounds][] = [];
    const decided = decideFresh(asker, (grounds) => {
      seen.push([asker.caller.keyId, grounds]);
      return seen.length < 3 ? end(new Stale(seen.length)) : Promise.resolve('recorded');
    });
    assert.equal(await decided, 'recorded');
    assert.deepEqual(
      seen.map(([caller, { since }]) => [caller, since]),
      [
        ['key_0', undefined],
        ['key_1', 1],
        ['key_2', 2],
      ],
    );
    const [first, second, third] = seen.map(([, { readAt }]) => readAt) as [number, number, number];
    assert.ok(first === 5 && second > first && third >= second);
  });

  test(`${way}: a key that has ended ends the check`, async () => {
    let attempts = 0;
    const ended = fail('invalid_api_key', 'Revoked.');
    const asker = { caller: callerOf('key_0'), arrivedAt: 5, admit: () => end(ended) };
    const decided = decideFresh(asker, () => {
      attempts++;
      return end(new Stale(1));
    });
    await assert.rejects(decided, ended);
    assert.equal(attempts, 1);
  });

  test(`${way}: no other failure is tried again, at first or later`, async () => {
    const failed = new Unavailable('no disk');
    for (const stale of [0, 1]) {
      let attempts = 0;
      const asker = { caller: callerOf('key_0'), arrivedAt: 5, admit: async () => callerOf('key_1') };
      const decided = decideFresh(asker, () => end(attempts++ < stale ? new Stale(1) : failed));
      await assert.rejects(decided, failed);
      assert.equal(attempts, stale + 1);
    }
  });
}
