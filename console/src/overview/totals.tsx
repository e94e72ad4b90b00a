/** The totals of the period, compared with the preceding one. */
import { useRead } from '../api/read.ts';
import { formatCount, formatPercent } from '../parts/show.tsx';
import { before, type Usage, type UsageQuery } from './range.ts';

const NUMBERS = [
  { key: 'totalRequests', name: 'Requests', dot: '' },
  { key: 'allowed', name: 'Allowed', dot: 'allowed' },
  { key: 'denied', name: 'Denied', dot: 'denied' },
  { key: 'uniqueRequesters', name: 'Partners & bots', dot: '' },
  { key: 'uniqueContent', name: 'Items asked for', dot: '' },
] as const;

export function Totals({ usage, query }: { usage: Usage; query: UsageQuery }) {
  const earlier = before(query, usage);
  const last = useRead('GET /v1/analytics/usage', { query: earlier?.query ?? {} }, { enabled: earlier !== undefined });
  return (
    <div className="totals">
      {NUMBERS.map(({ key, name, dot }) => (
        <div className="total" key={key}>
          <div className="name">
            {dot !== '' && <i className={`dot ${dot}`} />} {name}
          </div>
          <div className="value" data-figure={key}>
            {formatCount(usage.summary[key])}
          </div>
          <div className="than">
            {earlier === undefined
              ? 'since the beginning'
              : change(usage.summary[key], last.data?.summary[key], earlier.words)}
          </div>
        </div>
      ))}
    </div>
  );
}

function change(now: number, then: number | undefined, span: string): string {
  if (then === undefined) return '…';
  if (then === 0) return now === 0 ? `none ${span} either` : `no data for ${span}`;
  const difference = now - then;
  if (difference === 0) return `as many as ${span}`;
  return `${difference > 0 ? '+' : '−'}${formatPercent(Math.abs(difference), then)} (${formatCount(then)} ${span})`;
}
