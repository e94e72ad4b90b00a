/** The requests in a collection in the last 30 days: over time, by whom, and the latest. */
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { Decisions } from '../decisions/table.tsx';
import { ByCrawler } from '../overview/by-crawler.tsx';
import { TopContent, TopRequesters } from '../overview/top.tsx';
import { UsageOver } from '../overview/usage-over.tsx';
import { ZONE } from '../parts/days.ts';
import { Panel } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import type { Collection } from './selectors.tsx';

const TOP_SHOWN = 5;
const LATEST_SHOWN = 6;

export function AskedFor({ collection: { id, mode } }: { collection: Collection }) {
  // Reports count observed decisions apart.
  const filter = { collectionId: id, ...(mode === 'observe' ? { enforced: false } : {}) };
  const usage = useRead('GET /v1/analytics/usage', {
    query: { period: '30d', timezone: ZONE, limit: TOP_SHOWN, expand: 'trends', ...filter },
  });
  const observed = mode === 'observe' ? ', and what would have been answered' : '';
  return (
    <>
      <UsageOver title={`Asked for in 30 days${observed}`} query={filter} />
      <Loaded of={usage}>
        {(data) =>
          data.summary.totalRequests > 0 && (
            <div className="columns">
              <TopRequesters usage={data} />
              <ByCrawler usage={data} />
              {data.topContent.length > 0 && <TopContent usage={data} />}
            </div>
          )
        }
      </Loaded>
      <Panel
        title="Latest decisions"
        actions={
          <Anchor component={Link} size="sm" href={`/decisions?collectionId=${id}`}>
            Show all
          </Anchor>
        }
      >
        <Decisions query={{ collectionId: id, limit: LATEST_SHOWN }} />
      </Panel>
    </>
  );
}
