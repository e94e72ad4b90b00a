/**
 * Seals decisions: each becomes a leaf of its requester's tree. Promise: every settled decision is sealed once, in the
 * order of the ledger, with none left out; a crash or another node changes nothing of that. No check waits for it. One
 * node does the work.
 */
import { randomBytes } from 'node:crypto';
import { Conflict, type Db, type Step } from '../../../db/db.ts';
import { openPace, STEADY } from '../../../db/pace.ts';
import { insertColumns, insertRows } from '../../../db/query.ts';
import { every } from '../../../lib/every.ts';
import { hashLeaf } from '../../../lib/merkle.ts';
import { archivedTo } from '../ends.ts';
import { FORGOTTEN, SEALED_TO, sealedTo } from './forget.ts';
import { commitTo, leafData, PARTS, SALT_BYTES, SELECT_SEALED, type SealedRow, toParts } from './parts.ts';
import { publish, type Signing } from './publish.ts';
import { openSettled } from './settled.ts';
import { growTree, type KnownTree, openTrees, PUBLIC_TREE } from './tiles.ts';

const LOOK_EVERY_MS = 500;

export interface SealingDeps {
  db: Db;
  /** A SQLite file or a PostgreSQL URL. */
  records: string;
  ledgerNo: number;
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
  const work = async (): Promise<void> => {
    if (!isPrepared && isOurs()) await prepare(db);
    isPrepared ||= isOurs();
    for (let hasMore = true; hasMore && !isOver && isOurs(); ) {
      const upTo = await settled.read();
      hasMore = await pace((rows) => sealNext(deps, upTo, rows));
      await publish(db, signing, now());
    }
  };
  const stop = every(LOOK_EVERY_MS, () => work().catch(unlessConflict), onProblem);
  return async () => {
    isOver = true;
    await stop();
    await settled.close();
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

/** Seals the next decisions up to a number. Returns whether there are more. Throws Conflict. */
async function sealNext({ db, ledgerNo }: SealingDeps, upTo: number, limit: number): Promise<boolean> {
  const [forgotten] = await db.read<{ value: string }>(`select value from settings where name = '${FORGOTTEN}'`);
  const sealed = await sealedTo(db);
  // What was archived before it was sealed has no leaf.
  const after = Math.max(sealed, await archivedTo(db));
  if (after >= upTo) return false;
  const rows = await db.read<SealedRow>(`${SELECT_SEALED} d.seq > $1 and d.seq <= $2 order by d.seq limit $3`, [
    after,
    upTo,
    limit,
  ]);
  const isLast = rows.length < limit;
  const next = isLast ? upTo : (rows.at(-1) as SealedRow).seq;
  const change = 'update settings set value = $3 where name = $1 and value = $2';
  await db.atomicLater([
    { sql: change, params: [FORGOTTEN, forgotten?.value ?? '', forgotten?.value ?? ''], expect: 1 },
    { sql: change, params: [SEALED_TO, String(sealed), String(next)], expect: 1 },
    ...(await sealRows(db, rows, ledgerNo)),
  ]);
  return !isLast;
}

const insertLeaves = insertRows(
  insertColumns('log_leaves', [
    'seq',
    'tree',
    'place',
    'decision_salt',
    'rule_salt',
    'requester_salt',
    'requester_hash',
    'inputs_salt',
    'inputs_hash',
  ]),
);

async function sealRows(db: Db, rows: readonly SealedRow[], ledgerNo: number): Promise<Step[]> {
  const byRequester = Map.groupBy(rows, (row) => row.requester_id ?? '');
  const { trees, steps } = await openTrees(db, [...byRequester.keys()]);
  for (const [requesterId, theirs] of byRequester) {
    steps.push(...sealInTree(trees.get(requesterId) as KnownTree, theirs, ledgerNo));
  }
  return steps;
}

function sealInTree(tree: KnownTree, rows: readonly SealedRow[], ledgerNo: number): Step[] {
  const { no, edge } = tree;
  const { size } = edge;
  const salts = randomBytes(rows.length * PARTS.length * SALT_BYTES);
  const sealed = rows.map((row, i) => {
    const parts = toParts(row, ledgerNo);
    const own = PARTS.map((_, part) => {
      const at = (i * PARTS.length + part) * SALT_BYTES;
      return salts.subarray(at, at + SALT_BYTES);
    });
    const hashes = PARTS.map((name, part) => commitTo(own[part] as Buffer, parts[name]));
    const [decision, rule, requester, inputs] = own.map((salt) => salt.toString('base64'));
    const [requesterHash, inputsHash] = hashes.slice(2).map((hash) => hash.toString('base64'));
    return {
      leaf: hashLeaf(leafData(hashes)),
      values: [row.seq, no, size + i, decision, rule, requester, requesterHash, inputs, inputsHash] as (
        | string
        | number
      )[],
    };
  });
  const leaves = sealed.map(({ leaf }) => leaf);
  return [...insertLeaves(sealed.map(({ values }) => values)), ...growTree(tree, leaves)];
}
