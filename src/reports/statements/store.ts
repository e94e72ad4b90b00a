/** The table `statements`: final ones; rows never leave this file. */
import type { Db, Row, Step } from '../../db/db.ts';
import { inList, toList } from '../../db/query.ts';
import type { Statement } from './statement.ts';

export interface FinalStatement {
  statement: Statement;
  from: number;
  to: number;
  /** The total without corrections. */
  ownMicros: bigint;
}

interface StatementRow extends Row {
  id: string;
  from_at: number;
  to_at: number;
  own_micros: string;
  body: string;
}

const toFinal = (row: StatementRow): FinalStatement => ({
  statement: JSON.parse(row.body) as Statement,
  from: row.from_at,
  to: row.to_at,
  ownMicros: BigInt(row.own_micros),
});

const SELECT = 'select id, from_at, to_at, own_micros, body from statements';

/** Returns those that are final, by id. */
export async function findFinals(db: Db, ids: readonly string[]): Promise<Map<string, FinalStatement>> {
  const rows = await db.read<StatementRow>(`${SELECT} where ${inList(db.engine, 'id', 'text')}`, [toList(ids)]);
  return new Map(rows.map((row) => [row.id, toFinal(row)]));
}

/** Returns those of some licenses, oldest first. */
export async function findLicenseFinals(db: Db, licenseIds: readonly string[]): Promise<FinalStatement[]> {
  const rows = await db.read<StatementRow>(
    `${SELECT} where ${inList(db.engine, 'license_id', 'text')} order by from_at`,
    [toList(licenseIds)],
  );
  return rows.map(toFinal);
}

/** A UniqueViolation where it is final already. */
export const insertFinal = ({ statement, from, to, ownMicros }: FinalStatement, at: number): Step => ({
  sql: `insert into statements (id, license_id, requester_id, from_at, to_at, finalized_at, own_micros, body)
        values ($1, $2, $3, $4, $5, $6, $7, $8)`,
  params: [
    statement.id,
    statement.licenseId,
    statement.requesterId,
    from,
    to,
    at,
    String(ownMicros),
    JSON.stringify(statement),
  ],
});
