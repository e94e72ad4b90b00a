/** The crawlers that user agents named, with what was proven of them. */
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { CrawlerLink, formatCount } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import type { Usage } from './range.ts';

export function ByCrawler({ usage: { byCrawler } }: { usage: Usage }) {
  return (
    <Panel title="Crawlers" lead="As their user agents name them. A name proves nothing; a verified one is proven.">
      {byCrawler.length === 0 ? (
        <Empty title="No crawler was named" />
      ) : (
        <List
          caption="Crawlers by requests"
          tight
          records={byCrawler.slice(0, 8)}
          idOf={({ crawler }) => crawler}
          columns={[
            { label: 'Crawler', show: ({ crawler }) => <CrawlerLink name={crawler} /> },
            { label: 'Verified', right: true, narrow: true, show: ({ verified }) => formatCount(verified) },
            { label: 'Forged', right: true, narrow: true, show: ({ spoofed }) => formatCount(spoofed) },
            { label: 'Denied', right: true, narrow: true, show: ({ denied }) => formatCount(denied) },
            { label: 'Requests', right: true, narrow: true, show: ({ requests }) => formatCount(requests) },
          ]}
        />
      )}
    </Panel>
  );
}
