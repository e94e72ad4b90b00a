/**
 * Takes old decisions out of the log, and erases the inputs of younger ones. Promise: each batch is one transaction, so
 * after a crash every decision is either in the log or in the daily counts, once. Licensed decisions keep what
 * statements need (see counted).
 */
import type { Db, Step } from '../../../db/db.ts';
import { IS_UNARCHIVED, keepDeleted } from '../counted.ts';
import { countDeleted, countDeletedDays } from '../deleted-counts.ts';
import { findInputsEnd, findLeaving, type Leaving } from '../moved/leave.ts';
import { movedTable } from '../moved/row.ts';
import { forgetInputs, forgetUpTo } from '../sealed/forget.ts';

export const DAY_MS = 86_400_000;

/** The walks over the ledger, each with its cursor in the settings. */
const CURSORS = { inputs: 'inputs_erased_to', decisions: 'decisions_retired_to' } as const;
type Walk = keyof typeof CURSORS;

const INPUT = {
  sqlite: (name: string): string => `json_extract(inputs, '$.${name}')`,
  postgres: (name: string): string => `inputs::json ->> '${name}'`,
};

/** Older versions recorded purpose and permission among the inputs. */
const countSql = (engine: Db['engine'], table = 'decisions'): string => `
  insert into daily_counts (day, content_no, requester_id, policy_no, reason, purpose, permission, collection_id, crawler,
    license_id, claimed, verified, enforced, policy_version, rule_index, wanted, requests)
  select at - at % ${DAY_MS}, content_no, coalesce(requester_id, ''), policy_no, reason,
    coalesce(purpose, ${INPUT[engine]('purpose')}, ''), coalesce(permission, ${INPUT[engine]('permission')}, ''),
    coalesce(collection_id, ''), coalesce(crawler, ''), coalesce(license_id, ''), coalesce(claimed, ''),
    coalesce(verified, 0), enforced, policy_version, coalesce(rule_index, -1), coalesce(wanted, ''), count(*)
  from ${table} as d
  where seq <= $1 and ${IS_UNARCHIVED}
    and (content_no = 0 or exists (select 1 from content where no = content_no))
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
  on conflict (day, content_no, requester_id, policy_no, reason, purpose, permission, collection_id, crawler, license_id,
    claimed, verified, enforced, policy_version, rule_index, wanted)
  do update set requests = daily_counts.requests + excluded.requests`;

const KEPT: Record<Db['engine'], string> = {
  sqlite:
    "coalesce(purpose, json_extract(inputs, '$.purpose')), permission = coalesce(permission, json_extract(inputs, '$.permission'))",
  postgres: `coalesce(purpose, inputs::json ->> 'purpose'), permission = coalesce(permission, inputs::json ->> 'permission')`,
};
const hasInput = (engine: Db['engine'], name: string): string =>
  engine === 'sqlite' ? `json_extract(inputs, '$.${name}') is not null` : `inputs::json -> '${name}' is not null`;

/** Sets the inputs of a span of decisions to the names of those that it had. */
export const eraseInputsSql = (engine: Db['engine'], where: string): string => `
  update decisions set purpose = ${KEPT[engine]},
    inputs = case when ${hasInput(engine, 'context')} and ${hasInput(engine, 'license')}
        then '{"reduced":["context","license"]}'
      when ${hasInput(engine, 'context')} then '{"reduced":["context"]}'
      when ${hasInput(engine, 'license')} then '{"reduced":["license"]}'
      when ${hasInput(engine, 'reduced')} then inputs end
  where ${where} and inputs is not null`;

const cursorStep = (walk: Walk, seq: number): Step => ({
  sql: `insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`,
  params: [CURSORS[walk], String(seq)],
});

async function readCursor(db: Db, walk: Walk): Promise<number> {
  const [row] = await db.read<{ value: string }>('select value from settings where name = $1', [CURSORS[walk]]);
  return Number(row?.value ?? 0);
}

const RETIRING = 'decisions_retiring';

/** Says in the settings whether decisions are being retired: the columns are compacted afterwards. */
const retiringStep = (goesOn: boolean): Step => ({
  sql: `insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`,
  params: [RETIRING, goesOn ? '1' : '0'],
});

/** Returns whether decisions are being retired. */
export async function isRetiring(db: Db): Promise<boolean> {
  const [row] = await db.read<{ value: string }>('select value from settings where name = $1', [RETIRING]);
  return row?.value === '1';
}

/** Ends a walk that retired decisions, also one that a crash ended. */
export async function endRetiring(db: Db): Promise<void> {
  if (await isRetiring(db)) await db.atomic([retiringStep(false)]);
}

/** Returns the number up to which inputs were erased; 0: none were. */
export const inputsErasedTo = (db: Db): Promise<number> => readCursor(db, 'inputs');

/** Returns the number up to which decisions have left the log for the daily counts; 0: none have. */
export const retiredTo = (db: Db): Promise<number> => readCursor(db, 'decisions');

/** Returns the last of the next decisions before a time; undefined: the next one is younger, or there is none. */
async function findBatch(db: Db, after: number, before: number, limit: number): Promise<number | undefined> {
  const [row] = await db.read<{ last: number | null }>(
    `with batch as (select seq, at from decisions where seq > $1 order by seq limit $2),
       young as (select min(seq) as first from batch where at >= $3)
     select max(seq) as last from batch, young where first is null or seq < first`,
    [after, limit, before],
  );
  return row?.last ?? undefined;
}

/** Decisions up to a number that the archive does not have. The same text for each batch is prepared once. */
const LEAVING = `seq <= $1 and ${IS_UNARCHIVED}`;

/** Retires a batch of decisions before a time, oldest first. Returns whether there was one. */
export async function retireBatch(db: Db, before: number, limit: number): Promise<boolean> {
  const moved = await findLeaving(db, before, limit);
  if (moved !== undefined) return moved !== null && retireMoved(db, moved);
  const last = await findBatch(db, 0, before, limit);
  if (last === undefined) return false;
  await db.atomicLater([
    keepDeleted(db.engine, LEAVING, [last]),
    countDeleted(LEAVING, [last]),
    { sql: countSql(db.engine), params: [last] },
    ...forgetUpTo(last),
    { sql: 'delete from decisions where seq <= $1', params: [last] },
    cursorStep('decisions', last),
    retiringStep(true),
  ]);
  return true;
}

async function retireMoved(db: Db, { last, rows, leave }: Leaving): Promise<boolean> {
  const [table, params] = [movedTable('$2'), [last, rows]];
  await db.atomicLater([
    ...leave,
    keepDeleted(db.engine, LEAVING, params, table),
    countDeleted(LEAVING, params, table),
    { sql: countSql(db.engine, table), params },
    ...forgetUpTo(last),
    cursorStep('decisions', last),
    retiringStep(true),
  ]);
  return true;
}

/** Erases the inputs of a batch of decisions before a time, oldest first. Returns whether there was one. */
export async function eraseInputsBatch(db: Db, before: number, limit: number): Promise<boolean> {
  const after = await readCursor(db, 'inputs');
  const moved = await findInputsEnd(db, { after, before, limit });
  if (moved !== undefined) {
    // Of what moved, answers show no inputs from now on; they are deleted soon.
    if (moved !== null) await db.atomicLater([...forgetInputs(after, moved), cursorStep('inputs', moved)]);
    return moved !== null;
  }
  const last = await findBatch(db, after, before, limit);
  if (last === undefined) return false;
  const sql = eraseInputsSql(db.engine, 'seq > $1 and seq <= $2');
  await db.atomicLater([...forgetInputs(after, last), { sql, params: [after, last] }, cursorStep('inputs', last)]);
  return true;
}

/** Deletes the counts of deleted items. */
export const dropCounts = (contentNos: string): Step[] => [
  countDeletedDays(`content_no in (${contentNos})`),
  { sql: `delete from daily_counts where content_no in (${contentNos})` },
];
