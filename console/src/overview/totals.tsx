/** The sums of the span, and how they compare with the span before. */
import { useRead } from '../api/read.ts';
import { countOf, percentOf } from '../parts/show.tsx';
import { before, type Usage, type UsageQuery } from './range.ts';

const NUMBERS = [
  { key: 'totalRequests', name: 'Requests', dot: '' },
  { key: 'allowed', name: 'Allowed', dot: 'allowed' },
  { key: 'denied', name: 'Denied', dot: 'denied' },
  { key: 'uniqueRequesters', name: 'Requesters', dot: '' },
  { key: 'uniqueContent', name: 'Items asked for', dot: '' },
] as const;

export function Totals({ usage, query }: { usage: Usage; query: UsageQuery }) {
  const earlier = before(query, usage);
  const last = useRead('GET /v1/analytics/usage', { query: earlier ?? {} }, { enabled: earlier !== undefined });
  return (
    <div className="totals">
      {NUMBERS.map(({ key, name, dot }) => (
        <div className="total" key={key}>
          <div className="name">
            {dot !== '' && <i className={`dot ${dot}`} />} {name}
          </div>
          <div className="value" data-figure={key}>
            {countOf(usage.summary[key])}
          </div>
          <div className="than">
            {earlier === undefined ? 'since the beginning' : change(usage.summary[key], last.data?.summary[key])}
          </div>
        </div>
      ))}
    </div>
  );
}

function change(now: number, then: number | undefined): string {
  if (then === undefined) return '…';
  if (then === 0) return now === 0 ? 'none before' : 'none in the span before';
  const difference = now - then;
  if (difference === 0) return 'as many as before';
  return `${difference > 0 ? '+' : '−'}${percentOf(Math.abs(difference), then)} on ${countOf(then)} before`;
}
