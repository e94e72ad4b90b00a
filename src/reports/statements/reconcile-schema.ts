/** Reconciliations on the wire. */
import { Type } from 'typebox';
import { textOrNull } from '../../lib/nullable.ts';
import { ROWS_MAX } from './comparison.ts';

export const PartnerCounts = Type.String({
  minLength: 1,
  title: 'PartnerCounts',
  description: 'CSV with a row of names: `count`, and any of `date`, `contentId` or `url`, and `purpose`',
});

const part = (description: string) => Type.Object({ rows: Type.Integer(), decisions: Type.Integer() }, { description });

export const ReconciliationAnswer = Type.Object(
  {
    object: Type.Literal('reconciliation'),
    statementId: Type.String(),
    by: Type.Array(Type.Enum(['date', 'content', 'purpose']), { description: 'The columns that were compared' }),
    agreed: part('Decisions that both counted'),
    onlyOurs: part('Decisions that only the statement counts'),
    onlyTheirs: part('Decisions that only the partner counts'),
    differing: Type.Integer({ description: 'Rows with different counts' }),
    rows: Type.Array(
      Type.Object(
        {
          date: textOrNull(),
          contentId: textOrNull('null for a deleted item, too'),
          url: textOrNull(),
          purpose: textOrNull(),
          ours: Type.Integer(),
          theirs: Type.Integer(),
        },
        { title: 'ReconciledRow' },
      ),
      { description: `The first ${ROWS_MAX} of these rows, the greatest difference first` },
    ),
  },
  { title: 'Reconciliation', description: "A statement compared with a partner's counts" },
);
