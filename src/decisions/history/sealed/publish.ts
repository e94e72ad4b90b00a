/**
 * Publishes the trees of requesters in the public log, and signs its checkpoints. Promise: at most once a minute, so
 * that no checkpoint shows when a requester asked; a checkpoint is on disk before anybody sees it, with all that it
 * covers.
 */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import type { Db, Step, Value } from '../../../db/db.ts';
import { insertColumns, insertRows } from '../../../db/query.ts';
import { append, edgeRoot, hashLeaf, sha256 } from '../../../lib/merkle.ts';
import { headData } from './parts.ts';
import { sealStatements } from './statements.ts';
import { type KnownTree, PUBLIC_TREE, readTrees, writeTiles } from './tiles.ts';

export const PUBLISH_EVERY_MS = 60_000;
const HEADS_AT_ONCE = 500;
const CHECKPOINT = 'log_checkpoint';
const KEYS = 'log_keys';
const RESTORED = 'log_restored';

export interface Signing {
  /** The name of the log and of its keys, such as `access.example.com/log`. */
  origin: string;
  /** The names that the log had before backups were restored, the newest first. */
  earlier: readonly string[];
}

/** Returns the names of the log. `name`: the one that it began with. */
export async function readNames(db: Db, name: string): Promise<Signing> {
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

interface LogKey {
  /** Ed25519: 32 bytes, as the others base64. */
  publicKey: string;
  /** PKCS #8. */
  privateKey: string;
}

async function readSetting<T>(db: Db, name: string): Promise<T | undefined> {
  const [row] = await db.read<{ value: string }>('select value from settings where name = $1', [name]);
  return row && (JSON.parse(row.value) as T);
}

export const readCheckpoint = (db: Db): Promise<SignedCheckpoint | undefined> =>
  readSetting<SignedCheckpoint>(db, CHECKPOINT);

/** Appends the trees that grew to the public log, and signs it, if a minute has passed. Throws Conflict. */
export async function publish(db: Db, signing: Signing, now: number): Promise<void> {
  const last = await readCheckpoint(db);
  const isSigned = last?.note.startsWith(`${signing.origin}\n`) === true;
  if (last !== undefined && isSigned && now >= last.at && now < last.at + PUBLISH_EVERY_MS) return;
  while (await sealStatements(db));
  while (await publishSome(db, signing, { now, isSigned }));
}

/** `isSigned`: by the name of the log. Returns whether there may be more. */
async function publishSome(db: Db, signing: Signing, { now, isSigned }: { now: number; isSigned: boolean }) {
  const grown = await db.read<{ no: number }>(
    `select no from log_trees where no <> ${PUBLIC_TREE} and size > published order by no limit ${HEADS_AT_ONCE}`,
  );
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
  const note = signNote(signing.origin, `${edge.size}\n${edgeRoot(edge).toString('base64')}\n`, await readSigner(db));
  const checkpoint: SignedCheckpoint = { size: edge.size, at: now, note };
  await db.atomic([
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

/** Returns the keys, in the order in which they signed. The first use makes the first key. */
async function readKeys(db: Db): Promise<LogKey[]> {
  const keys = await readSetting<LogKey[]>(db, KEYS);
  if (keys !== undefined) return keys;
  const sql = 'insert into settings (name, value) values ($1, $2) on conflict (name) do nothing';
  await db.atomic([{ sql, params: [KEYS, JSON.stringify([makeKey()])] }]);
  return readKeys(db);
}

function makeKey(): LogKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES).toString('base64'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  };
}

const KEY_BYTES = 32;

async function readSigner(db: Db): Promise<LogKey> {
  return (await readKeys(db)).at(-1) as LogKey;
}

/** The type of the key and the key, as key ids and verifier keys have them. */
const ED25519 = Buffer.of(1);
const typed = ({ publicKey }: LogKey): Buffer => Buffer.concat([ED25519, Buffer.from(publicKey, 'base64')]);

const keyId = (name: string, key: LogKey): Buffer =>
  sha256(Buffer.concat([Buffer.from(`${name}\n`), typed(key)])).subarray(0, 4);

/** Returns a signed note (C2SP signed-note); its text begins with the name. */
function signNote(name: string, lines: string, key: LogKey): string {
  const text = `${name}\n${lines}`;
  const signer = createPrivateKey({ key: Buffer.from(key.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  const signature = Buffer.concat([keyId(name, key), sign(null, Buffer.from(text), signer)]);
  return `${text}\n— ${name} ${signature.toString('base64')}\n`;
}

/** Returns the keys that verify, the newest first: a verifier key (C2SP signed-note) a line. */
export async function listKeys(db: Db, { origin, earlier }: Signing): Promise<string> {
  const keys = (await readKeys(db)).toReversed();
  return [origin, ...earlier]
    .flatMap((name) =>
      keys.map((key) => `${name}+${keyId(name, key).toString('hex')}+${typed(key).toString('base64')}\n`),
    )
    .join('');
}
