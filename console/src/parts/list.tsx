/** A list as a table; on a phone each record is a card. */

import type { ReactNode } from 'react';
import { IconArrowDown, IconArrowUp } from './icons.ts';

export interface Column<R> {
  label: string;
  show: (record: R) => ReactNode;
  right?: boolean;
  narrow?: boolean;
  /** Left out on a phone. */
  roomy?: boolean;
  /** The API's name for the order by this column. */
  sort?: string;
}

interface Sorting {
  by: string;
  ascending: boolean;
  onSort: (by: string) => void;
}

export interface ListProps<R> {
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
          {columns.map(({ label, sort, ...look }) => (
            <th
              key={label}
              scope="col"
              className={getClass(look)}
              aria-sort={sorting !== undefined && sort === sorting.by ? directionOf(sorting) : undefined}
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
            {columns.map(({ label, show, ...look }, i) => (
              <td
                key={label}
                data-label={label === '' ? undefined : label}
                className={`${getClass(look)}${i === 0 ? ' lead' : ''}`}
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

const directionOf = ({ ascending }: Sorting) => (ascending ? 'ascending' : 'descending');

function Sort({ label, by, sorting }: { label: string; by: string; sorting: Sorting }) {
  const Arrow = sorting.ascending ? IconArrowUp : IconArrowDown;
  return (
    <button type="button" className="sort" onClick={() => sorting.onSort(by)}>
      {label}
      {sorting.by === by && <Arrow size={13} aria-hidden="true" />}
    </button>
  );
}

const getClass = ({ right, narrow, roomy }: Pick<Column<never>, 'right' | 'narrow' | 'roomy'>): string =>
  `${right === true ? 'right number' : ''}${narrow === true ? ' narrow' : ''}${roomy === true ? ' roomy' : ''}`;
