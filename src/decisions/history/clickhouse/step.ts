/** The ends of one step of a writer. */
import type { ColumnsSnapshot, Head } from '../columns/source.ts';
import type { ClickHouseNames } from './names.ts';
import type { ColumnsState } from './state.ts';
import type { ClickHouse } from './store.ts';

/** The ends of a step, and its state. */
export interface ClickHouseStep {
  store: ClickHouse;
  names: ClickHouseNames;
  records: ColumnsSnapshot;
  head: Head;
  /** Changed by the step, and kept when it is done. */
  state: ColumnsState;
}
