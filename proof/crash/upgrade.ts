/**
 * The next version, which changes the tables, takes over node by node while clients work: no request fails, at the new
 * nodes or at the old ones beside them, and every decision is counted once. A node of the version before that is
 * started on the changed tables says so and ends.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launch, temporaryFolder } from '../../kit/launch.ts';
import { startBalancer } from '../cluster/balancer.ts';
import type { ClusterNode, TestCluster } from '../cluster/nodes.ts';
import { BETWEEN_MS, CLIENTS, portsOf, replace, startRollingCluster } from '../cluster/rolling.ts';
import { assertCounted, type Clients, setClientStage, startClients } from './clients.ts';
import { makeNextVersion } from './next-version.ts';

const BESIDE_MS = 5_000;
const BESIDE_CLIENTS = 4;

/** `versions`: how many, one after the other. */
export async function runUpgrade({ versions, tell = () => {} }: { versions: number; tell?: (line: string) => void }) {
  using folder = temporaryFolder();
  await using cluster = await startRollingCluster();
  const [first] = cluster.nodes as [ClusterNode];
  await using balancer = await startBalancer(portsOf(cluster));
  const stage = await setClientStage(first.running);
  const through = startClients({ count: CLIENTS, url: balancer.url, key: cluster.key, stage, name: 'c' });
  const all: Clients[] = [through];
  let beside = 0;
  let before: string | undefined;
  for (let ahead = 1; ahead <= versions; ahead++) {
    const next = makeNextVersion(join(folder.path, `next-${ahead}`), ahead);
    for (const [i, node] of cluster.nodes.entries()) {
      await pause(BETWEEN_MS);
      await replace(cluster, balancer, node, next.main);
      const status = await node.running.ask('GET', '/v1/status');
      assert.equal(status.body.version, next.name);
      if (i > 0) continue;
      // The tables are changed now, and the others are still of the version before.
      await assertRefusesToStart(cluster, join(folder.path, `late-${ahead}`), before);
      const each = cluster.nodes.slice(1).map(({ running, index }) => {
        const name = `v${ahead}n${index}c`;
        return startClients({ count: BESIDE_CLIENTS, url: running.url(), key: cluster.key, stage, name });
      });
      await pause(BESIDE_MS);
      await Promise.all(each.map((clients) => clients.stop()));
      for (const { answered, failures } of each) {
        assert.deepEqual(
          failures.slice(0, 5),
          [],
          `${failures.length} requests failed at a node of the version before`,
        );
        for (const [kind, count] of Object.entries(answered)) assert.ok(count > 0, kind);
        beside += answered.checks + answered.edits + answered.reads;
      }
      all.push(...each);
    }
    before = next.main;
    tell(`${next.name}: ${JSON.stringify(through.answered)}, ${through.failures.length} failed`);
  }
  await pause(BETWEEN_MS);
  await through.stop();
  const { answered, failures } = through;
  assert.deepEqual(failures.slice(0, 5), [], `${failures.length} requests failed`);
  await assertCounted(first.running, ...all);
  for (const clients of all) await clients.assertEdits(first.running);
  return { replaced: versions * cluster.nodes.length, ...answered, beside, failed: failures.length };
}

async function assertRefusesToStart(cluster: TestCluster, dataDir: string, main: string | undefined): Promise<void> {
  mkdirSync(dataDir);
  const late = launch({ dataDir, key: cluster.key, main, env: { POSTERN_DATABASE_URL: cluster.databaseUrl } });
  await assert.rejects(late.ready);
  const { code } = await late.exited;
  assert.equal(code, 1);
  assert.match(late.output(), /^The data belongs to a newer version of Postern [^\n]+\n$/);
}
