/** Usage of an item, a requester or a collection in the last 30 days. */
import { useRead } from '../api/read.ts';
import { Bars } from '../parts/bars.tsx';
import { ZONE } from '../parts/days.ts';
import { Panel } from '../parts/page.tsx';
import { formatCount } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { bucketLabel, bucketTitle, type UsageQuery } from './range.ts';

type UsageFilter = Pick<UsageQuery, 'contentId' | 'requesterId' | 'collectionId' | 'enforced' | 'groupBy'>;

export function UsageOver({ title, query }: { title: string; query: UsageFilter }) {
  const usage = useRead('GET /v1/analytics/usage', { query: { period: '30d', timezone: ZONE, ...query } });
  return (
    <Panel title={title}>
      <Loaded of={usage}>
        {({ timeSeries, summary }) =>
          summary.totalRequests === 0 ? (
            <Empty title="No requests in 30 days" />
          ) : (
            <Bars
              height={180}
              bars={timeSeries.map(({ date, allowed, denied }) => ({
                label: bucketLabel(date, 'day'),
                title: bucketTitle(date, 'day'),
                counts: [allowed, denied],
              }))}
              summary={`${formatCount(summary.allowed)} allowed and ${formatCount(summary.denied)} denied in 30 days`}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
