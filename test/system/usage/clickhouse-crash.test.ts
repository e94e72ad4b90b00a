/** The short forms of `npm run proof -- --only clickhouse,clickhouse-moved`. */
import { test } from 'node:test';
import { runSeed } from '../../../kit/random.ts';
import { runClickHouse } from '../../../proof/clickhouse/clickhouse.ts';

const KILLS = 4;

test('ClickHouse and nodes fail: reports equal a fold over the answered decisions', async (t) => {
  t.diagnostic(JSON.stringify(await runClickHouse({ kills: KILLS, seed: runSeed })));
});

test('the same while decisions move out of PostgreSQL', async (t) => {
  t.diagnostic(JSON.stringify(await runClickHouse({ kills: KILLS, seed: runSeed, isMoving: true })));
});
