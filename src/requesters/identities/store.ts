/** The table `identity_lists`; rows never leave this file. */
import type { Db, Row, Step } from '../../db/db.ts';
import { type Page, type PageQuery, readPage, SEQ_FORM } from '../../db/page.ts';
import { columns } from '../../db/record.ts';
import type { ListState } from './list.ts';

type StoredState = ListState & { no: number };

const LIST = columns<StoredState>({
  no: 'generated',
  url: 'fixed',
  hash: 'plain',
  fetchedAt: 'plain',
  attemptedAt: 'plain',
  failures: 'plain',
  failingSince: 'plain',
  error: 'plain',
  ranges: 'plain',
  heldRanges: 'plain',
  heldHash: 'plain',
  heldAt: 'plain',
  heldSince: 'plain',
});

function toState(row: Row): StoredState {
  const list = LIST.toRecord(row);
  return {
    ...list,
    failingSince: toFailingSince(list),
    heldSince: list.heldAt === null ? null : (list.heldSince ?? list.heldAt),
  };
}

/** Nodes of the previous version count failures without their time. */
const toFailingSince = ({ failures, failingSince: since, fetchedAt }: ListState): number | null =>
  failures === 0 || since === null || since < (fetchedAt ?? 0) ? null : since;

/** Returns the state of all lists, oldest first. */
export async function findLists(db: Db): Promise<ListState[]> {
  return (await db.read(`select ${LIST.list} from identity_lists order by no`)).map(toState);
}

export async function findList(db: Db, url: string): Promise<ListState | undefined> {
  const [row] = await db.read(`select ${LIST.list} from identity_lists where url = $1`, [url]);
  return row && toState(row);
}

export const listLists = (db: Db, query: PageQuery): Promise<Page<StoredState>> =>
  readPage(db, { select: LIST.list, from: 'identity_lists', order: 'no', form: SEQ_FORM, toRecord: toState }, query);

/** Returns the ranges in force of a list; empty without any. */
export async function findRanges(db: Db, url: string): Promise<string[]> {
  const [row] = await db.read<{ texts: string }>('select texts from identity_lists where url = $1', [url]);
  return JSON.parse(row?.texts ?? '[]') as string[];
}

/** Stores the state of a list; `texts` and `heldTexts` only where they change. */
export const putList = (
  state: ListState,
  { texts, heldTexts }: { texts?: readonly string[]; heldTexts?: readonly string[] | null },
): Step => ({
  sql: `insert into identity_lists
          (url, texts, ranges, hash, fetched_at, attempted_at, failures, error, held_texts, held_ranges, held_hash,
           held_at, failing_since, held_since)
        values ($1, coalesce($2, '[]'), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $14, $15)
        on conflict (url) do update set
          texts = case when $2 is null then identity_lists.texts else excluded.texts end,
          ranges = excluded.ranges, hash = excluded.hash, fetched_at = excluded.fetched_at,
          attempted_at = excluded.attempted_at, failures = excluded.failures, error = excluded.error,
          held_texts = case when $13 = 0 then identity_lists.held_texts else excluded.held_texts end,
          held_ranges = excluded.held_ranges, held_hash = excluded.held_hash, held_at = excluded.held_at,
          failing_since = excluded.failing_since, held_since = excluded.held_since`,
  params: [
    state.url,
    texts === undefined ? null : JSON.stringify(texts),
    state.ranges,
    state.hash,
    state.fetchedAt,
    state.attemptedAt,
    state.failures,
    state.error,
    heldTexts == null ? null : JSON.stringify(heldTexts),
    state.heldRanges,
    state.heldHash,
    state.heldAt,
    Number(heldTexts !== undefined),
    state.failingSince,
    state.heldSince,
  ],
});

/** A Conflict unless these ranges are still held back. */
export const acceptHeld = ({ url, heldHash }: ListState): Step => ({
  sql: `update identity_lists set texts = held_texts, ranges = held_ranges, hash = held_hash, fetched_at = held_at,
          held_texts = null, held_ranges = null, held_hash = null, held_at = null,
          held_since = null
        where url = $1 and held_hash = $2`,
  params: [url, heldHash],
  expect: 1,
});

export const deleteList = (url: string): Step => ({ sql: 'delete from identity_lists where url = $1', params: [url] });
