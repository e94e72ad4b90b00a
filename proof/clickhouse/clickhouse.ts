/**
 * Two nodes decide while ClickHouse is killed, cut off, full, slow and restored, and while nodes and PostgreSQL are
 * killed. Whenever faults pause, the reports, the log, the export and the statements of each node equal a fold over the
 * answered decisions: nothing is lost or counted twice. Requesters who were erased are in none of ClickHouse's data. In
 * the second flavour, decisions move out of PostgreSQL meanwhile.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { findTraces } from '../../kit/clickhouse-traces.ts';
import { type Random, seeded } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { isReady } from '../cluster/cluster-load.ts';
import type { ClusterNode } from '../cluster/nodes.ts';
import { Book } from './book.ts';
import { compareAll } from './compare.ts';
import { type FaultScene, failOnce } from './faults.ts';
import { type Load, make, makeItem, type Person, type Stage, setStage, startLoad } from './load.ts';
import { openScene, type Scene } from './scene.ts';

export interface ClickHouseProofOptions {
  /** Faults, at least. */
  kills: number;
  seed: number;
  /** Decisions move to ClickHouse. */
  isMoving?: boolean;
  tell?: (line: string) => void;
}

const MOVING = { POSTERN_RECORD_DAYS: '35' };
const FAULTS_A_ROUND = 6;
/** Decisions that are old enough in the second move in the third. */
const ROUNDS_MIN = 4;
const OLD_DAYS = 36;
const READY_WITHIN_MS = 60_000;
const ERASED_WITHIN_MS = 180_000;
/** Hidden values are overwritten by then, and an insert that was cut is over. */
const FORGOTTEN_MS = 120_000;
const DAY_MS = 86_400_000;

export async function runClickHouse(options: ClickHouseProofOptions): Promise<object> {
  const { seed, isMoving = false } = options;
  await using scene = await openScene(isMoving ? MOVING : {});
  try {
    return await new Rounds(scene, options).run();
  } catch (error) {
    const outputs = scene.nodes.nodes.map(({ running }) => running.output().slice(-3_000)).join('\n--\n');
    throw new Error(`with seed ${seed}: ${(error as Error).message}\n${outputs}`, { cause: error });
  }
}

class Rounds {
  readonly #scene: FaultScene;
  readonly #options: ClickHouseProofOptions;
  readonly #random: Random;
  readonly #book = new Book();
  readonly #people: Person[] = [];
  /** Requesters that are being erased, by their erasures. */
  readonly #erasing = new Map<string, Person>();
  /** Erased ones that a backup of moved decisions brought back into files. */
  readonly #kept = new Set<Person>();
  readonly #erased: Person[] = [];
  readonly #faults: Record<string, number> = {};
  readonly #figures = { rounds: 0, faults: 0, decisions: 0, reports: 0, refused: 0, erased: 0, deleted: 0, moved: 0 };
  #stage: Stage = { items: [], holders: [], policyId: '' };

  constructor(scene: Scene, options: ClickHouseProofOptions) {
    const { seed, isMoving = false } = options;
    this.#options = options;
    this.#random = seeded(seed);
    this.#scene = {
      ...scene,
      random: this.#random,
      isMoving,
      hasCopy: false,
      lateUntil: 0,
      onRestore: () => {
        if (isMoving) for (const person of this.#erasing.values()) this.#kept.add(person);
      },
    };
  }

  get #first(): ClusterNode {
    return this.#scene.nodes.nodes[0] as ClusterNode;
  }

  async run(): Promise<object> {
    const { kills, isMoving = false, tell = () => {} } = this.#options;
    this.#stage = await setStage(this.#first);
    while (this.#figures.faults < kills || this.#figures.rounds < ROUNDS_MIN) {
      const names = await this.#round();
      const { rounds, faults, decisions, moved } = this.#figures;
      tell(
        `${rounds}: ${names.join(', ')}; ${faults} faults, ${decisions} decisions${isMoving ? `, ${moved} moved` : ''}`,
      );
    }
    if (isMoving) assert.ok(this.#figures.moved > 0, 'decisions moved');
    return { ...this.#figures, ...this.#faults };
  }

  async #round(): Promise<string[]> {
    const [random, figures, names] = [this.#random, this.#figures, [] as string[]];
    await this.#prepare();
    const load = startLoad({
      scene: this.#scene,
      book: this.#book,
      stage: this.#stage,
      people: this.#people,
      random,
    });
    const most = Math.min(FAULTS_A_ROUND, Math.ceil(this.#options.kills / ROUNDS_MIN));
    for (let left = random.int(Math.min(2, most), most); left > 0; left--) {
      await Promise.race([pause(random.int(100, 1_500)), load.failed]);
      names.push(await Promise.race([failOnce(this.#scene), load.failed]));
    }
    await this.#quiet(load);
    figures.rounds += 1;
    figures.faults += names.length;
    figures.decisions = this.#book.all.length;
    for (const name of names) this.#faults[name] = (this.#faults[name] ?? 0) + 1;
    figures.moved = await compareAll(this.#scene, this.#book, random);
    await this.#assertForgotten();
    return names;
  }

  /** Edits, and time that goes by. */
  async #prepare(): Promise<void> {
    const [random, scene, { rounds }] = [this.#random, this.#scene, this.#figures];
    if (scene.isMoving) {
      // A backup of the day before lacks what was written since, and moves today.
      scene.hasCopy = false;
      await scene.advance((rounds === 1 ? OLD_DAYS : random.pick([1, 1, 2, 9])) * DAY_MS);
    }
    if (random.chance(0.4)) {
      await scene.clickHouse.copy();
      scene.hasCopy = true;
    }
    if (random.chance(0.5) && this.#people.length > 0) await this.#erase(random.pick(this.#people));
    const n = rounds + 1;
    const person = { id: `mira.sandoval.${n}@example.net`, name: `Mira Sandoval ${n}th`, agent: `VesperReader${n}x` };
    await make(this.#first, '/v1/requesters', { id: person.id, name: person.name });
    this.#people.push(person);
    if (random.chance(0.3)) this.#stage.items.push(await makeItem(this.#first, `more${n}`, this.#stage.policyId));
    if (this.#stage.items.length > 6) await this.#delete(this.#stage.items.pop() as string);
  }

  async #erase(person: Person): Promise<void> {
    const { status, text, body } = await this.#ask('POST', `/v1/requesters/${person.id}/erase`, {});
    assert.equal(status, 200, text);
    this.#people.splice(this.#people.indexOf(person), 1);
    this.#erasing.set(body.id, person);
  }

  async #delete(id: string): Promise<void> {
    const { status, text } = await this.#ask('DELETE', `/v1/content/${id}`);
    assert.equal(status, 200, text);
    this.#book.delete(id);
    this.#figures.deleted += 1;
  }

  /** Repeated while a node is not ready for it. */
  #ask(method: string, path: string, body?: object) {
    const ask = () => this.#first.running.ask(method, path, body === undefined ? {} : { body });
    return until(path, ask, READY_WITHIN_MS, ({ status }) => status !== 503);
  }

  /** All faults are over, each check is answered, and erasures are done. */
  async #quiet(load: Load): Promise<void> {
    const scene = this.#scene;
    const { nodes, clickHouse, relay, records } = scene;
    relay.open();
    if (clickHouse.isGone) await clickHouse.start();
    await clickHouse.fail();
    const { reports, refused } = await load.end();
    this.#figures.reports += reports;
    this.#figures.refused += refused;
    await pause(Math.max(0, scene.lateUntil - performance.now()));
    await scene.advance(FORGOTTEN_MS);
    for (const node of nodes.nodes) await isReady(node, READY_WITHIN_MS);
    for (const [id, person] of this.#erasing) {
      const isDone = async () =>
        (
          await records<{ pseudonym: string }>(`select pseudonym from erasures where id = '${id}' and status = 'done'`)
        )[0];
      const { pseudonym } = await until(`${person.id} is erased`, isDone, ERASED_WITHIN_MS);
      this.#book.erase(person.id, pseudonym);
      this.#erasing.delete(id);
      this.#erased.push(person);
      this.#figures.erased += 1;
    }
  }

  /** Waits until what is hidden was overwritten, and looks for all that was erased. */
  async #assertForgotten(): Promise<void> {
    const { clickHouse, database, records } = this.#scene;
    const look = async (): Promise<boolean> => {
      await this.#first.running.ask('GET', '/v1/analytics/usage?period=all');
      const sql = `select value::json ->> 'forgetting' as forgetting from settings where name = 'clickhouse_columns'`;
      const [state] = await records<{ forgetting: string | null }>(sql);
      if (state?.forgetting === null) return true;
      await this.#scene.advance(FORGOTTEN_MS);
      return false;
    };
    await until('what is hidden is forgotten', look, ERASED_WITHIN_MS);
    const texts = this.#erased
      .filter((person) => !this.#kept.has(person))
      .flatMap(({ id, name, agent }) => [id, name, agent, agent.toLowerCase()]);
    assert.deepEqual(await findTraces(clickHouse, database, texts), []);
  }
}
