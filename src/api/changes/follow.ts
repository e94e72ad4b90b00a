/**
 * Follows the changes of other nodes. Promise: nothing that this node caches is used when it may be older than
 * FRESH_MS. A request then waits until the log of changes has been read again; it is refused when the log cannot be
 * read. Notifications only speed this up: completeness rests on reading the log.
 */
import type { Db, Row } from '../../db/db.ts';
import type { PostgresLine } from '../../db/postgres/line.ts';
import { unavailable } from '../errors.ts';
import type { ChangeNotice } from './change.ts';
import { OBJECT_KINDS } from './forgets.ts';
import type { ChangeKind } from './kinds.ts';

export const CHANNEL = 'postern_changes';

const READ_EVERY_MS = 200;
/** Below the second within which a revocation reaches every node. */
const FRESH_MS = 900;
/** Without a successful read for this long, the node is not ready. */
const LOST_MS = 5_000;
const CHANGES_PER_READ = 1_000;

export interface Follower {
  /** undefined: every cache is fresh. Otherwise settles once it is; throws service_unavailable. */
  confirm(): Promise<void> | undefined;
  /** Settles when listeners were notified of all that was committed before, in order. Throws service_unavailable. */
  catchUp(): Promise<void>;
  /** Why the node is not ready; undefined when it is. */
  notReady(): string | undefined;
  /** Reads the log now. */
  wake(): void;
  figures(): { unconfirmedMs: number; applied: number };
  close(): Promise<void>;
}

/** The follower of a single node. */
export const aloneFollower: Follower = {
  confirm: () => undefined,
  catchUp: async () => {},
  notReady: () => undefined,
  wake: () => {},
  figures: () => ({ unconfirmedMs: 0, applied: 0 }),
  close: async () => {},
};

export interface FollowOptions {
  db: Db;
  line: PostgresLine;
  /** Notifies the listeners of a change. */
  apply(notice: ChangeNotice): void;
  /** The log lost commits, as after a failover: every cache is in question. */
  onRewritten(cause: Error): void;
}

/** Follows from the log's end. Open it before anything is cached. */
export async function openFollower({ db, line, apply, onRewritten }: FollowOptions): Promise<Follower> {
  let confirmedAt = performance.now();
  const log = await openLog(db, line);
  const waiters = new Waiters();
  const pause = new Pause();
  let applied = 0;
  let failed = false;
  let closed = false;
  /** Reads again without a pause. */
  let again = false;

  async function read(): Promise<void> {
    const begun = performance.now();
    const count = await log.read(apply);
    applied += count;
    failed = false;
    const isAtEnd = count < CHANGES_PER_READ;
    if (isAtEnd) confirmedAt = begun;
    again = (isAtEnd ? waiters.release(begun) : true) || again;
  }

  async function run(): Promise<void> {
    while (!closed) {
      again = false;
      try {
        await read();
      } catch (error) {
        if (error instanceof Rewritten) onRewritten(error);
        failed = true;
        waiters.reject();
      }
      if (!closed && (!again || failed)) await pause.begin(READ_EVERY_MS);
    }
  }

  function wake(): void {
    again = true;
    pause.end();
  }

  function waitForRead(after: number): Promise<void> {
    const waiting = waiters.add(after);
    wake();
    return waiting;
  }

  const unconfirmedMs = (): number => performance.now() - confirmedAt;
  const running = run();

  return {
    confirm() {
      if (unconfirmedMs() < FRESH_MS) return undefined;
      const isLost = failed || unconfirmedMs() >= LOST_MS;
      return isLost ? Promise.reject(lost()) : waitForRead(performance.now() - FRESH_MS);
    },
    catchUp: () => (closed ? Promise.reject(lost()) : waitForRead(performance.now())),
    notReady: () => (unconfirmedMs() < LOST_MS ? undefined : UNREACHABLE),
    wake,
    figures: () => ({ unconfirmedMs: Math.round(unconfirmedMs()), applied }),
    async close() {
      closed = true;
      pause.end();
      await running;
      waiters.reject();
    },
  };
}

const UNREACHABLE = 'The database has been unreachable for several seconds.';

const lost = (): Error =>
  unavailable('This node cannot read the changes of other nodes and refuses requests until it can.');

interface ChangeRow extends Row {
  seq: number;
  id: string;
  kind: string;
  object_id: string;
  owner_id: string | null;
  object: string | null;
}

/** Includes the row of the cursor itself: another row there means another log. */
const SELECT = `select c.seq, c.id, c.kind, c.object_id, c.owner_id,
    case when c.kind in (${OBJECT_KINDS.map((kind) => `'${kind}'`).join(', ')}) then d.object
         when c.kind like 'content.%' then json_build_object(
           'source', d.object::json -> 'source', 'externalId', d.object::json -> 'externalId')::text end as object
  from changes c left join change_data d on d.id = c.id
  where c.seq >= $1 order by c.seq limit ${CHANGES_PER_READ + 1}`;

const toNotice = (row: ChangeRow): ChangeNotice => ({
  kind: row.kind as ChangeKind,
  id: row.object_id,
  ...(row.owner_id === null ? {} : { ownerId: row.owner_id }),
  object: row.object === null ? {} : (JSON.parse(row.object) as object),
});

class Rewritten extends Error {
  constructor() {
    super('the log of changes is not the one that was followed: the database lost commits');
  }
}

interface LogCursor {
  /** Applies the next changes in order and returns their number. Throws Rewritten, and Unavailable. */
  read(apply: (notice: ChangeNotice) => void): Promise<number>;
}

/** Opens a cursor at the end of the log. */
async function openLog(db: Db, line: PostgresLine): Promise<LogCursor> {
  const [newest] = await db.read<{ seq: number; id: string }>('select seq, id from changes order by seq desc limit 1');
  let cursor = newest ?? { seq: 0, id: undefined };

  /** Changes leave the log oldest first, and its sequence never goes back, unless the log was rewritten. */
  async function wasRewritten(): Promise<boolean> {
    const sql = `select last_value as seq, exists (select 1 from changes where seq < $1) as older from changes_seq_seq`;
    const [[row] = []] = await line.all([{ sql, params: [cursor.seq] }]);
    return Number(row?.seq ?? 0) < cursor.seq || row?.older === 1;
  }

  return {
    async read(apply) {
      const [rows = []] = (await line.all([{ sql: SELECT, params: [cursor.seq] }])) as ChangeRow[][];
      // The row of the cursor expires like any other; then the log begins after it.
      const known = rows[0]?.seq === cursor.seq ? rows.shift() : undefined;
      if (known !== undefined && known.id !== cursor.id) throw new Rewritten();
      if (known === undefined && cursor.seq > 0 && (await wasRewritten())) throw new Rewritten();
      for (const row of rows) {
        apply(toNotice(row));
        cursor = row;
      }
      return rows.length;
    },
  };
}

/** Requests that wait for a read of the log. */
class Waiters {
  #waiting: { after: number; resolve: () => void; reject: (error: Error) => void }[] = [];

  /** Settles once a read that began at `after` or later has succeeded. */
  add(after: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ after, resolve, reject });
    });
  }

  /** Resolves those that a read begun at `begun` serves. Returns whether others remain. */
  release(begun: number): boolean {
    const served = this.#waiting.filter(({ after }) => after <= begun);
    this.#waiting = this.#waiting.filter(({ after }) => after > begun);
    for (const { resolve } of served) resolve();
    return this.#waiting.length > 0;
  }

  reject(): void {
    for (const { reject } of this.#waiting.splice(0)) reject(lost());
  }
}

/** A pause that can be cut short. */
class Pause {
  #end: (() => void) | undefined;

  begin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  end(): void {
    this.#end?.();
  }
}
