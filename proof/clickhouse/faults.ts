/** Faults of ClickHouse, the nodes and PostgreSQL, chosen by a seed. Each fault is over when it returns. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../../kit/clickhouse.ts';
import type { Random } from '../../kit/random.ts';
import type { ClusterNode } from '../cluster/nodes.ts';
import type { Scene } from './scene.ts';

/** Longer than a node waits for an answer: see small-hack.ts. */
const TOO_LATE_MS = 14_000;
/** Until a statement comes that a fault waits for. */
const FIRED_WITHIN_MS = 3_000;
const LOOK_EVERY_MS = 20;

const INSERTS = ['decisions', 'tail', 'names', 'marks', 'programs', 'gone', 'content'].map(
  (name) => `insert into ${name}_v1`,
);
const STEPS = [...INSERTS, ...INSERTS.slice(0, 2), 'uniqExact(seq)', 'optimize table', 'alter table'];
/** Statements about moved decisions. */
const MOVES = [
  'insert into records_1',
  'inputs from records_1',
  'groupBitXor',
  'alter table records_1',
  'delete where',
];

export interface FaultScene extends Scene {
  random: Random;
  /** Decisions move meanwhile. */
  isMoving: boolean;
  /** There is a copy that may be restored now. */
  hasCopy: boolean;
  /** The copy took the place of the data. */
  onRestore(): void;
  /** When the last request that was cut is done, by performance.now. */
  lateUntil: number;
}

type Run = (scene: FaultScene) => Promise<boolean>;

const anyStep = ({ random, isMoving }: FaultScene): string =>
  random.pick(isMoving && random.chance(0.5) ? MOVES : STEPS);

const anyInsert = ({ random, isMoving }: FaultScene): string =>
  isMoving && random.chance(0.4) ? 'insert into records_1' : random.pick(INSERTS);

/** Returns whether it happened, within some time. */
async function happens({ clickHouse }: FaultScene, fault: Fault): Promise<boolean> {
  await clickHouse.fail(fault);
  let left = fault.times;
  for (const end = performance.now() + FIRED_WITHIN_MS; left > 0 && performance.now() < end; ) {
    await pause(LOOK_EVERY_MS);
    if (clickHouse.isGone) return true;
    left = await clickHouse.faultsLeft().catch(() => left);
  }
  await clickHouse.fail().catch(() => undefined);
  return left < fault.times;
}

async function start({ clickHouse, random }: FaultScene): Promise<void> {
  await clickHouse.kill();
  await pause(random.int(0, 2_000));
  await clickHouse.start();
}

/** On a busy machine, a start may take too long. */
const STARTS_MAX = 3;

async function restart({ nodes, random }: FaultScene, node: ClusterNode): Promise<void> {
  await nodes.kill(node);
  await pause(random.int(0, 500));
  for (let left = STARTS_MAX; ; ) {
    try {
      return await nodes.start(node);
    } catch (error) {
      left -= 1;
      if (left === 0) throw error;
      await nodes.kill(node);
    }
  }
}

const when = ({ random }: FaultScene): Fault['when'] => random.pick(['before', 'after']);

const NODES: Record<string, Run> = {
  async 'a node is killed'(scene) {
    await restart(scene, scene.random.pick(scene.nodes.alive()));
    return true;
  },
  /** While ClickHouse takes its time with a step. */
  async 'the writer is killed'(scene) {
    const { clickHouse, random } = scene;
    await clickHouse.fail({ when: when(scene), sql: random.pick(STEPS), kind: 'slow', times: 1, ms: 1_000 });
    let writer: ClusterNode | undefined;
    for (const end = performance.now() + FIRED_WITHIN_MS; performance.now() < end; await pause(LOOK_EVERY_MS)) {
      if ((await clickHouse.faultsLeft()) === 0) break;
    }
    writer = await scene.findWriter();
    await clickHouse.fail();
    if (writer === undefined) return false;
    await restart(scene, writer);
    return true;
  },
  async 'PostgreSQL is restarted'({ postgres, random }) {
    await postgres.restart(random.pick(['QUIT', 'INT']), random.int(0, 1_500));
    return true;
  },
};

const AWAY: Record<string, Run> = {
  async 'ClickHouse is killed'(scene) {
    await start(scene);
    return true;
  },
  async 'ClickHouse is killed in a step'(scene) {
    const isKilled = await happens(scene, { when: when(scene), sql: anyStep(scene), kind: 'kill', times: 1 });
    if (isKilled) await start(scene);
    return isKilled;
  },
  async 'ClickHouse refuses connections'({ relay, random }) {
    relay.cut();
    await pause(random.int(200, 3_000));
    relay.open();
    return true;
  },
  async 'ClickHouse is silent'({ relay, random }) {
    relay.silence();
    await pause(random.int(200, 3_000));
    // Connections that were silent stay so: they end when their time is over.
    relay.open();
    return true;
  },
  async 'ClickHouse was restored'(scene) {
    if (!scene.hasCopy) return false;
    await scene.clickHouse.restore();
    scene.onRestore();
    return true;
  },
};

const REQUESTS: Record<string, Run> = {
  'requests are refused': (scene) =>
    happens(scene, { when: 'before', sql: anyStep(scene), kind: 'cut', times: scene.random.int(1, 3) }),
  'answers are lost': (scene) =>
    happens(scene, { when: 'after', sql: anyStep(scene), kind: 'cut', times: scene.random.int(1, 3) }),
  async 'an insert is cut, and done later'(scene) {
    const ms = scene.random.int(300, 4_000);
    scene.lateUntil = performance.now() + FIRED_WITHIN_MS + ms;
    return happens(scene, { when: 'before', sql: anyInsert(scene), kind: 'late', times: 1, ms });
  },
  async 'an answer comes too late'(scene) {
    scene.lateUntil = performance.now() + FIRED_WITHIN_MS + TOO_LATE_MS;
    return happens(scene, { when: when(scene), sql: anyStep(scene), kind: 'slow', times: 1, ms: TOO_LATE_MS });
  },
  'the disk is full': (scene) =>
    happens(scene, { when: 'before', sql: anyInsert(scene), kind: 'full', times: scene.random.int(1, 4) }),
  'a block is acknowledged, and lost': (scene) =>
    happens(scene, {
      when: 'before',
      sql: scene.random.pick(['insert into decisions_v1', 'insert into tail_v1']),
      kind: 'lost',
      times: 1,
    }),
  'all is slow': (scene) =>
    happens(scene, {
      when: when(scene),
      sql: '',
      kind: 'slow',
      times: scene.random.int(3, 12),
      ms: scene.random.int(50, 400),
    }),
};

/** A part that was not on the disk yet when the power went. */
const LOST: Record<string, Run> = {
  async 'the last part is lost'(scene) {
    const { clickHouse, database, random } = scene;
    const table = random.pick(['decisions_v1', 'tail_v1']);
    const sql = `select name from system.parts where active and database = '${database}' and table = '${table}'
      order by modification_time desc, name desc limit 1`;
    const name = await clickHouse.query(sql, database);
    if (name === '') return false;
    await clickHouse.query(`alter table ${table} drop part '${name}'`, database);
    return true;
  },
};

const FAULTS = Object.entries({ ...NODES, ...AWAY, ...REQUESTS, ...LOST });

/** Makes one happen that can happen now. Returns its name. */
export async function failOnce(scene: FaultScene): Promise<string> {
  for (;;) {
    const [name, run] = scene.random.pick(FAULTS);
    if (scene.clickHouse.isGone) await scene.clickHouse.start();
    const happened = await run(scene).catch((error: unknown) => {
      // The engine merged the part away, or was killed by what another fault left.
      if (name === 'the last part is lost' || scene.clickHouse.isGone) return false;
      throw error;
    });
    if (happened) return name;
  }
}
