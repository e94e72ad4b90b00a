/**
 * A moved decision: its columns in ClickHouse, and the SQL by which PostgreSQL reads them as decisions again. Promise:
 * no id of a requester, and no text that says one, is in ClickHouse but in the column of inputs: requesters are numbers
 * that PostgreSQL gave, so an erasure changes one row there.
 */
import { createHash } from 'node:crypto';
import type { Row, Value } from '../../../db/db.ts';
import { Bytes } from '../clickhouse/bytes.ts';
import { ON_DISK } from '../clickhouse/replicated.ts';

export const RECORDS = 'records_1';

type Kind = 'number' | 'numberOrNull' | 'text';

/** In the order of the table. `requester` and `claimed` are numbers of record_names; 0: none. */
const KINDS: readonly (readonly [name: string, kind: Kind])[] = [
  ...'seq at content_no requester claimed policy_no policy_version reason enforced'
    .split(' ')
    .map((name) => [name, 'number'] as const),
  ...'rule_index rule_priority verified limit_remaining limit_reset_at'
    .split(' ')
    .map((name) => [name, 'numberOrNull'] as const),
  ...'license_id url file collection_id crawler purpose permission candidate wanted quota'
    .split(' ')
    .map((name) => [name, 'text'] as const),
  // What stays of the inputs once they are erased.
  ['reduced', 'text'],
  ['inputs', 'text'],
];
const NAMES = KINDS.map(([name]) => name);
const INPUTS = NAMES.length - 1;

/** The values of a decision, in the order of the table. */
export type MovedRow = Value[];

const TYPES: Record<Kind, string> = {
  number: 'Int64 codec(T64, ZSTD(1))',
  numberOrNull: 'Nullable(Int64) codec(ZSTD(1))',
  text: 'Nullable(String) codec(ZSTD(3))',
};
/** Decisions in one partition. */
const PARTITION = 16_777_216;

/** `block`: a number of one attempt to write a block, never used again. */
export const RECORDS_DEFINITION = `(block Int64 codec(ZSTD(1)),
  ${KINDS.map(([name, kind]) => `${name} ${TYPES[kind]}`).join(', ')})
  engine = MergeTree partition by intDiv(seq, ${PARTITION}) order by (block, seq)
  settings non_replicated_deduplication_window = 0, ${ON_DISK}`;

/** The columns of a query that reads whole decisions. */
export const MOVED_COLUMNS = NAMES.join(', ');

/** Below any number that a decision has. */
const NONE = -9_007_199_254_740_993n;
const PLAIN: Record<Kind, (name: string) => string> = {
  number: (name) => name,
  numberOrNull: (name) => `ifNull(${name}, ${NONE})`,
  // No text of PostgreSQL has this character.
  text: (name) => `ifNull(${name}, '\\0')`,
};
const OWN_VALUES = KINDS.slice(0, INPUTS).map(([name, kind]) => PLAIN[kind](name));

/** Adds up all values but the inputs, in any order: rows that leave a block are taken away by the same. */
export const XOR_SQL = `toString(groupBitXor(sipHash64(${OWN_VALUES.join(', ')})))`;

export const xor = (a: string, b: string): string => (BigInt(a) ^ BigInt(b)).toString();

/** The columns of `decisions` that are read to move them; the two last of the names are ids here. */
export const SELECT_OWN = `select ${NAMES.filter((name) => name !== 'reduced')
  .map((name) => (name === 'requester' ? 'requester_id' : name))
  .join(', ')} from decisions`;

interface OlderInputs {
  purpose?: string;
  permission?: string;
}

/** Older versions recorded purpose and permission among the inputs. */
export function toMoved(row: Row, numbers: ReadonlyMap<string, number>): MovedRow {
  const inputs = row.inputs as string | null;
  const sent = inputs === null ? {} : (JSON.parse(inputs) as OlderInputs);
  const own: Record<string, Value> = {
    ...row,
    requester: numberOf(row.requester_id as string | null, numbers),
    claimed: numberOf(row.claimed as string | null, numbers),
    purpose: (row.purpose as string | null) ?? sent.purpose ?? null,
    permission: (row.permission as string | null) ?? sent.permission ?? null,
    reduced: reduce(inputs, sent),
  };
  return NAMES.map((name) => own[name] as Value);
}

/** Ids without a number are none of those that were numbered. */
const numberOf = (id: string | null, numbers: ReadonlyMap<string, number>): number =>
  id === null ? 0 : (numbers.get(id) ?? -1);

/** Returns what `eraseInputsSql` of retention leaves of them. */
function reduce(inputs: string | null, sent: object): string | null {
  if ('context' in sent && 'license' in sent) return '{"reduced":["context","license"]}';
  if ('context' in sent) return '{"reduced":["context"]}';
  if ('license' in sent) return '{"reduced":["license"]}';
  return 'reduced' in sent ? inputs : null;
}

/** Decisions whose inputs were erased: about these requesters, or up to this number. */
export interface ErasedInputs {
  requesters: ReadonlySet<number>;
  upTo: number;
}

const [REQUESTER, CLAIMED, REDUCED] = ['requester', 'claimed', 'reduced'].map((name) => NAMES.indexOf(name)) as [
  number,
  number,
  number,
];

/** Returns a decision as answers read it: see movedTable. */
export function withoutErased(row: MovedRow, { requesters, upTo }: ErasedInputs): MovedRow {
  const isTheirs = [REQUESTER, CLAIMED].some((i) => requesters.has(row[i] as number));
  return isTheirs || (row[0] as number) <= upTo ? row.with(INPUTS, row[REDUCED] as Value) : row;
}

/** Digests of a block: of its decisions, and of their inputs. */
export interface BlockDigest {
  rows: number;
  sha256: string;
  inputsSha256: string;
}

export function openDigest() {
  const [own, inputs] = [createHash('sha256'), createHash('sha256')];
  let rows = 0;
  return {
    add(row: MovedRow): void {
      rows += 1;
      own.update(`${JSON.stringify(row.slice(0, INPUTS))}\n`);
      inputs.update(`${JSON.stringify(row[INPUTS])}\n`);
    },
    end: (): BlockDigest => ({ rows, sha256: own.digest('hex'), inputsSha256: inputs.digest('hex') }),
  };
}

const WRITE: Record<Kind, (bytes: Bytes, value: Value) => unknown> = {
  number: (bytes, value) => bytes.int64(value as number),
  numberOrNull: (bytes, value) => (value === null ? bytes.uint8(1) : bytes.uint8(0).int64(value as number)),
  text: (bytes, value) => bytes.textOrNull(value as string | null),
};

export function writeMoved(bytes: Bytes, block: number, row: MovedRow): void {
  bytes.int64(block);
  for (const [i, [, kind]] of KINDS.entries()) WRITE[kind](bytes, row[i] as Value);
}

const PARTS: Record<Kind, (i: number) => string> = {
  number: (i) => `(v->>${i})::bigint`,
  numberOrNull: (i) => `(v->>${i})::bigint`,
  text: (i) => `v->>${i}`,
};
const AS_THEY_ARE = NAMES.filter((name) => !['requester', 'claimed', 'reduced', 'inputs'].includes(name));

/**
 * The table of moved decisions, in place of `decisions`; `param` has their rows as JSON. What was erased since they
 * moved is in none of its rows, whether ClickHouse still has it or not.
 */
export const movedTable = (param: string): string => `(select ${AS_THEY_ARE.map((name) => `m.${name}`).join(', ')},
    r.id as requester_id, c.id as claimed,
    case when r.erased = 1 or c.erased = 1 or m.seq <= coalesce((select cast(value as bigint) from settings
      where name = 'inputs_erased_to'), 0) then m.reduced else m.inputs end as inputs,
    coalesce(r.erased, 0) + coalesce(c.erased, 0) as erased
  from (select ${KINDS.map(([name, kind], i) => `${PARTS[kind](i)} as ${name}`).join(', ')}
      from jsonb_array_elements(${param}::jsonb) as rows(v)) as m
    left join record_names as r on r.number = m.requester left join record_names as c on c.number = m.claimed)`;
