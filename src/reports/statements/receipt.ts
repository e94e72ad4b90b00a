/** Makes receipts of final statements, on request with the proof that one of its lines counts a decision. */
import { fail } from '../../api/errors.ts';
import type { ReceiptDeps } from '../../decisions/history/sealed/proof.ts';
import { type CountedOn, makeStatementReceipt } from '../../decisions/history/sealed/statement-proof.ts';
import { type ComputeDeps, provePath } from './compute.ts';
import type { Billed } from './statement.ts';
import { type FinalStatement, findFinals } from './store.ts';

export interface StatementReceiptDeps extends ComputeDeps {
  /** null: this node keeps no log. */
  signing: ReceiptDeps['signing'];
}

interface Ask {
  since?: number | undefined;
  decisionId?: string | undefined;
}

/** Throws statement_not_final, decision_not_found, and service_unavailable before the checkpoint. */
export async function statementReceipt(deps: StatementReceiptDeps, { id }: Billed, { since, decisionId }: Ask) {
  const final = (await findFinals(deps.db, [id])).get(id);
  if (final === undefined) {
    throw fail(
      'statement_not_final',
      `Statement ${id} is not final. It has a receipt a minute after it is made final.`,
    );
  }
  const findCounted = decisionId === undefined ? undefined : () => findLine(deps, final, decisionId);
  return makeStatementReceipt(deps, { id, since, findCounted });
}

async function findLine(deps: ComputeDeps, final: FinalStatement, asked: string): Promise<CountedOn> {
  const { id, lines } = final.statement;
  const named = asked.slice(0, 100);
  if (lines.some(({ kind, root }) => kind === 'usage' && root === undefined)) {
    const message = `Statement ${id} became final before lines had roots. Its receipt proves the SHA-256 over all ids of each line.`;
    throw fail('invalid_request', message, { param: 'decisionId' });
  }
  const path = await provePath(deps, final, asked);
  if (path === undefined) throw fail('decision_not_found', `Statement ${id} has no line that counts ${named}.`);
  const { decisionId, purpose, tier, root, index, hashes } = path;
  const line = lines.findIndex(
    (one) => one.kind === 'usage' && one.purpose === purpose && one.tier === tier + 1 && one.root === root,
  );
  if (line === -1) {
    const message = `The line of ${named} has other decisions now than when statement ${id} became final.`;
    throw fail('decision_not_found', `${message} A correction is on a later statement.`);
  }
  return { decisionId, line, index, hashes };
}
