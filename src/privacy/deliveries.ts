/** Removes what endpoints answered to events about an erased requester: an answer may repeat any of its names. */
import type { Db } from '../db/db.ts';
import { parseDecisionId } from '../ledger/decision.ts';
import type { Replacement } from '../ledger/erase.ts';

const REMOVE = `update deliveries set attempts = '[]' where id`;

/** Must run after the requester was replaced in decisions and in changes: those say whom an event is about. */
export async function scrubDeliveries(db: Db, span: string, { requesterId, pseudonym }: Replacement): Promise<void> {
  const rows = await db.read<{ id: string; event_id: string; kind: string; names: number }>(
    `select id, event_id, kind, case when replace(attempts, $1, '') <> attempts
       or exists (select 1 from change_data as d where d.id = substr(event_id, 5)
         and replace(d.object, $2, '') <> d.object) then 1 else 0 end as names
     from deliveries where ${span} and attempts <> '[]'`,
    [requesterId, JSON.stringify(pseudonym)],
  );
  const decisionOf = (row: { event_id: string; kind: string }) =>
    row.kind.startsWith('access.') ? parseDecisionId(`dec_${row.event_id.slice(4)}`)?.seq : undefined;
  const seqs = rows.flatMap((row) => (row.names === 1 ? [] : (decisionOf(row) ?? [])));
  const theirs = new Set(
    seqs.length === 0
      ? []
      : (
          await db.read<{ seq: number }>(
            `select seq from decisions where seq in (${seqs.join(', ')}) and (requester_id = $1 or claimed = $1)`,
            [pseudonym],
          )
        ).map(({ seq }) => seq),
  );
  const steps = rows
    .filter((row) => row.names === 1 || theirs.has(decisionOf(row) ?? 0))
    .map(({ id }) => ({ sql: `${REMOVE} = $1`, params: [id] }));
  if (steps.length > 0) await db.atomic(steps);
}
