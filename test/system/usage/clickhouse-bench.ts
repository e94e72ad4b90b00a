/** Columns in ClickHouse, beside records that tests write to. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { TestClickHouse } from '../../../kit/clickhouse.ts';
import { until } from '../../../kit/until.ts';
import { Unavailable } from '../../../src/db/db.ts';
import { type Columns, openColumns } from '../../../src/decisions/history/columns/columns.ts';
import { ANSWER_WITHIN_MS, type Decided, openPostgresRecords } from '../../usage/records.ts';

export const AT = Date.UTC(2026, 5, 1);
export const decided = (from: number, count: number): Decided[] =>
  Array.from({ length: count }, (_, i) => ({
    seq: from + i,
    at: AT + (from + i) * 1000,
    contentNo: 1 + ((from + i) % 2),
    requesterId: `partner_${(from + i) % 3}`,
    policyNo: 1,
    reason: (from + i) % 3,
    url: `example.org/${(from + i) % 5}`,
  }));

export async function bench(t: TestContext) {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const clickHouse = stack.use(await new TestClickHouse().start());
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

/** Forgets at the next step, rather than in a minute. */
export const FORGET_NOW = {
  sql: `update settings set value = jsonb_set(value::jsonb, '{forgetting,at}', '0')::text
    where name = 'clickhouse_columns' and value::jsonb ->> 'forgetting' is not null`,
};
