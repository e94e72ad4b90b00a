/** Summarizes the purposes of requests in a line. */
import type { Row } from '../api/client.ts';
import { formatCount } from '../parts/show.tsx';

/** Names the three most frequent. */
export function formatPurposes(purposes: Row<'GET /v1/analytics/demand'>['purposes']): string {
  const shown = purposes.slice(0, 3).map(({ purpose, denied }) => `${purpose ?? 'none named'} ${formatCount(denied)}`);
  return purposes.length > 3 ? `${shown.join(', ')}, …` : shown.join(', ');
}
