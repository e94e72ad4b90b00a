/** Since when fetches of a published list fail, and since when its ranges are held back. */
export const LIST_TIMES: readonly string[] = [
  'alter table identity_lists add column failing_since bigint',
  'alter table identity_lists add column held_since bigint',
];
