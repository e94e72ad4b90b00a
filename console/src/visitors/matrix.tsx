/** The table of pages and visitors: how often each asked for which page, and what was denied. */
import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Panel } from '../parts/page.tsx';
import { pluralize } from '../parts/plural.ts';
import { formatCount, formatPercent } from '../parts/show.tsx';
import { WhoName, WhoProof, whoKey, whoWords } from '../parts/who.tsx';
import { DraftAbout } from '../policies/draft-about.tsx';
import { useMayInSecret } from '../shell/session.tsx';
import { useWorth } from './money.tsx';
import type { Report, Visitor } from './types.ts';

interface MatrixProps {
  report: Report;
}

export function Matrix({ report }: MatrixProps) {
  const { visitors, pages, uniqueVisitors, uniquePages } = report;
  const maySeePrices = useMayInSecret('requesters:read');
  const host = onlyHost(pages.map(({ page }) => page));
  const some = `${formatCount(visitors.length)} of ${pluralize(uniqueVisitors, 'visitor')}, ${formatCount(pages.length)} of ${pluralize(uniquePages, 'page')}`;
  return (
    <Panel title="Who reads what" lead={`The most frequent: ${some}. Darker: more of its requests.`}>
      <div className="matrix-scroll">
        <table className="matrix">
          <caption className="hidden">Requests by page and visitor</caption>
          <thead>
            <tr>
              <th scope="col">{host === undefined ? 'Page' : <>Page of {host}</>}</th>
              <th scope="col" className="number">
                All
              </th>
              {visitors.map((visitor) => (
                <th scope="col" key={whoKey(visitor.who)}>
                  <WhoName who={visitor.who} />
                  <WhoProof {...visitor} />
                  <DraftAbout who={visitor.who} />
                </th>
              ))}
            </tr>
          </thead>
          <Sums report={report} maySeePrices={maySeePrices} />
          <tbody>
            {pages.map((page) => (
              <tr key={page.page}>
                <th scope="row">{host === undefined ? page.page : page.page.slice(host.length)}</th>
                <td className="number">{formatCount(page.requests)}</td>
                {visitors.map((visitor) => (
                  <Cell key={whoKey(visitor.who)} visitor={visitor} page={page.page} report={report} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages.length === 0 && <p className="soft">All these requests are for items, which the overview lists.</p>}
    </Panel>
  );
}

function onlyHost(pages: readonly string[]): string | undefined {
  const hosts = new Set(pages.map((page) => page.split('/', 1)[0]));
  return hosts.size === 1 ? [...hosts][0] : undefined;
}

/** The figures of each visitor, for all that it asked for. */
function Sums({ report: { visitors, period }, maySeePrices }: MatrixProps & { maySeePrices: boolean }) {
  const worth = useWorth(period, maySeePrices);
  const row = (label: string, show: (visitor: Visitor) => ReactNode) => (
    <tr>
      <th scope="row">{label}</th>
      <td />
      {visitors.map((visitor) => (
        <td key={whoKey(visitor.who)} className="number">
          {show(visitor)}
        </td>
      ))}
    </tr>
  );
  return (
    <tbody className="sums">
      {row('Requests', ({ requests }) => formatCount(requests))}
      {row('Denied', ({ denied, requests }) => (
        <>
          {formatCount(denied)} <span className="under">{formatPercent(denied, requests)}</span>
        </>
      ))}
      {row('Verified', ({ verified }) => formatCount(verified))}
      {maySeePrices && row('Denied, at our prices', ({ who }) => worth(who) ?? <span className="soft">–</span>)}
    </tbody>
  );
}

const STEPS = 5;

interface CellProps {
  visitor: Visitor;
  page: string;
  report: Report;
}

function Cell({ visitor: { who, pages }, page, report }: CellProps) {
  const found = pages.find((one) => one.page === page);
  if (found === undefined) return <td />;
  const { requests, denied } = found;
  const most = Math.max(1, ...pages.map((one) => one.requests));
  const step = Math.ceil((STEPS * requests) / most);
  const words = `${whoWords(who)}, ${page}: ${pluralize(requests, 'request')}, ${formatCount(denied)} denied`;
  const href = linkToDecisions(who, page, report);
  const shown = formatCount(requests);
  return (
    <td className={`number heat-${step}${denied > requests / 2 ? ' refused' : ''}`}>
      <Tooltip label={words}>{href === undefined ? <span>{shown}</span> : <Link href={href}>{shown}</Link>}</Tooltip>
    </td>
  );
}

/** Returns the decisions that a cell counts; undefined where the log has no filter for them. */
function linkToDecisions({ kind, id, proof }: Visitor['who'], page: string, { period }: Report): string | undefined {
  const span = { page, from: period.startDate, to: period.endDate };
  if (id === null) return undefined;
  if (kind === 'requester') return `/decisions?${new URLSearchParams({ requesterId: id, ...span })}`;
  if (proof !== 'spoofed') return undefined;
  return `/decisions?${new URLSearchParams({ crawler: id, spoofed: 'true', ...span })}`;
}
