/**
 * Finds decisions by their time, on SQLite, where they have no index by it: numbers are in the order of time, except
 * where time went back (docs/decisions/0018). Promise: the numbers found enclose every decision of a time.
 */
import type { Row, Step, Value } from '../../db/db.ts';

type Read = <R extends Row>(sql: string, params?: readonly Value[]) => Promise<R[]>;

/** Numbers from the first to the last; none if `last` is lower. */
export type Ends = readonly [first: number, last: number];

/** `seq`: the first decision after time went back. To be committed before that decision. */
export const insertBackwardStep = (seq: number): Step => ({
  sql: 'insert into backward_steps (seq) values ($1)',
  params: [seq],
});

/** Returns numbers that enclose all decisions of a time; decisions of other times may be among them. */
export async function seqsBetween(read: Read, from: number, to: number): Promise<Ends> {
  const steps = await read<{ seq: number }>('select seq from backward_steps order by seq');
  let ends: Ends = [Number.MAX_SAFE_INTEGER, 0];
  let after = 0;
  for (const end of [...steps.map(({ seq }) => seq), Number.MAX_SAFE_INTEGER]) {
    const first = (await lastBefore(read, { after, end }, from)) + 1;
    const last = await lastBefore(read, { after, end }, to);
    if (last >= first) ends = [Math.min(ends[0], first), Math.max(ends[1], last)];
    after = end - 1;
  }
  return ends;
}

/** Numbers in the order of time: above `after` and below `end`. */
interface Run {
  after: number;
  end: number;
}

/** Returns the last number of the run that is before a time; `after` if there is none. */
async function lastBefore(read: Read, { after, end }: Run, time: number): Promise<number> {
  let before = after;
  const [newest] = await read<{ seq: number | null }>('select max(seq) as seq from decisions where seq < $1', [end]);
  let last = newest?.seq ?? 0;
  while (before < last) {
    const middle = before + Math.floor((last - before) / 2);
    const [next] = await read<{ seq: number; at: number }>(
      'select seq, at from decisions where seq > $1 order by seq limit 1',
      [middle],
    );
    if (next === undefined || next.seq >= end || next.at >= time) last = middle;
    else before = next.seq;
  }
  return before;
}
