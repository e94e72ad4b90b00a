/** Makes the receipts of final statements, and of a decision that a line of them counts. */
import { fail } from '../../../api/errors.ts';
import { type STATEMENT_PARTS, toStatementParts } from './parts.ts';
import { notYet, type ReceiptDeps, type Shown, writeReceipt } from './proof.ts';

interface StatementLeaf {
  tree: number;
  place: number;
  statement_salt: string;
  requester_salt: string | null;
  requester_hash: string;
  body: string;
}

/** A decision on a line of the statement, with its way to the root of the line. */
export interface CountedOn {
  decisionId: string;
  /** Index of the line. */
  line: number;
  index: number;
  hashes: readonly string[];
}

export interface StatementAsk {
  id: string;
  since?: number | undefined;
  /** Called once there is a receipt, because it takes long. */
  findCounted?: (() => Promise<CountedOn>) | undefined;
}

/** Makes the receipt of a final statement. Throws statement_not_found; service_unavailable before the checkpoint. */
export async function makeStatementReceipt(
  { db, signing }: Pick<ReceiptDeps, 'db' | 'signing'>,
  { id, since, findCounted }: StatementAsk,
): Promise<string> {
  if (signing === null) {
    throw fail('statement_not_found', 'There are no receipts: this installation keeps no log (POSTERN_RECEIPTS).');
  }
  const [leaf] = await db.read<StatementLeaf & Record<string, string | number | null>>(
    `select tree, place, statement_salt, requester_salt, requester_hash, body
     from log_statements join statements on id = statement_id where statement_id = $1`,
    [id],
  );
  if (leaf === undefined) throw notYet('statement');
  const { statement, requester } = toStatementParts(leaf.body);
  const parts: Record<(typeof STATEMENT_PARTS)[number], Shown> = {
    statement: { text: statement, salt: leaf.statement_salt },
    requester:
      leaf.requester_salt === null ? { hash: leaf.requester_hash } : { text: requester, salt: leaf.requester_salt },
  };
  return writeReceipt({ db, signing }, { ...leaf, kind: 'statement' }, { parts, since, findCounted });
}
