/**
 * Reads the table `events`; api/changes/rows and the ledger write it, in the transaction of the change or decision.
 * Events are kept for KEPT_MS, those of decisions also after their item is deleted.
 */

import type { Db, Row } from '../../db/db.ts';
import { idForm, type Page, type PageQuery, readPage } from '../../db/page.ts';
import { inList, toList, Where } from '../../db/query.ts';
import type { Clock } from '../../lib/clock.ts';
import { ID_BODY, idBody } from '../../lib/id.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { ACCESS_KINDS, type EventKind } from '../changes/kinds.ts';
import { dropAccessPayloads } from '../changes/rows.ts';
import { EVENT_PREFIX, type Event, type EventRecord, toEvent } from './event.ts';

const KEPT_MS = 30 * 86_400_000;

interface EventRow extends Row {
  seq: number;
  id: string;
  at: number;
  kind: string;
  object_id: string;
}

const COLUMNS = 'seq, id, at, kind, object_id';
/** The stored form of an id, without its prefix. */
const EVENT_BODY = idForm('');
const EVENT_ID = new RegExp(`^${EVENT_PREFIX}${ID_BODY}$`);

const toRecord = (row: EventRow): EventRecord => ({
  seq: row.seq,
  body: row.id,
  at: row.at,
  kind: row.kind as EventRecord['kind'],
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
  /** Returns the events of the ids that exist, in no order. */
  findMany(ids: readonly string[]): Promise<Event[]>;
  /** Returns the row of an event, if it is still kept. */
  findRecord(id: string): Promise<EventRecord | undefined>;
  /** Returns the rows of these kinds after one `seq` and up to another, in commit order. */
  readAfter(seq: number, upTo: number, kinds: readonly EventKind[], limit: number): Promise<EventRecord[]>;
  /** Reads the bodies of events. */
  load(records: readonly EventRecord[]): Promise<Event[]>;
  /** Returns the newest `seq`; 0 without events. */
  head(): Promise<number>;
}

export interface EventsDeps {
  db: Db;
  clock: Clock;
  /** Returns decisions by id, as the decision log shows them. */
  decisionsOf(ids: readonly string[]): Promise<Map<string, object>>;
}

export function openEvents(deps: EventsDeps): Events {
  const { db, clock } = deps;
  const load = (records: readonly EventRecord[]) => loadEvents(deps, records);

  async function findRecord(id: string): Promise<EventRecord | undefined> {
    if (!EVENT_ID.test(id)) return undefined;
    const [row] = await db.read<EventRow>(`select ${COLUMNS} from events where id = $1 and at > $2`, [
      idBody(id),
      clock.now() - KEPT_MS,
    ]);
    return row && toRecord(row);
  }

  return {
    async list(filter, query) {
      const where = new Where()
        .and('at > ?', clock.now() - KEPT_MS)
        .and("kind <> 'webhook.test'")
        .and('object_id = ?', filter.objectId)
        .and('at >= ?', filter.from)
        .and('at < ?', filter.to)
        .and(inList(db.engine, 'kind', 'text', '?'), filter.kinds && toList(filter.kinds));
      const page = await readPage<EventRow, EventRecord>(
        db,
        // Ids are in order of time, `seq` in order of commits; on several nodes these differ slightly.
        { select: COLUMNS, from: 'events', where, order: 'id', form: EVENT_BODY, toRecord },
        query,
      );
      return { ...page, data: await load(page.data) };
    },
    findRecord,
    async find(id) {
      const record = await findRecord(id);
      return record && (await load([record]))[0];
    },
    async findMany(ids) {
      const bodies = ids.filter((id) => EVENT_ID.test(id)).map(idBody);
      if (bodies.length === 0) return [];
      const rows = await db.read<EventRow>(
        `select ${COLUMNS} from events where at > $1 and ${inList(db.engine, 'id', 'text', '$2')}`,
        [clock.now() - KEPT_MS, toList(bodies)],
      );
      return load(rows.map(toRecord));
    },
    async readAfter(seq, upTo, kinds, limit) {
      if (kinds.length === 0) return [];
      const rows = await db.read<EventRow>(
        `select ${COLUMNS} from events where seq > $1 and seq <= $2 and at > $3
           and ${inList(db.engine, 'kind', 'text', '$4')} order by seq limit ${limit}`,
        [seq, upTo, clock.now() - KEPT_MS, toList(kinds)],
      );
      return rows.map(toRecord);
    },
    load,
    async head() {
      const [row] = await db.read<{ head: number }>('select coalesce(max(seq), 0) as head from events');
      return row?.head ?? 0;
    },
  };
}

async function loadEvents({ db, decisionsOf }: EventsDeps, records: readonly EventRecord[]): Promise<Event[]> {
  const isAccess = ({ kind }: EventRecord): boolean => (ACCESS_KINDS as readonly string[]).includes(kind);
  const decisions = await decisionsOf(records.filter(isAccess).map(({ objectId }) => objectId));
  // Read after the decisions: deleting a decision first stores the payload of its event here.
  const others = records.filter(({ objectId }) => !decisions.has(objectId)).map(({ body }) => body);
  const rows =
    others.length === 0
      ? []
      : await db.read<{ id: string; object: string; previous: string | null }>(
          `select id, object, previous from change_data where ${inList(db.engine, 'id', 'text')}`,
          [toList(others)],
        );
  const data = new Map(rows.map((row) => [row.id, row]));
  const loaded = await mapInSlices(records, (record) => {
    const stored = data.get(record.body);
    if (stored !== undefined) return toEvent(record, stored.object, stored.previous);
    const decision = decisions.get(record.objectId);
    return decision === undefined ? [] : toEvent(record, JSON.stringify(decision), null);
  });
  return loaded.flat();
}

const ROWS_PER_READ = 5_000;

/** Deletes expired events, oldest first. */
export async function sweepEvents(db: Db, now: number): Promise<void> {
  for (;;) {
    const rows = await db.read<{ seq: number; at: number }>(
      `select seq, at from events order by seq limit ${ROWS_PER_READ}`,
    );
    const last = rows.findLast((row) => row.at <= now - KEPT_MS);
    if (last === undefined) return;
    await db.atomic([dropAccessPayloads(last.seq), { sql: 'delete from events where seq <= $1', params: [last.seq] }]);
    if (rows.length < ROWS_PER_READ || last !== rows.at(-1)) return;
  }
}
