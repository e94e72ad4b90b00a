/** Allowed and denied requests over time, as a chart to zoom into and as a table. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Bars } from '../parts/bars.tsx';
import { useFilters } from '../parts/filters.ts';
import { Legend } from '../parts/legend.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { formatCount } from '../parts/show.tsx';
import { bucketLabel, bucketTitle, type Usage, zoomed } from './range.ts';

interface OverTimeProps {
  title?: string;
  height?: number;
  usage: Usage;
  busy: boolean;
}

export function OverTime({ title = 'Decisions over time', height, usage, busy }: OverTimeProps) {
  const { set } = useFilters();
  const [table, setTable] = useState(false);
  const { timeSeries, period, summary } = usage;
  const zoom = (from: number, to: number) => set(zoomed(usage, from, to));
  return (
    <Panel
      title={title}
      lead="Drag over the bars to zoom in."
      actions={
        <div className="actions">
          <Legend />
          <Button size="compact-sm" variant="subtle" onClick={() => setTable(!table)} aria-expanded={table}>
            {table ? 'Hide the numbers' : 'Show the numbers'}
          </Button>
        </div>
      }
    >
      <div aria-busy={busy}>
        <Bars
          {...(height === undefined ? {} : { height })}
          bars={timeSeries.map(({ date, allowed, denied }) => ({
            label: bucketLabel(date, period.groupBy),
            title: bucketTitle(date, period.groupBy),
            counts: [allowed, denied],
          }))}
          summary={`${formatCount(summary.allowed)} allowed and ${formatCount(summary.denied)} denied in ${timeSeries.length} buckets; the numbers are in the table below`}
          onZoom={zoom}
        />
      </div>
      {table && <Numbers usage={usage} onZoom={(bucket) => zoom(bucket, bucket)} />}
    </Panel>
  );
}

const COUNTS: readonly Column<Usage['timeSeries'][number]>[] = [
  { label: 'Requests', right: true, show: ({ requests }) => formatCount(requests) },
  { label: 'Allowed', right: true, show: ({ allowed }) => formatCount(allowed) },
  { label: 'Denied', right: true, show: ({ denied }) => formatCount(denied) },
];

interface NumbersProps {
  usage: Usage;
  onZoom: (bucket: number) => void;
}

/** The chart as a table, latest first. */
function Numbers({ usage: { timeSeries, period }, onZoom }: NumbersProps) {
  return (
    <List
      caption="Decisions by bucket"
      tight
      records={timeSeries.map((bucket, i) => ({ ...bucket, i })).toReversed()}
      idOf={({ date }) => date}
      columns={[
        {
          label: 'Date',
          show: ({ date, i }) => (
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() => onZoom(i)}
              aria-label={`Zoom in on ${bucketTitle(date, period.groupBy)}`}
            >
              {bucketTitle(date, period.groupBy)}
            </Button>
          ),
        },
        ...COUNTS,
      ]}
    />
  );
}
