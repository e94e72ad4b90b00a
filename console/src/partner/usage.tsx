/** Requests of the partner over time and by purpose. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Answer } from '../api/client.ts';
import { PeriodBar } from '../overview/period-bar.tsx';
import { bucketLabel, bucketTitle, spanQuery, zoomed } from '../overview/range.ts';
import { Bars } from '../parts/bars.tsx';
import { useFilters } from '../parts/filters.ts';
import { Legend } from '../parts/legend.tsx';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { formatCount, formatPercent, reasonName, spanWords } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useOwn } from './api.ts';

type Report = Answer<'GET /v1/me/usage'>;

export function Usage() {
  const { values } = useFilters();
  const query = spanQuery(values);
  const usage = useOwn('GET /v1/me/usage', { query });
  const purposes = useOwn('GET /v1/me/usage', { query: { ...query, groupBy: 'purpose' } });
  return (
    <Panel title="Usage" lead="Your requests, as the publisher counted them.">
      <PeriodBar />
      <Loaded of={usage} rows={5}>
        {(report) => (
          <div aria-busy={usage.isPlaceholderData}>
            <OverTime report={report} />
          </div>
        )}
      </Loaded>
      <h3 className="partner-sub">By purpose</h3>
      <Loaded of={purposes} rows={2}>
        {(report) => <ByPurpose report={report} />}
      </Loaded>
    </Panel>
  );
}

function OverTime({ report }: { report: Report }) {
  const { set } = useFilters();
  const { summary, timeSeries, byDenialReason, period } = report;
  const { groupBy } = period;
  const [numbers, setNumbers] = useState(false);
  const { totalRequests, allowed, denied } = summary;
  const [first] = byDenialReason;
  return (
    <>
      <p className="printed">{spanWords(period.startDate, period.endDate)}</p>
      <p className="partner-sum">
        <strong>{formatCount(totalRequests)}</strong> requests, <strong>{formatCount(allowed)}</strong> allowed and{' '}
        <strong>{formatCount(denied)}</strong> denied
        {first !== undefined && `, mostly: ${reasonName(first.reason).toLowerCase()}`}
      </p>
      <Legend />
      <Bars
        height={200}
        bars={timeSeries.map((bucket) => ({
          label: bucketLabel(bucket.date, groupBy),
          title: bucketTitle(bucket.date, groupBy),
          counts: [bucket.allowed, bucket.denied],
        }))}
        summary={`${formatCount(allowed)} allowed and ${formatCount(denied)} denied; the numbers are in the table below`}
        onZoom={(from, to) => set(zoomed(report, from, to))}
      />
      <Button size="compact-sm" variant="subtle" onClick={() => setNumbers(!numbers)} aria-expanded={numbers}>
        {numbers ? 'Hide the numbers' : 'Show the numbers'}
      </Button>
      {numbers && (
        <List
          caption="Requests over time"
          tight
          records={timeSeries.toReversed()}
          idOf={({ date }) => date}
          columns={[
            { label: 'Date', show: ({ date }) => bucketTitle(date, groupBy) },
            { label: 'Allowed', right: true, show: (bucket) => formatCount(bucket.allowed) },
            { label: 'Denied', right: true, show: (bucket) => formatCount(bucket.denied) },
          ]}
        />
      )}
    </>
  );
}

function ByPurpose({ report: { groups = [], summary } }: { report: Report }) {
  if (groups.length === 0) {
    return <Empty title="No requests yet">Your requests appear here, by the purpose that you state.</Empty>;
  }
  return (
    <List
      caption="By purpose"
      tight
      records={groups}
      idOf={({ id }) => id ?? ''}
      columns={[
        { label: 'Purpose', show: ({ id }) => id ?? <span className="soft">none stated</span> },
        { label: 'Allowed', right: true, show: ({ allowed }) => formatCount(allowed) },
        { label: 'Denied', right: true, show: ({ denied }) => formatCount(denied) },
        { label: 'Share', right: true, show: ({ requests }) => formatPercent(requests, summary.totalRequests) },
      ]}
    />
  );
}
