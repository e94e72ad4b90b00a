/**
 * The number of unlicensed decisions that were allowed and enforced, and whose item was deleted, by the quarter of an
 * hour. With the statements of all licenses, they are all that was allowed.
 */
export const DELETED_COUNTS: readonly string[] = [
  `create table deleted_counts (
    quarter bigint primary key,
    requests bigint not null
  )`,
];
