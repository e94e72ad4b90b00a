/** A step of the tail that fails leaves nothing behind, and the numbers of texts follow what others write to them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { DecisionRow } from '../../src/decisions/history/columns/decision-row.ts';
import { openMemoryStore } from '../../src/decisions/history/columns/duckdb.ts';
import { inserter } from '../../src/decisions/history/columns/insert.ts';
import { type DecisionSource, openSource, SourceFailed } from '../../src/decisions/history/columns/source.ts';
import { openTail } from '../../src/decisions/history/columns/tail.ts';
import { planBudget, USUAL_MIB } from '../../src/lib/memory.ts';
import { openRecords } from './records.ts';

const { engineMiB, pagesKiB } = planBudget(USUAL_MIB).columns;
const AT = Date.UTC(2026, 0, 1);
const DECISIONS = 10_000;

/** The source as it is when the disk fails while a later page of decisions is read, once. */
function failingOnce(source: DecisionSource): DecisionSource {
  let pages = 0;
  return {
    ...source,
    read: (work) =>
      source.read((records) =>
        work({
          ...records,
          decisionsAfter(seq, limit) {
            if (++pages === 3) throw new SourceFailed('the records cannot be read');
            return records.decisionsAfter(seq, limit);
          },
        }),
      ),
  };
}

test('a step that fails after it gathered decisions writes none of them, and the next one writes each once', async () => {
  const records = await openRecords();
  const source = await openSource(records.records, pagesKiB);
  const store = await openMemoryStore(engineMiB);
  try {
    await records.addContent([{ no: 1 }]);
    await records.addDecisions(
      Array.from({ length: DECISIONS }, (_, i) => ({
        seq: i + 1,
        at: AT + i,
        contentNo: 1,
        requesterId: `bot-${i % 7}`,
        policyNo: 1,
        reason: 0,
      })),
    );
    const tail = await openTail(store.writer, failingOnce(source));
    const counts = async () =>
      (
        await (
          await store.writer.run(`select count(*)::double, count(distinct seq)::double,
            (select count(*) from requesters)::double,
            (select count(*) from decisions join requesters on requester = number where id = 'bot-' || (seq - 1) % 7)::double
            from decisions`)
        ).getColumns()
      ).flat();
    await assert.rejects(tail.step(), SourceFailed);
    assert.deepEqual(await counts(), [0, 0, 0, 0]);
    assert.deepEqual(await tail.step(), { caughtUp: true, behind: 0 });
    assert.deepEqual(await counts(), [DECISIONS, DECISIONS, 7, DECISIONS]);
  } finally {
    store.close();
    await source.close();
    await records.close();
  }
});

/** Collects garbage: an appender that is not emptied writes its rows when it is collected. */
async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let i = 0; i < 3; i++) {
    gc();
    // Native objects are freed by tasks of the event loop.
    await new Promise(setImmediate);
  }
}

const decisionBy = (seq: number, requesterId: string): DecisionRow =>
  [seq, AT, 1, requesterId, 1, 0, ...Array(6).fill(null), 0, 1, 1, -1, null, null, null, null, null] as DecisionRow;

test('gathered decisions stay when cached numbers are dropped, and go when the step is abandoned', async () => {
  const store = await openMemoryStore(engineMiB);
  try {
    const decisions = inserter(store.writer);
    const seqs = async () =>
      (await (await store.writer.run('select seq::double from decisions order by seq')).getColumns()).flat();

    await store.writer.run('begin');
    await decisions.insert([decisionBy(1, 'a')]);
    decisions.forgetNumbers();
    await decisions.insert([decisionBy(2, 'a')]);
    await decisions.finish();
    await store.writer.run('commit');
    assert.deepEqual(await seqs(), [1, 2]);

    await store.writer.run('begin');
    await decisions.insert([decisionBy(3, 'b')]);
    decisions.abandon();
    await store.writer.run('rollback');
    await store.writer.run('begin');
    await decisions.insert([decisionBy(4, 'c')]);
    await decisions.finish();
    await collect();
    await store.writer.run('commit');
    assert.deepEqual(await seqs(), [1, 2, 4]);
  } finally {
    store.close();
  }
});
