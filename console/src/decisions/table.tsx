/** The table of decisions. */
import { Link } from 'wouter';
import type { Query, Row } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { type Column, List } from '../parts/list.tsx';
import { Chip, CrawlerLink, NotEnforced, ProofChip, Verdict, When } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { WhoName, whoAsked } from '../parts/who.tsx';
import { permissionName } from '../policies/permissions.ts';
import { decidedBy } from './by.ts';

export type Decision = Row<'GET /v1/access/decisions'>;

/** Crawlers may use a copy of robots.txt for 24 hours. */
const BREAKS = { broken: 'broke robots.txt', within_24h: 'allowed by an older robots.txt, or by none' };

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
        <WhoName who={whoAsked({ requesterId, names, ...decision })} />
        {names?.requester != null && names.requester !== requesterId && (
          <span className="under two-lines">{requesterId}</span>
        )}
        <Proven of={{ requesterId, ...decision }} />
      </>
    ),
  },
  {
    label: 'Decision',
    show: ({ id, reason, enforced, robots }) => (
      <span className="tags">
        <Link href={`/decisions/${id}`}>
          <Verdict reason={reason} />
        </Link>
        <NotEnforced of={{ enforced }} />
        {robots !== undefined && <Chip tone="limited">{BREAKS[robots]}</Chip>}
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
  const isOther = crawler !== null && requesterId !== null && crawler.toLowerCase() !== requesterId.toLowerCase();
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
      {permission != null && <span className="under">right: {permissionName(permission)}</span>}
    </>
  );
}

interface DecisionsProps {
  query: Query<'GET /v1/access/decisions'>;
  /** A column to leave out: every row has the same value. */
  omit?: 'Item' | 'Who';
  /** Said where there is nothing. */
  none?: string;
}

export function Decisions({ query, omit, none = 'No decisions yet' }: DecisionsProps) {
  const decisions = useRead('GET /v1/access/decisions', { query: { ...query, expand: 'names' } });
  return (
    <Loaded of={decisions}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title={none} />
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
