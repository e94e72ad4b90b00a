/** Says how much of the requests under one name was verified. */
import { Chip, formatCount, WAYS } from './show.tsx';

export const wayOf = (verified: string): string => WAYS[verified as keyof typeof WAYS] ?? verified;

/** Shows how many of the requests under a name were verified. */
export function VerifiedShare({ requests, verified }: { requests: number; verified: number }) {
  if (requests === 0) return <span className="soft">–</span>;
  if (verified === 0) return <Chip>Only claimed</Chip>;
  if (verified === requests) return <Chip tone="allowed">Verified</Chip>;
  return <Chip tone="limited">{`${formatCount(verified)} of ${formatCount(requests)} verified`}</Chip>;
}
