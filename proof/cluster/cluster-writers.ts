/** The writers of policies over several nodes, of which one is killed at a time (see writers). */

import { seeded } from '../../kit/random.ts';
import { runWriters, type Service, type WriterFigures, type WriterOptions } from '../crash/writers.ts';
import { type ClusterNode, startTestCluster } from './nodes.ts';

const NODES = 3;
const POLICIES = 5;

export async function runClusterWriters({ kills, seed, tell = () => {} }: WriterOptions): Promise<WriterFigures> {
  const random = seeded(seed);
  await using cluster = await startTestCluster({ clocks: Array.from({ length: NODES }, () => 0) });
  let dead: ClusterNode | undefined;
  const service: Service = {
    ask: (...given) => random.pick(cluster.alive()).running.ask(...given),
    output: () => cluster.nodes.map(({ running }) => running.output().slice(-2000)).join('\n--\n'),
    async end() {
      dead ??= random.pick(cluster.alive());
      await cluster.kill(dead);
      return { code: null, signal: 'SIGKILL' };
    },
  };
  const start = async (): Promise<Service> => {
    if (dead !== undefined) await cluster.start(dead);
    dead = undefined;
    return service;
  };
  return await runWriters({ kills, seed, tell, policies: POLICIES, start });
}
