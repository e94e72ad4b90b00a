/** How much a requester asked for in thirty days, and how that ended. */
import { useRead } from '../api/read.ts';
import { countOf, percentOf, reasonName } from '../parts/show.tsx';

export function Usage({ requesterId }: { requesterId: string }) {
  const usage = useRead('GET /v1/analytics/usage', { query: { period: '30d', requesterId } });
  const { summary, byDenialReason } = usage.data ?? {};
  const figures = [
    { name: 'Requests', value: summary?.totalRequests, under: 'in 30 days' },
    { name: 'Allowed', value: summary?.allowed, under: percentOf(summary?.allowed ?? 0, summary?.totalRequests ?? 0) },
    {
      name: 'Denied',
      value: summary?.denied,
      under:
        byDenialReason?.[0] === undefined ? 'never' : `mostly: ${reasonName(byDenialReason[0].reason).toLowerCase()}`,
    },
    { name: 'Items asked for', value: summary?.uniqueContent, under: 'different ones' },
  ];
  return (
    <div className="totals">
      {figures.map(({ name, value, under }) => (
        <div className="total" key={name}>
          <div className="name">{name}</div>
          <div className="value">{value === undefined ? '…' : countOf(value)}</div>
          <div className="than">{under}</div>
        </div>
      ))}
    </div>
  );
}
