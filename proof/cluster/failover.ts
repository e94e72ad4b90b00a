/**
 * The database is lost, repeatedly, while nodes decide on shared limits and edit, and a synchronous standby takes over
 * at another address. No answered decision is lost or duplicated, no limit is exceeded, and every answered edit is
 * logged once and reaches a webhook. Without a database, requests are refused with 503 and `Retry-After`; soon after a
 * failover every node and every singleton work runs again.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { query } from '../../kit/postgres.ts';
import { startPostgresPair, type TestPair } from '../../kit/postgres-pair.ts';
import { type Random, seeded } from '../../kit/random.ts';
import { type Relay, startRelay } from '../../kit/relay.ts';
import { until } from '../../kit/until.ts';
import { answer, openReceiver, type Receiver, subscribe } from '../crash/receiver.ts';
import { ANSWER_WITHIN_MS, assertUsage, isReady, readBooks, setStage, startLoad } from './cluster-load.ts';
import { type ClusterNode, type Nodes, startNodes } from './nodes.ts';

export interface FailoverOptions {
  rounds: number;
  seed: number;
  tell?: (line: string) => void;
}

const HOUR_MS = 3_600_000;
const CLOCKS = [0, HOUR_MS, -HOUR_MS];
const EDITORS = 6;
const READY_WITHIN_MS = 5_000;
const TAKEN_OVER_WITHIN_MS = 6_000;
const DELIVERED_WITHIN_MS = 120_000;
const DATABASE = 'postern';

export async function runFailover({ rounds, seed, tell = () => {} }: FailoverOptions): Promise<object> {
  const random = seeded(seed);
  const pair = await startPostgresPair();
  await query(pair.primary.urlOf('postgres'), `create database ${DATABASE}`);
  await using relay = await startRelay(pair.primary.port);
  await using receiver = await openReceiver();
  const url = `postgres://postgres@127.0.0.1:${relay.port}/${DATABASE}`;
  const env = { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' };
  await using cluster = await startNodes(url, { clocks: CLOCKS, env, housekeepingMayFail: true });
  try {
    return await prove({ pair, relay, receiver, cluster, random, rounds, tell });
  } catch (error) {
    // What a node says about it arrives a little later.
    await pause(1_000);
    const outputs = cluster.nodes
      .map(({ running: { child, output } }) => `ended: ${child.exitCode ?? child.signalCode}, ${faultsIn(output())}`)
      .join('\n--\n');
    throw new Error(`with seed ${seed}: ${(error as Error).message}\n${outputs}`, { cause: error });
  }
}

/** Returns its last lines, and those before about errors. */
const faultsIn = (output: string): string => {
  const lines = output.split('\n');
  return [
    ...lines.slice(0, -LAST_LINES).filter((line) => /"level":[56]0/.test(line)),
    ...lines.slice(-LAST_LINES),
  ].join('\n');
};
const LAST_LINES = 5;

interface Scene {
  pair: TestPair;
  relay: Relay;
  receiver: Receiver;
  cluster: Nodes;
  random: Random;
  rounds: number;
  tell: (line: string) => void;
}

async function prove({ pair, relay, receiver, cluster, random, rounds, tell }: Scene): Promise<object> {
  const stage = await setStage(cluster);
  const [first] = cluster.nodes as [ClusterNode];
  receiver.behave('edits', answer(200));
  await subscribe(receiver, first.running.ask, 'edits', ['content.updated']);
  const load = startLoad(cluster, stage, random);
  const edits = await startEditors(cluster, random);
  const watched = Promise.all([load.ended, edits.ended]).then(() => {
    throw new Error('the load ended by itself');
  });
  watched.catch(() => {});
  const slowest = { readyMs: 0, decidesMs: 0, editsMs: 0, reportsMs: 0, takenOverMs: 0 };

  async function fail(): Promise<string> {
    const way = random.pick(['refused', 'silent']);
    const early = random.chance(0.4);
    const dying = random.chance(0.4) ? (await holders(cluster))[0]?.node : undefined;
    // As when a process dies, or its machine.
    if (way === 'silent') relay.silence();
    await Promise.all([pair.killPrimary(), dying === undefined ? undefined : cluster.kill(dying)]);
    const awayMs = random.int(0, 8_000);
    await pause(awayMs);
    if (early) {
      // Nodes are led there while it still only reads.
      relay.open(pair.standby.port);
      await pause(random.int(0, 2_000));
    }
    await pair.promote();
    relay.open(pair.primary.port);
    const since = performance.now();
    const left = (within: number): number => since + within - performance.now();
    const seen = (what: keyof typeof slowest): void => {
      slowest[what] = Math.max(slowest[what], Math.round(performance.now() - since));
    };
    await Promise.all(
      cluster.alive().map(async (node) => {
        await isReady(node, left(READY_WITHIN_MS));
        seen('readyMs');
        const path = `/v1/content/${stage.items[0]}`;
        await works('decides', left(READY_WITHIN_MS), () => load.decides(node));
        seen('decidesMs');
        await works('edits', left(READY_WITHIN_MS), async () => {
          return (await node.running.ask('PATCH', path, { body: { title: 'again' } })).status === 200;
        });
        seen('editsMs');
        await works('reports', left(READY_WITHIN_MS), async () => {
          return (await node.running.ask('GET', '/v1/analytics/usage')).status === 200;
        });
        seen('reportsMs');
      }),
    );
    await until(
      'each work is done by one node',
      () => holders(cluster),
      left(TAKEN_OVER_WITHIN_MS),
      (held) => WORKS.every((work) => held.filter((one) => one.work === work).length === 1),
    );
    seen('takenOverMs');
    if (dying !== undefined) await cluster.start(dying);
    return `${way} for ${awayMs} ms${early ? ', led there early' : ''}${dying === undefined ? '' : ', a node died too'}`;
  }

  for (let round = 1; round <= rounds; round++) {
    await Promise.race([pause(random.int(2_000, 5_000)), watched]);
    const how = await Promise.race([fail(), watched]);
    await Promise.race([pair.addStandby(), watched]);
    tell(`${round}: ${how}; ${load.figures.acknowledged} decisions, ${edits.answered()} edits`);
  }
  await Promise.race([pause(1_000), watched]);
  load.stop();
  edits.stop();
  await Promise.all([load.ended, edits.ended]);
  await pause(ANSWER_WITHIN_MS);

  const books = await readBooks(cluster, pair.primary.urlOf(DATABASE), load);
  await assertUsage(cluster, books.rows, books.allowed);
  await edits.assertKept(pair.primary.urlOf(DATABASE), receiver);
  return { rounds, ...slowest, ...load.figures, ...books, edits: edits.answered(), refusedEdits: edits.refused() };
}

const works = (what: string, withinMs: number, attempt: () => Promise<boolean>): Promise<boolean> =>
  until(`a node ${what}`, attempt, withinMs);

const WORKS = ['housekeeping', 'deliveries'];

/** Finds which node reports which singleton work. */
async function holders(cluster: Nodes): Promise<{ node: ClusterNode; work: string }[]> {
  const told = await Promise.all(
    cluster.alive().map(async (node) => {
      const { text } = await node.running.ask('GET', '/metrics');
      return WORKS.filter((work) => text.includes(`postern_lease_held{work="${work}"} 1\n`)).map((work) => ({
        node,
        work,
      }));
    }),
  );
  return told.flat();
}

interface Editors {
  answered(): number;
  refused(): number;
  ended: Promise<unknown>;
  stop(): void;
  /** Every edit that was answered is in the log of changes once, and has arrived; none is there twice. */
  assertKept(databaseUrl: string, receiver: Receiver): Promise<void>;
}

/** Each with an item of its own, which it numbers on with every edit. */
async function startEditors(cluster: Nodes, random: Random): Promise<Editors> {
  const [first] = cluster.nodes as [ClusterNode];
  const answered = new Map<string, Set<number>>();
  let refused = 0;
  let over = false;

  async function edit(item: string, done: Set<number>, own: Random): Promise<void> {
    for (let i = 1; !over; i++) {
      const alive = cluster.alive();
      const node = alive[own.int(0, alive.length - 1)];
      if (node === undefined) {
        await pause(20);
        continue;
      }
      let reply: Awaited<ReturnType<typeof node.running.ask>>;
      try {
        reply = await node.running.ask('PATCH', `/v1/content/${item}`, { body: { metadata: { i } } });
      } catch {
        // The node died, so the outcome is unknown.
        await pause(10);
        continue;
      }
      if (reply.status === 503) {
        assert.ok(reply.headers.get('retry-after') !== null, 'a 503 says when to come back');
        refused++;
        await pause(20);
        continue;
      }
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.body.metadata.i, i);
      done.add(i);
      await pause(own.int(0, 20));
    }
  }

  const editors: Promise<void>[] = [];
  for (let n = 0; n < EDITORS; n++) {
    const item = { title: `e${n}`, type: 'article', source: `https://example.org/e${n}`, externalId: `e${n}` };
    const made = await first.running.ask('POST', '/v1/content', { body: item });
    assert.equal(made.status, 201, made.text);
    const done = new Set<number>();
    answered.set(made.body.id, done);
    editors.push(edit(made.body.id, done, seeded(random.int(0, 2 ** 31))));
  }
  return {
    answered: () => [...answered.values()].reduce((sum, { size }) => sum + size, 0),
    refused: () => refused,
    ended: Promise.all(editors),
    stop() {
      over = true;
    },
    async assertKept(databaseUrl, receiver) {
      const rows = await query<{ item: string; id: string; i: number }>(
        databaseUrl,
        `select c.object_id as item, c.id, (d.object::jsonb #>> '{metadata,i}')::int as i
         from changes c join change_data d on d.id = c.id where c.kind = 'content.updated' order by c.seq`,
      );
      const events = new Map<string, string>();
      for (const { item, id, i } of rows) {
        if (!answered.has(item)) continue;
        assert.ok(!events.has(`${item} ${i}`), `edit ${i} of ${item} is there twice`);
        events.set(`${item} ${i}`, `evt_${id}`);
      }
      for (const [item, done] of answered) {
        for (const i of done) assert.ok(events.has(`${item} ${i}`), `the acknowledged edit ${i} of ${item} is lost`);
        for (const { running } of cluster.nodes) {
          const { body } = await running.ask('GET', `/v1/content/${item}`);
          assert.ok(body.metadata.i >= Math.max(...done), `a node has an old ${item}`);
        }
      }
      await until(
        'every edit has arrived at the webhook',
        () => [...events.values()].filter((id) => !receiver.taken('edits').has(id)).length === 0,
        DELIVERED_WITHIN_MS,
      );
      assert.deepEqual(receiver.faults, []);
    },
  };
}
