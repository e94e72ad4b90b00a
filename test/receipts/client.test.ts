/** Promise: the client accepts each receipt of a log built from the standards alone, and finds every change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiptError, verifyReceipt } from '../../client/src/receipt.ts';
import { makeReceipt, NAME, openSigner, type Shown, withMovedSalt, write } from './second.ts';

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

test('final statements: each decision of lines of 1 to 17', async () => {
  for (let count = 1; count <= 17; count++) {
    const ids = Array.from({ length: count }, (_, i) => `dec_${i}`);
    for (let counted = 0; counted < count; counted++) {
      const made = makeReceipt(signer, { ...SHAPE, statement: { ids, counted } });
      const receipt = await verifyReceipt(write(made), signer.key);
      assert.deepEqual(
        [receipt.decision, receipt.statement?.id, receipt.requester?.requesterId],
        [null, 'stm_1', 'acme'],
      );
      assert.deepEqual(
        [receipt.counted?.decisionId, receipt.counted?.line.decisions, receipt.withheld],
        [ids[counted], count, []],
      );
      const other = { ...(made.extra.counted as NonNullable<typeof made.extra.counted>), decisionId: 'dec_x' };
      const extra = { ...made.extra, counted: other };
      await assert.rejects(verifyReceipt(write({ ...made, extra }), signer.key), /does not count dec_x/);
    }
  }
  const whole = await verifyReceipt(
    write(makeReceipt(signer, { ...SHAPE, statement: { ids: ['dec_0'] } })),
    signer.key,
  );
  assert.deepEqual([whole.statement?.id, whole.counted], ['stm_1', null]);
});

test('a receipt of a statement whose every bit was changed', async () => {
  const made = makeReceipt(signer, { ...SHAPE, statement: { ids: ['dec_0', 'dec_1', 'dec_2'], counted: 1 } });
  const whole = write(made);
  await verifyReceipt(whole, signer.key);
  const bytes = Buffer.from(JSON.stringify(made.extra));
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const other = Buffer.from(bytes);
    other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7));
    const lines = whole.split('\n');
    lines[1] = `extra ${other.toString('base64')}`;
    await assert.rejects(verifyReceipt(lines.join('\n'), signer.key), ReceiptError, `bit ${bit}`);
  }
});

test('a statement as a decision, and a decision as a statement', async () => {
  const of = (shape: object) => makeReceipt(signer, { ...SHAPE, ...shape });
  for (const [made, name, others] of [
    [of({ statement: { ids: ['dec_0'] } }), 'statement', ['decision', 'rule', 'requester', 'inputs']],
    [of({}), 'decision', ['statement', 'requester']],
  ] as const) {
    const first = made.extra.parts[name] as Shown;
    const parts = Object.fromEntries(others.map((other) => [other, first]));
    const receipt = write({ ...made, extra: { ...made.extra, parts } });
    await assert.rejects(verifyReceipt(receipt, signer.key), ReceiptError);
  }
});

test('a salt of another length, which would move where the text begins', async () => {
  // The text stays JSON when a space before it becomes a part of the salt.
  const made = makeReceipt(signer, { ...SHAPE, decision: ' {"id":"dec_1"}' });
  await verifyReceipt(write(made), signer.key);
  const moved = write({ ...made, extra: withMovedSalt(made.extra) });
  await assert.rejects(verifyReceipt(moved, signer.key), ReceiptError);
});
