/** Leads: requesters denied for want of a license, their purposes and trend. A salesperson works from this list. */
import { Button } from '@mantine/core';
import { IconDownload, IconTargetArrow } from '@tabler/icons-react';
import { Link } from 'wouter';
import { CONTENT_TYPES } from '../../../client/src/generated/vocabularies.ts';
import type { Row } from '../api/client.ts';
import { Trend } from '../parts/bars.tsx';
import { dayAt } from '../parts/days.ts';
import { FilterChoice, FilterText, FilterWords } from '../parts/filter-fields.tsx';
import { FilterSpan, readSpan } from '../parts/filter-span.tsx';
import { useFilters } from '../parts/filters.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { pluralize } from '../parts/plural.ts';
import { useSaving } from '../parts/save.ts';
import { formatCount, REASONS, RequesterLink, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { formatPurposes } from './purposes.ts';

type Lead = Row<'GET /v1/analytics/demand'>;

const FILTERS = ['q', 'reason', 'purpose', 'type', 'requesterId', 'contentId'] as const;

export default function LeadsPage() {
  const { values } = useFilters();
  const filter = { ...Object.fromEntries(FILTERS.map((name) => [name, values[name]])), ...readSpan(values) };
  return (
    <>
      <PageHead
        title="Leads"
        lead="Requesters denied for want of a license: what they asked for, and the change since the period before."
        actions={<Export query={{ ...filter, sort: values.sort }} />}
      />
      <div className="filters" role="search">
        <FilterWords label="Name or id" />
        <FilterSpan otherwise="Last 30 days" />
        <FilterText name="purpose" label="Purpose" w={150} />
        <FilterChoice
          name="reason"
          label="Reason"
          data={['no_license', 'license_expired'].map((value) => ({ value, label: REASONS[value] ?? value }))}
          w={170}
        />
        <FilterChoice name="type" label="Type of content" data={[...CONTENT_TYPES]} w={160} />
      </div>
      <div className="panel">
        <PagedList
          caption="Leads"
          of="GET /v1/analytics/demand"
          filter={filter}
          noun={['lead', 'leads']}
          idOf={({ requesterId }) => requesterId ?? ''}
          empty={<NoLeads />}
          sortedBy="denied"
          columns={COLUMNS}
        />
      </div>
    </>
  );
}

const COLUMNS: readonly Column<Lead>[] = [
  {
    label: 'Who',
    show: ({ requesterId, name, registered }) => (
      <>
        <RequesterLink id={requesterId} name={name ?? ''} />
        {requesterId !== null && <span className="under">{registered ? requesterId : 'not in your list'}</span>}
      </>
    ),
  },
  {
    label: 'Most requested',
    show: ({ topContent, uniqueContent, purposes }) => (
      <>
        {topContent[0] !== undefined && <Link href={`/content/${topContent[0].id}`}>{topContent[0].title}</Link>}
        <span className="under">
          {pluralize(uniqueContent, 'item')}, for {formatPurposes(purposes)}
        </span>
      </>
    ),
  },
  {
    label: 'Last request',
    narrow: true,
    sort: 'lastSeen',
    show: ({ lastSeen }) => <Time at={lastSeen} />,
  },
  {
    label: 'Change',
    right: true,
    narrow: true,
    sort: 'change',
    show: ({ denied, previous, trend }) => (
      <>
        <Trend values={trend} label="Denials over the period" />
        <span className="under">
          {formatChange(denied - previous)} on {formatCount(previous)}
        </span>
      </>
    ),
  },
  { label: 'Denied', right: true, narrow: true, sort: 'denied', show: ({ denied }) => formatCount(denied) },
];

const formatChange = (change: number): string =>
  change === 0 ? '±0' : `${change > 0 ? '+' : '−'}${formatCount(Math.abs(change))}`;

function Export({ query }: { query: object }) {
  const { saving, save } = useSaving();
  const start = () => save(`leads-${dayAt(Date.now())}.csv`, 'GET /v1/analytics/demand', { query }, 'text/csv');
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={saving} onClick={start}>
      CSV
    </Button>
  );
}

const NoLeads = () => (
  <Empty
    icon={<IconTargetArrow size={36} stroke={1.3} />}
    title="No denials for want of a license"
    action={
      <Button component={Link} href="/policies" variant="default">
        Look at the policies
      </Button>
    }
  >
    A policy that allows only with a license turns those without one into leads: they appear here, with what they
    wanted.
  </Empty>
);
