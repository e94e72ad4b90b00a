/**
 * Moves old decisions to ClickHouse, and keeps what moved there. One node works at a time, behind the checks, which do
 * not wait for it; while ClickHouse is away, decisions stay in PostgreSQL.
 */
import { Conflict, type Db } from '../../../db/db.ts';
import { monotonicMs } from '../../../lib/clock.ts';
import { every } from '../../../lib/every.ts';
import { DAY_MS } from '../retention/retire.ts';
import { sealedTo } from '../sealed/forget.ts';
import { findUnmoved, giveUpUnwanted, moveBlock, VERIFY_AGAIN_MS, verify, writeNext } from './block-work.ts';
import { NO_ERASURE } from './names.ts';
import type { MovedStore } from './store.ts';
import { lookAtBlocks, removeGivenUp, removeLeft } from './upkeep.ts';

const LOOK_EVERY_MS = 5_000;
/** Then moves rest until the next look: a read between which a block moves begins anew, and could never end. */
const MOVE_FOR_MS = LOOK_EVERY_MS / 2;

export interface MovingDeps {
  db: Db;
  store: MovedStore;
  now(): number;
  /** Days after which decisions move; null: none does any more. */
  recordDays: number | null;
  /** Decisions are sealed, and move after that. */
  isSealed: boolean;
  /** Returns the number up to which crawlers and false names were announced. */
  announcedTo(): Promise<number>;
  /** For so long, blocks move at a look; one does at least. */
  moveForMs?: number;
  /** Returns whether this node does the work. */
  isOurs(): boolean;
  /** Returns whether the clock can be trusted with it. */
  isTimeSure(): boolean;
  onProblem(error: unknown): void;
  /** Receives a sentence for blocks that are lost. */
  onLoss(message: string): void;
}

/** Returns a function that stops the work and waits for the block that runs. */
export function startMoving(deps: MovingDeps): () => Promise<void> {
  let isOver = false;
  const look = openMoving(deps, () => !isOver && deps.isOurs() && deps.isTimeSure());
  const stop = every(LOOK_EVERY_MS, look, deps.onProblem);
  return async () => {
    isOver = true;
    await stop();
  };
}

/** Returns the work of one look. */
export function openMoving(deps: MovingDeps, mayGoOn: () => boolean): () => Promise<void> {
  let isPrepared = false;
  const work = async (): Promise<void> => {
    if (!mayGoOn() || !(await isUsed(deps))) return;
    if (!isPrepared) await prepare(deps);
    isPrepared = true;
    await giveUpUnwanted(deps.db, deps.store.place, movesBefore(deps) ?? 0);
    await removeGivenUp(deps);
    await removeLeft(deps);
    const lost = await lookAtBlocks(deps);
    if (lost.length > 0) {
      const numbers = lost.map(({ first, last }) => `${first} to ${last}`).join(', ');
      deps.onLoss(`ClickHouse does not have decisions that moved to it: ${numbers}; restore its backup`);
      // A backup that is restored lacks what would move until then.
      return;
    }
    await moveAll(deps, mayGoOn);
  };
  return () =>
    work().catch((error: unknown) => {
      // A server of a cluster may be new.
      isPrepared = false;
      unlessConflict(error);
    });
}

/** Throws where the database of ClickHouse is of another installation. */
async function prepare({ db, store }: MovingDeps): Promise<void> {
  const [[isThere] = []] = await store.query('exists table owner_v1');
  const owners = isThere === 1 ? await store.query('select ledger from owner_v1') : [];
  const [ledger] = await db.read<{ value: string }>(`select value from settings where name = 'ledger_no'`);
  if (owners.some(([owner]) => owner !== ledger?.value)) {
    throw new Error('the database of ClickHouse belongs to another installation; give each one its own');
  }
  await store.create();
}

/** Something was erased meanwhile, or another node took over: the next look begins anew. */
function unlessConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}

async function isUsed({ db, recordDays }: MovingDeps): Promise<boolean> {
  return recordDays !== null || (await db.read('select 1 as one from record_blocks limit 1')).length > 0;
}

/** Returns the time before which decisions move; null: none does. Days are those of UTC, as of retention. */
const movesBefore = ({ now, recordDays }: MovingDeps): number | null =>
  recordDays === null ? null : Math.floor(now() / DAY_MS) * DAY_MS - recordDays * DAY_MS;

/** Ends where an attempt was given up: the next look begins anew. */
async function moveAll(deps: MovingDeps, mayGoOn: () => boolean): Promise<void> {
  const planned = await findUnmoved(deps.db, 'planned');
  if (planned !== undefined && !(await verify(deps, planned))) return;
  if (await moveVerified(deps, mayGoOn)) await writeAll(deps, mayGoOn);
}

/** Returns false where an attempt was given up. */
async function moveVerified(deps: MovingDeps, mayGoOn: () => boolean): Promise<boolean> {
  const { db, now, moveForMs = MOVE_FOR_MS } = deps;
  const end = monotonicMs() + moveForMs;
  do {
    if (!mayGoOn() || (await isErasing(db))) break;
    const next = await findUnmoved(db);
    if (next?.state !== 'verified' || next.state_at > now() - VERIFY_AGAIN_MS) break;
    if (!(await moveBlock(deps, next))) return false;
  } while (monotonicMs() < end);
  return true;
}

async function writeAll(deps: MovingDeps, mayGoOn: () => boolean): Promise<void> {
  const { db, isSealed, announcedTo } = deps;
  const before = movesBefore(deps);
  if (before === null) return;
  while (mayGoOn() && !(await isErasing(db))) {
    const announced = await announcedTo();
    const upTo = isSealed ? Math.min(announced, await sealedTo(db)) : announced;
    const written = await writeNext(deps, { before, upTo });
    if (written === undefined || !(await verify(deps, written))) return;
  }
}

async function isErasing(db: Db): Promise<boolean> {
  return (await db.read(`select 1 as one where ${NO_ERASURE}`)).length === 0;
}
