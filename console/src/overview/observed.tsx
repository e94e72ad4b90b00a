/** Requests that were only observed: what the policies would have denied, before anything is enforced. */
import { Anchor } from '@mantine/core';
import { Panel } from '../parts/page.tsx';
import { formatCount } from '../parts/show.tsx';
import type { Usage } from './range.ts';

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
