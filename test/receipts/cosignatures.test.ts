/** Promise: the client counts the cosignatures of witnesses that were built from the standards alone, and no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiptError, verifyReceipt } from '../../client/src/receipt.ts';
import { makeReceipt, openSigner, write } from './second.ts';
import { bodyOf, openCosigner } from './second-witness.ts';

const signer = openSigner();
const witnesses = ['a.example/w', 'b.example/w', 'c.example/w'].map(openCosigner);
const [a, b, c] = witnesses as [Witness, Witness, Witness];
type Witness = ReturnType<typeof openCosigner>;
const SECONDS = 1_790_000_000;

const made = makeReceipt(signer, { decisions: 5, index: 2, entries: 7, head: 3 });
const text = bodyOf(made.checkpoint);
const cosignedBy = (...by: Witness[]): string =>
  write({ ...made, checkpoint: made.checkpoint + by.map((one) => one.line(text, SECONDS)).join('') });
const keysOf = (...of: { key: string }[]): string => of.map(({ key }) => key).join('\n');
const verify = (receipt: string, keys: string, quorum?: number) =>
  verifyReceipt(receipt, signer.key, { witnesses: keys, ...(quorum === undefined ? {} : { quorum }) });

test('each set of witnesses, and each quorum of them', async () => {
  for (let present = 0; present < 8; present++) {
    const by = witnesses.filter((_, i) => (present >> i) % 2 === 1);
    const receipt = cosignedBy(...by);
    for (let quorum = 0; quorum <= 3; quorum++) {
      const verified = verify(receipt, keysOf(a, b, c), quorum);
      if (by.length < quorum) {
        await assert.rejects(verified, /of the witnesses cosigned the checkpoint, not/);
        continue;
      }
      const time = new Date(SECONDS * 1000).toISOString();
      assert.deepEqual(
        (await verified).cosigned,
        by.map(({ name }) => ({ name, time })),
      );
    }
    if (by.length < 3) await assert.rejects(verify(receipt, keysOf(a, b, c)), ReceiptError);
    assert.deepEqual((await verifyReceipt(receipt, signer.key)).cosigned, []);
  }
});

test('a cosignature of another checkpoint, of another key by the name, and the log itself as its witness', async () => {
  const other = makeReceipt(signer, { decisions: 5, index: 2, entries: 7, head: 3 });
  const moved = write({ ...made, checkpoint: made.checkpoint + a.line(bodyOf(other.checkpoint), SECONDS) });
  await assert.rejects(verify(moved, a.key), /The cosignature of a\.example\/w is wrong/);
  const impostor = openCosigner(a.name);
  await assert.rejects(verify(cosignedBy(impostor), a.key), /it lacks a\.example\/w/);
  assert.equal((await verify(cosignedBy(impostor, a), a.key)).cosigned.length, 1);
  await assert.rejects(verify(cosignedBy(a), signer.key), /is not one that cosigns/);
});

test('a key that is named twice counts once, also under another name', async () => {
  await assert.rejects(verify(cosignedBy(a, a), keysOf(a, a), 2), /A quorum of 2 is not one of 1/);
  assert.equal((await verify(cosignedBy(a, a), keysOf(a, a))).cosigned.length, 1);
  await assert.rejects(verify(cosignedBy(a), keysOf(a, b), 3), /A quorum of 3 is not one of 2/);
});

test('a cosignature, and the key of a witness, of which any bit was changed', async () => {
  const receipt = cosignedBy(a);
  await verify(receipt, a.key);
  const at = receipt.lastIndexOf('—');
  const [head, line] = [receipt.slice(0, at), Buffer.from(receipt.slice(at))];
  for (let bit = 0; bit < line.length * 8; bit++) {
    const flipped = Buffer.from(line);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    await assert.rejects(verify(head + flipped.toString(), a.key), ReceiptError, `bit ${bit} of the line`);
  }
  const key = Buffer.from(a.key);
  for (let bit = 0; bit < key.length * 8; bit++) {
    const flipped = Buffer.from(key);
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    await assert.rejects(verify(receipt, flipped.toString()), ReceiptError, `bit ${bit} of the key`);
  }
});
