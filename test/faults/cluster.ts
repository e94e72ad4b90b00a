/**
 * Nodes with wrong clocks decide on shared limits while they are killed and stopped and the database is restarted. Then the
 * decisions are read from the database and compared with what was answered: none is lost or there twice, none of another
 * outcome, and no span of a limit's length holds more admissions than the limit. The usage report counts exactly these.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type ClusterNode, startTestCluster, type TestCluster } from './nodes.ts';
import { eventually } from './process.ts';
import { type Random, seeded } from './random.ts';

export interface ClusterProofOptions {
  checks: number;
  seed: number;
  tell?: (line: string) => void;
}

const HOUR_MS = 3_600_000;
const CLOCKS = [0, HOUR_MS, -HOUR_MS];
const CLIENTS = 24;
const BATCH = 100;
const ITEMS = 4;
const REQUESTERS = 10;
/** A node that was stopped does not answer: whether it will have recorded is unknown. */
const ANSWER_WITHIN_MS = 4_000;
const READY_WITHIN_MS = 5_000;

/** Items by number: the limit of the policy each is under. */
const LIMITS = [
  { requests: 40, period: 'second', scope: 'global' },
  { requests: 500, period: 'minute', scope: 'global' },
  { requests: 7, period: 'second', scope: 'requester' },
  { requests: 30_000, period: 'day', scope: 'content' },
] as const;
const LENGTH_MS = { second: 1_000, minute: 60_000 };

/** One request: what was answered to each of its checks. */
interface Asked {
  outcomes: Uint8Array;
}
const UNKNOWN = 0;
const ALLOWED = 1;
const DENIED = 2;

export async function runCluster({ checks, seed, tell = () => {} }: ClusterProofOptions): Promise<object> {
  const random = seeded(seed);
  await using cluster = await startTestCluster({ clocks: CLOCKS });
  try {
    return await prove(cluster, random, checks, tell);
  } catch (error) {
    const outputs = cluster.nodes.map(({ running }) => running.output().slice(-1500)).join('\n--\n');
    throw new Error(`with seed ${seed}: ${(error as Error).message}\n${outputs}`, { cause: error });
  }
}

async function prove(cluster: TestCluster, random: Random, checks: number, tell: (line: string) => void) {
  const items = await setStage(cluster);
  const asked: Asked[] = [];
  const figures = { checks: 0, acknowledged: 0, unknown: 0, refused: 0, kills: 0, stops: 0, restarts: 0 };
  let over = false;

  async function client(own: Random): Promise<void> {
    while (!over) {
      const alive = cluster.alive();
      const node = alive[own.int(0, alive.length - 1)];
      if (node === undefined) {
        await pause(20);
        continue;
      }
      // Some of them come together around the edge of a second.
      if (own.chance(0.2)) await pause(Math.max(0, 997 - (Date.now() % 1000)));
      const size = own.chance(0.3) ? 1 : BATCH;
      const index = asked.push({ outcomes: new Uint8Array(size) }) - 1;
      figures.checks += size;
      await send(node, own, index, size);
    }
  }

  async function send(node: ClusterNode, own: Random, index: number, size: number): Promise<void> {
    const { outcomes } = asked[index] as Asked;
    const wanted = Array.from({ length: size }, (_, i) => ({
      contentId: items[own.int(0, ITEMS - 1)],
      requesterId: `r${own.int(0, REQUESTERS - 1)}`,
      purpose: `t${index}.${i}`,
    }));
    const single = size === 1;
    let reply: Awaited<ReturnType<typeof node.running.ask>>;
    try {
      const path = single ? '/v1/access/check' : '/v1/access/check/batch';
      const answer = node.running.ask('POST', path, { body: single ? wanted[0] : { checks: wanted } });
      answer.catch(() => {});
      reply = await Promise.race([answer, pause(ANSWER_WITHIN_MS, undefined, { ref: false }).then(gaveUp)]);
    } catch {
      figures.unknown += size;
      await pause(10);
      return;
    }
    if (reply.status === 503) {
      assert.ok(reply.headers.get('retry-after') !== null, 'a 503 says when to come back');
      figures.refused += size;
      await pause(20);
      return;
    }
    assert.equal(reply.status, 200, reply.text);
    const decisions = single ? [reply.body] : reply.body.data;
    for (const [i, decision] of decisions.entries()) {
      // One that was refused in the middle of the batch: nothing of it was recorded.
      if (decision.error !== undefined) {
        assert.equal(decision.error.code, 'service_unavailable', JSON.stringify(decision));
        continue;
      }
      assert.equal(decision.recorded, true);
      outcomes[i] = decision.allowed ? ALLOWED : DENIED;
      figures.acknowledged++;
    }
  }

  async function faults(): Promise<void> {
    while (!over) {
      await pause(random.int(1_000, 3_000));
      const kind = random.next();
      const [node] = [random.pick(cluster.alive())];
      if (over || node === undefined) continue;
      if (kind < 0.45) {
        figures.kills++;
        await cluster.kill(node);
        await pause(random.int(0, 500));
        await cluster.start(node);
      } else if (kind < 0.7) {
        figures.stops++;
        node.running.child.kill('SIGSTOP');
        // Clients go on asking it for a moment: what it was sent lies there until it goes on.
        await pause(300);
        node.stopped = true;
        const stoppedMs = random.int(5_000, 30_000);
        void pause(stoppedMs).then(() => {
          node.running.child.kill('SIGCONT');
          node.stopped = false;
        });
        if (random.chance(0.5)) await pause(stoppedMs / 2);
      } else {
        figures.restarts++;
        await cluster.server.restart(random.chance(0.5) ? 'QUIT' : 'INT', random.int(0, 3_000));
        const up = performance.now();
        const ready = cluster.alive().map((one) => isReady(one, READY_WITHIN_MS - (performance.now() - up)));
        await Promise.all(ready);
      }
    }
  }

  const clients = Array.from({ length: CLIENTS }, () => client(seeded(random.int(0, 2 ** 31))));
  const faulty = faults();
  let told = 0;
  for (const watched = Promise.all([...clients, faulty]); figures.acknowledged < checks; ) {
    await Promise.race([pause(500), watched.then(() => Promise.reject(new Error('the load ended by itself')))]);
    if (figures.acknowledged - told >= 100_000) {
      told = figures.acknowledged;
      tell(`${told} checks acknowledged, ${figures.kills} kills, ${figures.stops} stops, ${figures.restarts} restarts`);
    }
  }
  over = true;
  await Promise.all([...clients, faulty]);
  for (const node of cluster.nodes) {
    node.running.child.kill('SIGCONT');
    node.stopped = false;
    await isReady(node, 2 * READY_WITHIN_MS);
  }
  // What a stopped node had in hand is recorded or refused by now; nobody waits for it.
  await pause(ANSWER_WITHIN_MS);

  const books = await readBooks(cluster, asked);
  await assertUsage(cluster, books.rows, books.allowed);
  return { ...figures, ...books, leftUnknown: figures.unknown };
}

function gaveUp(): never {
  throw new Error('gave up waiting');
}

async function isReady(node: ClusterNode, withinMs: number): Promise<void> {
  await eventually(
    `node ${node.index} is ready`,
    withinMs,
    async () => {
      if (node.stopped) return 200;
      return node.running.ask('GET', '/readyz').then(
        ({ status }) => status,
        () => 0,
      );
    },
    (status) => status === 200 || node.stopped,
  );
}

async function setStage(cluster: TestCluster): Promise<string[]> {
  const [node] = cluster.nodes as [ClusterNode];
  const items: string[] = [];
  for (const [i, rateLimit] of LIMITS.entries()) {
    const policy = await node.running.ask('POST', '/v1/policies', {
      body: { name: `p${i}`, rules: [{ action: 'allow', rateLimit }] },
    });
    assert.equal(policy.status, 201, policy.text);
    const item = { title: `i${i}`, type: 'article', source: `https://example.org/${i}`, externalId: `i${i}` };
    const content = await node.running.ask('POST', '/v1/content', { body: { ...item, policyId: policy.body.id } });
    assert.equal(content.status, 201, content.text);
    items.push(content.body.id);
  }
  return items;
}

const ROWS_AT_ONCE = 20_000;

/** Every row once, against what was answered; admissions of each limit against its number. */
async function readBooks(cluster: TestCluster, asked: readonly Asked[]) {
  const client = new Client({ connectionString: cluster.databaseUrl });
  await client.connect();
  const admitted = new Map<string, number[]>();
  const seen = asked.map(({ outcomes }) => new Uint8Array(outcomes.length));
  let rows = 0;
  let allowed = 0;
  let unknownKept = 0;
  let overAdmitted = 0;
  for (let after = '0'; ; ) {
    const { rows: page } = await client.query(
      `select d.seq, d.at, d.requester_id, d.reason, d.inputs, c.external_id as item
       from decisions d join content c on c.no = d.content_no where d.seq > $1 order by d.seq limit ${ROWS_AT_ONCE}`,
      [after],
    );
    for (const row of page) {
      rows++;
      const [, index, i] = /"t(\d+)\.(\d+)"/.exec(row.inputs) as unknown as [string, string, string];
      const times = seen[Number(index)] as Uint8Array;
      assert.equal(++(times[Number(i)] as number), 1, `check ${index}.${i} is there twice`);
      times[Number(i)] = 1;
      const outcome = row.reason === 0 ? ALLOWED : DENIED;
      const told = asked[Number(index)]?.outcomes[Number(i)];
      if (told === UNKNOWN) unknownKept++;
      else assert.equal(outcome, told, `check ${index}.${i} was answered otherwise than it is recorded`);
      if (outcome === DENIED) continue;
      allowed++;
      const number = Number(row.item.slice(1));
      const key = LIMITS[number]?.scope === 'requester' ? `${number} ${row.requester_id}` : String(number);
      const log = admitted.get(key) ?? [];
      admitted.set(key, log);
      log.push(Number(row.at));
    }
    if (page.length < ROWS_AT_ONCE) break;
    after = page.at(-1).seq;
  }
  await client.end();
  for (const [index, { outcomes }] of asked.entries()) {
    for (const [i, told] of outcomes.entries()) {
      if (told !== UNKNOWN) assert.equal(seen[index]?.[i], 1, `the acknowledged check ${index}.${i} is lost`);
    }
  }
  for (const [key, times] of admitted) {
    const { requests, period } = LIMITS[Number(key.split(' ')[0])] as (typeof LIMITS)[number];
    times.sort((a, b) => a - b);
    for (let i = requests; i < times.length; i++) {
      const first = times[i - requests] as number;
      const last = times[i] as number;
      const within =
        period === 'day'
          ? Math.floor(first / 86_400_000) === Math.floor(last / 86_400_000)
          : last - first <= LENGTH_MS[period];
      if (within) overAdmitted++;
    }
  }
  assert.equal(overAdmitted, 0, `${overAdmitted} admissions too many`);
  return { rows, allowed, unknownKept, limits: admitted.size };
}

/** Each node counts what is in the database, to the unit. */
async function assertUsage(cluster: TestCluster, rows: number, allowed: number): Promise<void> {
  for (const node of cluster.nodes) {
    const { body, text } = await eventually(
      'a usage report',
      60_000,
      () => node.running.ask('GET', '/v1/analytics/usage?period=all'),
      ({ status }) => status === 200,
    );
    assert.deepEqual([body.summary.totalRequests, body.summary.allowed], [rows, allowed], text.slice(0, 500));
  }
}
