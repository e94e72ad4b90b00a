/**
 * Requests that find neither an item nor a collection, by hour. `path`: `/` and the first segment. An empty text stands
 * for none; without a host, or without a path, a row counts what was beyond the bound.
 */
export const UNREGISTERED: readonly string[] = [
  `create table unregistered (
    hour bigint not null,
    host text not null,
    path text not null,
    crawler text not null,
    requester_id text not null,
    requests bigint not null,
    primary key (hour, host, path, crawler, requester_id)
  )`,
];
