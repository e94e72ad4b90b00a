/** Top requesters and top content, each with its trend. */
import { Link } from 'wouter';
import { Trend } from '../parts/bars.tsx';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { formatCount, RequesterLink } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import type { Usage } from './range.ts';

export function TopRequesters({ usage: { topRequesters } }: { usage: Usage }) {
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
          records={topRequesters}
          idOf={({ id }) => id}
          columns={[
            { label: 'Who', show: ({ id, name }) => <RequesterLink id={id} name={name} /> },
            { label: 'Trend', narrow: true, show: ({ trend }) => <Run trend={trend} /> },
            { label: 'Requests', right: true, narrow: true, show: ({ requests }) => formatCount(requests) },
          ]}
        />
      )}
    </Panel>
  );
}

export function TopContent({ usage: { topContent } }: { usage: Usage }) {
  return (
    <Panel title="Top content">
      {topContent.length === 0 ? (
        <Empty title="Only pages without an item" />
      ) : (
        <List
          caption="Items by requests"
          tight
          records={topContent}
          idOf={({ id }) => id}
          columns={[
            { label: 'Item', show: ({ id, title }) => <Link href={`/content/${id}`}>{title}</Link> },
            { label: 'Trend', narrow: true, show: ({ trend }) => <Run trend={trend} /> },
            { label: 'Requests', right: true, narrow: true, show: ({ requests }) => formatCount(requests) },
          ]}
        />
      )}
    </Panel>
  );
}

const Run = ({ trend = [] }: { trend: number[] | undefined }) => (
  <Trend values={trend} label="Requests over the period" />
);
