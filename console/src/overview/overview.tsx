/** The first page: what was asked for, what was given, who was turned away. Every number is the API's, to the unit. */
import { Anchor, Button, SegmentedControl, Select } from '@mantine/core';
import { IconChartBar, IconDownload, IconX } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { useFilters } from '../parts/filters.ts';
import { PageHead, Panel } from '../parts/page.tsx';
import { csvOf, saveText } from '../parts/save.ts';
import { dayOf } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';
import { Demand } from './demand.tsx';
import { Feed } from './feed.tsx';
import { OverTime } from './over-time.tsx';
import { GROUPS, PERIODS, type Usage, usageQuery } from './range.ts';
import { Reasons } from './reasons.tsx';
import { TopContent, TopRequesters } from './top.tsx';
import { Totals } from './totals.tsx';

const TYPES = ['article', 'report', 'image', 'dataset', 'video'];

export default function Overview() {
  const filters = useFilters();
  const query = usageQuery(filters.values);
  const usage = useRead('GET /v1/analytics/usage', { query }, { keep: true });
  return (
    <>
      <PageHead
        title="Overview"
        lead="What was asked for, what was given, and who was turned away."
        actions={
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            disabled={usage.data === undefined}
            onClick={() => usage.data && download(usage.data)}
          >
            CSV
          </Button>
        }
      />
      <Bar usage={usage.data} />
      <Loaded of={usage} rows={8}>
        {(data) =>
          data.summary.totalRequests === 0 ? (
            <Nothing
              filtered={['contentId', 'requesterId', 'type', 'start'].some(
                (name) => filters.values[name] !== undefined,
              )}
            />
          ) : (
            <div className="stack">
              <Totals usage={data} query={query} />
              <OverTime usage={data} busy={usage.isPlaceholderData} />
              <div className="columns">
                <Reasons usage={data} />
                <Demand query={query} />
                <TopRequesters usage={data} query={query} />
                <TopContent usage={data} query={query} />
              </div>
              <Feed contentId={filters.values.contentId} requesterId={filters.values.requesterId} />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

function Bar({ usage }: { usage: Usage | undefined }) {
  const { values, set } = useFilters();
  const { period = '30d', start, contentId, requesterId, type } = values;
  return (
    <div className="filters" role="group" aria-label="What to look at">
      <SegmentedControl
        aria-label="Period"
        data={PERIODS}
        value={start === undefined ? period : ''}
        onChange={(value) => set({ period: value, start: null, end: null, by: null })}
      />
      <Select
        aria-label="Buckets"
        data={GROUPS}
        value={usage?.period.groupBy ?? null}
        onChange={(value) => set({ by: value })}
        w={110}
        allowDeselect={false}
      />
      <Select
        aria-label="Type of content"
        placeholder="All types"
        data={TYPES}
        value={type ?? null}
        onChange={(value) => set({ type: value })}
        clearable
        w={140}
      />
      {start !== undefined && usage !== undefined && (
        <Chosen
          label={`${dayOf(usage.period.startDate)} – ${dayOf(usage.period.endDate)}`}
          onClear={() => set({ start: null, end: null, by: null })}
        />
      )}
      {requesterId !== undefined && (
        <Chosen label={`Requester ${requesterId}`} onClear={() => set({ requesterId: null })} />
      )}
      {contentId !== undefined && <Chosen label={`Item ${contentId}`} onClear={() => set({ contentId: null })} />}
    </div>
  );
}

function Chosen({ label, onClear }: { label: string; onClear: () => void }) {
  return (
    <Button variant="light" rightSection={<IconX size={14} />} onClick={onClear} aria-label={`${label}: take away`}>
      {label}
    </Button>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  const mayWrite = useMay('content:write');
  if (filtered) {
    return (
      <div className="panel">
        <Empty title="No decisions here">Nothing was asked for in this span with these filters.</Empty>
      </div>
    );
  }
  return (
    <Panel title="Nothing was asked for yet">
      <Empty
        icon={<IconChartBar size={36} stroke={1.3} />}
        title="This is where you will see who wants what"
        action={
          <div className="actions">
            {mayWrite && (
              <Button component={Link} href="/content/import">
                Import your content
              </Button>
            )}
            <Button component={Link} href="/policies" variant="default">
              Look at the policies
            </Button>
          </div>
        }
      >
        Register your content, write a policy for it, and let your server ask <code>POST /v1/access/check</code> before
        it hands something out. See the <Anchor href="/docs">API reference</Anchor>.
      </Empty>
    </Panel>
  );
}

function download({ timeSeries, period }: Usage): void {
  const rows = timeSeries.map(({ date, requests, allowed, denied }) => [date, requests, allowed, denied]);
  saveText(
    `usage-${period.startDate.slice(0, 10)}-${period.groupBy}.csv`,
    csvOf([['date', 'requests', 'allowed', 'denied'], ...rows]),
  );
}
