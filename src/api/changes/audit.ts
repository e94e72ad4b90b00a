/**
 * The audit log: every change through the API or by the service itself, with author, time, address, and the record
 * before and after. Read from the log of changes, which never holds secrets.
 */
import type { Db, Row } from '../../db/db.ts';
import { type Page, type PageQuery, readPage, SEQ_FORM } from '../../db/page.ts';
import { Where } from '../../db/query.ts';
import { toIso } from '../../lib/clock.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { CHANGE_KINDS, type ChangeKind } from './kinds.ts';

/** On the wire. */
export interface AuditEntry {
  id: string;
  object: 'audit_entry';
  kind: ChangeKind;
  created: string;
  /** `system`: the service itself, such as a license that expired. */
  actor: { type: 'api_key' | 'user' | 'requester_token' | 'system'; id: string | null; name: string | null };
  address: string | null;
  requestId: string | null;
  target: { type: string; id: string };
  /** The whole record; null before it was created. */
  before: unknown;
  /** The whole record; null once it is deleted. */
  after: unknown;
}

export interface AuditFilter {
  /** Id of a key or a user, or `system`. */
  actor?: string;
  /** Id of a record, or a type of records such as `content`. */
  object?: string;
  kind?: ChangeKind;
  /** Epoch ms, inclusive. */
  from?: number;
  /** Epoch ms, exclusive. */
  to?: number;
}

interface AuditRow extends Row {
  seq: number;
  id: string;
  at: number;
  kind: string;
  object_id: string;
  /** The id of a key, a user or a token. */
  key_id: string | null;
  actor_name: string | null;
  request_id: string | null;
  address: string | null;
  data: string;
  previous: string | null;
}

const SELECT = `c.seq, c.id, c.at, c.kind, c.object_id, c.key_id, coalesce(k.name, u.name, t.name) as actor_name, c.request_id, c.address,
  d.object as data, d.previous`;
const FROM = `changes as c join change_data as d on d.id = c.id left join api_keys as k on k.id = c.key_id
  left join users as u on u.id = c.key_id left join requester_tokens as t on t.id = c.key_id`;

/** Returns the kind of the changed record, as `object` in an answer names it. */
const toTargetName = (kind: ChangeKind): string =>
  kind === 'license.requested' ? 'license_request' : kind.slice(0, kind.indexOf('.'));

export const TARGETS = [...new Set(CHANGE_KINDS.map(toTargetName))];

export const listAudit = (db: Db, filter: AuditFilter, query: PageQuery): Promise<Page<AuditEntry>> =>
  readPage<AuditRow, AuditEntry>(
    db,
    {
      select: SELECT,
      from: FROM,
      counted: 'changes c',
      where: toWhere(filter),
      order: 'c.seq',
      form: SEQ_FORM,
      toRecord: toEntry,
    },
    query,
  );

/** Entries in memory at a time. */
const ENTRIES_AT_ONCE = 50;

/** The whole selection, newest first. */
export async function* streamAudit(db: Db, filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
  const where = toWhere(filter);
  let before: number | undefined;
  for (;;) {
    const older = where.copy().and('c.seq < ?', before);
    const sql = `select ${SELECT} from ${FROM}${older.sql} order by c.seq desc limit ${ENTRIES_AT_ONCE}`;
    const rows: AuditRow[] = await db.read<AuditRow>(sql, older.params);
    if (rows.length > 0) yield await mapInSlices(rows, toEntry);
    if (rows.length < ENTRIES_AT_ONCE) return;
    before = rows.at(-1)?.seq;
  }
}

function toWhere({ actor, object, kind, from, to }: AuditFilter): Where {
  const isType = object !== undefined && TARGETS.includes(object);
  const where = actor === 'system' ? new Where().and('c.key_id is null') : new Where().and('c.key_id = ?', actor);
  if (isType) {
    const kinds = CHANGE_KINDS.filter((one) => toTargetName(one) === object);
    where.and(`c.kind in (${kinds.map((one) => where.param(one)).join(', ')})`);
  }
  return where
    .and('c.object_id = ?', isType ? undefined : object)
    .and('c.kind = ?', kind)
    .and('c.at >= ?', from)
    .and('c.at < ?', to);
}

function toEntry(row: AuditRow): AuditEntry {
  const kind = row.kind as ChangeKind;
  const object = JSON.parse(row.data) as Record<string, unknown>;
  return {
    id: `aud_${row.id}`,
    object: 'audit_entry',
    kind,
    created: toIso(row.at),
    actor: toActor(row),
    address: row.address,
    requestId: row.request_id,
    target: { type: toTargetName(kind), id: row.object_id },
    before: restoreBefore(kind, object, row.previous),
    after: ENDS.test(kind) ? null : object,
  };
}

const ACTORS: Readonly<Record<string, 'user' | 'requester_token'>> = { usr: 'user', tok: 'requester_token' };

function toActor({ key_id: id, actor_name: name }: AuditRow): AuditEntry['actor'] {
  if (id === null) return { type: 'system', id: null, name: null };
  return { type: ACTORS[id.slice(0, id.indexOf('_'))] ?? 'api_key', id, name };
}

const ROWS_AT_ONCE = 5_000;

/** Deletes entries before `cutoff`, oldest first. */
export async function sweepAudit(db: Db, cutoff: number): Promise<void> {
  for (;;) {
    const rows = await db.read<{ seq: number; at: number; id: string }>(
      `select seq, at, id from changes order by seq limit ${ROWS_AT_ONCE}`,
    );
    const kept = rows.findIndex((row) => row.at >= cutoff);
    const gone = kept === -1 ? rows : rows.slice(0, kept);
    const last = gone.at(-1);
    if (last === undefined) return;
    await db.atomic([
      {
        sql: 'delete from change_data where id in (select id from changes where seq <= $1)',
        params: [last.seq],
      },
      { sql: 'delete from changes where seq <= $1', params: [last.seq] },
    ]);
    if (gone.length < ROWS_AT_ONCE) return;
  }
}

const BEGINS = /\.(created|requested)$/;
const ENDS = /\.deleted$|^(api_key|requester_token)\.revoked$/;

/** The stored record is the state after the change, or the last state of a deleted record. */
function restoreBefore(kind: ChangeKind, object: Record<string, unknown>, previous: string | null): unknown {
  if (BEGINS.test(kind)) return null;
  return previous === null ? object : { ...object, ...(JSON.parse(previous) as Record<string, unknown>) };
}
