/** The short forms of what `npm run proof` does at length and with a new seed each time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeed } from '../../../kit/random.ts';
import { cannotMount, runDiskFull } from '../../../proof/crash/disk-faults.ts';
import { runKills } from '../../../proof/crash/kills.ts';
import { runPowerCuts } from '../../../proof/crash/power-cuts.ts';
import { cannotTrace } from '../../../proof/crash/strace.ts';
import { runWebhookKills } from '../../../proof/crash/webhook-kills.ts';
import { runWriters } from '../../../proof/crash/writers.ts';

test('what was acknowledged before kill -9 is there once; counts, limits and versions agree', async (t) => {
  t.diagnostic(JSON.stringify(await runKills({ kills: 7, seed: runSeed })));
});

test('64 writers of policies and kill -9: versions without gap or duplicate, each what its writer sent', async (t) => {
  const figures = await runWriters({ kills: 4, seed: runSeed });
  t.diagnostic(JSON.stringify(figures));
  assert.ok(figures.acknowledged > 50);
});

test('what was acknowledged before a power cut is there', async (t) => {
  const why = cannotTrace();
  if (why !== undefined) return t.skip(why);
  const figures = await runPowerCuts({ cuts: 60, seed: runSeed, requests: 120 });
  t.diagnostic(JSON.stringify(figures));
  assert.deepEqual([figures.lossy, figures.damaged], [0, 0]);
});

test('a full disk refuses, leaves nothing half done, and is over when there is space', async (t) => {
  const why = cannotMount();
  if (why !== undefined) return t.skip(why);
  t.diagnostic(JSON.stringify(await runDiskFull({ faults: 1, seed: runSeed })));
});

test('after kill -9 every committed event arrives at every healthy endpoint, and no other', async (t) => {
  t.diagnostic(JSON.stringify(await runWebhookKills({ kills: 5, seed: runSeed })));
});
