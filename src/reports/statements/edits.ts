/** Plans making a statement final. */
import type { Edit } from '../../api/changes/change.ts';
import { fail } from '../../api/errors.ts';
import { toIso } from '../../lib/clock.ts';
import { type ComputeDeps, computeStatements } from './compute.ts';
import { getBilled } from './find.ts';
import type { Statement } from './statement.ts';
import { insertFinal } from './store.ts';

/** Decisions of the period are recorded by then. */
const GRACE_MS = 60_000;

/** Throws statement_not_found and statement_running. */
export async function planFinalize(deps: ComputeDeps, id: string): Promise<Edit> {
  const billed = await getBilled(deps.db, id, deps.now());
  // What is billed is counted from the records: nothing else keeps their promises.
  const [computed] = await computeStatements(deps, [billed], { from: 'records', trees: true });
  if (computed === undefined) throw new Error('a statement was not computed');
  if (computed.isFinal) return { steps: [], changes: [], status: 200, body: computed.statement };
  const { start: from, end: to } = billed.span;
  const at = deps.now();
  if (at < to + GRACE_MS) {
    const message = `The period of statement ${id} ends at ${toIso(to)}. It can be final a minute later.`;
    throw fail('statement_running', message);
  }
  const finalizedAt = toIso(at);
  const statement: Statement = { ...computed.statement, status: 'final', finalizedAt, updated: finalizedAt };
  return {
    steps: [insertFinal({ statement, from, to, ownMicros: computed.ownMicros }, at)],
    changes: [
      {
        kind: 'statement.finalized',
        id,
        ownerId: statement.requesterId,
        object: statement,
        before: computed.statement,
      },
    ],
    status: 200,
    body: statement,
  };
}
