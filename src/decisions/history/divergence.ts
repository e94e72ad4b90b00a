/**
 * Finds the divergences of a candidate in the records, page by page. A page includes what other policies decided
 * meanwhile, so that no statement runs long.
 */
import type { Db } from '../../db/db.ts';
import { LIMIT_CODES } from '../ledger/codes.ts';
import { atOneTime } from './moved/blocks.ts';
import { queryMoved } from './moved/read.ts';

/** The candidate whose decisions are read. */
interface Counted {
  no: number;
  policyNo: number;
}

/** Decisions after `after` up to `upTo`, by their numbers. */
interface Stretch {
  after: number;
  upTo: number;
}

/** Decisions of one page; a few ms. */
const PAGE = 10_000;

/** 0: not of the candidate, or about a deleted item; 1: it agrees with the policy; 2: it diverges. */
function kindSql(no: number): string {
  const prefix = `[${no},`;
  return `case
    when candidate is null or policy_no <> $3 or substr(candidate, 1, ${prefix.length}) <> '${prefix}' then 0
    when content_no <> 0 and not exists (select 1 from content where content.no = content_no) then 0
    when (reason in (0, ${LIMIT_CODES.join(', ')})) = (substr(candidate, ${prefix.length + 1}, 2) = '0,') then 1
    else 2 end`;
}

/** The decisions of one page, each with its kind. */
const judged = (no: number, table = 'decisions'): string =>
  `(select seq, at, ${kindSql(no)} as kind
    from (select * from ${table} as d where seq > $1 and seq <= $2 order by seq limit ${PAGE}) as page) as judged`;

type Divergence = { seq: number; at: number };

/** Finds the first divergence; undefined: none. */
export const findDivergence = (db: Db, candidate: Counted, span: Stretch): Promise<Divergence | undefined> =>
  atOneTime(db, async () => (await findMoved(db, candidate, span)) ?? findOwn(db, candidate, span));

async function findMoved(db: Db, { no, policyNo }: Counted, { after, upTo }: Stretch): Promise<Divergence | undefined> {
  const sql = (table: string): string => `select seq, at from ${judged(no, table)} where kind = 2 order by seq limit 1`;
  const query = { sql, params: [after, upTo, policyNo] };
  for await (const [found] of queryMoved<Divergence>(db, query, { after, last: upTo }, { policyNo })) {
    if (found !== undefined) return found;
  }
  return undefined;
}

async function findOwn(db: Db, { no, policyNo }: Counted, { after, upTo }: Stretch): Promise<Divergence | undefined> {
  for (let from = after; from < upTo; ) {
    const [found] = await db.read<{ first: number | null; last: number | null; read: number }>(
      `select min(case when kind = 2 then seq end) as first, max(seq) as last, count(*) as read from ${judged(no)}`,
      [from, upTo, policyNo],
    );
    if (found === undefined) return undefined;
    if (found.first !== null) {
      const [row] = await db.read<Divergence>('select seq, at from decisions where seq = $1', [found.first]);
      return row;
    }
    if (found.read < PAGE || found.last === null) return undefined;
    from = found.last;
  }
  return undefined;
}
