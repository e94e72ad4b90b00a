/**
 * Three nodes behind a TCP balancer are restarted one after the other while clients work: no request fails, and every
 * answered check is recorded once.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { assertCounted, setClientStage, startClients } from '../crash/clients.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type ClusterNode, startTestCluster, type TestCluster } from './nodes.ts';

export const CLIENTS = 24;
const STOP_DELAY_SECONDS = 2;
export const BETWEEN_MS = 1_000;

export const startRollingCluster = (): Promise<TestCluster> =>
  startTestCluster({ clocks: [0, 0, 0], env: { POSTERN_STOP_DELAY: String(STOP_DELAY_SECONDS) } });

export const portsOf = ({ nodes }: TestCluster): number[] =>
  nodes.map(({ running }) => Number(new URL(running.url()).port));

/** Asks it to stop, waits until it has, and starts it again, `main` instead of what it was. */
export async function replace(
  cluster: TestCluster,
  balancer: Balancer,
  node: ClusterNode,
  main?: string,
): Promise<void> {
  const { code, signal } = await node.running.end('SIGTERM');
  assert.equal(code, 0, `a stop that ended with ${code ?? signal}: ${node.running.output().slice(-1000)}`);
  await cluster.start(node, main);
  balancer.lead(portsOf(cluster));
}

export async function runRolling({ rounds, tell = () => {} }: { rounds: number; tell?: (line: string) => void }) {
  await using cluster = await startRollingCluster();
  const [first] = cluster.nodes as [ClusterNode];
  await using balancer = await startBalancer(portsOf(cluster));
  const stage = await setClientStage(first.running);
  const clients = startClients({ count: CLIENTS, url: balancer.url, key: cluster.key, stage, name: 'c' });
  const { answered, failures } = clients;
  for (let round = 0; round < rounds; round++) {
    for (const node of cluster.nodes) {
      await pause(BETWEEN_MS);
      await replace(cluster, balancer, node);
    }
    tell(`round ${round + 1}: ${JSON.stringify(answered)}, ${failures.length} failed`);
  }
  await pause(BETWEEN_MS);
  await clients.stop();
  assert.deepEqual(failures.slice(0, 5), [], `${failures.length} requests failed`);
  await assertCounted(first.running, clients);
  await clients.assertEdits(first.running);
  return { restarts: rounds * cluster.nodes.length, ...answered, failed: failures.length };
}
