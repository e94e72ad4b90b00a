/**
 * A flush in one round trip to PostgreSQL, limits included: the server takes the claims while it holds their rows, so
 * that no row waits for a node. For flushes without receipts and events, whose texts only a node can write.
 *
 * The arithmetic is that of `limits/limit`, for all claims of one limit at once: they have the same time, so the first
 * ones are admitted, as many as there is room for. test/ledger/postgres-claims compares the two.
 */
import type { Row, Step, Value } from '../db/db.ts';
import { MOMENT_SQL, toArray } from '../db/postgres/db.ts';
import { toStoredKey } from '../limits/key.ts';
import { type Limit, shapeOf } from '../limits/limit.ts';
import type { Claim, Entry } from './ledger.ts';
import { quotaKeys } from './quota.ts';
import { REASONS } from './reason.ts';
import type { Submission } from './submission.ts';

const TEXTS = new Set([
  'requester_id',
  'license_id',
  'inputs',
  'url',
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
export const typeOf = (column: string): string =>
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
const OWN_NAMES = Object.keys(OWN).join(', ');
const OWN_ARRAYS = Object.keys(OWN).map((name, i) => `$${i + 4}::${typeOf(name)}[]`);
/** The parameters after those of the entries, in the order of `claimStep`. */
const [LIMIT_OF, PLACE_OF, KEYS, REQUESTS, LENGTHS, WIDTHS, CALENDARS, COUNTS] = Array.from(
  { length: 8 },
  (_, i) => `$${i + 4 + OWN_ARRAYS.length}`,
);
const ownColumns = (entries: readonly Entry[]): Value[] =>
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

const OTHERS = Object.keys(OWN).filter((name) => name !== 'reason');
const epochMs = (timestamp: string): string => `(extract(epoch from ${timestamp}) * 1000)::bigint`;

/**
 * Records all entries, or nothing where one of their limits is held.
 *
 * `mine`: the rows that no other transaction holds, locked. `held`: the others. The time is read when the rows are
 * locked. `spans`: each limit's newest bucket, the latest end of a bucket that no longer counts, and its period's
 * length; a calendar period is one bucket, named by its start. `results`: how many of its claims are admitted, its new
 * state, and when more is left: for those admitted, and for those refused. `generate_series` is there for the planner
 * too: it expects few elements of an array, but many rows of a series.
 */
const CLAIM_AND_INSERT = `with wanted as materialized (
    select * from unnest(
      ${KEYS}::text[], ${REQUESTS}::bigint[], ${LENGTHS}::bigint[], ${WIDTHS}::bigint[], ${CALENDARS}::text[], ${COUNTS}::bigint[]
    ) with ordinality as wanted (key, requests, length, width, calendar, claims, k)
  ), mine as materialized (
    select key, state from limits where key = any(${KEYS}::text[]) order by key for update skip locked
  ), taken as materialized (
    ${TIME} from (select count(*) as rows from mine) as locked where rows >= 0
  ), held as materialized (
    select k from wanted
    where key not in (select key from mine) and key in (select key from limits where key = any(${KEYS}::text[]))
  ), spans as materialized (
    select k, key, requests, claims, state is null as is_new,
      translate(coalesce(state, '[]'), '[]', '{}')::bigint[] as pairs,
      case when calendar is null then (at / width + 1) * width else starts end as bucket,
      case when calendar is null then at - length else starts - 1 end as after,
      coalesce(length, ends - starts) as length
    from wanted left join mine using (key) cross join taken
    cross join lateral (
      select date_trunc(calendar, timestamp 'epoch' + at * interval '1 millisecond') as start
    ) as period cross join lateral (
      select ${epochMs('start')} as starts, ${epochMs("(start + ('1 ' || calendar)::interval)")} as ends
    ) as calendar_period
    where not exists (select 1 from held)
  ), results as materialized (
    select k, key, is_new, requests - used as room, admitted, new_state,
      (newest + length + ${EXPIRY_STEP_MS - 1}) / ${EXPIRY_STEP_MS} * ${EXPIRY_STEP_MS} as expires_at,
      oldest + length as admitted_reset, freed + length as refused_reset
    from spans cross join lateral (
      select coalesce(sum(pairs[2 * i]), 0)::bigint as used from generate_series(1, cardinality(pairs) / 2) as i
      where least(pairs[2 * i - 1], bucket) > after
    ) as before cross join lateral (
      select least(claims, greatest(0, requests - used)) as admitted offset 0
    ) as taking cross join lateral (
      select '[' || string_agg(bucket_end || ',' || admissions, ',' order by bucket_end) || ']' as new_state,
        min(bucket_end) as oldest, max(bucket_end) as newest,
        min(bucket_end) filter (where so_far > used + admitted - requests) as freed
      from (
        select bucket_end, sum(admissions)::bigint as admissions, sum(sum(admissions)) over (order by bucket_end) as so_far
        from (
          select least(pairs[2 * i - 1], bucket) as bucket_end, pairs[2 * i] as admissions
          from generate_series(1, cardinality(pairs) / 2) as i where least(pairs[2 * i - 1], bucket) > after
          union all select bucket, admitted where admitted > 0
        ) as uses group by bucket_end
      ) as buckets
    ) as afterwards
  ), written as (
    update limits set state = new_state, expires_at = results.expires_at from results
    where limits.key = results.key and limits.key = any(${KEYS}::text[]) and not is_new
  ), made as (
    insert into limits (key, state, expires_at)
    select key, new_state, expires_at from results where is_new order by key
  ), recorded as (
    insert into decisions (seq, at, ${OTHERS.join(', ')}, reason, limit_remaining, limit_reset_at)
    select nextval('decisions_seq_seq'), at, ${OTHERS.join(', ')},
      case when place > admitted then ${REASONS.rate_limit_exceeded.code} else reason end,
      case when k is not null then greatest(0, room - least(place, admitted)) end,
      case when place <= admitted then admitted_reset else refused_reset end
    from (
      select * from rows from (
        ${OWN_ARRAYS.map((array) => `unnest(${array})`).join(', ')},
        unnest(${LIMIT_OF}::int[]), unnest(${PLACE_OF}::int[]), generate_series(1, $3::int)
      ) as entry (${OWN_NAMES}, k, place, n) left join results using (k) order by n
    ) as entries cross join taken
    where not exists (select 1 from held)
    returning seq
  )
  select at, (select array_agg(seq order by seq)::text from recorded) as seqs,
    (select array_agg(k)::text from held) as held, array_agg(room order by k)::text as rooms,
    array_agg(admitted order by k)::text as admitted, array_agg(admitted_reset order by k)::text as admitted_resets,
    array_agg(refused_reset order by k)::text as refused_resets
  from taken left join results on true group by at`;

/** Up to this many limits, the server's arithmetic costs less than a second trip to a node, which takes µs for each. */
const LIMITS_MAX = 16;

export const isPlain = ({ entries, receipt }: Submission): boolean =>
  receipt === undefined && entries.every(({ claim, quota }) => claim === null && quota === null);

/** The keys of what an entry claims. */
export const keysOf = ({ claim, quota }: Entry): string[] => [
  ...(claim === null ? [] : [claim.key]),
  ...quotaKeys(quota),
];

/** The entries of a flush, and what they claim. */
export interface Claimed {
  readonly entries: readonly Entry[];
  /** Each limit once. */
  readonly claims: readonly Claim[];
  /** For each limit, the number of entries that claim it. */
  readonly counts: readonly number[];
  /** For each entry the number of its limit, from 1; and which of its claims it is. Null without a claim. */
  readonly limitOf: readonly (number | null)[];
  readonly placeOf: readonly (number | null)[];
}

/** Returns undefined for what takes two trips: a receipt, a quota, many limits, one key with two limits. */
export function claimedBy(submissions: readonly Submission[]): Claimed | undefined {
  if (submissions.some(({ receipt }) => receipt !== undefined)) return undefined;
  const entries = submissions.flatMap((one) => one.entries);
  if (entries.some(({ quota }) => quota !== null)) return undefined;
  const claims: Claim[] = [];
  const counts: number[] = [];
  const limitOf: (number | null)[] = [];
  const placeOf: (number | null)[] = [];
  const numbers = new Map<string, number>();
  for (const { claim } of entries) {
    const k = claim === null ? null : (numbers.get(claim.key) ?? claims.length + 1);
    limitOf.push(k);
    if (claim === null || k === null) {
      placeOf.push(null);
      continue;
    }
    if (k > claims.length) {
      if (k > LIMITS_MAX) return undefined;
      numbers.set(claim.key, k);
      claims.push(claim);
      counts.push(0);
    } else if (!isSame((claims[k - 1] as Claim).limit, claim.limit)) return undefined;
    placeOf.push(++(counts[k - 1] as number));
  }
  return { entries, claims, counts, limitOf, placeOf };
}

const isSame = (one: Limit, other: Limit): boolean => one.requests === other.requests && one.period === other.period;

/** `taking`: the first three parameters. */
export function claimStep(taking: readonly Value[], { entries, claims, counts, limitOf, placeOf }: Claimed): Step {
  const spans = claims.map(({ limit }) => ({ ...limit, ...shapeOf(limit) }));
  return {
    sql: CLAIM_AND_INSERT,
    params: [
      ...taking,
      ...ownColumns(entries),
      toArray(limitOf),
      toArray(placeOf),
      toArray(claims.map(({ key }) => toStoredKey(key))),
      toArray(spans.map(({ requests }) => requests)),
      toArray(spans.map(({ lengthMs }) => lengthMs)),
      toArray(spans.map(({ widthMs }) => widthMs)),
      toArray(spans.map(({ lengthMs, period }) => (lengthMs === null ? period : null))),
      toArray(counts),
    ],
  };
}

/** Returns the stored keys of the limits that another transaction holds; with one, nothing was recorded. */
export const heldOf = (row: Row, { claims }: Claimed): Set<string> =>
  new Set(numbersOf(row.held).map((k) => toStoredKey((claims[k - 1] as Claim).key)));

/** Returns which limit stops it; `held`: stored keys. */
export function heldIn({ entries }: Submission, held: ReadonlySet<string>): { heldBy: string } | undefined {
  if (held.size === 0) return undefined;
  const heldBy = entries.flatMap(keysOf).find((key) => held.has(toStoredKey(key)));
  return heldBy === undefined ? undefined : { heldBy };
}

/** Returns three numbers for each claim, as in an Outcome. */
export function answersOf(row: Row, { limitOf, placeOf }: Claimed): number[] {
  const names = ['rooms', 'admitted', 'admitted_resets', 'refused_resets'];
  const [rooms, admitted, resets, refusedResets] = names.map((name) => numbersOf(row[name])) as [
    number[],
    number[],
    number[],
    number[],
  ];
  const answers: number[] = [];
  for (const [n, k] of limitOf.entries()) {
    if (k === null) continue;
    const place = placeOf[n] as number;
    const most = admitted[k - 1] as number;
    const remaining = Math.max(0, (rooms[k - 1] as number) - Math.min(place, most));
    if (place <= most) answers.push(1, remaining, resets[k - 1] as number);
    else answers.push(0, remaining, refusedResets[k - 1] as number);
  }
  return answers;
}

/** Parses an array of numbers; null: an empty one. */
export const numbersOf = (text: Value | undefined): number[] =>
  typeof text === 'string' ? text.slice(1, -1).split(',').map(Number) : [];
