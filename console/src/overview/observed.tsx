/** Requests that were only observed: what the policies would have denied, before anything is enforced. */
import { Anchor, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRead } from '../api/read.ts';
import { useFilters } from '../parts/filters.ts';
import { Panel } from '../parts/page.tsx';
import { pluralize } from '../parts/plural.ts';
import { formatCount } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import type { Usage, UsageQuery } from './range.ts';

export function Observed({ usage, onShow }: { usage: Usage; onShow: () => void }) {
  const { requests, wouldAllow, wouldDeny } = usage.summary.observed;
  if (requests === 0) return null;
  return (
    <Panel
      title="Seen, not enforced"
      lead="Requests in collections that only observe. The numbers below do not count them."
    >
      <div className="totals">
        <Figure name="Requests" figure="observed" value={requests} />
        <Figure name="Would have been allowed" figure="wouldAllow" value={wouldAllow} />
        <Figure name="Would have been denied" figure="wouldDeny" value={wouldDeny} />
      </div>
      <Anchor component="button" size="sm" mt="sm" onClick={onShow}>
        Show these requests instead
      </Anchor>
    </Panel>
  );
}

interface ObservedInsteadProps {
  /** The same span and filters as the page has. */
  query: UsageQuery;
  /** The empty state without any request. */
  otherwise: ReactNode;
}

/** The empty state of a page that counts enforced requests: while a site only observes, it leads to those. */
export function ObservedInstead({ query, otherwise }: ObservedInsteadProps) {
  const { set } = useFilters();
  const usage = useRead('GET /v1/analytics/usage', { query: { ...query, enforced: undefined, limit: 1 } });
  return (
    <Loaded of={usage}>
      {({ summary: { totalRequests, observed } }) =>
        totalRequests > 0 || observed.requests === 0 ? (
          otherwise
        ) : (
          <Empty
            title="Nothing is enforced yet"
            action={<Button onClick={() => set({ enforced: 'false' })}>Show these requests instead</Button>}
          >
            {pluralize(observed.requests, 'request')} came to collections that only observe.
          </Empty>
        )
      }
    </Loaded>
  );
}

function Figure({ name, figure, value }: { name: string; figure: string; value: number }) {
  return (
    <div className="total">
      <div className="name">{name}</div>
      <div className="value" data-figure={figure}>
        {formatCount(value)}
      </div>
    </div>
  );
}
