/** The overview: requests, grants and denials. Every number is exact, as the API reports it. */
import { Anchor, Button, NativeSelect } from '@mantine/core';
import { Link } from 'wouter';
import { CONTENT_TYPES } from '../../../client/src/generated/vocabularies.ts';
import { csvRows } from '../../../src/lib/csv-cell.ts';
import { useRead } from '../api/read.ts';
import { dayAt } from '../parts/days.ts';
import { type Filters, useFilters } from '../parts/filters.ts';
import { IconChartBar, IconDownload, IconPrinter, IconX } from '../parts/icons.ts';
import { PageHead, Panel } from '../parts/page.tsx';
import { saveText } from '../parts/save.ts';
import { spanWords } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Aside } from '../shell/boundary.tsx';
import { lazily } from '../shell/lazily.tsx';
import { useMay } from '../shell/session.tsx';
import { ByCrawler } from './by-crawler.tsx';
import { Demand } from './demand.tsx';
import { Feed } from './feed.tsx';
import { Observed } from './observed.tsx';
import { OverTime } from './over-time.tsx';
import { PeriodBar } from './period-bar.tsx';
import { type SpanQuery, type Usage, type UsageQuery, usageQuery } from './range.ts';
import { Reasons } from './reasons.tsx';
import { TopContent, TopPages, TopVisitors } from './top.tsx';
import { Totals } from './totals.tsx';

/** The first view waits for its figures, not for this. */
const Attention = lazily(() => import('./attention.tsx'));

/** With the most buckets of a report, the trends of both top lists have 80,000 numbers. */
const TOP_SHOWN = 8;

export default function Overview() {
  const filters = useFilters();
  const query = usageQuery(filters.values);
  const usage = useRead(
    'GET /v1/analytics/usage',
    { query: { ...query, limit: TOP_SHOWN, expand: 'trends', compare: 'previous' } },
    { keep: true },
  );
  return (
    <>
      <PageHead
        title="Overview"
        lead="What was asked for, what was allowed, and who was denied."
        actions={
          <>
            <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
              Print
            </Button>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} />}
              disabled={usage.data === undefined}
              onClick={() => usage.data && download(usage.data)}
            >
              CSV
            </Button>
          </>
        }
      />
      <Aside>
        <Attention />
      </Aside>
      <Bar />
      <Loaded of={usage} rows={8}>
        {(data) =>
          data.summary.totalRequests + data.summary.observed.requests === 0 ? (
            <Nothing
              filtered={['contentId', 'requesterId', 'type', 'start', 'end', 'enforced'].some(
                (name) => filters.values[name] !== undefined,
              )}
            />
          ) : (
            <Panels usage={data} query={query} busy={usage.isPlaceholderData} filters={filters} />
          )
        }
      </Loaded>
    </>
  );
}

interface PanelsProps {
  usage: Usage;
  query: UsageQuery & SpanQuery;
  busy: boolean;
  filters: Filters;
}

function Panels({ usage, query, busy, filters: { values, set } }: PanelsProps) {
  return (
    <div className="stack">
      <p className="printed">{spanWords(usage.period.startDate, usage.period.endDate)}</p>
      {query.enforced === undefined && <Observed usage={usage} onShow={() => set({ enforced: 'false' })} />}
      <Totals usage={usage} />
      <OverTime usage={usage} busy={busy} />
      <div className="columns">
        <TopVisitors query={query} />
        <ByCrawler usage={usage} />
        <Reasons usage={usage} query={query} />
        <Demand usage={usage} query={query} />
        <TopPages usage={usage} />
        <TopContent usage={usage} />
        <Feed contentId={values.contentId} requesterId={values.requesterId} />
      </div>
    </div>
  );
}

function Bar() {
  const { values, set } = useFilters();
  const { contentId, requesterId, type, enforced } = values;
  return (
    <PeriodBar>
      <NativeSelect
        aria-label="Type of content"
        data={[{ value: '', label: 'All types' }, ...CONTENT_TYPES]}
        value={type ?? ''}
        onChange={(event) => set({ type: event.currentTarget.value })}
        w={140}
      />
      {requesterId !== undefined && (
        <Chosen label={`Partner or bot: ${requesterId}`} onClear={() => set({ requesterId: null })} />
      )}
      {enforced !== undefined && (
        <Chosen label="Only observed: what would have been" onClear={() => set({ enforced: null })} />
      )}
      {contentId !== undefined && <Chosen label={`Item: ${contentId}`} onClear={() => set({ contentId: null })} />}
    </PeriodBar>
  );
}

function Chosen({ label, onClear }: { label: string; onClear: () => void }) {
  return (
    <Button variant="light" rightSection={<IconX size={14} />} onClick={onClear} aria-label={`Remove ${label}`}>
      {label}
    </Button>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  const mayWrite = useMay('content:write');
  if (filtered) {
    return (
      <div className="panel">
        <Empty title="No decisions here">
          Nothing was asked for in this span with these filters. Choose a longer one, or take a filter away.
        </Empty>
      </div>
    );
  }
  return (
    <Panel title="No requests yet">
      <Empty
        icon={<IconChartBar size={36} stroke={1.3} />}
        title="Requests for your content appear here"
        action={
          <div className="actions">
            {mayWrite && (
              <Button component={Link} href="/collections/new?mode=observe">
                Observe a site
              </Button>
            )}
            {mayWrite && (
              <Button component={Link} href="/content/import" variant="default">
                Import your content
              </Button>
            )}
            <Button component={Link} href="/policies" variant="default">
              Choose a policy
            </Button>
          </div>
        }
      >
        Create a collection for the addresses of your site that only observes: nothing is denied, and you see who comes
        and what your policy would answer. Then let your proxy or your server ask Postern. See the{' '}
        <Anchor href="/docs" inherit underline="always">
          API reference
        </Anchor>
        .
      </Empty>
    </Panel>
  );
}

function download({ timeSeries, period }: Usage): void {
  const rows = timeSeries.map(({ date, requests, allowed, denied }) => [date, requests, allowed, denied]);
  saveText(
    `usage-${dayAt(period.startDate)}-${period.groupBy}.csv`,
    csvRows([['date', 'requests', 'allowed', 'denied'], ...rows]),
  );
}
