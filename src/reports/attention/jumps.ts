/**
 * Announces visitors that are denied far more often than before, each at most once a day. The denials are counted in
 * the columns, every few minutes, so no check waits for it. Several nodes may look at once; only one announces.
 */
import { type Change, type Edit, SYSTEM } from '../../api/changes/change.ts';
import type { Changes } from '../../api/changes/changes.ts';
import { type Db, Unavailable } from '../../db/db.ts';
import type { Columns } from '../../decisions/history/columns/columns.ts';
import type { CountedWho } from '../../decisions/history/columns/who.ts';
import { announceJump, deleteJumps, findAnnounced } from '../../decisions/visitors/sighting-store.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { toWho } from '../usage/who.ts';

const EVERY_MS = 300_000;
const DAY_MS = 86_400_000;
/** Bounds the events of one look; requesters with the most denials come first. */
const JUMPS_MAX = 100;

export interface JumpDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  columns: Pick<Columns, 'alarms'>;
  /** Returns false as long as nothing was decided: then no question starts the columns. */
  hasDecisions(): boolean;
  /** Aborted when the work is to end: a question may wait for a long report. */
  ending: AbortSignal;
}

/** Returns the work of one round; most rounds only look at the clock. */
export function watchJumps({ db, changes, clock, columns, hasDecisions, ending }: JumpDeps): () => Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.now();
    if (now - lookedAt < EVERY_MS || !hasDecisions()) return;
    lookedAt = now;
    const jumps = await unlessEnding(ending, readJumps(columns, now));
    if (jumps.length > 0) await changes.commit(SYSTEM, 'denials', () => plan(db, jumps, now));
  };
}

/** The number of denials within a day, and on a usual day before. */
interface Jump {
  visitor: CountedWho;
  denied: number;
  usual: number;
}

async function readJumps(columns: JumpDeps['columns'], now: number): Promise<Jump[]> {
  try {
    return (await columns.alarms({ now, limit: JUMPS_MAX })).denials;
  } catch (error) {
    // The columns are still being built, or busy: the next look counts the same day.
    if (error instanceof Unavailable) return [];
    throw error;
  }
}

/** Returns what is read, or nothing as soon as the work is to end. */
function unlessEnding(ending: AbortSignal, reading: Promise<Jump[]>): Promise<Jump[]> {
  if (ending.aborted) return Promise.resolve([]);
  const { promise, resolve } = Promise.withResolvers<Jump[]>();
  const giveUp = (): void => resolve([]);
  ending.addEventListener('abort', giveUp);
  return Promise.race([reading, promise]).finally(() => ending.removeEventListener('abort', giveUp));
}

const UNNAMED = { browsers: 'all browsers', no_user_agent: 'no user agent', unknown: 'anonymous visitors' } as const;

/** Others than requesters have a space in their ids, so that no erasure of a requester meets them. */
function toId({ visitor }: Jump): string {
  if (visitor.kind === 'requester') return visitor.id;
  if (visitor.kind === 'program') return `program ${visitor.id}`;
  if (visitor.kind !== 'crawler') return UNNAMED[visitor.kind];
  return `crawler ${visitor.id}${visitor.proof === 'none' ? '' : ` ${visitor.proof}`}`;
}

async function plan(db: Db, jumps: readonly Jump[], now: number): Promise<Edit> {
  const announced = await findAnnounced(db, 'denials', jumps.map(toId));
  const dayBefore = now - DAY_MS;
  const due = jumps.filter((one) => (announced.get(toId(one)) ?? Number.NEGATIVE_INFINITY) <= dayBefore);
  const steps = due.map((one) => announceJump(toId(one), { at: now, dayBefore }));
  return {
    steps: due.length === 0 ? [] : [...steps, deleteJumps(dayBefore)],
    changes: due.map((one) => toChange(one, now)),
    status: 200,
    body: null,
  };
}

function toChange(jump: Jump, now: number): Change {
  const { visitor, denied, usual } = jump;
  const requesterId = visitor.kind === 'requester' ? visitor.id : null;
  // A requester's name stays out of stored events: erasure replaces `requesterId` alone.
  const who = requesterId === null ? toWho(visitor, new Map()) : null;
  const id = toId(jump);
  const span = { from: toIso(now - DAY_MS), to: toIso(now) };
  return {
    kind: 'denials.jumped',
    id,
    object: { id, object: 'denials_jump', requesterId, who, denied, usual, ...span },
  };
}
