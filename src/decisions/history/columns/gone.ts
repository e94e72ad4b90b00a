/** Reads what left the log of decisions: daily counts, and erasures of requesters. */
import type { Row, Value } from '../../../db/db.ts';
import { type DecisionRow, NO_INPUTS } from './decision-row.ts';

/** The number of a daily count, how many decisions it counts, and one of them, at noon of the day. */
export interface CountRow {
  no: number;
  requests: number;
  row: DecisionRow;
}

/** An erasure of a requester whose records are done. */
export interface ErasedRow {
  no: number;
  pseudonym: string;
  /** null: it is done, and the id is forgotten. */
  requesterId: string | null;
  /** Later decisions of the id are of a new requester. */
  toSeq: number;
}

export interface Gone {
  /** Returns daily counts after a number, in order, also of content that is deleted. */
  countsAfter(no: number, limit: number): Promise<CountRow[]>;
  /** Returns erasures after a number, in order. */
  erasedAfter(no: number): Promise<ErasedRow[]>;
  /** Returns the ids of erased requesters, also of those whose erasure goes on. */
  pseudonyms(): Promise<string[]>;
}

type All = <R>(sql: string, params?: readonly Value[]) => Promise<R[]>;

const NOON_MS = 43_200_000;

export function goneQueries(all: All): Gone {
  return {
    async countsAfter(no, limit) {
      const rows = await all<Row>(
        `select no, requests, day + ${NOON_MS} as at, content_no, nullif(requester_id, '') as requester_id, policy_no, reason,
           nullif(purpose, '') as purpose, nullif(permission, '') as permission,
           nullif(collection_id, '') as collection_id, nullif(crawler, '') as crawler,
           nullif(license_id, '') as license_id, nullif(claimed, '') as claimed, verified, enforced, policy_version,
           rule_index, nullif(wanted, '') as wanted
         from daily_counts where no > $1 order by no limit $2`,
        [no, limit],
      );
      return rows.map(({ no: number, requests, ...rest }) => ({
        no: number as number,
        requests: requests as number,
        row: [0, ...Object.values(rest), null, null, null, NO_INPUTS] as unknown as DecisionRow,
      }));
    },
    erasedAfter: (no) =>
      all<ErasedRow>(
        `select no, pseudonym, requester_id as "requesterId", walked_seq as "toSeq" from erasures
         where no > $1 and status in ('columns', 'done') order by no`,
        [no],
      ),
    pseudonyms: async () =>
      (await all<{ pseudonym: string }>('select pseudonym from erasures')).map(({ pseudonym }) => pseudonym),
  };
}
