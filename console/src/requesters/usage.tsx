/** Requests of a requester in the span of the page: total, allowed, denied, verified. */
import type { Answer } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { spanName, spanQuery } from '../overview/range.ts';
import { useFilters } from '../parts/filters.ts';
import { wayOf } from '../parts/proof.tsx';
import { formatCount, formatPercent, reasonName } from '../parts/show.tsx';

type Report = Answer<'GET /v1/analytics/usage'>;

const sumOf = (groups: readonly { requests: number }[]): number => groups.reduce((sum, one) => sum + one.requests, 0);

interface Figure {
  name: string;
  value?: number;
  under?: string;
}

const LOADING: readonly Figure[] = ['Requests', 'Allowed', 'Denied', 'Verified', 'Items asked for'].map((name) => ({
  name,
}));

function figuresOf({ summary, byDenialReason, groups = [] }: Report, span: string): Figure[] {
  const { totalRequests, allowed, denied, uniqueContent } = summary;
  const verified = groups.filter(({ id }) => id !== null);
  const [mostly] = byDenialReason;
  return [
    { name: 'Requests', value: totalRequests, under: span },
    { name: 'Allowed', value: allowed, under: formatPercent(allowed, totalRequests) },
    {
      name: 'Denied',
      value: denied,
      under: mostly === undefined ? 'never' : `mostly: ${reasonName(mostly.reason).toLowerCase()}`,
    },
    {
      name: 'Verified',
      value: sumOf(verified),
      under: verified.length === 0 ? 'only claimed' : `by ${verified.map(({ id }) => wayOf(id ?? '')).join(', ')}`,
    },
    { name: 'Items asked for', value: uniqueContent, under: 'different ones' },
  ];
}

export function Usage({ requesterId }: { requesterId: string }) {
  const { values } = useFilters();
  const query = { ...spanQuery(values), requesterId, groupBy: 'verified' } as const;
  const usage = useRead('GET /v1/analytics/usage', { query }, { keep: true });
  const figures = usage.data === undefined ? LOADING : figuresOf(usage.data, spanName(values));
  return (
    <div className="totals">
      {figures.map(({ name, value, under }) => (
        <div className="total" key={name}>
          <div className="name">{name}</div>
          <div className="value">{value === undefined ? '…' : formatCount(value)}</div>
          <div className="than">{under ?? '…'}</div>
        </div>
      ))}
    </div>
  );
}
