/**
 * Publishes the trees of requesters in the public log, and signs its checkpoints. Promise: at most once a minute, so
 * that no checkpoint shows when a requester asked; a checkpoint is on disk before anybody sees it, with all that it
 * covers.
 */
import type { Db, Step, Value } from '../../../db/db.ts';
import { insertColumns, insertRows } from '../../../db/query.ts';
import { append, edgeRoot, hashLeaf } from '../../../lib/merkle.ts';
import { KEYS, keepKeys, readKeys, readSetting, type Signing, signNote } from './keys.ts';
import { headData } from './parts.ts';
import { sealStatements } from './statements.ts';
import { type KnownTree, PUBLIC_TREE, readTrees, writeTiles } from './tiles.ts';

export const PUBLISH_EVERY_MS = 60_000;
const HEADS_AT_ONCE = 500;
export const CHECKPOINT = 'log_checkpoint';
const RESTORED = 'log_restored';

/** Returns the names of the log. `name`: the one that it began with. */
export async function readNames(db: Db, name: string): Promise<Omit<Signing, 'witnesses'>> {
  const restored = (await readSetting<string[]>(db, RESTORED)) ?? [];
  const [origin, ...earlier] = [name, ...restored.map((time) => `${name}/${time}`)].toReversed() as [string];
  return { origin, earlier };
}

/**
 * Ends the log in a backup that becomes an installation. Its checkpoints since the backup cannot be continued, so it
 * goes on by another name: `$1` is the time. On SQLite, and only where checkpoints were signed.
 */
export const END_LOG = [
  `insert into settings (name, value)
     select '${RESTORED}', json_array($1) where exists (select 1 from settings where name = '${KEYS}')
     on conflict (name) do update set value = json_insert(settings.value, '$[#]', $1)`,
  `delete from settings where name = '${CHECKPOINT}'`,
] as const;

/** The newest one. */
export interface SignedCheckpoint {
  size: number;
  at: number;
  /** A signed note. */
  note: string;
}

export const readCheckpoint = (db: Db): Promise<SignedCheckpoint | undefined> =>
  readSetting<SignedCheckpoint>(db, CHECKPOINT);

/**
 * Appends the trees that grew to the public log, and signs it, if a minute has passed. Returns whether nothing waits
 * for that. Throws Conflict.
 */
export async function publish(db: Db, signing: Signing, now: number): Promise<boolean> {
  const last = await readCheckpoint(db);
  const isSigned = last?.note.startsWith(`${signing.origin}\n`) === true;
  if (last !== undefined && isSigned && now >= last.at && now < last.at + PUBLISH_EVERY_MS) {
    return (await findGrown(db, 1)).length === 0;
  }
  while (await sealStatements(db));
  while (await publishSome(db, signing, { now, isSigned }));
  return true;
}

const findGrown = (db: Db, limit: number): Promise<{ no: number }[]> =>
  db.read(`select no from log_trees where no <> ${PUBLIC_TREE} and size > published order by no limit $1`, [limit]);

/** `isSigned`: by the name of the log. Returns whether there may be more. */
async function publishSome(db: Db, signing: Signing, { now, isSigned }: { now: number; isSigned: boolean }) {
  const grown = await findGrown(db, HEADS_AT_ONCE);
  if (grown.length === 0 && isSigned) return false;
  const trees = await readTrees(db, 'no', [PUBLIC_TREE, ...grown.map(({ no }) => no)]);
  const { edge } = trees.get(PUBLIC_TREE) as KnownTree;
  trees.delete(PUBLIC_TREE);
  const before = edge.size;
  const heads = [...trees.values()];
  if (before + heads.length === 0) return false;
  const tiles = append(
    edge,
    heads.map((tree) => hashLeaf(headData(tree.commitment, tree.edge.size, edgeRoot(tree.edge)))),
  );
  const keys = await readKeys(db, now);
  const note = signNote(`${signing.origin}\n${edge.size}\n${edgeRoot(edge).toString('base64')}\n`, keys);
  const checkpoint: SignedCheckpoint = { size: edge.size, at: now, note };
  await db.atomic([
    keepKeys(keys),
    {
      sql: `update log_trees set size = $1 where no = ${PUBLIC_TREE} and size = $2`,
      params: [edge.size, before],
      expect: 1,
    },
    ...writeTiles(PUBLIC_TREE, tiles),
    ...insertHeads(heads.map((tree, i): Value[] => [before + i, tree.no, tree.edge.size])),
    ...heads.map((tree): Step => {
      return { sql: 'update log_trees set published = $1 where no = $2', params: [tree.edge.size, tree.no] };
    }),
    {
      sql: `insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`,
      params: [CHECKPOINT, JSON.stringify(checkpoint)],
    },
  ]);
  return heads.length === HEADS_AT_ONCE;
}

const insertHeads = insertRows(insertColumns('log_heads', ['place', 'tree', 'size']));
