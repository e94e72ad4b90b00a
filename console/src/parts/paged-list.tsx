/** A list in pages. The address holds the cursor, and the order where one may choose it. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Operation, Row } from '../api/client.ts';
import { type Reading, useRead } from '../api/read.ts';
import { useFilters } from './filters.ts';
import { IconChevronLeft, IconChevronRight } from './icons.ts';
import { List, type ListProps } from './list.tsx';
import { formatCount } from './show.tsx';
import { Empty, Loaded } from './states.tsx';

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
  /** The API also has the ascending order; choosing a column again turns it round. */
  bothWays?: boolean;
}

const byId = (record: unknown): string => (record as { id: string }).id;

export function PagedList<O extends Operation>(props: PagedProps<O>) {
  const {
    of,
    path = {},
    filter = {},
    query = {},
    everyMs,
    empty,
    noun,
    sortedBy,
    bothWays,
    idOf = byId,
    ...list
  } = props;
  const { cursor, sort, order } = useFilters().values;
  const sorted = { ...(sortedBy === undefined ? {} : { sort }), ...(bothWays === true ? { order } : {}) };
  const page = { ...filter, cursor, ...sorted, limit: 25, ...query };
  const answer = useRead(of, { path, query: page as never }, { keep: true, everyMs });
  const sorting = useSorting(sortedBy, bothWays);
  return (
    <Loaded of={answer as Reading<Page<Row<O>>>} rows={8}>
      {({ data, nextCursor, totalCount }) => {
        // Nothing on a page that others follow: a search that looks at so much at once.
        if (data.length === 0 && cursor === undefined && nextCursor === null) {
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

function useSorting(preset: string | undefined, bothWays = false): ListProps<unknown>['sorting'] {
  const { values, set } = useFilters();
  if (preset === undefined) return undefined;
  const { sort = preset, order } = values;
  const ascending = bothWays && order === 'asc';
  const onSort = (by: string) =>
    set({ sort: by === preset ? null : by, order: bothWays && by === sort && !ascending ? 'asc' : null });
  return { by: sort, ascending, onSort };
}

/** Looks disabled, and keeps the focus when it becomes so. */
const useless = (is: boolean) => (is ? { 'data-disabled': true, 'aria-disabled': true } : {});

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
        {...useless(cursor === undefined)}
        onClick={() => {
          if (cursor === undefined) return;
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
        {...useless(next === null)}
        onClick={() => {
          if (next === null) return;
          setTrail([...trail, cursor ?? '']);
          set({ cursor: next });
        }}
      >
        {back === 'Newer' ? 'Older' : 'Next'}
      </Button>
    </div>
  );
}
