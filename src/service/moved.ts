/** Opens the place where decisions move to, moves them, and keeps their table so that their space returns. */
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../db/db.ts';
import { StartRefused } from '../db/start-refused.ts';
import { findShardUnless, movedTo } from '../decisions/history/moved/blocks.ts';
import { startMoving } from '../decisions/history/moved/moving.ts';
import { isElsewhere, isHere } from '../decisions/history/moved/place.ts';
import { keepStore, type MovedStore, openMovedStore, UNKNOWN } from '../decisions/history/moved/store.ts';
import { startPartitions } from '../decisions/history/partitions/start.ts';
import { findCursor } from '../decisions/visitors/sighting-store.ts';
import type { Config } from './config.ts';
import type { ClockWatch } from './health/clock-watch.ts';

/** Reads of `db` find what moved. Throws StartRefused where decisions moved and this node does not know where. */
export async function openMoved(db: Db, clickHouse: string | null, opened: AsyncDisposableStack): Promise<MovedStore> {
  if (clickHouse === null && (await movedTo(db)) > 0) throw new StartRefused(UNKNOWN);
  const store = openMovedStore(clickHouse);
  const shard = await findShardUnless(db, isHere(store.place));
  const elsewhere = shard === undefined ? undefined : isElsewhere(store.place, shard);
  if (elsewhere !== undefined) throw new StartRefused(elsewhere);
  keepStore(db, store);
  opened.defer(() => store.close());
  return store;
}

interface MovingParts {
  db: Db;
  moved: MovedStore;
  ledger: { now(): number };
  clockWatch: Pick<ClockWatch, 'isSure'>;
  isOurs(): boolean;
}

export function startMovingOf(
  { config, logger }: { config: Config; logger: FastifyBaseLogger },
  opened: AsyncDisposableStack,
  { db, moved, ledger, clockWatch, isOurs }: MovingParts,
): void {
  startPartitionsOf({ config, logger }, opened, { db, ledger, isOurs });
  if (config.clickHouse === null) return;
  opened.defer(
    startMoving({
      db,
      store: moved,
      now: ledger.now,
      recordDays: config.recordDays,
      isSealed: config.receipts !== 'off',
      announcedTo: async () => (await findCursor(db)).seq,
      isOurs,
      isTimeSure: clockWatch.isSure,
      onProblem: (error) => logger.warn({ err: error }, 'decisions could not be moved, which will be retried'),
      onLoss: (message) => logger.error({ problem: message }, 'columns'),
    }),
  );
}

/** Also where no decision moves any more: what was begun is ended. */
function startPartitionsOf(
  { config, logger }: { config: Config; logger: FastifyBaseLogger },
  opened: AsyncDisposableStack,
  { db, ledger, isOurs }: Pick<MovingParts, 'db' | 'ledger' | 'isOurs'>,
): void {
  const url = config.databaseUrl;
  // SQLite has no partitions.
  if (url === null) return;
  opened.defer(
    startPartitions({
      db,
      url,
      now: ledger.now,
      isWanted: config.recordDays !== null,
      isOurs,
      onChange: (message) => logger.info(message),
      onProblem: (error) => logger.warn({ err: error }, 'partitions could not be kept, which will be retried'),
    }),
  );
}
