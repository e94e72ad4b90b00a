/**
 * Commits edits. Promise: an edit, its entry in the ordered log of changes and its receipt are committed together or
 * not at all. Before the answer goes out, this node has dropped what it cached of the record. An edit that lost to
 * another is planned again on the new state.
 */
import { Conflict, type Db, ForeignKeyViolation, type Step, UniqueViolation } from '../../db/db.ts';
import { isAnswered, receiptStep } from '../../db/receipt.ts';
import type { Clock } from '../../lib/clock.ts';
import { type IpPrecision, reduceIp } from '../../lib/ip-precision.ts';
import { keyed } from '../../lib/queue.ts';
import { unavailable } from '../errors.ts';
import { inUse, requireKeepable } from '../http/idempotency.ts';
import type { Committed } from '../http/reply.ts';
import type { Author, Change, ChangeNotice, Edit } from './change.ts';
import { CHANNEL } from './follow.ts';
import { type CacheName, Caches, type Forgetful } from './forgets.ts';
import { changeSteps, writeChanges } from './rows.ts';

export interface Changes {
  /**
   * Plans and commits. Edits with the same `queue` (a record's id) run one at a time on this node. Throws what `plan`
   * throws, and Unavailable.
   */
  commit(author: Author, queue: string, plan: () => Promise<Edit>): Promise<Committed>;
  /**
   * Returns the cache, which from now on forgets what the table says: after the commit of a change, for those of this
   * node before the answer, for those of other nodes as api/changes/follow reads them. The only way to keep a record.
   */
  known<N extends CacheName, C extends Forgetful<N>>(name: N, cache: C): C;
  /** Calls `wake` for each change, after the caches: for work that a change begins or ends. */
  wakeOnChange(wake: (notice: ChangeNotice) => void): void;
  /** Notifies the caches and the listeners of a change that was read from the log. */
  notify(notice: ChangeNotice): void;
  /**
   * From now on listeners are notified in the order of the log, of this node's changes too: `catchUp` settles when the
   * log has been read. Where that fails, they are notified at once, and again in order later.
   */
  notifyThrough(catchUp: () => Promise<void>): void;
}

/** Edits of one node queue up, so only other nodes make a plan fail again and again. */
const ATTEMPTS_MAX = 20;

/** Returns the author with its address as it is kept. */
function reduceAuthor(author: Author, precision: IpPrecision): Author {
  const address = author.source();
  return {
    ...author,
    caller: author.caller,
    source: () => (address === null ? null : (reduceIp(precision, address) ?? null)),
  };
}

/** `precision` shortens the addresses of requests. */
export function openChanges(db: Db, clock: Clock, precision: IpPrecision = 'full'): Changes {
  const caches = new Caches();
  const listeners: ((notice: ChangeNotice) => void)[] = [];
  const inQueue = keyed();
  let catchUp: (() => Promise<void>) | undefined;

  const notify = (notice: ChangeNotice): void => {
    caches.forget(notice);
    for (const listener of listeners) listener(notice);
  };

  async function notifyAll(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return;
    const caughtUp = catchUp?.().then(
      () => true,
      () => false,
    );
    if ((await caughtUp) === true) return;
    for (const change of changes) notify(change);
  }

  async function attempt(author: Author, plan: () => Promise<Edit>): Promise<Committed> {
    const edit = await plan();
    const text = JSON.stringify(edit.body);
    const answer: Committed = { status: edit.status, text, etag: edit.etag };
    // Without an effect there is nothing to keep: repeating the request is harmless.
    if (edit.steps.length + edit.changes.length === 0) return answer;
    const changes = await writeChanges(edit.changes);
    const now = clock.now();
    const steps: Step[] = [...edit.steps, ...changeSteps(changes, reduceAuthor(author, precision), now)];
    if (edit.changes.length > 0 && db.engine === 'postgres') steps.push(ANNOUNCEMENT);
    const { idempotency } = author;
    if (idempotency !== null) {
      requireKeepable(Buffer.byteLength(text));
      const body = edit.secret === true ? idempotency.seal(text) : text;
      steps.push(receiptStep({ ...idempotency, status: edit.status, body }, now));
    }
    await db.atomic(steps);
    if (idempotency !== null) idempotency.stored = true;
    await notifyAll(edit.changes);
    return answer;
  }

  async function commit(author: Author, plan: () => Promise<Edit>): Promise<Committed> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(author, plan);
      } catch (error) {
        if (!isLost(error)) throw error;
        const scope = author.idempotency?.scope;
        if (scope !== undefined && (await isAnswered(db, scope, clock.now()))) throw inUse();
        if (attempts === ATTEMPTS_MAX) throw unavailable('Too many concurrent edits; retry.', error);
      }
    }
  }

  return {
    commit: (author, queue, plan) => inQueue(queue, () => commit(author, plan)),
    known: (name, cache) => caches.add(name, cache),
    wakeOnChange: (wake) => listeners.push(wake),
    notify,
    notifyThrough(given) {
      catchUp = given;
    },
  };
}

const ANNOUNCEMENT: Step = { sql: `select pg_notify('${CHANNEL}', '')` };

/** Returns whether another edit came first: the plan rests on a state that is gone. */
const isLost = (error: unknown): boolean =>
  error instanceof Conflict || error instanceof UniqueViolation || error instanceof ForeignKeyViolation;
