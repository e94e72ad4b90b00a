/** Why requests were denied. */
import { Link } from 'wouter';
import { Panel } from '../parts/page.tsx';
import { countOf, percentOf, reasonName, toneOf } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import type { Usage } from './range.ts';

export function Reasons({ usage: { byDenialReason, summary } }: { usage: Usage }) {
  const most = byDenialReason[0]?.count ?? 1;
  return (
    <Panel title="Why requests were denied" lead={`${countOf(summary.denied)} denials`}>
      {byDenialReason.length === 0 ? (
        <Empty title="Nobody was turned away" />
      ) : (
        <ul className="shares">
          {byDenialReason.map(({ reason, count }) => (
            <li key={reason}>
              <Link href={`/decisions?reason=${reason}`}>{reasonName(reason)}</Link>
              <span className="number" data-reason={reason}>
                {countOf(count)}
              </span>
              <span className="number soft">{percentOf(count, summary.denied)}</span>
              <div className="meter" aria-hidden="true">
                <span style={{ width: `${(100 * count) / most}%`, background: `var(--${toneOf(reason)})` }} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
