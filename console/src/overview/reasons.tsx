/** The reasons of denials. */
import { Link } from 'wouter';
import { Panel } from '../parts/page.tsx';
import { formatCount, formatPercent, getTone, reasonName } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { linkToDecisions, type Usage, type UsageQuery } from './range.ts';

export function Reasons({ usage, query }: { usage: Usage; query: UsageQuery }) {
  const { byDenialReason, summary } = usage;
  return (
    <Panel title="Why requests were denied" lead={`${formatCount(summary.denied)} denials`}>
      {byDenialReason.length === 0 ? (
        <Empty title="No denials" />
      ) : (
        <ul className="shares">
          {byDenialReason.map(({ reason, count }) => (
            <li key={reason}>
              <Named reason={reason} href={linkToDecisions(usage, query, { reason })} />
              <span className="number" data-reason={reason}>
                {formatCount(count)}
              </span>
              <span className="number soft">{formatPercent(count, summary.denied)}</span>
              <div className="meter" aria-hidden="true">
                <span
                  style={{ width: `${(100 * count) / summary.denied}%`, background: `var(--${getTone(reason)})` }}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Named({ reason, href }: { reason: string; href: string | undefined }) {
  return href === undefined ? <span>{reasonName(reason)}</span> : <Link href={href}>{reasonName(reason)}</Link>;
}
