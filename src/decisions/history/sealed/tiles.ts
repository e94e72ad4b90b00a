/** The trees of the log as they are kept: tiles of 256 hashes, a row each. */
import { randomBytes } from 'node:crypto';
import type { Db, Step } from '../../../db/db.ts';
import { inList, toList } from '../../../db/query.ts';
import { append, type Edge, HASH_BYTES, type ReadTile, TILE, type Tile } from '../../../lib/merkle.ts';
import { commitTo, SALT_BYTES } from './parts.ts';

/** The tree whose root checkpoints sign. */
export const PUBLIC_TREE = 0;

export interface KnownTree {
  no: number;
  commitment: Buffer;
  edge: Edge;
}

interface EdgeRow {
  no: number;
  commitment: string;
  size: number;
  level: number;
  hashes: string | null;
}

/** Levels of more leaves than a tree can get. */
const LEVELS = [0, 1, 2, 3, 4].map((level) => `(${level}, ${TILE ** (level + 1)})`).join(', ');

/** Reads trees with their edges, as they are at one time. `list`: requesters, or numbers of trees. */
export async function readTrees(db: Db, by: 'requester_id' | 'no', list: readonly (string | number)[]) {
  const rows = await db.read<EdgeRow & { [name: string]: string | number | null }>(
    `with levels (level, width) as (values ${LEVELS})
     select r.no, r.requester_id, r.commitment, r.size, l.level, t.hashes from log_trees as r cross join levels as l
       left join log_tiles as t on t.tree = r.no and t.level = l.level and t.no = r.size / l.width
     where ${inList(db.engine, `r.${by}`, by === 'no' ? 'bigint' : 'text')} order by r.no, l.level`,
    [toList(list)],
  );
  const trees = new Map<string | number, KnownTree>();
  for (const row of rows) {
    const key = row[by] as string | number;
    const tree = trees.get(key) ?? {
      no: row.no,
      commitment: Buffer.from(row.commitment, 'base64'),
      edge: { size: row.size, levels: [] },
    };
    // Tiles are written before the size.
    const count = Math.floor(row.size / TILE ** row.level) % TILE;
    tree.edge.levels[row.level] = row.hashes === null ? [] : toHashes(row.hashes).slice(0, count);
    trees.set(key, tree);
  }
  return trees;
}

/** Returns the trees of requesters, with the steps that make those that are not there yet. */
export async function openTrees(db: Db, requesterIds: readonly string[]) {
  const trees = await readTrees(db, 'requester_id', requesterIds);
  const [last] = await db.read<{ no: number }>('select no from log_trees order by no desc limit 1');
  let newest = last?.no ?? PUBLIC_TREE;
  const steps: Step[] = [];
  for (const requesterId of requesterIds) {
    if (trees.has(requesterId)) continue;
    const { tree, step } = makeTree(++newest, requesterId);
    trees.set(requesterId, tree);
    steps.push(step);
  }
  return { trees, steps };
}

function makeTree(no: number, requesterId: string): { tree: KnownTree; step: Step } {
  const salt = randomBytes(SALT_BYTES);
  const commitment = commitTo(salt, requesterId);
  const sql = `insert into log_trees (no, requester_id, salt, commitment, size, published) values ($1, $2, $3, $4, 0, 0)`;
  const params = [no, requesterId, salt.toString('base64'), commitment.toString('base64')];
  return { tree: { no, commitment, edge: { size: 0, levels: [] } }, step: { sql, params } };
}

/** Appends leaves to a tree. A Conflict if it grew meanwhile. */
export function growTree({ no, edge }: KnownTree, leaves: readonly Buffer[]): { tiles: Step[]; size: Step } {
  const before = edge.size;
  return { tiles: writeTiles(no, append(edge, leaves)), size: writeSize({ no, edge }, before) };
}

/** A Conflict if the tree had another size before. */
export const writeSize = ({ no, edge }: Omit<KnownTree, 'commitment'>, before: number): Step => ({
  sql: 'update log_trees set size = $1 where no = $2 and size = $3',
  params: [edge.size, no, before],
  expect: 1,
});

function toHashes(text: string): Buffer[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
    bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}

export const writeTiles = (tree: number, tiles: readonly Tile[]): Step[] =>
  tiles.map(({ level, no, hashes }) => ({
    sql: `insert into log_tiles (tree, level, no, hashes) values ($1, $2, $3, $4)
      on conflict (tree, level, no) do update set hashes = excluded.hashes`,
    params: [tree, level, no, Buffer.concat(hashes).toString('base64')],
  }));

/** Reads each tile once. */
export function openTiles(db: Db, tree: number): ReadTile {
  const known = new Map<string, Promise<Buffer[]>>();
  const read = async (level: number, no: number): Promise<Buffer[]> => {
    const [row] = await db.read<{ hashes: string }>(
      'select hashes from log_tiles where tree = $1 and level = $2 and no = $3',
      [tree, level, no],
    );
    return row === undefined ? [] : toHashes(row.hashes);
  };
  return (level, no) => {
    const key = `${level}/${no}`;
    const tile = known.get(key) ?? read(level, no);
    known.set(key, tile);
    return tile;
  };
}
