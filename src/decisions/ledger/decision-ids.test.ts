/** Promise: the bytes of an id are those of its text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeed, seeded } from '../../../kit/random.ts';
import { decisionId } from './decision.ts';
import { DECISION_LINE, DecisionIds } from './decision-ids.ts';

test(`ids as bytes (SEED=${runSeed})`, () => {
  const random = seeded(runSeed);
  const target = new Uint8Array(2 * DECISION_LINE);
  for (let i = 0; i < 2_000; i++) {
    const ledgerNo = random.int(0, 2 ** 30 - 1);
    const [at, seq] = [random.int(0, 2 ** 48), random.pick([random.int(0, 2 ** 48), random.int(0, 5_000)])];
    const ids = new DecisionIds(ledgerNo);
    ids.write(target, { at: Float64Array.of(0, at), seq: Float64Array.of(0, seq) });
    const text = Buffer.from(target).toString('latin1', DECISION_LINE, 2 * DECISION_LINE - 1);
    assert.equal(text, decisionId(ledgerNo, at, seq));
    assert.equal(ids.idOf({ at, seq }), text);
  }
});
