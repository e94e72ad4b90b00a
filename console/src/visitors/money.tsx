/** The worth of each visitor's denied requests at our prices, from the report of demand. */
import type { ReactNode } from 'react';
import { useRead } from '../api/read.ts';
import { worthWords } from '../demand/worth.ts';
import type { Who } from '../parts/who.tsx';
import type { Report } from './types.ts';

const ALL = 100;

/** Returns a function that formats the worth of a visitor; it returns undefined where there is no price. */
export function useWorth({ startDate, endDate }: Report['period'], may: boolean): (who: Who) => ReactNode {
  const query = { from: startDate, to: endDate, groupBy: 'requester,crawler', limit: ALL };
  const demand = useRead('GET /v1/analytics/demand', { query }, { enabled: may, keep: true });
  return ({ kind, id, proof }) => {
    if (id === null || proof === 'spoofed') return undefined;
    const rows = (demand.data?.data ?? []).filter((row) =>
      kind === 'requester' ? row.requesterId === id : row.requesterId === null && row.crawler === id,
    );
    return worthWords(rows.flatMap(({ byLicense }) => byLicense.flatMap(({ estimate }) => estimate ?? [])));
  };
}
