/** Puts the decisions of the database argv[2] into partitions, of argv[3] numbers at least, until it is killed. */
import { openPostgres } from '../../src/db/postgres/db.ts';
import { openChangeConnection } from '../../src/decisions/history/partitions/connection.ts';
import { openPartitions } from '../../src/decisions/history/partitions/upkeep.ts';

const [url = '', numbers = ''] = process.argv.slice(2);
const db = await openPostgres(url);
// All reads have ended by then.
let now = Date.now();
const look = openPartitions(
  {
    db,
    connection: openChangeConnection(db, url),
    now: () => (now += 120_000),
    isWanted: true,
    numbersAtLeast: Number(numbers),
    aheadMs: 10,
    onChange: (message) => process.send?.(message),
  },
  () => true,
);
for (;;) {
  await look().catch((error: Error) => process.send?.(error.message));
  process.send?.('looked');
}
