/**
 * Loaded before the service: its question about the span of all decisions keeps DuckDB busy for minutes; SIGUSR2 is a
 * fault.
 */
import { isMainThread } from 'node:worker_threads';
import { DuckDBConnection } from '@duckdb/node-api';

const { run } = DuckDBConnection.prototype;
DuckDBConnection.prototype.run = function (this: DuckDBConnection, sql: string, ...rest: never[]) {
  if (!sql.startsWith('select count(*)::double, min(decided_at)')) return run.call(this, sql, ...rest);
  process.stderr.write('DuckDB is busy\n');
  return run.call(this, 'select count(*) from range(1000000000000) as many(n) where hash(n) % 7 = 3');
};
if (isMainThread) {
  process.on('SIGUSR2', () => {
    throw new Error('a fault to order');
  });
}
