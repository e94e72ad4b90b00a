/** Steps of edits after which items may be in other collections: a background run places them again, for lists. */
import type { Step } from '../../db/db.ts';

const fromTheFirst = (name: string): Step => ({
  sql: `insert into settings (name, value) values ($1, '0') on conflict (name) do update set value = excluded.value`,
  params: [name],
});

/** `edited`: the items that collections have which were edited since the last run; `all`: all under all collections. */
export const placeAgain = (items: 'edited' | 'all'): Step[] => [
  fromTheFirst('items_placed_to'),
  ...(items === 'all' ? [fromTheFirst('items_placed_at')] : []),
];
