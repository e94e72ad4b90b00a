/** Requests of a requester in 30 days: total, allowed, denied. */
import { useRead } from '../api/read.ts';
import { ZONE } from '../parts/days.ts';
import { formatCount, formatPercent, reasonName } from '../parts/show.tsx';

export function Usage({ requesterId }: { requesterId: string }) {
  const usage = useRead('GET /v1/analytics/usage', { query: { period: '30d', timezone: ZONE, requesterId } });
  const { summary, byDenialReason } = usage.data ?? {};
  const figures = [
    { name: 'Requests', value: summary?.totalRequests, under: 'in 30 days' },
    {
      name: 'Allowed',
      value: summary?.allowed,
      under: formatPercent(summary?.allowed ?? 0, summary?.totalRequests ?? 0),
    },
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
          <div className="value">{value === undefined ? '…' : formatCount(value)}</div>
          <div className="than">{under}</div>
        </div>
      ))}
    </div>
  );
}
