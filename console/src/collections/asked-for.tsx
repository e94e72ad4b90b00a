/** The requests in a collection: over time and by whom, in the span of the page, and the latest. */
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { Decisions } from '../decisions/table.tsx';
import { ByCrawler } from '../overview/by-crawler.tsx';
import { PeriodBar } from '../overview/period-bar.tsx';
import { spanQuery } from '../overview/range.ts';
import { TopContent, TopPages, TopVisitors } from '../overview/top.tsx';
import { UsageOver } from '../overview/usage-over.tsx';
import { useFilters } from '../parts/filters.ts';
import { Panel } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import type { Collection } from './selectors.tsx';

const TOP_SHOWN = 5;
const LATEST_SHOWN = 6;

export function AskedFor({ collection: { id, mode } }: { collection: Collection }) {
  // Reports count observed decisions apart.
  const filter = { collectionId: id, ...(mode === 'observe' ? { enforced: false } : {}) };
  const { values } = useFilters();
  const query = { ...spanQuery(values), limit: TOP_SHOWN, expand: 'trends', ...filter } as const;
  const usage = useRead('GET /v1/analytics/usage', { query }, { keep: true });
  const observed = mode === 'observe' ? ', and what would have been answered' : '';
  return (
    <>
      <div>
        <PeriodBar />
        <UsageOver key={id} title={(span) => `Asked for ${span}${observed}`} query={filter} />
      </div>
      <Loaded of={usage}>
        {(data) =>
          data.summary.totalRequests > 0 && (
            <div className="columns">
              <TopVisitors query={{ ...spanQuery(values), ...filter }} />
              <ByCrawler usage={data} />
              <TopPages usage={data} />
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
