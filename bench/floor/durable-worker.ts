/** The thread of `durable`: commits a group of rows for each message, then answers. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Value } from '../../src/db/db.ts';
import { insertColumns, insertSql } from '../../src/db/query.ts';
import { openConnection } from '../../src/db/sqlite/connection.ts';

/** The columns of a decision of the benchmarks that are not null. */
const COLUMNS = [
  'seq',
  'at',
  'content_no',
  'requester_id',
  'policy_no',
  'policy_version',
  'reason',
  'rule_index',
  'rule_priority',
  'inputs',
  'crawler',
  'purpose',
  'enforced',
];

const connection = openConnection(workerData as string);
connection.exec(`create table decisions (seq integer primary key, ${COLUMNS.slice(1).join(', ')})`);
const insert = connection.prepare(insertSql(insertColumns('decisions', COLUMNS), 1));

parentPort?.on('message', (values: readonly Value[]) => {
  connection.exec('begin immediate');
  for (let i = 0; i < values.length; i += COLUMNS.length) insert.run(...values.slice(i, i + COLUMNS.length));
  connection.exec('commit');
  parentPort?.postMessage(null);
});
