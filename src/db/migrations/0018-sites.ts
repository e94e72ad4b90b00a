/** Sites with all their versions, and the signals that were served. */
export const SITES: readonly string[] = [
  `create table sites (
    no {{serial}},
    host text not null unique,
    signals text not null,
    contact text,
    licensing_url text,
    purposes text not null,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  // Versions outlive their site: what was served is looked up by them.
  `create table site_versions (
    seq {{serial}},
    host text not null,
    version bigint not null,
    at bigint not null,
    -- JSON; null: deleted.
    record text
  )`,
  'create unique index site_versions_of on site_versions (host, version)',
  `create table served_signals (
    seq {{serial}},
    host text not null,
    kind text not null,
    at bigint not null,
    -- null: from then on, none was served.
    body text
  )`,
  'create index served_signals_of on served_signals (host, kind, at)',
];
