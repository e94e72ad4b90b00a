/** The statements of random ledgers, and what is outside of them, are all allowed decisions, to the unit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeed } from '../../kit/random.ts';
import { runLedgers } from './ledgers.ts';

const LEDGERS = Number(process.env.LEDGERS ?? 20);

test(`${LEDGERS} random ledgers (SEED=${runSeed})`, async () => {
  const { decisions, archived } = await runLedgers({ ledgers: LEDGERS, seed: runSeed, postgresEvery: 5 });
  assert.ok(decisions > LEDGERS * 20 && archived >= Math.floor(LEDGERS / 10));
});
