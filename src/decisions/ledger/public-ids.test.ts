/** Promise: a public id stands for one decision, has its time, and is nothing to those without the key. */
import assert from 'node:assert/strict';
import { createCipheriv, createHash } from 'node:crypto';
import { test } from 'node:test';
import { runSeed, seeded } from '../../../kit/random.ts';
import { decisionId, parseDecisionId } from './decision.ts';
import { PublicIds } from './public-ids.ts';

const ledgers = { live: 123_456_789, test: 987_654 };
const ids = new PublicIds('a secret', ledgers);
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A second implementation, from the record of the decision alone. */
function spelled(secret: string, ledgerNo: number, at: number, seq: number): string {
  const encrypted = (use: string, hex: string): bigint => {
    const key = createHash('sha256').update(`decision-${use}\0${secret}`).digest().subarray(0, 16);
    const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    return BigInt(`0x${cipher.update(hex, 'hex', 'hex')}`);
  };
  const double = (value: number): string =>
    Buffer.from(new Float64Array([value]).buffer)
      .swap64()
      .toString('hex');
  const tag = encrypted(`tag-${ledgerNo}`, double(at) + double(seq)) >> 98n;
  const mask = encrypted('mask', double(at) + tag.toString(16).padStart(8, '0') + '0'.repeat(8));
  const [high, low] = [mask >> 103n, (mask >> 71n) & 0x1ffffffn];
  const all = (BigInt(at) << 80n) | (tag << 50n) | (BigInt(seq) ^ ((high << 25n) | low));
  return `dec_${Array.from({ length: 26 }, (_, i) => ALPHABET[Number((all >> BigInt(125 - 5 * i)) & 31n)]).join('')}`;
}

test(`there and back, as a second implementation has it (SEED=${runSeed})`, () => {
  const random = seeded(runSeed);
  for (let i = 0; i < 2_000; i++) {
    const [at, seq] = [random.int(0, 2 ** 48 - 1), random.pick([random.int(0, 2 ** 48 - 1), random.int(0, 5_000)])];
    const ledgerNo = random.pick(Object.values(ledgers));
    const plain = decisionId(ledgerNo, at, seq);
    const shown = ids.toPublic(plain);
    assert.equal(shown, spelled('a secret', ledgerNo, at, seq));
    assert.equal(parseDecisionId(shown)?.at, at);
    assert.equal(ids.toPlain(shown), plain);
    assert.deepEqual([ids.toPublic(shown), ids.toPlain(plain)], [shown, plain]);
    assert.deepEqual([ids.isPlain(shown), ids.isPlain(plain)], [false, true]);
    if (ledgerNo === ledgers.live) assert.equal(ids.idOf({ at, seq }), shown);
  }
});

test('many at once are each as alone, and in the order of their tags', () => {
  const at = Float64Array.from({ length: 300 }, (_, i) => 1_780_000_000_000 + Math.floor(i / 40));
  const seq = Float64Array.from({ length: 300 }, (_, i) => i + 1);
  const alone = [...at.keys()].map((i) => ids.idOf({ at: at[i] as number, seq: seq[i] as number }));
  const target = new Uint8Array(128 * 31).fill(10);
  ids.write(target, { at: at.subarray(0, 128), seq: seq.subarray(0, 128) });
  assert.equal(
    Buffer.from(target).toString('latin1'),
    alone
      .slice(0, 128)
      .map((id) => `${id}\n`)
      .join(''),
  );
  const tags = ids.tags({ at, seq });
  const byTag = [...at.keys()].toSorted(
    (a, b) => (at[a] as number) - (at[b] as number) || (tags[a] as number) - (tags[b] as number),
  );
  assert.deepEqual(
    byTag.map((i) => alone[i]),
    alone.toSorted(),
  );
});

test('many at once are those of each, in either ledger', () => {
  for (const ledgerNo of Object.values(ledgers)) {
    const plain = Array.from({ length: 300 }, (_, i) => decisionId(ledgerNo, 1_780_000_000_000 + (i % 7), i + 1));
    assert.deepEqual(
      ids.toPublicAll(plain),
      plain.map((id) => ids.toPublic(id)),
    );
  }
  assert.deepEqual(ids.toPublicAll([]), []);
});

test('what is forged or of another installation stands for no decision', () => {
  const plain = decisionId(ledgers.live, 1_780_000_000_000, 42);
  const shown = ids.toPublic(plain);
  for (let i = 4; i < shown.length; i++) {
    const forged = `${shown.slice(0, i)}${shown[i] === '0' ? '1' : '0'}${shown.slice(i + 1)}`;
    assert.equal(parseDecisionId(ids.toPlain(forged))?.seq, 0, forged);
  }
  const elsewhere = new PublicIds('another secret', ledgers).toPublic(plain);
  for (const id of [elsewhere, decisionId(1, 2, 3), `dec_${'z'.repeat(26)}`])
    assert.equal(parseDecisionId(ids.toPlain(id))?.seq, 0);
  const odd = ['', 'dec_', shown.toUpperCase(), `${shown} `];
  for (const text of odd) assert.deepEqual([ids.toPlain(text), ids.toPublic(text)], [text, text]);
});
