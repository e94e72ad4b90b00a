/**
 * The table `events`, read: changes/rows and the ledger write it, each in the transaction of what happened. Kept
 * KEPT_MS; access events of deleted content are in no answer.
 */
import { ACCESS_KINDS, type EventKind } from '../changes/kinds.ts';
import type { Db, Row, Value } from '../db/db.ts';
import { type Page, type PageQuery, readPage } from '../db/page.ts';
import type { Clock } from '../lib/clock.ts';
import { bodyOf, ID_BODY } from '../lib/id.ts';
import { EVENT_PREFIX, type Event, type EventPlace, toEvent } from './event.ts';

const KEPT_MS = 30 * 86_400_000;

interface EventRow extends Row {
  seq: number;
  id: string;
  at: number;
  kind: string;
  object_id: string;
}

const IDS_AT_ONCE = 100;
const COLUMNS = 'seq, id, at, kind, object_id';
/** What was of content that is gone is gone, though its rows may still be on their way out. */
const NOT_PURGED = '(object_no is null or object_no not in (select content_no from purges))';
const EVENT_ID = new RegExp(`^${EVENT_PREFIX}${ID_BODY}$`);

const toPlace = (row: EventRow): EventPlace => ({
  seq: row.seq,
  body: row.id,
  at: row.at,
  kind: row.kind as EventPlace['kind'],
  objectId: row.object_id,
});

export interface EventFilter {
  kinds?: readonly EventKind[];
  objectId?: string;
  /** Epoch ms, inclusive. */
  from?: number;
  /** Epoch ms, exclusive. */
  to?: number;
}

export interface Events {
  list(filter: EventFilter, query: PageQuery): Promise<Page<Event>>;
  find(id: string): Promise<Event | undefined>;
  /** Those there are of up to a hundred ids, in no order. */
  findMany(ids: readonly string[]): Promise<Event[]>;
  /** Its place, if it is still kept. */
  findPlace(id: string): Promise<EventPlace | undefined>;
  /** Those of the kinds after one place and up to another, in the order of their commits. */
  placesAfter(seq: number, upTo: number, kinds: readonly EventKind[], limit: number): Promise<EventPlace[]>;
  /** With what they say; those whose decision is gone are left out. */
  load(places: readonly EventPlace[]): Promise<Event[]>;
  /** The newest place; 0 when there is none. */
  head(): Promise<number>;
}

export interface EventsDeps {
  db: Db;
  clock: Clock;
  /** Decisions as the decision log shows them, by id. */
  decisionsOf(ids: readonly string[]): Promise<Map<string, object>>;
}

export function openEvents({ db, clock, decisionsOf }: EventsDeps): Events {
  async function findPlace(id: string): Promise<EventPlace | undefined> {
    if (!EVENT_ID.test(id)) return undefined;
    const [row] = await db.read<EventRow>(`select ${COLUMNS} from events where id = $1 and at > $2 and ${NOT_PURGED}`, [
      bodyOf(id),
      clock.now() - KEPT_MS,
    ]);
    return row && toPlace(row);
  }

  async function load(places: readonly EventPlace[]): Promise<Event[]> {
    const isAccess = (place: EventPlace): boolean => (ACCESS_KINDS as readonly string[]).includes(place.kind);
    const changed = places.filter((place) => !isAccess(place)).map((place) => place.body);
    const decided = places.filter(isAccess).map((place) => place.objectId);
    const [rows, decisions] = await Promise.all([
      changed.length === 0
        ? []
        : db.read<{ id: string; object: string; previous: string | null }>(
            `select id, object, previous from change_data where id in (${placesFor(changed)})`,
            changed,
          ),
      decisionsOf(decided),
    ]);
    const data = new Map(rows.map((row) => [row.id, row]));
    return places.flatMap((place) => {
      const stored = data.get(place.body);
      if (stored !== undefined) return toEvent(place, stored.object, stored.previous);
      const decision = decisions.get(place.objectId);
      return decision === undefined ? [] : toEvent(place, JSON.stringify(decision), null);
    });
  }

  return {
    async list(filter, query) {
      const { where, params } = conditions(filter, clock.now() - KEPT_MS);
      const page = await readPage<EventRow, EventPlace>(
        db,
        { select: `select ${COLUMNS}`, from: 'events', where, params, order: 'seq' },
        query,
        /^\d{1,15}$/,
        toPlace,
      );
      return { ...page, data: await load(page.data) };
    },
    findPlace,
    async find(id) {
      const place = await findPlace(id);
      return place && (await load([place]))[0];
    },
    async findMany(ids) {
      const bodies = ids.filter((id) => EVENT_ID.test(id)).map(bodyOf);
      if (bodies.length === 0) return [];
      // Always as many placeholders, so that it is one prepared statement; repeated ids find nothing new.
      const padded = Array.from({ length: IDS_AT_ONCE }, (_, n) => bodies[n] ?? (bodies[0] as string));
      const rows = await db.read<EventRow>(
        `select ${COLUMNS} from events where id in (${placesFor(padded, 2)}) and at > $1 and ${NOT_PURGED}`,
        [clock.now() - KEPT_MS, ...padded],
      );
      return load(rows.map(toPlace));
    },
    async placesAfter(seq, upTo, kinds, limit) {
      if (kinds.length === 0) return [];
      const rows = await db.read<EventRow>(
        `select ${COLUMNS} from events where seq > $1 and seq <= $2 and at > $3 and ${NOT_PURGED}
           and kind in (${placesFor(kinds, 4)}) order by seq limit ${limit}`,
        [seq, upTo, clock.now() - KEPT_MS, ...kinds],
      );
      return rows.map(toPlace);
    },
    load,
    async head() {
      const [row] = await db.read<{ head: number }>('select coalesce(max(seq), 0) as head from events');
      return row?.head ?? 0;
    },
  };
}

const placesFor = (values: readonly unknown[], from = 1): string => values.map((_, i) => `$${i + from}`).join(', ');

function conditions(filter: EventFilter, after: number): { where: string[]; params: Value[] } {
  const where = ['at > $1', NOT_PURGED, "kind <> 'webhook.test'"];
  const params: Value[] = [after];
  const add = (condition: (place: string) => string, value: Value): void => {
    params.push(value);
    where.push(condition(`$${params.length}`));
  };
  if (filter.objectId !== undefined) add((place) => `object_id = ${place}`, filter.objectId);
  if (filter.from !== undefined) add((place) => `at >= ${place}`, filter.from);
  if (filter.to !== undefined) add((place) => `at < ${place}`, filter.to);
  if (filter.kinds !== undefined) {
    where.push(`kind in (${placesFor(filter.kinds, params.length + 1)})`);
    params.push(...filter.kinds);
  }
  return { where, params };
}

const ROWS_AT_ONCE = 5_000;

/** Removes what is older than it is kept, oldest first. */
export async function sweepEvents(db: Db, now: number): Promise<void> {
  for (;;) {
    const rows = await db.read<{ seq: number; at: number }>(
      `select seq, at from events order by seq limit ${ROWS_AT_ONCE}`,
    );
    const last = rows.findLast((row) => row.at <= now - KEPT_MS);
    if (last === undefined) return;
    await db.atomic([{ sql: 'delete from events where seq <= $1', params: [last.seq] }]);
    if (rows.length < ROWS_AT_ONCE || last !== rows.at(-1)) return;
  }
}
