/** The ledger of tests' part of the storage thread; see test-tables. */
import type { Connection } from '../../../db/sqlite/connection.ts';
import type { Procedure } from '../../../db/sqlite/worker.ts';
import type { FlushRows } from '../flush.ts';
import { toTestSql } from '../test-tables.ts';
import { procedure as onLedger } from './procedure.ts';

export const procedure = (connection: Connection): Procedure<FlushRows, number[] | null> =>
  onLedger({ ...connection, prepare: (sql) => connection.prepare(toTestSql(sql)) });
