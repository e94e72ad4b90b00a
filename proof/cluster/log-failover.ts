/**
 * Nodes on PostgreSQL seal decisions; the one that seals is killed, and the database is lost and replaced by a standby.
 * A witness outside keeps what the log shows.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { query } from '../../kit/postgres.ts';
import { startPostgresPair } from '../../kit/postgres-pair.ts';
import { seeded } from '../../kit/random.ts';
import { startRelay } from '../../kit/relay.ts';
import { LOG, OFTEN, startLogLoad } from '../crash/log-load.ts';
import { isReady } from './cluster-load.ts';
import { type ClusterNode, type Nodes, startNodes } from './nodes.ts';

export interface LogFailoverOptions {
  /** Each a kill of a node or of the database; the last one is of the database. */
  rounds: number;
  seed: number;
  tell?: (line: string) => void;
}

/** Each waits 15 seconds for the columns of all nodes, before the next one begins. */
const ERASURES_MAX = 5;
const READY_WITHIN_MS = 20_000;

export async function runLogFailover({ rounds, seed, tell = () => {} }: LogFailoverOptions): Promise<object> {
  const random = seeded(seed);
  const pair = await startPostgresPair();
  await query(pair.primary.urlOf('postgres'), 'create database postern');
  await using relay = await startRelay(pair.primary.port);
  const url = `postgres://postgres@127.0.0.1:${relay.port}/postern`;
  const options = { clocks: [0, 0], env: LOG, nodeOptions: OFTEN, housekeepingMayFail: true };
  await using cluster = await startNodes(url, options);
  const [first] = cluster.nodes as [ClusterNode];
  const load = await startLogLoad(first.running, {
    random,
    erasures: Math.min(ERASURES_MAX, rounds),
    pick: () => pickNode(cluster, random.next())?.running,
  });
  try {
    for (let round = 1; round <= rounds; round++) {
      await Promise.race([pause(random.int(1_000, 3_000)), load.failed]);
      const isNode = round < rounds && random.chance(0.6);
      if (isNode) {
        const node = (await findSealing(cluster)) ?? first;
        await cluster.kill(node);
        await cluster.start(node);
      } else {
        await pair.killPrimary();
        await pair.promote();
        relay.open(pair.primary.port);
        await Promise.all(cluster.alive().map((node) => isReady(node, READY_WITHIN_MS)));
        if (round < rounds) await pair.addStandby();
      }
      tell(`${round}: ${isNode ? 'the node that seals' : 'the database'}; ${load.decided()} decisions`);
    }
    await Promise.race([pause(1_000), load.failed]);
    return { rounds, ...(await load.assertProven(first.running)) };
  } catch (error) {
    load.stop();
    const said = cluster.nodes.map(({ running }) => running.output().slice(-2000)).join('\n--\n');
    throw new Error(`with seed ${seed}: ${(error as Error).message}\n${said}`, { cause: error });
  }
}

function pickNode(cluster: Nodes, at: number): ClusterNode | undefined {
  const alive = cluster.alive();
  return alive[Math.floor(at * alive.length)];
}

async function findSealing(cluster: Nodes): Promise<ClusterNode | undefined> {
  for (const node of cluster.alive()) {
    const { text } = await node.running.ask('GET', '/metrics');
    if (text.includes('postern_lease_held{work="log"} 1\n')) return node;
  }
  return undefined;
}
