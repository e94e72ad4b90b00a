/** The programs that the crawler directory does not name, the new ones of a publisher's traffic. */
import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { Row } from '../api/client.ts';
import { ObservedInstead } from '../overview/observed.tsx';
import { dayAt } from '../parts/days.ts';
import { FilterEither, FilterWords } from '../parts/filter-fields.tsx';
import { FilterSpan, readSpan } from '../parts/filter-span.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconDownload, IconTerminal } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { useSaving } from '../parts/save.ts';
import { Chip, formatCount, formatPercent, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { DraftAbout } from '../policies/draft-about.tsx';
import { AddToDirectory } from './add-to-directory.tsx';

/** The span that the API reports by default. */
const SPAN_MS = 30 * 86_400_000;

type Program = Row<'GET /v1/analytics/programs'>;

const COLUMNS: readonly Column<Program>[] = [
  {
    label: 'Program',
    show: ({ program }) => (
      <>
        <strong>{program}</strong>
        <span className="under step">
          <DraftAbout who={{ kind: 'program', id: program, name: program }} />
          <AddToDirectory program={program} />
        </span>
      </>
    ),
  },
  { label: 'Requests', right: true, narrow: true, sort: 'requests', show: ({ requests }) => formatCount(requests) },
  {
    label: 'Denied',
    right: true,
    narrow: true,
    show: ({ program, denied, requests }) => (
      <>
        {denied === 0 ? '0' : <Denials of={program} count={denied} />}
        <span className="under">{formatPercent(denied, requests)}</span>
      </>
    ),
  },
  { label: 'Pages', right: true, narrow: true, sort: 'pages', show: ({ pages }) => formatCount(pages) },
  {
    label: 'Addresses',
    right: true,
    narrow: true,
    show: ({ addresses }) =>
      addresses === null ? <span className="soft">not kept</span> : `about ${formatCount(addresses)}`,
  },
  {
    label: 'robots.txt',
    narrow: true,
    show: ({ robotsRead }) => (
      <Chip tone={robotsRead ? 'allowed' : 'limited'}>{robotsRead ? 'read' : 'never read'}</Chip>
    ),
  },
  {
    // By it, one press shows the new ones first.
    label: 'First seen',
    narrow: true,
    sort: 'firstSeen',
    show: ({ firstSeen, lastSeen }) => (
      <>
        <Time at={firstSeen} />
        <span className="under">
          last <Time at={lastSeen} />
        </span>
      </>
    ),
  },
];

function Denials({ of: program, count }: { of: string; count: number }) {
  const { values } = useFilters();
  const { from = new Date(Date.now() - SPAN_MS).toISOString(), to, enforced = 'true' } = values;
  const query = { program, allowed: 'false', enforced, from, ...(to === undefined ? {} : { to }) };
  const shown = formatCount(count);
  return (
    <Link href={`/decisions?${new URLSearchParams(query).toString()}`} aria-label={`${shown} denials of ${program}`}>
      {shown}
    </Link>
  );
}

export default function ProgramsPage() {
  const { values } = useFilters();
  const { q, enforced, sort } = values;
  const filter = { q, enforced, ...readSpan(values) };
  return (
    <>
      <PageHead
        title="Programs"
        lead="Programs that the crawler directory does not name, by the name that their user agents give. A name proves nothing."
        actions={<Export query={{ ...filter, sort }} />}
      />
      <div className="filters" role="search">
        <FilterWords label="Words of the name" />
        <FilterSpan otherwise="Last 30 days" />
        <FilterEither name="enforced" label="Enforced" yes="Enforced" no="Only observed" w={150} />
      </div>
      <div className="panel">
        <PagedList
          caption="Programs"
          of="GET /v1/analytics/programs"
          filter={filter}
          noun={['program', 'programs']}
          idOf={({ program }) => program}
          sortedBy="requests"
          empty={
            <ObservedInstead
              query={{}}
              otherwise={
                <Empty icon={<IconTerminal size={36} stroke={1.3} />} title="No unknown programs">
                  Browsers and crawlers of the directory are not listed. A program appears here with its first request.
                </Empty>
              }
            />
          }
          columns={COLUMNS}
        />
      </div>
    </>
  );
}

function Export({ query }: { query: object }) {
  const { saving, save } = useSaving();
  const start = () => save(`programs-${dayAt(Date.now())}.csv`, 'GET /v1/analytics/programs', { query }, 'text/csv');
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={saving} onClick={start}>
      CSV
    </Button>
  );
}
