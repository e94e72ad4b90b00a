/**
 * Seals decisions: each becomes a leaf of its requester's tree. Promise: every settled decision is sealed once, in the
 * order of the ledger, with none left out; a crash or another node changes nothing of that. No check waits for it. One
 * node does the work.
 */
import { Conflict, type Db, type Step } from '../../../db/db.ts';
import { openPace, type Pace, STEADY } from '../../../db/pace.ts';
import type { SqliteDb } from '../../../db/sqlite/db.ts';
import { every } from '../../../lib/every.ts';
import { HASH_BYTES, push, type Tile, unfilled } from '../../../lib/merkle.ts';
import type { PublicIds } from '../../ledger/public-ids.ts';
import { archivedTo } from '../ends.ts';
import { movedTo } from '../moved/blocks.ts';
import { type SealedBlock, sealRows } from './block.ts';
import { FORGOTTEN, SEALED_TO, SPAN, sealedTo } from './forget.ts';
import type { Signing } from './keys.ts';
import { asBuffer, dropUncounted, insertSpans, setPlace } from './leaves.ts';
import { SELECT_NEXT, type SealedRow } from './parts.ts';
import type { Next } from './procedure.ts';
import { PUBLISH_EVERY_MS, publish } from './publish.ts';
import { openSettled, type Settled } from './settled.ts';
import { type KnownTree, openTrees, PUBLIC_TREE, writeSize, writeTiles } from './tiles.ts';

const LOOK_EVERY_MS = 500;
const LOOKS_MORE = 6;
/** Decisions of a step, at most: the more it has of a requester, the fewer of its tiles are written twice. */
const ROWS_A_STEP = 20_000;
/** Read, hashed and written at once: checks wait for that. */
const ROWS_A_PIECE = SPAN;
const TILES_A_PIECE = 50;

/** Names and URLs of modules, for the thread that reads SQLite. */
export const sealingReading = { sealing: new URL('./procedure.ts', import.meta.url).href };

export interface SealingDeps {
  /** SQLite has `sealingReading`. */
  db: Db & Partial<Pick<SqliteDb, 'ask'>>;
  /** A SQLite file or a PostgreSQL URL. */
  records: string;
  ids: PublicIds;
  now(): number;
  signing: Signing;
  /** Returns whether this node does the work. */
  isOurs(): boolean;
  onProblem(error: unknown): void;
}

/** Returns a function that stops the work and waits for the batch that runs. */
export function startSealing(deps: SealingDeps): () => Promise<void> {
  const { db, signing, now, isOurs, onProblem } = deps;
  let isOver = false;
  let isPrepared = false;
  const settled = openSettled(db, deps.records);
  const pace = openPace(db.engine, STEADY);
  const isQuiet = openQuiet(settled, now);
  let isDone = false;
  const work = async (): Promise<void> => {
    if (!isOurs() || (await isQuiet(isDone))) return;
    if (!isPrepared) await prepare(db);
    isPrepared = true;
    isDone = false;
    for (let hasMore = true; hasMore && !isOver && isOurs(); ) {
      const upTo = await settled.read();
      hasMore = await sealNext(deps, upTo, pace);
      isDone = await publish(db, signing, now());
    }
  };
  const stop = every(LOOK_EVERY_MS, () => work().catch(unlessConflict), onProblem);
  return async () => {
    isOver = true;
    await stop();
    await settled.close();
  };
}

/**
 * Returns whether a look may be left out: the last ones found nothing, and nothing was recorded since. Some looks more,
 * since on PostgreSQL a decision may appear after later ones; and one a minute, for statements and what came later yet.
 */
function openQuiet(settled: Settled, now: () => number): (isDone: boolean) => Promise<boolean> {
  let [newest, looks, lookedAt] = [-1, 0, 0];
  return async (isDone) => {
    const found = await settled.newest();
    looks = isDone && found === newest ? looks + 1 : 0;
    newest = found;
    const at = now();
    if (looks >= LOOKS_MORE && at >= lookedAt && at < lookedAt + PUBLISH_EVERY_MS) return true;
    lookedAt = at;
    return false;
  };
}

/** Something was erased meanwhile, or another node took over: the next look begins anew. */
function unlessConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}

const prepare = (db: Db): Promise<void> =>
  db.atomic([
    ...[SEALED_TO, FORGOTTEN].map((name) => ({
      sql: `insert into settings (name, value) values ($1, '0') on conflict (name) do nothing`,
      params: [name],
    })),
    {
      sql: `insert into log_trees (no, commitment, size, published) values (${PUBLIC_TREE}, '', 0, 0)
        on conflict (no) do nothing`,
    },
  ]);

/**
 * Seals the next decisions up to a number. Returns whether there are more. Throws Conflict. Checks wait for a piece, so
 * leaves and tiles are written in many. They count once the sizes are written; those that a crash left are removed.
 */
async function sealNext(deps: SealingDeps, upTo: number, pace: Pace): Promise<boolean> {
  const { db } = deps;
  const claimed = await claim(db, upTo);
  if (claimed === undefined) return false;
  const { token, sealed } = claimed;
  // Of what is erased meanwhile nothing may be written, and nothing beside another node.
  const unchanged = change(FORGOTTEN, token, token);
  // What was archived, or moved, before it was sealed has no leaf.
  let next = Math.max(sealed, await archivedTo(db), await movedTo(db));
  const growth = openGrowth(db);
  while (next < upTo && growth.rows() < ROWS_A_STEP) {
    const block = await pace(() => readBlock(deps, { after: next, upTo, limit: ROWS_A_PIECE }));
    const leaves = await growth.add(block);
    if (!deps.isOurs()) return false;
    await pace(() => db.atomicLater([unchanged, ...leaves]));
    next = block.seqs.length < ROWS_A_PIECE ? upTo : (block.seqs.at(-1) as number);
  }
  const { tiles, sizes } = growth.end();
  for (let i = 0; i < tiles.length; i += TILES_A_PIECE) {
    await pace(() => db.atomicLater([unchanged, ...tiles.slice(i, i + TILES_A_PIECE)]));
  }
  await pace(() => db.atomicLater([unchanged, change(SEALED_TO, String(sealed), String(next)), ...sizes]));
  return next < upTo;
}

/** On SQLite, in the thread that has the rows. */
async function readBlock({ db, ids }: SealingDeps, next: Next): Promise<SealedBlock> {
  if (db.ask !== undefined) return db.ask<SealedBlock>('sealing', next);
  return sealRows(await db.read<SealedRow>(SELECT_NEXT, [next.after, next.upTo, next.limit]), ids);
}

/**
 * Returns the value of FORGOTTEN while this step alone may write, and the number up to which decisions are sealed;
 * undefined when there is nothing to seal.
 */
async function claim(db: Db, upTo: number): Promise<{ token: string; sealed: number } | undefined> {
  const [forgotten] = await db.read<{ value: string }>(`select value from settings where name = '${FORGOTTEN}'`);
  const sealed = await sealedTo(db);
  if (forgotten === undefined || sealed >= upTo) return undefined;
  const token = String(Number(forgotten.value) + 1);
  await db.atomicLater([
    change(FORGOTTEN, forgotten.value, token),
    // Another node may have sealed since it was read.
    change(SEALED_TO, String(sealed), String(sealed)),
    ...dropUncounted(sealed),
  ]);
  return { token, sealed };
}

/** A Conflict unless the setting is as it was read. */
const change = (name: string, from: string, to: string): Step => ({
  sql: 'update settings set value = $3 where name = $1 and value = $2',
  params: [name, from, to],
  expect: 1,
});

interface Growing {
  tree: KnownTree;
  /** Its size at the beginning. */
  before: number;
  /** The highest level of which a tile became full. */
  filled: number;
}

/** Trees that grow. Full tiles are written with the leaves, and what is not full at the end. */
function openGrowth(db: Db) {
  const trees = new Map<string, Growing>();
  let rows = 0;

  /** Returns the steps that make trees. */
  async function find(requesterIds: readonly string[]): Promise<Step[]> {
    const unknown = requesterIds.filter((id) => !trees.has(id));
    if (unknown.length === 0) return [];
    const { trees: found, steps } = await openTrees(db, unknown);
    for (const id of unknown) {
      const tree = found.get(id) as KnownTree;
      trees.set(id, { tree, before: tree.edge.size, filled: -1 });
    }
    return steps;
  }

  return {
    rows: () => rows,
    /** Returns the steps that write the leaves of decisions. */
    async add(block: SealedBlock): Promise<Step[]> {
      const made = await find(block.requesterIds);
      rows += block.seqs.length;
      const owners = block.requesterIds.map((id) => trees.get(id) as Growing);
      const hashes = asBuffer(block.hashes);
      const leaves = asBuffer(block.leaves);
      const tiles: Step[] = [];
      for (const [i, owner] of block.requesters.entries()) {
        const growing = owners[owner] as Growing;
        const { tree } = growing;
        setPlace(leaves, i, tree.no, tree.edge.size);
        const full: Tile[] = [];
        push(tree.edge, hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES), full);
        growing.filled = Math.max(growing.filled, full.length - 1);
        tiles.push(...writeTiles(tree.no, full));
      }
      return [...made, ...insertSpans(block), ...tiles];
    },
    /** `sizes` are written last. */
    end(): { tiles: Step[]; sizes: Step[] } {
      const grown = [...trees.values()];
      return {
        tiles: grown.flatMap(({ tree, filled }) => writeTiles(tree.no, unfilled(tree.edge, filled))),
        sizes: grown.map(({ tree, before }) => writeSize(tree, before)),
      };
    },
  };
}
