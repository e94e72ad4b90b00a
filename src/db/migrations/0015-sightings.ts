/** Crawlers that were seen and names that were used falsely, and the decision up to which both are known. */
export const SIGHTINGS: readonly string[] = [
  `create table sightings (
    -- 'seen': a crawler; 'spoofed': a requester or crawler whose name was used falsely.
    kind text not null,
    name text not null,
    seen_at bigint not null,
    announced_at bigint,
    -- Checks under a false name that were not announced yet.
    checks bigint not null,
    primary key (kind, name)
  )`,
  // Nothing is announced of decisions up to `quiet_seq`: they are older than this table.
  `create table sighting_cursors (
    id smallint primary key,
    seq bigint not null,
    quiet_seq bigint not null
  )`,
  `insert into sighting_cursors (id, seq, quiet_seq)
     select 1, 0, max(seq) from decisions having max(seq) is not null`,
];
