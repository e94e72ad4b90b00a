/** The page of visitors: their requests over time, and each with the pages that it asked for. */
import { Button, SegmentedControl } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { ObservedInstead } from '../overview/observed.tsx';
import { PeriodBar } from '../overview/period-bar.tsx';
import { spanQuery } from '../overview/range.ts';
import { dayAt } from '../parts/days.ts';
import { FilterText } from '../parts/filter-fields.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconDownload, IconEye } from '../parts/icons.ts';
import { PageHead } from '../parts/page.tsx';
import { useSaving } from '../parts/save.ts';
import { spanWords } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Matrix } from './matrix.tsx';
import { OverTime } from './over-time.tsx';
import type { VisitorsQuery } from './types.ts';
import './visitors.css';

/** The chart shows the first of them. */
const VISITORS = 20;
const PAGES = 25;

export default function VisitorsPage() {
  const { values } = useFilters();
  const { pagePrefix, enforced } = values;
  const query: VisitorsQuery = {
    ...spanQuery(values),
    pagePrefix,
    enforced: enforced === 'false' ? false : undefined,
    limit: VISITORS,
    pages: PAGES,
  };
  const visitors = useRead('GET /v1/analytics/visitors', { query }, { keep: true });
  return (
    <>
      <PageHead
        title="Visitors"
        lead="Who reads which pages. A name proves nothing: verified and forged names are apart."
        actions={<Export query={query} />}
      />
      <Bar />
      <Loaded of={visitors} rows={10}>
        {(data) =>
          data.visitors.length === 0 ? (
            <div className="panel">
              <ObservedInstead
                query={{ ...spanQuery(values), pagePrefix }}
                otherwise={<Nothing filtered={pagePrefix !== undefined} />}
              />
            </div>
          ) : (
            <div className="stack">
              <p className="printed">{spanWords(data.period.startDate, data.period.endDate)}</p>
              <OverTime report={data} busy={visitors.isPlaceholderData} />
              <Matrix report={data} />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

function Bar() {
  const { values, set } = useFilters();
  return (
    <PeriodBar>
      <FilterText name="pagePrefix" label="Pages below, such as www.example.com/news" w={280} />
      <SegmentedControl
        aria-label="Decisions"
        data={[
          { value: 'true', label: 'Enforced' },
          { value: 'false', label: 'Only observed' },
        ]}
        value={values.enforced === 'false' ? 'false' : 'true'}
        onChange={(value) => set({ enforced: value === 'false' ? value : null })}
      />
    </PeriodBar>
  );
}

function Export({ query }: { query: VisitorsQuery }) {
  const { saving, save } = useSaving();
  const start = () =>
    save(
      `visitors-${dayAt(Date.now())}.csv`,
      'GET /v1/analytics/visitors',
      { query: { ...query, limit: 50, pages: 100 } },
      'text/csv',
    );
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={saving} onClick={start}>
      CSV
    </Button>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  return (
    <Empty
      icon={<IconEye size={36} stroke={1.3} />}
      title="No requests in this span"
      action={
        !filtered && (
          <Button component={Link} href="/collections/new?mode=observe">
            Observe a site
          </Button>
        )
      }
    >
      {filtered
        ? 'Choose a longer span, or another host and path.'
        : 'Let your proxy ask Postern, with a collection that only observes: nothing is denied, and you see who comes.'}
    </Empty>
  );
}
