/**
 * The ledger of tests: the checks of test keys. The same code as for live checks, on tables, numbers and settings of
 * its own. So it decides limits and quotas as the live ledger does, and nothing that reads the live one can see it.
 */
import type { Db, Step } from '../../db/db.ts';
import type { PostgresDb } from '../../db/postgres/db.ts';

/** The tables, the sequence, the settings and the function of a ledger. The copies have the same columns. */
const NAMES = [
  'decisions',
  'decisions_seq_seq',
  'deleted_decisions',
  'limits',
  'quota_contents',
  'backward_steps',
  'ledger_no',
  'ledger_reserved',
  'take_claims',
];
const NAME = new RegExp(String.raw`\b(${NAMES.join('|')})\b`, 'g');

/** The tables of decisions, for copies of all tables. */
export const TABLES = { live: 'decisions', test: 'test_decisions' } as const;

/** Names the tables of tests instead of the live ones. */
export const toTestSql = (sql: string): string => sql.replaceAll(NAME, 'test_$1');

const toTestStep = <S extends Step>(step: S): S => ({ ...step, sql: toTestSql(step.sql) });

/** The same store for SQL of the ledger: other SQL may have columns of these names. */
export function onTestTables<D extends Db>(db: D): D {
  const own: D = {
    ...db,
    read: (sql, params) => db.read(toTestSql(sql), params),
    atomic: (steps) => db.atomic(steps.map(toTestStep)),
    atomicLater: (steps) => db.atomicLater(steps.map(toTestStep)),
  };
  return isPostgres(db) ? { ...own, ...onPostgres(db) } : own;
}

const isPostgres = (db: Db | PostgresDb): db is PostgresDb => db.engine === 'postgres';

const onPostgres = (db: PostgresDb): Pick<PostgresDb, 'write' | 'exchange'> => ({
  write: (steps, terms) => db.write(steps.map(toTestStep), terms),
  exchange: (first, second, terms) =>
    db.exchange(
      first.map(toTestStep),
      (rows) => {
        const { steps, value } = second(rows);
        return { steps: steps.map(toTestStep), value };
      },
      terms,
    ),
});
