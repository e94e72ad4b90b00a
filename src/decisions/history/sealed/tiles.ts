/** The trees of the log as they are kept: tiles of 256 hashes, a row each. */
import type { Db, Step } from '../../../db/db.ts';
import { inList, toList } from '../../../db/query.ts';
import { type Edge, HASH_BYTES, type ReadTile, TILE, type Tile } from '../../../lib/merkle.ts';

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
    tree.edge.levels[row.level] = row.hashes === null ? [] : toHashes(row.hashes);
    trees.set(key, tree);
  }
  return trees;
}

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
