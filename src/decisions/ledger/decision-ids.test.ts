/** Promise: the bytes of an id are those of its text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeed, seeded } from '../../../kit/random.ts';
import { decisionId } from './decision.ts';
import { DECISION_ID_LENGTH, DecisionIds } from './decision-ids.ts';

test(`ids as bytes (SEED=${runSeed})`, () => {
  const random = seeded(runSeed);
  const target = new Uint8Array(3 * DECISION_ID_LENGTH);
  for (let i = 0; i < 2_000; i++) {
    const ledgerNo = random.int(0, 2 ** 30 - 1);
    const [at, seq] = [random.int(0, 2 ** 48), random.pick([random.int(0, 2 ** 48), random.int(0, 5_000)])];
    const ids = new DecisionIds(ledgerNo);
    ids.frame(target, DECISION_ID_LENGTH);
    ids.write(target, DECISION_ID_LENGTH, at, seq);
    const text = Buffer.from(target).toString('latin1', DECISION_ID_LENGTH, 2 * DECISION_ID_LENGTH);
    assert.equal(text, decisionId(ledgerNo, at, seq));
    assert.equal(ids.idOf({ at, seq }), text);
  }
});
