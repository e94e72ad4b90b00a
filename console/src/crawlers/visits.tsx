/** The requests under the name of a crawler, by what they proved, over time; its top content and collections. */
import { SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { PeriodBar } from '../overview/period-bar.tsx';
import { bucketLabel, bucketTitle, spanQuery, type Usage, type UsageQuery, zoomed } from '../overview/range.ts';
import { TopContent, TopPages } from '../overview/top.tsx';
import { Bars, type Series } from '../parts/bars.tsx';
import { ZONE } from '../parts/days.ts';
import { useFilters } from '../parts/filters.ts';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { formatCount, formatDay, formatPercent, spanWords } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';

const SERIES: readonly Series[] = [
  { name: 'verified', tone: 'allowed' },
  { name: 'only claimed', tone: 'quiet' },
  { name: 'under a false name', tone: 'denied' },
];
const TOP_SHOWN = 8;

export function Visits({ crawler }: { crawler: string }) {
  const { values, set } = useFilters();
  const observed = values.enforced === 'false';
  const query: UsageQuery = {
    ...spanQuery(values),
    crawler,
    enforced: !observed,
  };
  const all = useUsage({ ...query, limit: TOP_SHOWN, expand: 'trends' });
  const verified = useUsage({ ...query, limit: 1, verified: 'true' });
  const spoofed = useUsage({ ...query, limit: 1, spoofed: true });
  return (
    <>
      <PeriodBar>
        <SegmentedControl
          aria-label="Decisions"
          data={[
            { value: 'true', label: 'Enforced' },
            { value: 'false', label: 'Only observed' },
          ]}
          value={observed ? 'false' : 'true'}
          onChange={(value) => set({ enforced: value === 'false' ? value : null })}
        />
      </PeriodBar>
      <Loaded of={all} rows={8}>
        {(usage) => (
          <>
            <p className="printed">{spanWords(usage.period.startDate, usage.period.endDate)}</p>
            <Figures query={query} usage={usage} verified={verified.data} spoofed={spoofed.data} />
            <OverTime usage={usage} verified={verified.data} spoofed={spoofed.data} />
            <div className="columns">
              <TopPages usage={usage} />
              <TopContent usage={usage} />
              <TopCollections usage={usage} />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

const useUsage = (query: UsageQuery) => useRead('GET /v1/analytics/usage', { query }, { keep: true });

interface Counts {
  usage: Usage;
  /** Undefined while they load. */
  verified: Usage | undefined;
  spoofed: Usage | undefined;
}

function Figures({ query, usage, verified, spoofed }: Counts & { query: UsageQuery }) {
  const { crawler, enforced } = query;
  const ever = useUsage({ period: 'all', groupBy: 'day', timezone: ZONE, crawler, enforced, limit: 1 });
  const days = ever.data?.timeSeries.filter(({ requests }) => requests > 0).map(({ date }) => date);
  const { totalRequests } = usage.summary;
  const part = (of: Usage | undefined): Figure => ({
    value: of && formatCount(of.summary.totalRequests),
    under: of && formatPercent(of.summary.totalRequests, totalRequests),
  });
  const figures: Record<string, Figure> = {
    Requests: { value: formatCount(totalRequests), under: `${formatCount(usage.summary.denied)} denied` },
    Verified: part(verified),
    'Only claimed': {
      value: verified && spoofed && formatCount(unverifiedOf(usage, verified, spoofed)),
      under: 'neither proven nor disproven',
    },
    'False names': part(spoofed),
    'First seen': { value: days && dayWords(days[0]), under: 'since the beginning' },
    'Last seen': { value: days && dayWords(days.at(-1)), under: 'until today' },
  };
  return (
    <div className="totals">
      {Object.entries(figures).map(([name, { value, under }]) => (
        <div className="total" key={name}>
          <div className="name">{name}</div>
          <div className="value">{value ?? '…'}</div>
          <div className="than">{under}</div>
        </div>
      ))}
    </div>
  );
}

interface Figure {
  value: string | undefined;
  under: ReactNode;
}

const unverifiedOf = (usage: Usage, verified: Usage, spoofed: Usage): number =>
  Math.max(0, usage.summary.totalRequests - verified.summary.totalRequests - spoofed.summary.totalRequests);

const dayWords = (day: string | undefined): string => (day === undefined ? 'never' : formatDay(`${day}T12:00:00`));

function OverTime({ usage, verified, spoofed }: Counts) {
  const { set } = useFilters();
  const { timeSeries, period, summary } = usage;
  return (
    <Panel title="Who it was, over time" lead="By what each visitor proved. A name alone proves nothing.">
      {summary.totalRequests === 0 ? (
        <Empty title="No requests under this name" />
      ) : (
        <Bars
          series={SERIES}
          bars={timeSeries.map(({ date, requests }, i) => ({
            label: bucketLabel(date, period.groupBy),
            title: bucketTitle(date, period.groupBy),
            counts: split(requests, verified?.timeSeries[i]?.requests ?? 0, spoofed?.timeSeries[i]?.requests ?? 0),
          }))}
          summary={describe(usage, verified, spoofed)}
          onZoom={(from, to) => set(zoomed(usage, from, to))}
        />
      )}
    </Panel>
  );
}

/** The answers are not of one snapshot: a request in between must not make a count negative. */
const split = (requests: number, verified: number, spoofed: number): number[] => [
  verified,
  Math.max(0, requests - verified - spoofed),
  spoofed,
];

const describe = (usage: Usage, verified: Usage | undefined, spoofed: Usage | undefined): string =>
  `${formatCount(verified?.summary.totalRequests ?? 0)} verified and ${formatCount(spoofed?.summary.totalRequests ?? 0)} under a false name, of ${formatCount(usage.summary.totalRequests)} requests`;

function TopCollections({ usage: { byCollection } }: { usage: Usage }) {
  return (
    <Panel title="Top collections" lead="Where the URLs are that it asked for.">
      {byCollection.length === 0 ? (
        <Empty title="None in a collection" />
      ) : (
        <List
          caption="Collections by requests"
          tight
          records={byCollection}
          idOf={({ collectionId }) => collectionId}
          columns={[
            {
              label: 'Collection',
              show: ({ collectionId, name }) => (
                <Link href={`/collections/${collectionId}`}>{name ?? collectionId}</Link>
              ),
            },
            { label: 'Denied', right: true, narrow: true, show: ({ denied }) => formatCount(denied) },
            { label: 'Requests', right: true, narrow: true, show: ({ requests }) => formatCount(requests) },
          ]}
        />
      )}
    </Panel>
  );
}
