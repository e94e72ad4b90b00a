/** Top visitors, items and pages, each with its trend. */
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import type { Answer, Query } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { Trend } from '../parts/bars.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { formatCount } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { WhoName, WhoProof, whoKey } from '../parts/who.tsx';
import { useMayInSecret } from '../shell/session.tsx';
import type { Usage } from './range.ts';

type VisitorsQuery = Query<'GET /v1/analytics/visitors'>;
type Visitor = Answer<'GET /v1/analytics/visitors'>['visitors'][number];

const VISITORS_SHOWN = 8;

/** The visitors with most requests: partners, crawlers, programs and browsers. */
export function TopVisitors({ query }: { query: VisitorsQuery }) {
  const may = useMayInSecret('analytics:read');
  const filter = { ...query, limit: VISITORS_SHOWN, pages: 1 };
  const report = useRead('GET /v1/analytics/visitors', { query: filter }, { keep: true, enabled: may });
  if (!may) return null;
  return (
    <Panel
      title="Top visitors"
      actions={
        <Anchor component={Link} size="sm" href="/visitors">
          Who reads what
        </Anchor>
      }
    >
      <Loaded of={report}>
        {({ visitors }) =>
          visitors.length === 0 ? (
            <Empty title="No requests" />
          ) : (
            <List
              caption="Visitors by requests"
              tight
              records={visitors}
              idOf={({ who }) => whoKey(who)}
              columns={VISITOR_COLUMNS}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

const VISITOR_COLUMNS: readonly Column<Visitor>[] = [
  {
    label: 'Who',
    show: (visitor) => (
      <span className="tags">
        <WhoName who={visitor.who} /> <WhoProof {...visitor} />
      </span>
    ),
  },
  { label: 'Trend', narrow: true, roomy: true, show: ({ trend }) => <Run trend={trend} /> },
  { label: 'Denied', right: true, narrow: true, show: ({ denied }) => formatCount(denied) },
  { label: 'Requests', right: true, narrow: true, show: ({ requests }) => formatCount(requests) },
];

/** The pages at addresses without an item; nothing without one. */
export function TopPages({ usage: { topPages } }: { usage: Usage }) {
  if (topPages.length === 0) return null;
  return (
    <Panel title="Top pages">
      <List
        caption="Pages by requests"
        tight
        records={topPages}
        idOf={({ page }) => page}
        columns={[
          {
            label: 'Page',
            show: ({ page }) => <Link href={`/visitors?${new URLSearchParams({ pagePrefix: page })}`}>{page}</Link>,
          },
          { label: 'Trend', narrow: true, show: ({ trend }) => <Run trend={trend} /> },
          { label: 'Requests', right: true, narrow: true, show: ({ requests }) => formatCount(requests) },
        ]}
      />
    </Panel>
  );
}

/** Nothing where only pages without an item were asked for. */
export function TopContent({ usage: { topContent, topPages } }: { usage: Usage }) {
  if (topContent.length === 0 && topPages.length > 0) return null;
  return (
    <Panel title="Top content">
      {topContent.length === 0 ? (
        <Empty title="No items" />
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
