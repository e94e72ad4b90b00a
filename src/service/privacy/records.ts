/**
 * Erases a requester from all records but the decisions. Each table is walked in spans of its key, in transactions of
 * their own; repeating a span changes nothing. It writes tables of many rooms: an erasure that each room did on its own
 * would not be one.
 */
import type { Db, Row, Step } from '../../db/db.ts';
import { dropLimits, type Replacement, SMALL_PLACES } from '../../decisions/history/retention/erase.ts';
import { forgetStatement } from '../../decisions/history/sealed/forget.ts';
import { scrubDeliveries } from './deliveries.ts';
import { identityWork } from './identity-records.ts';
import { scrub, scrubPrevious } from './scrub.ts';
import { spanConditions, type Walked } from './walk.ts';

/** JSON that may name the requester: a table and its columns. */
interface Texts extends Walked {
  columns: readonly string[];
  /** SQL of the kind of a row, as `scrub` takes it. */
  kind: string;
  /** Another change beside that of a row, by its key. */
  with?: (key: string | number) => Step;
}

const CHANGE_KIND = `coalesce((select kind from changes where changes.id = change_data.id), '')`;
const TEXTS: readonly Texts[] = [
  { table: 'change_data', key: 'id', columns: ['object', 'previous'], kind: CHANGE_KIND },
  { table: 'history', key: 'seq', columns: ['record'], kind: 'kind' },
  { table: 'policy_versions', key: 'policy_no', columns: ['rules'], kind: `'policy'` },
  { table: 'candidates', key: 'no', columns: ['rules'], kind: `'policy'` },
  { table: 'ended_candidates', key: 'no', columns: ['rules'], kind: `'policy'` },
  { table: 'statements', key: 'id', columns: ['body'], kind: `'statement'`, with: forgetStatement },
];

const contains = (column: string): string => `replace(coalesce(${column}, ''), $1, '') <> coalesce(${column}, '')`;

interface TextRow extends Row {
  k: string | number;
  kind: string;
}

export async function scrubTexts(db: Db, texts: Texts, by: Replacement, span: string): Promise<void> {
  const { table, key, columns, kind } = texts;
  const second = table === 'policy_versions' ? ', version' : '';
  const rows = await db.read<TextRow>(
    `select ${key} as k${second}, ${kind} as kind, ${columns.join(', ')} from ${table}
     where ${span} and (${columns.map(contains).join(' or ')})`,
    [JSON.stringify(by.requesterId)],
  );
  const steps = rows.flatMap((row): Step[] => {
    const own = row.kind.replace(/\..*$/, '');
    const [first, ...rest] = columns.map((column) => JSON.parse((row[column] as string | null) ?? 'null'));
    const values = [scrub(first, own, by), ...rest.map((value) => scrubPrevious(value, first, own, by))].map((value) =>
      value === null ? null : JSON.stringify(value),
    );
    const set = columns.map((column, i) => `${column} = $${i + 1}`).join(', ');
    const isRow = second === '' ? '' : ` and version = ${String(row.version)}`;
    const sql = `update ${table} set ${set} where ${key} = $${columns.length + 1}${isRow}`;
    return [{ sql, params: [...values, row.k] }, ...(texts.with === undefined ? [] : [texts.with(row.k)])];
  });
  if (steps.length > 0) await db.atomic(steps);
}

/** The kinds whose changes have the id of a requester as that of their object. */
const NAMED = `(kind like 'requester.%' or kind like 'denials.%')`;

/** Work on all tables, in order. Each piece is short. */
export async function* recordWork(db: Db, by: Replacement): AsyncGenerator<() => Promise<void>> {
  const { requesterId: id, pseudonym } = by;
  const inSpans = async (
    table: string,
    key: string,
    toSteps: (span: string) => Step[],
  ): Promise<(() => Promise<void>)[]> =>
    (await spanConditions(db, { table, key })).map((span) => () => db.atomic(toSteps(span)));
  yield* identityWork(db, by);
  for (const texts of TEXTS) {
    for (const span of await spanConditions(db, texts)) yield () => scrubTexts(db, texts, by, span);
  }
  yield () => scrubTerms(db, id);
  yield () => db.atomic(smallSteps(by));
  for (const { table, key, toSteps } of SMALL_PLACES) yield* await inSpans(table, key, (span) => toSteps(span, by));
  yield* await inSpans('receipts', 'scope', (span) => [
    { sql: `delete from receipts where ${span} and ${contains('body')}`, params: [JSON.stringify(id)] },
  ]);
  for (const span of await spanConditions(db, { table: 'deliveries', key: 'id' }))
    yield () => scrubDeliveries(db, span, by);
  yield* await inSpans('events', 'seq', (span) => [
    {
      sql: `update events set object_id = $2 where ${span} and object_id = $1 and ${NAMED}`,
      params: [id, pseudonym],
    },
  ]);
  yield* await inSpans('changes', 'seq', (span) => [
    {
      sql: `update changes set object_id = $2 where ${span} and object_id = $1 and ${NAMED}`,
      params: [id, pseudonym],
    },
    { sql: `update changes set owner_id = $2 where ${span} and owner_id = $1`, params: [id, pseudonym] },
  ]);
}

/** Removes the free text of the requester's terms; prices and periods are part of its statements. */
async function scrubTerms(db: Db, id: string): Promise<void> {
  const rows = await db.read<{ license_id: string; version: number; terms: string }>(
    'select license_id, version, terms from license_terms where requester_id = $1 and terms is not null',
    [id],
  );
  const steps = rows.map(({ license_id: licenseId, version, terms }): Step => {
    const { reference: _, ...kept } = JSON.parse(terms) as Record<string, unknown>;
    const sql = 'update license_terms set terms = $1 where license_id = $2 and version = $3';
    return { sql, params: [JSON.stringify(kept), licenseId, version] };
  });
  if (steps.length > 0) await db.atomic(steps);
}

/** Tables with an index, or few rows of one requester. */
const smallSteps = ({ requesterId: id, pseudonym }: Replacement): Step[] => [
  { sql: 'delete from requester_tokens where requester_id = $1', params: [id] },
  { sql: 'delete from license_requests where requester_id = $1', params: [id] },
  { sql: 'update history set owner_id = $2 where owner_id = $1', params: [id, pseudonym] },
  {
    sql: `update history set object_id = $2 where owner_id = $2 and object_id = $1 and kind = 'requester'`,
    params: [id, pseudonym],
  },
  { sql: 'update license_terms set requester_id = $2 where requester_id = $1', params: [id, pseudonym] },
  { sql: 'update statements set requester_id = $2 where requester_id = $1', params: [id, pseudonym] },
  ...unregisteredSteps({ requesterId: id, pseudonym }),
  { sql: `delete from sightings where kind in ('spoofed', 'denials') and name = $1`, params: [id] },
  ...dropLimits(id),
];

/** Once more at the end: nodes write what they counted in memory every few seconds. */
export const unregisteredSteps = ({ requesterId: id, pseudonym }: Replacement): Step[] => [
  {
    sql: `insert into unregistered (hour, host, path, crawler, requester_id, requests)
          select hour, host, path, crawler, $2, requests from unregistered where requester_id = $1
          on conflict (hour, host, path, crawler, requester_id)
          do update set requests = unregistered.requests + excluded.requests`,
    params: [id, pseudonym],
  },
  { sql: 'delete from unregistered where requester_id = $1', params: [id] },
];
