/** A list of records, as a table; on a phone each record is a card. Pages are those of the API, with their place in the address. */
import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Reading } from '../api/read.ts';
import { useFilters } from './filters.ts';
import { countOf } from './show.tsx';
import { Empty, Loaded } from './states.tsx';

export interface Column<R> {
  label: string;
  show: (record: R) => ReactNode;
  right?: boolean;
  narrow?: boolean;
}

interface ListProps<R> {
  /** What it is a list of, for who cannot see it. */
  caption: string;
  records: readonly R[];
  idOf: (record: R) => string;
  columns: readonly Column<R>[];
  /** Stays a table on a phone: few and short columns. */
  tight?: boolean;
}

export function List<R>({ caption, records, idOf, columns, tight = false }: ListProps<R>) {
  return (
    <table className={tight ? 'list tight' : 'list'}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, right, narrow }) => (
            <th key={label} scope="col" className={classOf(right, narrow)}>
              {label === '' ? <span className="hidden">Actions</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr key={idOf(record)}>
            {columns.map(({ label, show, right, narrow }, i) => (
              <td
                key={label}
                data-label={label === '' ? undefined : label}
                className={`${classOf(right, narrow)}${i === 0 ? ' lead' : ''}`}
              >
                {show(record)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const classOf = (right?: boolean, narrow?: boolean): string =>
  `${right === true ? 'right number' : ''}${narrow === true ? ' narrow' : ''}`;

interface PageOf<R> {
  data: R[];
  hasMore: boolean;
  totalCount: number;
  nextCursor: string | null;
}

interface PagedProps<R> extends Omit<ListProps<R>, 'records'> {
  of: Reading<PageOf<R>>;
  /** Shown when nothing is there at all. */
  empty: ReactNode;
  /** Some filter is set: nothing found is not nothing there. */
  filtered: boolean;
  /** One and many. */
  noun: [string, string];
}

export function PagedList<R>({ of, empty, filtered, noun, ...list }: PagedProps<R>) {
  const { values, set } = useFilters();
  // Pages gone through, so that one can go back; an address opened in the middle goes back to the beginning.
  const [trail, setTrail] = useState<string[]>([]);
  const cursor = values.cursor;
  return (
    <Loaded of={of} rows={8}>
      {({ data, nextCursor, totalCount }) => {
        if (data.length === 0 && cursor === undefined) {
          if (!filtered) return empty;
          return <Empty title={`No ${noun[1]} like that`}>Nothing fits the filters. Take one away to see more.</Empty>;
        }
        return (
          <div aria-busy={of.isPlaceholderData}>
            <List {...list} records={data} />
            <div className="pager">
              <span aria-live="polite">
                <span className="number" data-total={totalCount}>
                  {countOf(totalCount)}
                </span>{' '}
                {totalCount === 1 ? noun[0] : noun[1]}
              </span>
              {(nextCursor !== null || cursor !== undefined) && (
                <div className="actions">
                  <Button
                    variant="default"
                    size="xs"
                    leftSection={<IconChevronLeft size={14} />}
                    disabled={cursor === undefined}
                    onClick={() => {
                      set({ cursor: trail.at(-1) || undefined });
                      setTrail(trail.slice(0, -1));
                    }}
                  >
                    {cursor !== undefined && trail.length === 0 ? 'First page' : 'Newer'}
                  </Button>
                  <Button
                    variant="default"
                    size="xs"
                    rightSection={<IconChevronRight size={14} />}
                    disabled={nextCursor === null}
                    onClick={() => {
                      setTrail([...trail, cursor ?? '']);
                      set({ cursor: nextCursor ?? undefined });
                    }}
                  >
                    Older
                  </Button>
                </div>
              )}
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}
