/** Sealing's part of the thread that reads SQLite: rows become leaves where they are read. */
import type { Row, Value } from '../../../db/db.ts';
import type { Connection } from '../../../db/sqlite/connection.ts';
import type { Procedure } from '../../../db/sqlite/worker.ts';
import { type PublicIds, readPublicIds } from '../../ledger/public-ids.ts';
import { type SealedBlock, sealRows } from './block.ts';
import { SELECT_NEXT, type SealedRow } from './parts.ts';

/** Decisions after a number and up to another one, at most so many. */
export interface Next {
  after: number;
  upTo: number;
  limit: number;
}

export function procedure(connection: Connection): Procedure<Next, SealedBlock> {
  let ids: PublicIds | undefined;
  const next = connection.prepare(SELECT_NEXT);
  next.setReturnArrays(true);
  const names = next.columns().map(({ name }) => name);
  // SQLite's own objects take many times as long to make and to read.
  const toRow = (values: readonly Value[]): SealedRow => {
    const row: Row = {};
    for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i] as Value;
    return row as SealedRow;
  };
  return {
    run({ after, upTo, limit }) {
      ids ??= readPublicIds(connection);
      const rows = next.all(after, upTo, limit) as unknown as Value[][];
      return sealRows(rows.map(toRow), ids);
    },
    forget() {},
  };
}
