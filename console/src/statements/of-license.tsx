/** The statements of a license in a year. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../api/read.ts';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { periodAt, shifted } from './period.ts';
import { STATEMENT_COLUMNS } from './table.tsx';

const YEARS = 3;

export function StatementsOf({ licenseId }: { licenseId: string }) {
  const now = periodAt('year');
  const [period, setPeriod] = useState(now);
  const statements = useRead('GET /v1/statements', { query: { licenseId, period, limit: 100 } }, { keep: true });
  const years = Array.from({ length: YEARS }, (_, i) => shifted(now, i - YEARS + 1));
  return (
    <Panel
      title="Statements"
      actions={<SegmentedControl aria-label="Year" size="xs" data={years} value={period} onChange={setPeriod} />}
    >
      <Loaded of={statements}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={`No statements in ${period}`} />
          ) : (
            <List caption="Statements" records={data} idOf={({ id }) => id} columns={STATEMENT_COLUMNS} />
          )
        }
      </Loaded>
    </Panel>
  );
}
