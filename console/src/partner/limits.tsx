/** The rate limits of the partner, as its latest requests left them. */
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { formatCount, Time } from '../parts/show.tsx';
import type { Me } from './api.ts';

export function Limits({ limits }: { limits: Me['limits'] }) {
  return (
    <Panel title="Limits" lead="As your latest requests left them.">
      <List
        caption="Limits"
        records={limits}
        idOf={({ decisionId }) => decisionId}
        columns={[
          {
            label: 'Limit',
            show: ({ rateLimit }) =>
              rateLimit !== null &&
              `${formatCount(rateLimit.limit)} ${rateLimit.period === 'hour' ? 'an' : 'a'} ${rateLimit.period}`,
          },
          {
            label: 'Left',
            right: true,
            show: ({ rateLimit }) => rateLimit !== null && formatCount(rateLimit.remaining),
          },
          { label: 'Whole again', right: true, show: ({ rateLimit }) => <Time at={rateLimit?.resetAt} /> },
          { label: 'Asked', right: true, show: ({ at }) => <Time at={at} /> },
        ]}
      />
    </Panel>
  );
}
