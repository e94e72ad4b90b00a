/** Usage of an item, a requester or a collection in the span of the page. */
import { useRead } from '../api/read.ts';
import { useFilters } from '../parts/filters.ts';
import { Panel } from '../parts/page.tsx';
import { spanWords } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { OverTime } from './over-time.tsx';
import { spanName, spanQuery, type UsageQuery } from './range.ts';

type UsageFilter = Pick<UsageQuery, 'contentId' | 'requesterId' | 'collectionId' | 'enforced'>;

interface UsageOverProps {
  /** The words around the name of the span. */
  title: (span: string) => string;
  query: UsageFilter;
}

export function UsageOver({ title: toTitle, query }: UsageOverProps) {
  const { values } = useFilters();
  const title = toTitle(spanName(values));
  const usage = useRead(
    'GET /v1/analytics/usage',
    { query: { ...spanQuery(values), limit: 1, ...query } },
    { keep: true },
  );
  return (
    <Loaded of={usage}>
      {(data) => (
        <>
          <p className="printed">{spanWords(data.period.startDate, data.period.endDate)}</p>
          {data.summary.totalRequests === 0 ? (
            <Panel title={title}>
              <Empty title="No requests in this span">
                {query.requesterId !== undefined && (
                  <>
                    They appear here when your server checks with <code>{`"requesterId": "${query.requesterId}"`}</code>
                    , or when the visitor proves who it is, such as by a token.
                  </>
                )}
              </Empty>
            </Panel>
          ) : (
            <OverTime title={title} height={180} usage={data} busy={usage.isPlaceholderData} />
          )}
        </>
      )}
    </Loaded>
  );
}
