/** The crawler directory: known bots, who operates them and what for. */
import { Anchor } from '@mantine/core';
import { useRead } from '../api/read.ts';
import { FilterChoice, FilterWords } from '../parts/filter-fields.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconExternalLink } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { Chip, CrawlerLink, formatDayIn, Tags } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { type Crawler, PROOFS, PURPOSES } from './types.ts';

const COLUMNS: readonly Column<Crawler>[] = [
  {
    label: 'Name',
    show: ({ name, userAgents }) => (
      <>
        <strong>
          <CrawlerLink name={name} />
        </strong>
        {userAgents.some((token) => token !== name) && <span className="under">{userAgents.join(', ')}</span>}
      </>
    ),
  },
  { label: 'Operator', show: ({ operator }) => operator ?? <span className="soft">unknown</span> },
  { label: 'Purpose', narrow: true, show: ({ purpose }) => PURPOSES[purpose] },
  {
    label: 'Proven by',
    show: ({ identities }) => <Tags of={[...new Set(identities.map(({ kind }) => PROOFS[kind]))]} />,
  },
  {
    label: 'Source',
    narrow: true,
    show: ({ name, url, source, own }) => {
      const page = url ?? source;
      return (
        <>
          {own && <Chip>your entry</Chip>}{' '}
          {page !== null && (
            <Anchor href={page} target="_blank" rel="noreferrer" size="sm" title={`Page about ${name}`}>
              {getHost(page)} <IconExternalLink size={13} />
            </Anchor>
          )}
        </>
      );
    },
  },
];

const getHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

const FROM = { package: 'this version', file: 'your file', url: 'your URL' } as const;

export default function CrawlersPage() {
  const { directory } = useRead('GET /v1/crawlers', { query: { limit: 1 } }).data ?? {};
  const { q, purpose } = useFilters().values;
  return (
    <>
      <PageHead
        title="Crawlers"
        lead={`Bots that Postern knows by their user agents. A user agent is only a claim; some can be proven.${
          directory === undefined
            ? ''
            : ` Directory of ${formatDayIn(directory.date, 'UTC')}, from ${FROM[directory.source]}.`
        }`}
      />
      <div className="filters" role="search">
        <FilterWords label="Part of a name, an operator or a user agent" />
        <FilterChoice
          name="purpose"
          label="Purpose"
          data={Object.entries(PURPOSES).map(([value, label]) => ({ value, label }))}
          w={210}
        />
      </div>
      <div className="panel">
        <PagedList
          caption="Crawlers"
          of="GET /v1/crawlers"
          filter={{ q, purpose }}
          noun={['crawler', 'crawlers']}
          empty={<Empty title="No crawlers" />}
          columns={COLUMNS}
          idOf={({ name }) => name}
          sortedBy="name"
        />
      </div>
    </>
  );
}
