/** Allowed and denied over time; drag to look closer, or take the numbers as a table. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Bars } from '../parts/bars.tsx';
import { useFilters } from '../parts/filters.ts';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { countOf } from '../parts/show.tsx';
import { bucketLabel, bucketTitle, type Usage, zoomed } from './range.ts';

export function OverTime({ usage, busy }: { usage: Usage; busy: boolean }) {
  const { set } = useFilters();
  const [table, setTable] = useState(false);
  const { timeSeries, period, summary } = usage;
  const zoom = (from: number, to: number) => set(zoomed(usage, from, to));
  return (
    <Panel
      title="Decisions over time"
      lead="Drag over the bars to look closer."
      actions={
        <div className="actions">
          <div className="legend" aria-hidden="true">
            <span>
              <i className="dot allowed" /> Allowed
            </span>
            <span>
              <i className="dot denied" /> Denied
            </span>
          </div>
          <Button size="compact-sm" variant="subtle" onClick={() => setTable(!table)} aria-expanded={table}>
            {table ? 'Hide the numbers' : 'Show the numbers'}
          </Button>
        </div>
      }
    >
      <div aria-busy={busy}>
        <Bars
          bars={timeSeries.map(({ date, allowed, denied }) => ({
            label: bucketLabel(date, period.groupBy),
            title: bucketTitle(date, period.groupBy),
            allowed,
            denied,
          }))}
          summary={`${countOf(summary.allowed)} allowed and ${countOf(summary.denied)} denied in ${timeSeries.length} buckets; the numbers are in the table below`}
          onZoom={zoom}
        />
      </div>
      {table && (
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
                  onClick={() => zoom(i, i)}
                  aria-label={`Look closer at ${bucketTitle(date, period.groupBy)}`}
                >
                  {bucketTitle(date, period.groupBy)}
                </Button>
              ),
            },
            { label: 'Requests', right: true, show: ({ requests }) => countOf(requests) },
            { label: 'Allowed', right: true, show: ({ allowed }) => countOf(allowed) },
            { label: 'Denied', right: true, show: ({ denied }) => countOf(denied) },
          ]}
        />
      )}
    </Panel>
  );
}
