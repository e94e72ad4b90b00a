/** Chooses the span of a page: the latest days, a calendar month, or any days and times. It lives in the address. */
import { NativeSelect, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { FilterSpan } from '../parts/filter-span.tsx';
import { useFilters } from '../parts/filters.ts';
import { GROUPS, PERIODS, spanQuery } from './range.ts';

const SPAN = { from: 'start', to: 'end' };

/** `children` are further options of the view. */
export function PeriodBar({ children }: { children?: ReactNode }) {
  const { values, set } = useFilters();
  const { period = '30d', start, end } = values;
  return (
    <div className="filters" role="group" aria-label="View options">
      <SegmentedControl
        aria-label="Period"
        data={PERIODS}
        value={start === undefined && end === undefined ? period : ''}
        onChange={(value) => set({ period: value, start: null, end: null, by: null })}
      />
      <FilterSpan otherwise="Month or span" names={SPAN} clears={['by', 'period']} />
      <NativeSelect
        aria-label="Buckets"
        data={GROUPS}
        value={spanQuery(values).groupBy}
        onChange={(event) => set({ by: event.currentTarget.value })}
        w={110}
      />
      {children}
    </div>
  );
}
