/** The table of decisions. */
import { Link } from 'wouter';
import type { Query, Row } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { type Column, List } from '../parts/list.tsx';
import { CrawlerLink, NotEnforced, ProofChip, RequesterLink, Verdict, When } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { decidedBy } from './by.ts';

export type Decision = Row<'GET /v1/access/decisions'>;

export const DECISION_COLUMNS: readonly Column<Decision>[] = [
  {
    label: 'Item',
    show: ({ id, externalId, url, names }) => (
      <>
        <Link href={`/decisions/${id}`}>{names?.content ?? externalId ?? url}</Link>
        {names?.content != null && <span className="under two-lines">{externalId}</span>}
      </>
    ),
  },
  {
    label: 'Who',
    show: ({ requesterId, names, ...decision }) => (
      <>
        <RequesterLink id={requesterId} name={names?.requester ?? requesterId ?? ''} />
        {names?.requester != null && names.requester !== requesterId && (
          <span className="under two-lines">{requesterId}</span>
        )}
        <Proven of={{ requesterId, ...decision }} />
      </>
    ),
  },
  {
    label: 'Decision',
    show: ({ id, reason, enforced }) => (
      <span className="tags">
        <Link href={`/decisions/${id}`}>
          <Verdict reason={reason} />
        </Link>
        <NotEnforced of={{ enforced }} />
      </span>
    ),
  },
  { label: 'Purpose', show: (decision) => <Wanted {...decision} /> },
  {
    label: 'Decided by',
    show: ({ policyId, policyVersion, reason, matchedRule, names }) => (
      <>
        <Link href={`/policies/${policyId}?tab=versions&version=${policyVersion}`}>
          {names?.policy ?? 'its policy'}
        </Link>
        <span className="under">{decidedBy({ reason, matchedRule })}</span>
      </>
    ),
  },
  { label: 'When', narrow: true, show: ({ created }) => <When at={created} /> },
];

/** The crawler that the user agent names, unless the requester has its name, and what was proven. */
function Proven({ of }: { of: Decision }) {
  const { requesterId, crawler } = of;
  const isOther = crawler !== null && crawler.toLowerCase() !== requesterId?.toLowerCase();
  return (
    <span className="tags">
      {isOther && <CrawlerLink name={crawler} />} <ProofChip of={of} />
    </span>
  );
}

function Wanted({ purpose, permission }: Pick<Decision, 'purpose' | 'permission'>) {
  if (purpose == null && permission == null) return <span className="soft">–</span>;
  return (
    <>
      {purpose ?? <span className="soft">none named</span>}
      {permission != null && <span className="under">right: {permission}</span>}
    </>
  );
}

interface DecisionsProps {
  query: Query<'GET /v1/access/decisions'>;
  /** A column to leave out: every row has the same value. */
  omit?: 'Item' | 'Who';
}

export function Decisions({ query, omit }: DecisionsProps) {
  const decisions = useRead('GET /v1/access/decisions', { query: { ...query, expand: 'names' } });
  return (
    <Loaded of={decisions}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="No decisions yet" />
        ) : (
          <List
            caption="Decisions"
            records={data}
            idOf={({ id }) => id ?? ''}
            columns={DECISION_COLUMNS.filter(({ label }) => label !== omit)}
          />
        )
      }
    </Loaded>
  );
}
