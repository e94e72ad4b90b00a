/**
 * What other nodes changed. Promise: nothing that this node remembers is used when it may be older than FRESH_MS: a request
 * then waits until the log of changes has been read again, and is refused when it cannot be. Notifications bring news
 * within milliseconds; that nothing is missed rests on reading the log alone.
 */
import type { Db, Row } from '../db/db.ts';
import type { PostgresLine } from '../db/postgres-line.ts';
import { unavailable } from '../errors.ts';
import type { Told } from './changes.ts';
import type { ChangeKind } from './kinds.ts';

export const CHANNEL = 'postern_changes';

const LOOK_EVERY_MS = 200;
/** Below the second that revocations may take to reach every node. */
const FRESH_MS = 900;
/** Without news for this long the node is not ready. */
const LOST_MS = 5_000;
const CHANGES_AT_ONCE = 1_000;

export interface Follower {
  /** undefined: all that is remembered is fresh. Else settles once it is; throws service_unavailable. */
  confirm(): Promise<void> | undefined;
  /** Settles when all that was committed before has been told here, in order. Throws service_unavailable. */
  catchUp(): Promise<void>;
  /** Why the node is not ready; undefined when it is. */
  notReady(): string | undefined;
  /** Something happened elsewhere: look now. */
  wake(): void;
  figures(): { unconfirmedMs: number; applied: number };
  close(): Promise<void>;
}

/** Where nobody else changes anything. */
export const aloneFollower: Follower = {
  confirm: () => undefined,
  catchUp: async () => {},
  notReady: () => undefined,
  wake: () => {},
  figures: () => ({ unconfirmedMs: 0, applied: 0 }),
  close: async () => {},
};

interface ChangeRow extends Row {
  seq: number;
  id: string;
  kind: string;
  object_id: string;
  owner_id: string | null;
  object: string | null;
}

/** The place we are at comes along: were it another change, the log would not be the one that was followed. */
const SELECT = `select c.seq, c.id, c.kind, c.object_id, c.owner_id,
    case when c.kind like 'webhook.%' or c.kind like 'requester.%' then d.object end as object
  from changes c left join change_data d on d.id = c.id
  where c.seq >= $1 order by c.seq limit ${CHANGES_AT_ONCE + 1}`;

export interface FollowOptions {
  db: Db;
  line: PostgresLine;
  /** Forgets what was remembered of a record. */
  apply(change: Told): void;
  /** The log went back behind our place, as after a failover that lost commits: all that is remembered is in question. */
  onRewritten(cause: Error): void;
}

/** From the log's end on: to be opened before anything is remembered. */
export async function openFollower({ db, line, apply, onRewritten }: FollowOptions): Promise<Follower> {
  const began = performance.now();
  const [newest] = await db.read<{ seq: number; id: string }>('select seq, id from changes order by seq desc limit 1');
  let place = newest?.seq ?? 0;
  let placeId = newest?.id;
  let confirmedAt = began;
  let failed = false;
  let applied = 0;
  let closed = false;
  let again = false;
  let rouse: (() => void) | undefined;
  /** For a reading that begins at `after` or later. */
  let waiting: { after: number; resolve: () => void; reject: (error: Error) => void }[] = [];

  async function look(): Promise<void> {
    const asked = performance.now();
    const [rows = []] = (await line.all([{ sql: SELECT, params: [place] }])) as ChangeRow[][];
    // Old changes leave the log, the newest too when nothing happens for long: then the log begins after our place.
    const known = rows[0]?.seq === place ? rows.shift() : undefined;
    if (known !== undefined && known.id !== placeId) throw new Rewritten();
    if (known === undefined && place > 0 && (await isAnother())) throw new Rewritten();
    for (const row of rows) {
      apply({
        kind: row.kind as ChangeKind,
        id: row.object_id,
        ...(row.owner_id === null ? {} : { ownerId: row.owner_id }),
        object: row.object === null ? {} : (JSON.parse(row.object) as object),
      });
      place = row.seq;
      placeId = row.id;
      applied++;
    }
    failed = false;
    if (rows.length >= CHANGES_AT_ONCE) {
      again = true;
      return;
    }
    confirmedAt = asked;
    const [done, others] = [
      waiting.filter(({ after }) => after <= asked),
      waiting.filter(({ after }) => after > asked),
    ];
    waiting = others;
    again ||= others.length > 0;
    for (const { resolve } of done) resolve();
  }

  /** The oldest changes leave the log first, and its sequence never goes back, unless it is that of another past. */
  async function isAnother(): Promise<boolean> {
    const sql = `select last_value as seq, exists (select 1 from changes where seq < $1) as older from changes_seq_seq`;
    const [[row] = []] = await line.all([{ sql, params: [place] }]);
    return Number(row?.seq ?? 0) < place || row?.older === 1;
  }

  const isFresh = (): boolean => performance.now() - confirmedAt < FRESH_MS;
  const lost = (): Error =>
    unavailable('This node has lost touch with the others and decides nothing until it is back.');

  async function run(): Promise<void> {
    while (!closed) {
      again = false;
      try {
        await look();
      } catch (error) {
        if (error instanceof Rewritten) onRewritten(error);
        failed = true;
        for (const { reject } of waiting.splice(0)) reject(lost());
      }
      if (!closed && (!again || failed)) await pause();
    }
  }

  const readingFrom = (after: number): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ after, resolve, reject });
      wake();
    });

  function wake(): void {
    again = true;
    rouse?.();
  }

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_EVERY_MS);
      timer.unref();
      rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const running = run();

  return {
    confirm() {
      if (isFresh()) return undefined;
      if (failed || performance.now() - confirmedAt >= LOST_MS) return Promise.reject(lost());
      return readingFrom(performance.now() - FRESH_MS);
    },
    catchUp: () => (closed ? Promise.reject(lost()) : readingFrom(performance.now())),
    notReady: () =>
      performance.now() - confirmedAt < LOST_MS ? undefined : 'The database has not been reached for some seconds.',
    wake,
    figures: () => ({ unconfirmedMs: Math.round(performance.now() - confirmedAt), applied }),
    async close() {
      closed = true;
      rouse?.();
      await running;
      for (const { reject } of waiting.splice(0)) reject(lost());
    },
  };
}

class Rewritten extends Error {
  constructor() {
    super('the log of changes is not the one that was followed: commits were lost in the database');
  }
}
