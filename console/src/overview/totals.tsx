/** The totals of the period, compared with the preceding one. */
import { formatCount, formatPercent } from '../parts/show.tsx';
import { previousWords, type Usage } from './range.ts';

const NUMBERS = [
  { key: 'totalRequests', name: 'Requests', dot: '' },
  { key: 'allowed', name: 'Allowed', dot: 'allowed' },
  { key: 'denied', name: 'Denied', dot: 'denied' },
  { key: 'uniqueRequesters', name: 'Partners & bots', dot: '' },
  { key: 'uniqueContent', name: 'Items asked for', dot: '' },
  { key: 'uniquePages', name: 'Pages asked for', dot: '' },
] as const;

export function Totals({ usage }: { usage: Usage }) {
  const { summary, previous } = usage;
  return (
    <div className="totals">
      {NUMBERS.map(({ key, name, dot }) => (
        <div className="total" key={key}>
          <div className="name">
            {dot !== '' && <i className={`dot ${dot}`} />} {name}
          </div>
          <div className="value" data-figure={key}>
            {formatCount(summary[key])}
          </div>
          <div className="than">
            {previous ? (
              <Change now={summary[key]} then={previous.summary[key]} span={previousWords(previous)} />
            ) : (
              'since the beginning'
            )}
          </div>
        </div>
      ))}
    </div>
  );
}

function Change({ now, then, span }: { now: number; then: number; span: string }) {
  if (then === 0) return now === 0 ? `none ${span} either` : `no data for ${span}`;
  const difference = now - then;
  if (difference === 0) return `as many as ${span}`;
  return (
    <>
      {difference > 0 ? '+' : '−'}
      {formatPercent(Math.abs(difference), then)}
      <span className="hidden"> on </span>
      <span className="then">
        {formatCount(then)} {span}
      </span>
    </>
  );
}
