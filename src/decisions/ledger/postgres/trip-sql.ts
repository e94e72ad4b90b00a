/**
 * The statements of a flush in one round trip. The function `take_claims` of the server (a migration made it) locks the
 * rows of limits and counts, reads the time, and answers: limits as `rules/limit` does, for all claims of one limit at
 * once; quotas as `decisions/ledger/quota/quota` does, for all claims of one chain at once. test/ledger/postgres-trip
 * and postgres-chains compare.
 */

import { REASONS } from '../../../rules/reason.ts';
import { CHAIN_TYPES, SLOT_TYPES } from './chains.ts';
import { OWN_ARRAYS, OWN_COLUMNS } from './entries.ts';

/** The parameters after those of the entries, in the order of `claimStep`. */
const TYPES = ['int', 'int', 'text', 'text', 'bigint', 'text', 'bigint', ...SLOT_TYPES, ...CHAIN_TYPES];
const PARAMETERS = TYPES.map((type, i) => `$${4 + OWN_ARRAYS.length + i}::${type}[]`);
const [LIMIT_OF, PLACE_OF, ...REST] = PARAMETERS;
const ASKED = REST.slice(0, 5);
const SLOTS = REST.slice(5, 5 + SLOT_TYPES.length);
const CHAINS = REST.slice(5 + SLOT_TYPES.length);
const takenSql = (asked: readonly string[]): string =>
  `taken as materialized (select * from take_claims($1::bigint, $2::bigint, ${asked.join(', ')}))`;

const OWN_NAMES = OWN_COLUMNS.join(', ');
const columnsBut = (...names: string[]): string => OWN_COLUMNS.filter((name) => !names.includes(name)).join(', ');
const ENTRIES = OWN_ARRAYS.map((array) => `unnest(${array})`).join(', ');
const CLAIMS = `unnest(${LIMIT_OF}), unnest(${PLACE_OF})`;
const REFUSED_BY_LIMIT = `when place > admitted[k] then ${REASONS.rate_limit_exceeded.code}`;
const REMAINING = 'case when k is not null then greatest(0, rooms[k] - least(place, admitted[k])) end';
const RESET_AT = 'case when place <= admitted[k] then resets[k] else refused_resets[k] end';
const ANSWERS = `select at, held::text, unfit::text, rooms::text, admitted::text, resets::text, refused_resets::text,
    used::text, (select array_agg(seq order by seq)::text from recorded) as seqs
  from taken`;

/** Records all entries, or nothing where one of their limits is held. */
export const CLAIM_LIMITS = `with ${takenSql([...ASKED.slice(0, 3), `'{}'`, `'{}'`])}, recorded as (
    insert into decisions (seq, at, ${columnsBut('reason')}, reason, limit_remaining, limit_reset_at)
    select nextval('decisions_seq_seq'), at, ${columnsBut('reason')},
      case ${REFUSED_BY_LIMIT} else reason end, ${REMAINING}, ${RESET_AT}
    from rows from (${ENTRIES}, ${CLAIMS}, generate_series(1, $3::int)) as entry (${OWN_NAMES}, k, place, n)
      cross join taken
    where held is null order by n
    returning seq
  )
  ${ANSWERS}`;

/** And nothing where a quota needs the node. `served`: the places of a chain, and which license has them. */
export const CLAIM_QUOTAS = `with ${takenSql(ASKED)}, slots as materialized (
    select slot.* from taken, unnest(${SLOTS.join(', ')}, low, high, used, refused_from)
      as slot (chain, license, head, tail, low, high, used, refused_from)
  ), served as materialized (
    select chain, low, high, license, used, head, tail, false as refused from slots
    union all select chain, refused_from, null, license, used + high - low, head, tail, true from slots
    where refused_from is not null
  ), recorded as (
    insert into decisions (
      seq, at, ${columnsBut('reason', 'license_id')}, reason, license_id, limit_remaining, limit_reset_at, quota
    )
    select nextval('decisions_seq_seq'), at, ${columnsBut('reason', 'license_id')},
      case ${REFUSED_BY_LIMIT} when refused then ${REASONS.quota_exceeded.code} else reason end,
      case when chain is null then license_id else license end, ${REMAINING}, ${RESET_AT},
      head || (case when refused then served_used else served_used + quota_place - served_low - 1 + spends end) || tail
    from (
      select entry.*, license, served.used as served_used, head, tail, served.low as served_low, refused
      from rows from (
        ${ENTRIES}, ${CLAIMS}, ${CHAINS.map((array) => `unnest(${array})`).join(', ')}, generate_series(1, $3::int)
      ) as entry (${OWN_NAMES}, k, place, chain, quota_place, spends, n)
      left join served on served.chain = entry.chain and quota_place > low and (high is null or quota_place <= high)
    ) as entries cross join taken
    where held is null and unfit is null order by n
    returning seq
  )
  ${ANSWERS}`;
