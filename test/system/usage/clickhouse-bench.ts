/** Columns in ClickHouse, beside records that tests write to. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { TestClickHouse } from '../../../kit/clickhouse.ts';
import { until } from '../../../kit/until.ts';
import { Unavailable } from '../../../src/db/db.ts';
import { openPostgresReader } from '../../../src/db/postgres/reader.ts';
import { openNames } from '../../../src/decisions/history/clickhouse/names.ts';
import { clickHouseReader } from '../../../src/decisions/history/clickhouse/reader.ts';
import { openState } from '../../../src/decisions/history/clickhouse/state.ts';
import { openClickHouse } from '../../../src/decisions/history/clickhouse/store.ts';
import { ClickHouseWriter } from '../../../src/decisions/history/clickhouse/writer.ts';
import { type Columns, openColumns } from '../../../src/decisions/history/columns/columns.ts';
import { openSource } from '../../../src/decisions/history/columns/source.ts';
import { ANSWER_WITHIN_MS, type Decided, openPostgresRecords } from '../../usage/records.ts';

export const AT = Date.UTC(2026, 5, 1);
/** A few decisions since then are in no block yet. */
export const LATELY = Date.now() - 3_600_000;
/** Decisions that are old enough for a block; `at`: since then. */
export const decided = (from: number, count: number, at = AT): Decided[] =>
  Array.from({ length: count }, (_, i) => ({
    seq: from + i,
    at: at + (from + i) * 1000,
    contentNo: 1 + ((from + i) % 2),
    requesterId: `partner_${(from + i) % 3}`,
    policyNo: 1,
    reason: (from + i) % 3,
    url: `example.org/${(from + i) % 5}`,
  }));

/** `cluster`: the columns are on a cluster. */
export async function bench(t: TestContext, { cluster = '' }: { cluster?: string } = {}) {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const clickHouse = stack.use(await new TestClickHouse({ cluster }).start());
  const url = await clickHouse.newDatabase();
  const records = await openPostgresRecords();
  stack.defer(() => records.close());
  await records.addContent([{ no: 1 }, { no: 2 }]);
  const problems: string[] = [];
  return {
    ...records,
    clickHouse,
    url,
    database: new URL(url).pathname.slice(1),
    problems,
    /** `inFile`: in DuckDB. */
    open({ inFile = false }: { inFile?: boolean } = {}): Columns {
      const columns = openColumns({
        records: records.records,
        columnsFile: records.columnsFile,
        clickHouse: inFile ? null : url,
        answerWithinMs: ANSWER_WITHIN_MS,
        onProblem: (problem) => problems.push(problem),
      });
      stack.defer(() => columns.close());
      return columns;
    },
  };
}

/** Asks until there is an answer: what fails costs the questions that wait. */
export async function ask<T>(question: () => Promise<T>): Promise<T> {
  const look = async (): Promise<{ answer: T } | undefined> => {
    try {
      return { answer: await question() };
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return undefined;
    }
  };
  const { answer } = await until('an answer', look, ANSWER_WITHIN_MS);
  return answer;
}

export async function assertCounts(columns: Columns, all: readonly Decided[]): Promise<void> {
  const { seqs, totalCount } = await ask(() => columns.find({}, { before: null, limit: 100_000 }));
  assert.equal(totalCount, all.length);
  assert.deepEqual(seqs, all.map(({ seq }) => seq).toReversed());
}

/** Counts as a report does. */
function fold(all: readonly Decided[]): object {
  const requesters = Map.groupBy(all, ({ requesterId }) => requesterId);
  const reasons = Map.groupBy(all, ({ reason }) => reason);
  return {
    requests: all.length,
    topRequesters: [...requesters].map(([id, own]) => ({ id, requests: own.length })).toSorted(byRequests),
    reasons: [...reasons]
      .map(([reason, own]) => ({ reason, count: own.length }))
      .toSorted((a, b) => a.reason - b.reason),
  };
}
const byRequests = (a: { id: string | null; requests: number }, b: { id: string | null; requests: number }): number =>
  b.requests - a.requests || (String(a.id) < String(b.id) ? -1 : 1);

/** Compares reports and the log with a fold over all that was answered. */
export async function assertFolds(columns: Columns, all: readonly Decided[]): Promise<void> {
  const span = { from: AT, to: AT + 1e9, starts: [AT] };
  const { requests, topRequesters, reasons } = await ask(() => columns.report({ enforced: true, ...span, limit: 9 }));
  assert.deepEqual({ requests, topRequesters, reasons }, fold(all));
  const { totalCount, seqs } = await ask(() => columns.find({}, { before: null, limit: 100_000 }));
  assert.equal(totalCount, all.length);
  assert.deepEqual(seqs, all.map(({ seq }) => seq).toReversed());
}

/** A writer that has the lock, or only believes so, and a reader of what it shows. */
export async function openWriter(t: TestContext, { records, url }: { records: string; url: string }) {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const connection = await openPostgresReader(records);
  stack.defer(() => connection.close());
  const store = await openClickHouse(url);
  stack.defer(() => store.close());
  const source = await openSource(records, 1_024);
  stack.defer(() => source.close());
  const names = openNames(connection);
  const states = { ...openState(connection), lock: async () => true, unlock: async () => {} };
  const writer = new ClickHouseWriter({ store, names, states, source, pause: async () => {}, onRebuild() {} });
  return {
    writer,
    states,
    reader: clickHouseReader({ store, names, shown: () => writer.shown, now: () => states.read() }),
    async catchUp(): Promise<void> {
      while (!(await writer.step()).caughtUp);
    },
  };
}

/** Forgets at the next step, rather than in a minute. */
export const FORGET_NOW = {
  sql: `update settings set value = jsonb_set(value::jsonb, '{forgetting,at}', '0')::text
    where name = 'clickhouse_columns' and value::jsonb ->> 'forgetting' is not null`,
};
