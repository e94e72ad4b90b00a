/** A paged list as a table; on a phone each record is a card. The address holds the cursor. */
import { Button } from '@mantine/core';
import { IconArrowDown, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Operation, Row } from '../api/client.ts';
import { type Reading, useRead } from '../api/read.ts';
import { useFilters } from './filters.ts';
import { formatCount } from './show.tsx';
import { Empty, Loaded } from './states.tsx';

export interface Column<R> {
  label: string;
  show: (record: R) => ReactNode;
  right?: boolean;
  narrow?: boolean;
  /** The API's name for descending order by this column. */
  sort?: string;
}

interface Sorting {
  by: string;
  onSort: (by: string) => void;
}

interface ListProps<R> {
  /** The accessible name. */
  caption: string;
  records: readonly R[];
  idOf: (record: R) => string;
  columns: readonly Column<R>[];
  /** Stays a table on a phone, for few and short columns. */
  tight?: boolean;
  sorting?: Sorting | undefined;
}

export function List<R>({ caption, records, idOf, columns, tight = false, sorting }: ListProps<R>) {
  return (
    <table className={tight ? 'list tight' : 'list'}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, right, narrow, sort }) => (
            <th
              key={label}
              scope="col"
              className={getClass(right, narrow)}
              aria-sort={sorting !== undefined && sort === sorting.by ? 'descending' : undefined}
            >
              {label === '' && <span className="hidden">Actions</span>}
              {sorting === undefined || sort === undefined ? label : <Sort label={label} by={sort} sorting={sorting} />}
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
                className={`${getClass(right, narrow)}${i === 0 ? ' lead' : ''}`}
              >
                <div className="cell">{show(record)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Sort({ label, by, sorting }: { label: string; by: string; sorting: Sorting }) {
  return (
    <button type="button" className="sort" onClick={() => sorting.onSort(by)}>
      {label}
      {sorting.by === by && <IconArrowDown size={13} aria-hidden="true" />}
    </button>
  );
}

const getClass = (right?: boolean, narrow?: boolean): string =>
  `${right === true ? 'right number' : ''}${narrow === true ? ' narrow' : ''}`;

interface Page<R> {
  data: R[];
  totalCount: number;
  nextCursor: string | null;
}

interface PagedProps<O extends Operation> extends Omit<ListProps<Row<O>>, 'records' | 'sorting' | 'idOf'> {
  of: O;
  path?: Record<string, string>;
  /** The filters; if one is set, an empty result is no empty list. */
  filter?: object;
  /** More of the query. */
  query?: object;
  /** Reads again, this often. */
  everyMs?: number;
  /** The empty state without filters. */
  empty: ReactNode;
  idOf?: (record: Row<O>) => string;
  /** Singular and plural. */
  noun: [string, string];
  /** The default order; newest first without it. */
  sortedBy?: string;
}

const byId = (record: unknown): string => (record as { id: string }).id;

export function PagedList<O extends Operation>(props: PagedProps<O>) {
  const { of, path = {}, filter = {}, query = {}, everyMs, empty, noun, sortedBy, idOf = byId, ...list } = props;
  const { values, set } = useFilters();
  const { cursor, sort } = values;
  const page = { ...filter, cursor, ...(sortedBy === undefined ? {} : { sort }), limit: 25, ...query };
  const answer = useRead(of, { path, query: page as never }, { keep: true, everyMs });
  const sorting =
    sortedBy === undefined
      ? undefined
      : { by: sort ?? sortedBy, onSort: (by: string) => set({ sort: by === sortedBy ? null : by }) };
  return (
    <Loaded of={answer as Reading<Page<Row<O>>>} rows={8}>
      {({ data, nextCursor, totalCount }) => {
        if (data.length === 0 && cursor === undefined) {
          if (Object.values(filter).every((value) => value === undefined)) return empty;
          return <Empty title={`No matching ${noun[1]}`}>Remove a filter to see more.</Empty>;
        }
        return (
          <div aria-busy={answer.isPlaceholderData}>
            <List {...list} idOf={idOf} records={data} sorting={sorting} />
            <div className="pager">
              <span aria-live="polite">
                <span className="number" data-total={totalCount}>
                  {formatCount(totalCount)}
                </span>{' '}
                {totalCount === 1 ? noun[0] : noun[1]}
              </span>
              <Pager next={nextCursor} back={sortedBy === undefined ? 'Newer' : 'Previous'} />
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}

interface PagerProps {
  /** The cursor of the next page; null on the last. */
  next: string | null;
  back: 'Newer' | 'Previous';
}

function Pager({ next, back }: PagerProps) {
  const { values, set } = useFilters();
  // The visited pages, for going back; a link into the middle goes back to the first page.
  const [trail, setTrail] = useState<string[]>([]);
  const { cursor } = values;
  if (next === null && cursor === undefined) return null;
  return (
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
        {cursor !== undefined && trail.length === 0 ? 'First page' : back}
      </Button>
      <Button
        variant="default"
        size="xs"
        rightSection={<IconChevronRight size={14} />}
        disabled={next === null}
        onClick={() => {
          setTrail([...trail, cursor ?? '']);
          set({ cursor: next ?? undefined });
        }}
      >
        {back === 'Newer' ? 'Older' : 'Next'}
      </Button>
    </div>
  );
}
