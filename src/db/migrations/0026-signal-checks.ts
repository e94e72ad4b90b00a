/** The last comparison of each site with its live files. */
export const SIGNAL_CHECKS: readonly string[] = [
  `create table signal_checks (
    host text not null primary key,
    state text not null,
    checked_at bigint not null,
    since bigint,
    digest text,
    files text not null
  )`,
];
