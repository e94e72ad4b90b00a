/** Top requesters and top content, each with its trend. */
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { Trend } from '../parts/bars.tsx';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { formatCount, RequesterLink } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import type { Usage, UsageQuery } from './range.ts';

/** Each trend takes a query of its own. */
const SHOWN = 8;

interface TopProps {
  usage: Usage;
  query: UsageQuery;
}

export function TopRequesters({ usage: { topRequesters }, query }: TopProps) {
  return (
    <Panel title="Top requesters">
      {topRequesters.length === 0 ? (
        <Empty title="Only anonymous requests">
          Send <code>requesterId</code> from your server to see names here.
        </Empty>
      ) : (
        <List
          caption="Partners and bots by requests"
          tight
          records={topRequesters.slice(0, SHOWN)}
          idOf={({ id }) => id}
          columns={[
            { label: 'Who', show: ({ id, name }) => <RequesterLink id={id} name={name} /> },
            { label: 'Trend', narrow: true, show: ({ id }) => <Run query={{ ...query, requesterId: id }} /> },
            { label: 'Requests', right: true, narrow: true, show: ({ requests }) => formatCount(requests) },
          ]}
        />
      )}
    </Panel>
  );
}

export function TopContent({ usage: { topContent }, query }: TopProps) {
  return (
    <Panel title="Top content">
      <List
        caption="Items by requests"
        tight
        records={topContent.slice(0, SHOWN)}
        idOf={({ id }) => id}
        columns={[
          { label: 'Item', show: ({ id, title }) => <Link href={`/content/${id}`}>{title}</Link> },
          { label: 'Trend', narrow: true, show: ({ id }) => <Run query={{ ...query, contentId: id }} /> },
          { label: 'Requests', right: true, narrow: true, show: ({ requests }) => formatCount(requests) },
        ]}
      />
    </Panel>
  );
}

function Run({ query }: { query: UsageQuery }) {
  const run = useRead('GET /v1/analytics/usage', { query: { ...query, limit: 1 } }, { keep: true });
  return <Trend values={run.data?.timeSeries.map(({ requests }) => requests) ?? []} label="Requests over the period" />;
}
