/** Decisions as rows. */
import { Link } from 'wouter';
import type { Query, Row } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { type Column, List } from '../parts/list.tsx';
import { Moment, RequesterLink, Verdict } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';

/** A decision of the log, with what it was made on. */
export type Decision = Row<'GET /v1/access/decisions'> & {
  permission?: string | null;
  purpose?: string | null;
  context?: { ip?: string; country?: string; userAgent?: string } | null;
  license?: { type: string; features?: string[]; expiresAt?: string | null } | null;
};

export const DECISION_COLUMNS: readonly Column<Decision>[] = [
  { label: 'Item', show: ({ id, externalId }) => <Link href={`/decisions/${id}`}>{externalId}</Link> },
  { label: 'Requester', show: ({ requesterId }) => <RequesterLink id={requesterId} /> },
  {
    label: 'Decision',
    narrow: true,
    show: ({ id, reason }) => (
      <Link href={`/decisions/${id}`}>
        <Verdict reason={reason} />
      </Link>
    ),
  },
  { label: 'Wanted for', show: ({ purpose, permission }) => [purpose, permission].filter(Boolean).join(' · ') || '–' },
  {
    label: 'By',
    narrow: true,
    show: ({ policyId, policyVersion, matchedRule }) => (
      <Link href={`/policies/${policyId}?tab=versions&version=${policyVersion}`}>
        {matchedRule === null ? 'default' : `rule ${matchedRule.index + 1}`} · v{policyVersion}
      </Link>
    ),
  },
  { label: 'When', narrow: true, show: ({ created }) => <Moment at={created} /> },
];

interface DecisionsProps {
  query: Query<'GET /v1/access/decisions'>;
  /** The column that says the same in every row. */
  omit: 'Item' | 'Requester';
}

export function Decisions({ query, omit }: DecisionsProps) {
  const decisions = useRead('GET /v1/access/decisions', { query });
  return (
    <Loaded of={decisions}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="No decisions yet" />
        ) : (
          <List
            caption="Decisions"
            records={data as Decision[]}
            idOf={({ id }) => id ?? ''}
            columns={DECISION_COLUMNS.filter(({ label }) => label !== omit)}
          />
        )
      }
    </Loaded>
  );
}
