/** The short forms of `npm run proof -- --only clickhouse,clickhouse-moved`. */
import { test } from 'node:test';
import { runSeed } from '../../../kit/random.ts';
import { runClickHouse } from '../../../proof/clickhouse/clickhouse.ts';

const options = { timeout: 600_000 };
const KILLS = 4;

test('ClickHouse and nodes fail: reports equal a fold over the answered decisions', options, async (t) => {
  t.diagnostic(JSON.stringify(await runClickHouse({ kills: KILLS, seed: runSeed })));
});

test('the same while decisions move out of PostgreSQL', options, async (t) => {
  t.diagnostic(JSON.stringify(await runClickHouse({ kills: KILLS, seed: runSeed, isMoving: true })));
});
