/** Decisions that move to ClickHouse a look at a time, beside records that tests write to. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { TestClickHouse } from '../../../kit/clickhouse.ts';
import type { Db } from '../../../src/db/db.ts';
import { findMoved, type MovedBlock, reading } from '../../../src/decisions/history/moved/blocks.ts';
import { openMoving } from '../../../src/decisions/history/moved/moving.ts';
import { movedRows } from '../../../src/decisions/history/moved/read.ts';
import { openMovedStore } from '../../../src/decisions/history/moved/store.ts';
import { openPostgresRecords } from '../../usage/records.ts';
import { AT, decided } from './clickhouse-bench.ts';

const DAY_MS = 86_400_000;
/** The newest one stays. */
export const ALL = decided(1, 30);

/** `cluster`: they move to a cluster. */
export async function movingBench(t: TestContext, { cluster = '' }: { cluster?: string } = {}) {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const clickHouse = stack.use(await new TestClickHouse({ cluster }).start());
  const url = await clickHouse.newDatabase();
  const records = await openPostgresRecords();
  stack.defer(() => records.close());
  const { db } = records;
  await records.addContent([{ no: 1 }, { no: 2 }]);
  await records.addDecisions(ALL);
  let now = AT + 40 * DAY_MS;
  const problems: string[] = [];
  const store = openMovedStore(url);
  stack.defer(() => store.close());
  const mover = (recordDays: number | null = 35, own: Db = db, moveForMs = 1_000) => {
    const look = openMoving(
      {
        db: own,
        store,
        now: () => now,
        recordDays,
        moveForMs,
        isSealed: false,
        announcedTo: async () => 1_000,
        isOurs: () => true,
        isTimeSure: () => true,
        onProblem: () => {},
        onLoss: (message) => problems.push(message),
      },
      () => true,
    );
    return () => look().catch((error: Error) => problems.push(error.message));
  };
  const read = async () => {
    const moved: unknown[][] = [];
    for await (const rows of movedRows(reading(db), store, { after: 0, last: 1_000 })) moved.push(...rows);
    const own = await db.read<{ seq: number }>('select seq from decisions order by seq');
    return { moved: moved.map(([seq]) => seq as number), own: own.map(({ seq }) => seq) };
  };
  return {
    ...records,
    clickHouse,
    database: new URL(url).pathname.slice(1),
    url,
    store,
    problems,
    mover,
    find: (): Promise<MovedBlock[]> => findMoved(reading(db), { after: 0, last: 1_000 }),
    read,
    now: () => now,
    nextDay: () => {
      now += DAY_MS;
    },
    /** Looks until the decisions moved. */
    async moves(look: () => Promise<unknown>): Promise<void> {
      for (let i = 0; i < 8 && (await findMoved(reading(db), { after: 0, last: 1_000 })).length === 0; i++) {
        await look();
        now += DAY_MS;
      }
      // The newest one stays.
      assert.deepEqual(await read(), { moved: ALL.slice(0, -1).map(({ seq }) => seq), own: [ALL.length] });
    },
  };
}
