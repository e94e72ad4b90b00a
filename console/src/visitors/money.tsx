/** The worth of each visitor's denied requests at our prices, from the report of demand. */
import type { ReactNode } from 'react';
import { useRead } from '../api/read.ts';
import { worthWords } from '../demand/worth.ts';
import { type Who, whoKey } from '../parts/who.tsx';
import type { Report } from './types.ts';

const ALL = 100;

/** Returns a function that formats the worth of a visitor; it returns undefined where there is no price. */
export function useWorth({ startDate, endDate }: Report['period'], may: boolean): (who: Who) => ReactNode {
  const query = { from: startDate, to: endDate, groupBy: 'who', limit: ALL };
  const demand = useRead('GET /v1/analytics/demand', { query }, { enabled: may, keep: true });
  return (who) => {
    const row = demand.data?.data.find((one) => one.who !== undefined && whoKey(one.who) === whoKey(who));
    return worthWords(row?.byLicense.flatMap(({ estimate }) => estimate ?? []) ?? []);
  };
}
