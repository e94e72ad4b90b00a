/** Promise: the client accepts each receipt of a log that was built from the standards alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiptError, verifyReceipt } from '../../client/src/receipt.ts';
import { makeReceipt, NAME, openSigner, withMovedSalt, write } from './second.ts';

const signer = openSigner();
const SHAPE = { decisions: 5, index: 2, entries: 7, head: 3 };

test('each decision of trees of 1 to 17', async () => {
  for (let decisions = 1; decisions <= 17; decisions++) {
    for (let index = 0; index < decisions; index++) {
      const made = makeReceipt(signer, { decisions, index, entries: decisions, head: index });
      const receipt = await verifyReceipt(write(made), signer.key);
      assert.deepEqual([receipt.index, receipt.checkpoint.origin, receipt.checkpoint.size], [index, NAME, decisions]);
    }
  }
});

test('each earlier checkpoint of logs of 1 to 17, and none of another log of the same key', async () => {
  for (let entries = 1; entries <= 17; entries++) {
    for (let since = 1; since <= entries; since++) {
      const shape = { ...SHAPE, entries, head: entries - 1, since };
      const [made, other] = [makeReceipt(signer, shape), makeReceipt(signer, shape)];
      await verifyReceipt(write(made), signer.key, { checkpoint: made.old });
      await assert.rejects(verifyReceipt(write(made), signer.key, { checkpoint: other.old }), /does not continue/);
    }
  }
});

test('a salt of another length, which would move where the text begins', async () => {
  // The text stays JSON when a space before it becomes a part of the salt.
  const made = makeReceipt(signer, { ...SHAPE, decision: ' {"id":"dec_1"}' });
  await verifyReceipt(write(made), signer.key);
  const moved = write({ ...made, extra: withMovedSalt(made.extra) });
  await assert.rejects(verifyReceipt(moved, signer.key), ReceiptError);
});
