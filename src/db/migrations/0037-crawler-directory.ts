/** The crawler directory that was taken from a file or a URL, so that a restart without it has it. One row. */
export const CRAWLER_DIRECTORY: readonly string[] = [
  `create table crawler_directory (
    id text primary key,
    -- JSON; null until one was taken.
    text text,
    hash text,
    date text,
    taken_at bigint,
    attempted_at bigint not null,
    failures bigint not null,
    failing_since bigint,
    error text
  )`,
];
