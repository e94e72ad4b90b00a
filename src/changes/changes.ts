/**
 * Edits. Promise: an edit, its entry in the ordered log of changes and its receipt are committed together or not at all;
 * when the answer goes out, this node has forgotten what it remembered of the record. An edit is a value that says what to
 * write, what to announce and what to answer; one that lost to another is planned again on what is there now.
 */
import { Conflict, type Db, ForeignKeyViolation, type Step, UniqueViolation } from '../db/db.ts';
import { receiptStep } from '../db/receipt.ts';
import { unavailable } from '../errors.ts';
import { type Idempotency, inUse, isAnswered } from '../http/idempotency.ts';
import type { Clock } from '../lib/clock.ts';
import { stringifyOrdered } from '../lib/json.ts';
import { lanes } from '../lib/lanes.ts';
import { CHANNEL } from './follow.ts';
import type { ChangeKind } from './kinds.ts';
import { changeSteps } from './rows.ts';

export interface Change {
  kind: ChangeKind;
  /** Id of the record. */
  id: string;
  /** Number of an item in the store, where its row is gone once the edit's steps have run. */
  no?: number;
  /** The requester a license is of. */
  ownerId?: string;
  /** The record as it is answered, after the change; of a deleted one its last state. Never with a secret in it. */
  object: object;
  /** The record before an edit. */
  before?: object;
  /** The 26 characters of its ids, where a step needs to name its event. */
  body?: string;
}

/** What one request wants done. */
export interface Edit {
  steps: readonly Step[];
  changes: readonly Change[];
  status: number;
  body: unknown;
  /** The body holds a secret that the store must not. */
  secret?: boolean;
  etag?: string;
}

/** Who edits, by which request and from where: kept in the log. A request is one. */
export interface Author {
  caller: { keyId: string | null };
  id: string | null;
  idempotency: Idempotency | null;
  source(): string | null;
}

/** Author of what the service does by itself, such as an expiry. */
export const SYSTEM: Author = { caller: { keyId: null }, id: null, idempotency: null, source: () => null };

export interface Committed {
  status: number;
  /** The body as JSON text. */
  text: string;
  etag: string | undefined;
}

export interface Changes {
  /**
   * Plans and commits. Edits with the same `lane` (a record's id) wait for each other on this node. Throws what `plan`
   * throws, and Unavailable.
   */
  commit(author: Author, lane: string, plan: () => Promise<Edit>): Promise<Committed>;
  /**
   * Calls `listener` for each change after its commit: one of this node before its answer, another's as soon as it is
   * heard of (see changes/follow).
   */
  subscribe(listener: (change: Told) => void): void;
  /** Calls the listeners for a change that was read from the log. */
  tell(change: Told): void;
  /**
   * From now on this node's changes are told as the log has them, between those of others: `catchUp` settles when they
   * have been. Where that fails they are told at once, and again in their order later.
   */
  tellThrough(catchUp: () => Promise<void>): void;
}

/** What listeners hear. `object` is that of a webhook or a requester; of other records it may be missing. */
export type Told = Pick<Change, 'kind' | 'id' | 'ownerId' | 'object'>;

/** Lanes keep edits of one node apart, so only other nodes can make a plan fail again and again. */
const ATTEMPTS_MAX = 20;

export function openChanges(db: Db, clock: Clock): Changes {
  const listeners: ((change: Told) => void)[] = [];
  const announcement = db.engine === 'postgres' ? [{ sql: `select pg_notify('${CHANNEL}', '')` }] : [];
  const tell = (change: Told): void => {
    for (const listener of listeners) listener(change);
  };
  const inLane = lanes();

  let catchUp: (() => Promise<void>) | undefined;

  async function tellAll(changed: readonly Change[]): Promise<void> {
    if (catchUp !== undefined && changed.length > 0) {
      const heard = await catchUp().then(
        () => true,
        () => false,
      );
      if (heard) return;
    }
    for (const change of changed) tell(change);
  }

  async function attempt(author: Author, plan: () => Promise<Edit>): Promise<Committed> {
    const edit = await plan();
    const now = clock.now();
    const text = stringifyOrdered(edit.body);
    const steps: Step[] = [...edit.steps, ...changeSteps(edit.changes, author, now)];
    if (edit.changes.length > 0) steps.push(...announcement);
    if (author.idempotency !== null) {
      const body = edit.secret === true ? author.idempotency.seal(text) : text;
      steps.push(receiptStep({ ...author.idempotency, status: edit.status, body }, now));
    }
    await db.atomic(steps);
    if (author.idempotency !== null) author.idempotency.stored = true;
    await tellAll(edit.changes);
    return { status: edit.status, text, etag: edit.etag };
  }

  return {
    commit: (author, lane, plan) =>
      inLane(lane, async () => {
        for (let attempts = 1; ; attempts++) {
          try {
            return await attempt(author, plan);
          } catch (error) {
            const lost =
              error instanceof Conflict || error instanceof UniqueViolation || error instanceof ForeignKeyViolation;
            if (!lost) throw error;
            const scope = author.idempotency?.scope;
            if (scope !== undefined && (await isAnswered(db, scope, clock.now()))) throw inUse();
            if (attempts === ATTEMPTS_MAX) throw unavailable('Too many edits at the same time; try again.', error);
          }
        }
      }),
    subscribe: (listener) => listeners.push(listener),
    tell,
    tellThrough(given) {
      catchUp = given;
    },
  };
}
