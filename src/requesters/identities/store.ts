/** The table `identity_lists`; rows never leave this file. */
import type { Db, Row, Step } from '../../db/db.ts';
import { type Page, type PageQuery, readPage, SEQ_FORM } from '../../db/page.ts';
import { Where } from '../../db/query.ts';
import type { ListState } from './list.ts';

interface ListRow extends Row {
  no: number;
  url: string;
  hash: string | null;
  fetched_at: number | null;
  attempted_at: number;
  failures: number;
  failing_since: number | null;
  error: string | null;
  ranges: number;
  held_ranges: number | null;
  held_hash: string | null;
  held_at: number | null;
  held_since: number | null;
}

const STATE = `no, url, hash, fetched_at, attempted_at, failures, failing_since, error, ranges, held_ranges, held_hash,
  held_at, held_since`;

const toState = (row: ListRow): ListState & { no: number } => ({
  no: row.no,
  url: row.url,
  hash: row.hash,
  fetchedAt: row.fetched_at,
  attemptedAt: row.attempted_at,
  failures: row.failures,
  failingSince: toFailingSince(row),
  error: row.error,
  ranges: row.ranges,
  heldRanges: row.held_ranges,
  heldHash: row.held_hash,
  heldAt: row.held_at,
  heldSince: row.held_at === null ? null : (row.held_since ?? row.held_at),
});

/** Nodes of the previous version count failures without their time. */
const toFailingSince = ({ failures, failing_since: since, fetched_at: fetchedAt }: ListRow): number | null =>
  failures === 0 || since === null || since < (fetchedAt ?? 0) ? null : since;

/** Returns the state of all lists, oldest first. */
export async function findLists(db: Db): Promise<ListState[]> {
  return (await db.read<ListRow>(`select ${STATE} from identity_lists order by no`)).map(toState);
}

export async function findList(db: Db, url: string): Promise<ListState | undefined> {
  const [row] = await db.read<ListRow>(`select ${STATE} from identity_lists where url = $1`, [url]);
  return row && toState(row);
}

export const listLists = (db: Db, query: PageQuery): Promise<Page<ListState & { no: number }>> =>
  readPage(
    db,
    {
      select: STATE,
      from: 'identity_lists',
      where: new Where(),
      order: 'no',
      form: SEQ_FORM,
      toRecord: (row) => toState(row as ListRow),
    },
    query,
  );

/** Returns the ranges in force of a list, or those held back; empty without any. */
export async function findRanges(db: Db, url: string, which: 'texts' | 'held_texts' = 'texts'): Promise<string[]> {
  const [row] = await db.read<{ texts: string | null }>(`select ${which} as texts from identity_lists where url = $1`, [
    url,
  ]);
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
