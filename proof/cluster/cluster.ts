/**
 * Nodes with wrong or jumping clocks decide on shared limits while they are killed and stopped and the database
 * restarts. Then the decisions are read from the database and compared with the answers: none is lost or duplicated,
 * outcomes agree, and no window of a limit's length holds more admissions than the limit. The usage report counts
 * exactly these. The units of quotas are given once each, also while terms are edited.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Random, seeded } from '../../kit/random.ts';
import { ANSWER_WITHIN_MS, assertUsage, isReady, readBooks, setStage, startLoad } from './cluster-load.ts';
import { startTestCluster, type TestCluster } from './nodes.ts';

export interface ClusterProofOptions {
  checks: number;
  seed: number;
  tell?: (line: string) => void;
}

const HOUR_MS = 3_600_000;
const CLOCKS = ['jumping', HOUR_MS, -HOUR_MS] as const;
const READY_WITHIN_MS = 5_000;
/** The number of answered requests with an Idempotency-Key that are repeated at the end. */
const REPEATED = 300;

export async function runCluster({ checks, seed, tell = () => {} }: ClusterProofOptions): Promise<object> {
  const random = seeded(seed);
  await using cluster = await startTestCluster({ clocks: CLOCKS, housekeepingMayFail: true });
  try {
    return await prove(cluster, random, checks, tell);
  } catch (error) {
    const outputs = cluster.nodes.map(({ running }) => running.output().slice(-1500)).join('\n--\n');
    throw new Error(`with seed ${seed}: ${(error as Error).message}\n${outputs}`, { cause: error });
  }
}

async function prove(cluster: TestCluster, random: Random, checks: number, tell: (line: string) => void) {
  const load = startLoad(cluster, await setStage(cluster), random);
  const { figures } = load;
  const done = { kills: 0, stops: 0, restarts: 0 };
  let over = false;

  async function faults(): Promise<void> {
    while (!over) {
      await pause(random.int(1_000, 3_000));
      const kind = random.next();
      const [node] = [random.pick(cluster.alive())];
      if (over || node === undefined) continue;
      if (kind < 0.45) {
        done.kills++;
        await cluster.kill(node);
        await pause(random.int(0, 500));
        await cluster.start(node);
      } else if (kind < 0.7) {
        done.stops++;
        node.running.child.kill('SIGSTOP');
        // Clients still send to it: the requests wait until it resumes.
        await pause(300);
        node.stopped = true;
        const stoppedMs = random.int(5_000, 30_000);
        void pause(stoppedMs).then(() => {
          node.running.child.kill('SIGCONT');
          node.stopped = false;
        });
        if (random.chance(0.5)) await pause(stoppedMs / 2);
      } else {
        done.restarts++;
        await cluster.server.restart(random.chance(0.5) ? 'QUIT' : 'INT', random.int(0, 3_000));
        const up = performance.now();
        const ready = cluster.alive().map((one) => isReady(one, READY_WITHIN_MS - (performance.now() - up)));
        await Promise.all(ready);
      }
    }
  }

  const faulty = faults();
  let told = 0;
  for (const watched = Promise.all([load.ended, faulty]); figures.acknowledged < checks; ) {
    await Promise.race([pause(500), watched.then(() => Promise.reject(new Error('the load ended by itself')))]);
    if (figures.acknowledged - told >= 100_000) {
      told = figures.acknowledged;
      tell(`${told} checks acknowledged, ${done.kills} kills, ${done.stops} stops, ${done.restarts} restarts`);
    }
  }
  over = true;
  load.stop();
  await Promise.all([load.ended, faulty]);
  for (const node of cluster.nodes) {
    node.running.child.kill('SIGCONT');
    node.stopped = false;
    await isReady(node, 2 * READY_WITHIN_MS);
  }
  // Requests that a stopped node held are recorded or refused by now; no client waits for them.
  await pause(ANSWER_WITHIN_MS);

  const repeated = await load.repeat(random.pick(cluster.nodes), REPEATED);
  const books = await readBooks(cluster, cluster.databaseUrl, load);
  await assertUsage(cluster, books.rows, books.allowed);
  return { ...figures, repeated, ...done, ...books, leftUnknown: figures.unknown };
}
