/**
 * Seals decisions: each becomes a leaf of its requester's tree. Promise: every settled decision is sealed once, in the
 * order of the ledger, with none left out; a crash or another node changes nothing of that. No check waits for it. One
 * node does the work.
 */
import { randomBytes } from 'node:crypto';
import { Conflict, type Db, type Step, type Value } from '../../../db/db.ts';
import { openPace, type Pace, STEADY } from '../../../db/pace.ts';
import { insertColumns, insertRows } from '../../../db/query.ts';
import { every } from '../../../lib/every.ts';
import type { PublicIds } from '../../ledger/public-ids.ts';
import { archivedTo } from '../ends.ts';
import { movedTo } from '../moved/blocks.ts';
import { FORGOTTEN, SEALED_TO, sealedTo } from './forget.ts';
import type { Signing } from './keys.ts';
import { PARTS, SALT_BYTES, type SealedRow, sealParts, selectSealed, toParts } from './parts.ts';
import { PUBLISH_EVERY_MS, publish } from './publish.ts';
import { openSettled, type Settled } from './settled.ts';
import { growTree, type KnownTree, openTrees, PUBLIC_TREE } from './tiles.ts';

const LOOK_EVERY_MS = 500;
const LOOKS_MORE = 6;
/** Decisions of a step, at most: the more it has of a requester, the fewer of its tiles are written twice. */
const ROWS_A_STEP = 20_000;
/** Read, hashed and written at once: checks wait for that. */
const ROWS_A_PIECE = 200;
const TILES_A_PIECE = 50;
const SALTS_BYTES = PARTS.length * SALT_BYTES;

export interface SealingDeps {
  db: Db;
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
 * leaves and tiles are written in many. They count once the sizes are written; those that a crash left are overwritten.
 */
async function sealNext({ db, ids, isOurs }: SealingDeps, upTo: number, pace: Pace): Promise<boolean> {
  const token = await claim(db, upTo);
  if (token === undefined) return false;
  // Of what is erased meanwhile nothing may be written, and nothing beside another node.
  const unchanged = change(FORGOTTEN, token, token);
  const sealed = await sealedTo(db);
  // What was archived, or moved, before it was sealed has no leaf.
  let next = Math.max(sealed, await archivedTo(db), await movedTo(db));
  const growth = openGrowth(db);
  while (next < upTo && growth.rows() < ROWS_A_STEP) {
    const rows = await pace(() => readRows(db, next, upTo));
    const leaves = await growth.add(rows, ids);
    if (!isOurs()) return false;
    await pace(() => db.atomicLater([unchanged, ...leaves]));
    next = rows.length < ROWS_A_PIECE ? upTo : (rows.at(-1) as SealedRow).seq;
  }
  const { tiles, sizes } = growth.end();
  for (let i = 0; i < tiles.length; i += TILES_A_PIECE) {
    await pace(() => db.atomicLater([unchanged, ...tiles.slice(i, i + TILES_A_PIECE)]));
  }
  await pace(() => db.atomicLater([unchanged, change(SEALED_TO, String(sealed), String(next)), ...sizes]));
  return next < upTo;
}

/** Returns the value of FORGOTTEN while this step alone may write; undefined when there is nothing to seal. */
async function claim(db: Db, upTo: number): Promise<string | undefined> {
  const [forgotten] = await db.read<{ value: string }>(`select value from settings where name = '${FORGOTTEN}'`);
  if (forgotten === undefined || (await sealedTo(db)) >= upTo) return undefined;
  const token = String(Number(forgotten.value) + 1);
  await db.atomicLater([change(FORGOTTEN, forgotten.value, token)]);
  return token;
}

/** A Conflict unless the setting is as it was read. */
const change = (name: string, from: string, to: string): Step => ({
  sql: 'update settings set value = $3 where name = $1 and value = $2',
  params: [name, from, to],
  expect: 1,
});

const readRows = (db: Db, after: number, upTo: number): Promise<SealedRow[]> =>
  db.read<SealedRow>(`${selectSealed()} d.seq > $1 and d.seq <= $2 order by d.seq limit ${ROWS_A_PIECE}`, [
    after,
    upTo,
  ]);

const LEAF_COLUMNS = [
  'seq',
  'tree',
  'place',
  'decision_salt',
  'rule_salt',
  'requester_salt',
  'requester_hash',
  'inputs_salt',
  'inputs_hash',
];
const LEAVES = insertColumns('log_leaves', LEAF_COLUMNS);
const others = LEAF_COLUMNS.slice(1).map((name) => `${name} = excluded.${name}`);
const insertLeaves = insertRows({ ...LEAVES, rest: `on conflict (seq) do update set ${others.join(', ')}` });

/** Trees that grow. Their new leaves are kept in memory until the end: 32 bytes each. */
function openGrowth(db: Db) {
  const trees = new Map<string, { tree: KnownTree; leaves: Buffer[] }>();
  let rows = 0;

  /** Returns the steps that make trees. */
  async function find(requesterIds: Iterable<string>): Promise<Step[]> {
    const unknown = [...requesterIds].filter((id) => !trees.has(id));
    if (unknown.length === 0) return [];
    const { trees: found, steps } = await openTrees(db, unknown);
    for (const id of unknown) trees.set(id, { tree: found.get(id) as KnownTree, leaves: [] });
    return steps;
  }

  return {
    rows: () => rows,
    /** Returns the steps that write the leaves of decisions. */
    async add(decisions: readonly SealedRow[], ids: PublicIds): Promise<Step[]> {
      const made = await find(new Set(decisions.map((row) => row.requester_id ?? '')));
      rows += decisions.length;
      const salts = randomBytes(decisions.length * SALTS_BYTES);
      const values = decisions.map((row, i): Value[] => {
        const { tree, leaves } = trees.get(row.requester_id ?? '') as { tree: KnownTree; leaves: Buffer[] };
        const own = salts.subarray(i * SALTS_BYTES, (i + 1) * SALTS_BYTES);
        const parts = sealParts(toParts(row, ids.idOf(row)), own);
        const place = tree.edge.size + leaves.push(parts.hash) - 1;
        const [decision, rule, requester, inputs] = PARTS.map((_, part) =>
          own.toString('base64', part * SALT_BYTES, (part + 1) * SALT_BYTES),
        ) as [string, string, string, string];
        return [row.seq, tree.no, place, decision, rule, requester, parts.requesterHash, inputs, parts.inputsHash];
      });
      return [...made, ...insertLeaves(values)];
    },
    /** `sizes` are written last. */
    end(): { tiles: Step[]; sizes: Step[] } {
      const grown = [...trees.values()].map(({ tree, leaves }) => growTree(tree, leaves));
      return { tiles: grown.flatMap(({ tiles }) => tiles), sizes: grown.map(({ size }) => size) };
    },
  };
}
