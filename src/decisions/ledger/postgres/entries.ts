/** The columns of entries as PostgreSQL gets them: one array for each, and the time and the numbers from the server. */
import type { Step, Value } from '../../../db/db.ts';
import { MOMENT_SQL, toArray } from '../../../db/postgres/db.ts';
import type { Entry } from '../ledger.ts';

const TEXTS = new Set([
  'requester_id',
  'license_id',
  'inputs',
  'url',
  'file',
  'collection_id',
  'crawler',
  'claimed',
  'permission',
  'purpose',
  'candidate',
  'wanted',
  'quota',
]);
const SMALL = new Set(['reason', 'verified', 'enforced']);
export const columnType = (column: string): string =>
  TEXTS.has(column) ? 'text' : SMALL.has(column) ? 'smallint' : 'bigint';

/** $1: a time, or null for the database's, but not before $2. */
export const TIME = `select coalesce($1::bigint, greatest($2::bigint, ${MOMENT_SQL})) as at`;
/** $3: the number of them. */
export const SEQS = `select n, nextval('decisions_seq_seq') as seq from generate_series(1, $3::int) as n`;

/** A limit's expiry is rounded up to this: an update that leaves the indexed column alone needs no new index entry. */
export const EXPIRY_STEP_MS = 600_000;

/** The columns of an entry that come from the entry itself. */
const OWN: Record<string, (entry: Entry) => Value> = {
  content_no: (entry) => entry.contentNo,
  requester_id: (entry) => entry.requesterId,
  policy_no: (entry) => entry.policyNo,
  policy_version: (entry) => entry.policyVersion,
  reason: (entry) => entry.reason,
  rule_index: (entry) => entry.ruleIndex,
  rule_priority: (entry) => entry.rulePriority,
  license_id: (entry) => entry.licenseId,
  inputs: (entry) => entry.inputs,
  url: (entry) => entry.url,
  file: (entry) => entry.file,
  collection_id: (entry) => entry.collectionId,
  crawler: (entry) => entry.crawler,
  verified: (entry) => entry.verified,
  claimed: (entry) => entry.claimed,
  permission: (entry) => entry.permission,
  purpose: (entry) => entry.purpose,
  enforced: (entry) => entry.enforced,
  candidate: (entry) => entry.candidate,
  wanted: (entry) => entry.wanted,
};
export const OWN_COLUMNS = Object.keys(OWN);
const OWN_NAMES = OWN_COLUMNS.join(', ');
/** Parameters after the first three. */
export const OWN_ARRAYS = Object.keys(OWN).map((name, i) => `$${i + 4}::${columnType(name)}[]`);
export const ownColumns = (entries: readonly Entry[]): Value[] =>
  Object.values(OWN).map((value) => toArray(entries.map(value)));

/** Without claims. */
const TAKE_AND_INSERT = `with taken as materialized (${TIME}), numbers as materialized (${SEQS}),
  written as (
    insert into decisions (seq, at, ${OWN_NAMES})
    select seq, at, ${OWN_NAMES}
    from unnest(${OWN_ARRAYS.join(', ')}) with ordinality as entry (${OWN_NAMES}, n) join numbers using (n), taken
  )
  select at, (select array_agg(seq order by n)::text from numbers) as seqs from taken`;

/** `taking`: the first three parameters. */
export const insertStep = (taking: readonly Value[], entries: readonly Entry[]): Step => ({
  sql: TAKE_AND_INSERT,
  params: [...taking, ...ownColumns(entries)],
});

/** Parses an array of numbers; null: an empty one. */
export const parseNumbers = (text: Value | undefined): number[] =>
  typeof text === 'string' ? text.slice(1, -1).split(',').map(Number) : [];
