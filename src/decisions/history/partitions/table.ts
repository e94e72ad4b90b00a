/**
 * The table of decisions as PostgreSQL's catalog describes it: plain, or in partitions by number. Promise: its state is
 * kept nowhere else, so no crash and no restore can contradict it.
 */
import type { Row } from '../../../db/db.ts';
import type { ReadAll } from '../moved/blocks.ts';

/** A table that holds decisions: a partition, or the plain table. */
export interface Piece {
  name: string;
  /** The lowest number of its decisions; null: no lower end. */
  from: number | null;
  /** The number after its highest; null: no upper end. */
  to: number | null;
  /** A border that is enforced, and will be the upper end. `isKnown`: the database validated it. */
  border: { at: number; isKnown: boolean } | null;
  /** Set: new rows are refused. `isKnown`: the database validated that there is no row. */
  left: { isKnown: boolean } | null;
}

export interface DecisionTable {
  isPlain: boolean;
  /** Numbers come from a sequence that does not belong to the plain table. */
  isSequenceFree: boolean;
  /** In the order of their numbers. */
  pieces: Piece[];
  /** The last number that was drawn. */
  newest: number;
}

/** The constraints that enforce a border, and that a partition is empty. */
export const BORDER = 'decisions_border';
export const LEFT = 'decisions_left';

interface PieceRow extends Row {
  name: string;
  kind: string;
  bound: string | null;
  border: string | null;
  border_known: number | null;
  left_known: number | null;
}

const PIECES = `select quote_ident(c.relname) as name, c.relkind as kind, pg_get_expr(c.relpartbound, c.oid) as bound,
    pg_get_constraintdef(b.oid) as border, b.convalidated as border_known, l.convalidated as left_known
  from pg_class as c left join pg_constraint as b on b.conrelid = c.oid and b.conname = '${BORDER}'
    left join pg_constraint as l on l.conrelid = c.oid and l.conname = '${LEFT}'
  where c.oid = 'decisions'::regclass and c.relkind <> 'p'
    or c.oid in (select inhrelid from pg_inherits where inhparent = 'decisions'::regclass)`;
const NEWEST = 'select case when is_called then last_value else 0 end as seq from decisions_seq_seq';

/** Throws where Postern did not make the partitions. */
export async function readTable(all: ReadAll): Promise<DecisionTable> {
  const rows = await all<PieceRow>(PIECES);
  const pieces = rows.map(toPiece).toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0));
  const [own] = await all<{ sequence: number | null }>(
    `select pg_get_serial_sequence('decisions', 'seq')::regclass::oid = 'decisions_seq_seq'::regclass as sequence`,
  );
  return {
    isPlain: rows.some(({ bound }) => bound === null),
    isSequenceFree: own?.sequence !== 1,
    pieces,
    newest: await readNewest(all),
  };
}

/** Returns the last number that was drawn. */
export const readNewest = async (all: ReadAll): Promise<number> => (await all<{ seq: number }>(NEWEST))[0]?.seq ?? 0;

const BOUND = /^FOR VALUES FROM \((?:MINVALUE|'?(\d+)'?)\) TO \((?:MAXVALUE|'?(\d+)'?)\)$/;

function toPiece({ name, kind, bound, border, border_known, left_known }: PieceRow): Piece {
  const ends = bound === null ? ['', undefined, undefined] : BOUND.exec(bound);
  if (ends === null || kind !== 'r')
    throw new Error(`the table of decisions has a partition that Postern did not make: ${name}`);
  const [, from, to] = ends;
  const at = border === null ? undefined : /< '?(\d+)/.exec(border)?.[1];
  return {
    name,
    from: toNumber(from),
    to: toNumber(to),
    border: at === undefined ? null : { at: Number(at), isKnown: border_known === 1 },
    left: left_known === null ? null : { isKnown: left_known === 1 },
  };
}

const toNumber = (text: string | undefined): number | null => (text === undefined ? null : Number(text));

/** Objects on the plain table that would be missing on partitions, with their kind. Postern makes none of them. */
const FOREIGN = `select 'trigger ' || tgname as what from pg_trigger where tgrelid = 'decisions'::regclass and not tgisinternal
    and tgname not in ('log_forget_deleted', 'log_forget_changed')
  union all select 'index ' || indexrelid::regclass from pg_index where indrelid = 'decisions'::regclass and not indisprimary
  union all select 'constraint ' || conname from pg_constraint where conname <> '${BORDER}'
    and (conrelid = 'decisions'::regclass and contype not in ('p', 'n') or confrelid = 'decisions'::regclass)
  union all select 'view ' || r.ev_class::regclass from pg_rewrite as r join pg_depend as d on d.objid = r.oid
    where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = 'decisions'::regclass
  union all select 'publication ' || pubname from pg_publication_tables
    where schemaname = current_schema() and tablename = 'decisions'
  union all select 'policy ' || polname from pg_policy where polrelid = 'decisions'::regclass
  union all select 'table ' || inhrelid::regclass from pg_inherits where inhparent = 'decisions'::regclass
  union all select 'right on the column ' || attname from pg_attribute
    where attrelid = 'decisions'::regclass and attacl is not null
  union all select 'owner ' || relowner::regrole from pg_class
    where oid = 'decisions'::regclass and relowner <> current_user::regrole
  union all select 'schema ' || relnamespace::regnamespace from pg_class
    where oid = 'decisions'::regclass and relnamespace <> current_schema()::regnamespace
  order by 1`;

/** Finds objects that others made on the plain table. */
export const findForeign = async (all: ReadAll): Promise<string[]> =>
  (await all<{ what: string }>(FOREIGN)).map(({ what }) => what);

/** Properties that the new table takes over from the old one; triggers and grants as SQL. */
export interface Inheritance {
  triggers: string[];
  grants: string[];
  options: string | null;
  tablespace: string | null;
}

/** Returns SQL that grants the sequence as it is granted now. */
export const readSequenceGrants = async (all: ReadAll): Promise<string[]> =>
  (await all<{ sql: string }>(grantsOn('decisions_seq_seq', 'sequence '))).map(({ sql }) => sql);

const grantsOn = (name: string, word: string): string => `
  select format('grant %s on ${word}${name} to %s%s', a.privilege_type,
      case a.grantee when 0 then 'public' else a.grantee::regrole::text end,
      case when a.is_grantable then ' with grant option' else '' end) as sql
    from pg_class as c cross join aclexplode(c.relacl) as a where c.oid = '${name}'::regclass and a.grantee <> c.relowner
    order by 1`;

export async function readInheritance(all: ReadAll): Promise<Inheritance> {
  const texts = async (sql: string): Promise<string[]> => (await all<{ sql: string }>(sql)).map((row) => row.sql);
  const [space] = await all<{ name: string }>(
    `select quote_ident(spcname) as name from pg_tablespace as s join pg_class as c on c.reltablespace = s.oid
     where c.oid = 'decisions'::regclass`,
  );
  return {
    triggers: await texts(
      `select pg_get_triggerdef(oid) as sql from pg_trigger where tgrelid = 'decisions'::regclass and not tgisinternal
       order by tgname`,
    ),
    grants: await texts(grantsOn('decisions', '')),
    options: await readOptions(all, 'decisions'),
    tablespace: space?.name ?? null,
  };
}

/** Returns the storage parameters of a table, such as `fillfactor=90`; null: defaults. */
export async function readOptions(all: ReadAll, name: string): Promise<string | null> {
  const [row] = await all<{ options: string | null }>(
    `select array_to_string(reloptions, ', ') as options from pg_class where oid = '${name}'::regclass`,
  );
  return row?.options ?? null;
}
