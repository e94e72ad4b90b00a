/** Who asked most and what was asked for most, each with its run over the span. */
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { Trend } from '../parts/bars.tsx';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { countOf, RequesterLink } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import type { Usage, UsageQuery } from './range.ts';

/** Each run is a question of its own. */
const SHOWN = 8;

interface TopProps {
  usage: Usage;
  query: UsageQuery;
}

export function TopRequesters({ usage: { topRequesters }, query }: TopProps) {
  return (
    <Panel title="Who asks most">
      {topRequesters.length === 0 ? (
        <Empty title="Only anonymous requests">
          Let your server send <code>requesterId</code> to see who asks.
        </Empty>
      ) : (
        <List
          caption="Requesters by requests"
          tight
          records={topRequesters.slice(0, SHOWN)}
          idOf={({ id }) => id}
          columns={[
            { label: 'Requester', show: ({ id, name }) => <RequesterLink id={id} name={name} /> },
            { label: 'Trend', narrow: true, show: ({ id }) => <Run query={{ ...query, requesterId: id }} /> },
            { label: 'Requests', right: true, narrow: true, show: ({ requests }) => countOf(requests) },
          ]}
        />
      )}
    </Panel>
  );
}

export function TopContent({ usage: { topContent }, query }: TopProps) {
  return (
    <Panel title="What is asked for most">
      <List
        caption="Items by requests"
        tight
        records={topContent.slice(0, SHOWN)}
        idOf={({ id }) => id}
        columns={[
          { label: 'Item', show: ({ id, title }) => <Link href={`/content/${id}`}>{title}</Link> },
          { label: 'Trend', narrow: true, show: ({ id }) => <Run query={{ ...query, contentId: id }} /> },
          { label: 'Requests', right: true, narrow: true, show: ({ requests }) => countOf(requests) },
        ]}
      />
    </Panel>
  );
}

function Run({ query }: { query: UsageQuery }) {
  const run = useRead('GET /v1/analytics/usage', { query: { ...query, limit: 1 } }, { keep: true });
  return <Trend values={run.data?.timeSeries.map(({ requests }) => requests) ?? []} label="Requests over the span" />;
}
