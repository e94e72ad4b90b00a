/** The short forms of `npm run proof -- --only log-kills,log-failover`. */
import { test } from 'node:test';
import { runSeed } from '../../../kit/random.ts';
import { runLogFailover } from '../../../proof/cluster/log-failover.ts';
import { runLogKills } from '../../../proof/crash/log-kills.ts';

test('kill -9 while decisions are sealed: every answered one is in one log, which never forks', async (t) => {
  t.diagnostic(JSON.stringify(await runLogKills({ kills: 3, seed: runSeed })));
});

test('the database is lost while nodes seal: every answered decision is in one log', async (t) => {
  t.diagnostic(JSON.stringify(await runLogFailover({ rounds: 1, seed: runSeed })));
});
