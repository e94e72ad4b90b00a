/** The defences of columns in ClickHouse, with the test that fails without each. */
import type { TakenOut } from '../without.ts';

export interface Defence extends TakenOut {
  promise: string;
  /** Below test/system/usage, and the beginning of the name of a test there. */
  test: readonly [file: string, name: string];
}

const HISTORY = 'decisions/history/clickhouse';
const BLOCKS = `${HISTORY}/blocks.ts`;
const STORE = `${HISTORY}/store.ts`;
const TABLES = `${HISTORY}/tables.ts`;
const MOVED = 'decisions/history/moved';
const WORK = `${MOVED}/block-work.ts`;
const COMPARE = `${MOVED}/compare.ts`;
const UPKEEP = `${MOVED}/upkeep.ts`;

const INSERTS = 'clickhouse-inserts.test.ts';
const READINGS = ['clickhouse-moving.test.ts', 'what changes between the readings'] as const;
const BLOCKS_TEST = 'clickhouse-moved-blocks.test.ts';
const SETTINGS = [INSERTS, 'every insert carries the settings'] as const;

export const DEFENCES: readonly Defence[] = [
  {
    promise: 'a block is repeated with its own decisions alone',
    file: BLOCKS,
    code: 'toBlock(work, batch, batch.countTo(planned.last))',
    without: 'toBlock(work, batch, batch.length)',
    test: [INSERTS, 'a block that is repeated has the decisions'],
  },
  {
    promise: 'an insert that may still run is waited for',
    file: BLOCKS,
    code: 'if (!isOver) throw',
    without: 'if (false) throw',
    test: [INSERTS, 'a block that must be written anew waits'],
  },
  {
    promise: 'the newest decisions are read back',
    file: BLOCKS,
    code: 'if (count !== batch.length) throw',
    without: 'if (false) throw',
    test: [INSERTS, 'the newest decisions that were acknowledged'],
  },
  {
    promise: 'items that are gone are counted before a question',
    file: `${HISTORY}/found.ts`,
    code: 'hasGone(state, found) &&',
    without: '',
    test: ['clickhouse.test.ts', 'a ClickHouse that lost which items are deleted'],
  },
  {
    promise: 'blocks are counted at the end of the step that wrote others',
    file: `${HISTORY}/writer.ts`,
    code: 'await assertWritten(work, { newest, to });',
    without: '',
    test: ['clickhouse-faults.test.ts', 'a block that is lost while a step writes the next one'],
  },
  {
    promise: 'an insert is stored when it is acknowledged',
    file: STORE,
    code: 'async_insert: 0,',
    without: 'async_insert: 1,',
    test: SETTINGS,
  },
  {
    promise: 'inserts are remembered, so that none is stored twice',
    file: TABLES,
    code: 'const REMEMBERED = 10_000;',
    without: 'const REMEMBERED = 0;',
    test: [INSERTS, 'an insert that a server still does after it was repeated'],
  },
  {
    promise: 'no size of blocks, in rows, cuts an insert',
    file: STORE,
    code: 'min_insert_block_size_rows: String(BLOCK_ROWS_MAX),',
    without: "min_insert_block_size_rows: '0',",
    test: SETTINGS,
  },
  {
    promise: 'no size of blocks, in bytes, cuts an insert',
    file: STORE,
    code: 'min_insert_block_size_bytes: String(BLOCK_BYTES_MAX),',
    without: "min_insert_block_size_bytes: '0',",
    test: SETTINGS,
  },
  {
    promise: 'no size of blocks that are read cuts an insert',
    file: STORE,
    code: 'max_insert_block_size: String(BLOCK_ROWS_MAX),',
    without: "max_insert_block_size: '10000',",
    test: SETTINGS,
  },
  {
    promise: 'a block ends where a partition does',
    file: BLOCKS,
    code: 'Math.min(rows, BLOCK_MAX, batch.countTo(endOfPartition(batch.seqAt(0)) - 1))',
    without: 'Math.min(rows, BLOCK_MAX)',
    test: [INSERTS, 'a block ends where a partition does'],
  },
  {
    promise: 'a block is read back before it counts',
    file: BLOCKS,
    code: "if ((await check(store, planned)) !== 'all') throw",
    without: 'if (planned.rows < 0) throw',
    test: [INSERTS, 'an insert that was acknowledged and is not there'],
  },
  {
    promise: 'the token has the hash of the bytes: others are no repetition',
    file: BLOCKS,
    code: ':${planned.hash}`;',
    without: '`;',
    test: SETTINGS,
  },
  {
    promise: 'a block moves a day after it was written',
    file: `${MOVED}/moving.ts`,
    code: 'next.state_at > now() - VERIFY_AGAIN_MS',
    without: 'next.state_at > now()',
    test: READINGS,
  },
  {
    promise: 'a block is read again in ClickHouse before it moves',
    file: COMPARE,
    code: 'if (!isPlannedButInputs(one, stored) || (await sumOf(store, one.block)) !== one.xor) return undefined;',
    without: '',
    test: READINGS,
  },
  {
    promise: 'a block is read again in PostgreSQL before it moves',
    file: COMPARE,
    code: 'if (isSame(own, stored)) return',
    without: 'if (own.rows > 0) return',
    test: READINGS,
  },
  {
    promise: 'a block moves without deleted items alone',
    file: COMPARE,
    code: '!isSame(own, await digestStored(store, one.block, changes))',
    without: 'changes === undefined',
    test: READINGS,
  },
  {
    promise: 'a block waits until all decisions on a deleted item have left it',
    file: WORK,
    code: '&& !(await isPurging(db))) await giveUp',
    without: ') await giveUp',
    test: ['clickhouse-moving.test.ts', 'decisions on items that are deleted while a block waits'],
  },
  {
    promise: 'inputs that are erased while a block waits do not hold it up',
    file: COMPARE,
    code: 'digest.add(withoutErased(row, changes))',
    without: 'digest.add(row)',
    test: ['clickhouse-moving.test.ts', 'a block whose inputs are erased while it waits'],
  },
  {
    promise: 'an attempt has a number of its own',
    file: WORK,
    code: 'randomInt(1, BLOCK_NUMBERS)',
    without: '(randomInt(1, 2) && BLOCK_NUMBERS && span.first)',
    test: [BLOCKS_TEST, 'an insert that is done after its attempt was given up'],
  },
  {
    promise: 'the newest decision stays',
    file: WORK,
    code: 'and seq < (select max(seq) from decisions)',
    without: '',
    test: ['clickhouse-moving.test.ts', 'two nodes that both move'],
  },
  {
    promise: 'reads between which a block moved are repeated',
    file: `${MOVED}/blocks.ts`,
    code: 'if (before === (await readVersion(db))) return value;',
    without: 'if (before === (await readVersion(db)) || value !== null) return value;',
    test: [BLOCKS_TEST, 'reads between which a block moves'],
  },
  {
    promise: 'each change of places has a number',
    file: `${MOVED}/blocks.ts`,
    code: 'cast(cast(settings.value as bigint) + 1 as text)',
    without: 'settings.value',
    test: [BLOCKS_TEST, 'reads between which a block moves'],
  },
  {
    promise: 'inputs of an erased requester are in no answer',
    file: `${MOVED}/row.ts`,
    code: 'case when r.erased = 1 or c.erased = 1 or m.seq',
    without: 'case when m.seq',
    test: [BLOCKS_TEST, 'inputs of an erased requester'],
  },
  {
    promise: 'a block that lacks a decision is refused',
    file: `${MOVED}/place.ts`,
    code: 'if (cluster === null) return from + unless(isOther);',
    without: "if (cluster === null) return from + (unless(isOther) && '');",
    test: [BLOCKS_TEST, 'a block with other rows than moved is refused: delete'],
  },
  {
    promise: 'a block that has another value is refused',
    file: `${MOVED}/place.ts`,
    code: '(count(), ${XOR_SQL}) <> (${integer(rows)}, ${quoted(xor)})',
    without: 'count() <> ${integer(rows)} and ${quoted(xor)} = ${quoted(XOR_SQL)}',
    test: [BLOCKS_TEST, 'a block with other rows than moved is refused: update'],
  },
  {
    promise: 'a block counts no decision that left it',
    file: `${MOVED}/blocks.ts`,
    code: 'update record_blocks set rows = $2, xor = $3, purged = $4,',
    without: 'update record_blocks set rows = coalesce(rows, $2), xor = coalesce(xor, $3), purged = $4,',
    test: [BLOCKS_TEST, 'decisions on a deleted item leave'],
  },
  {
    promise: 'decisions of deleted items stay for reads that began before',
    file: UPKEEP,
    code: '[now() - READS_MS],',
    without: '[now()],',
    test: [BLOCKS_TEST, 'decisions on a deleted item leave'],
  },
  {
    promise: 'decisions that are too old stay for reads that began before',
    file: UPKEEP,
    code: 'if (now() - next.at < READS_MS) return;',
    without: '',
    test: [BLOCKS_TEST, 'decisions that are too old for the log leave'],
  },
];
