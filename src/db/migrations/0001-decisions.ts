/**
 * Decisions, what they used of limits and quotas, and what is seen in them. Decisions of test keys have tables of their
 * own with the same columns, so that nothing that counts, bills or announces can see a test.
 */
import type { Migration } from '../db.ts';
import { takeClaims } from './0001-take-claims.ts';

type Prefix = '' | 'test_';

const decisions = (prefix: Prefix): Migration => [
  `create table ${prefix}decisions (
    seq {{place}},
    at bigint not null,
    -- 0: a URL without an item.
    content_no bigint not null,
    requester_id text,
    policy_no bigint not null,
    policy_version bigint not null,
    reason smallint not null,
    rule_index bigint,
    rule_priority bigint,
    license_id text,
    limit_remaining bigint,
    limit_reset_at bigint,
    -- JSON; may be erased earlier than the rest.
    inputs text,
    url text,
    collection_id text,
    crawler text,
    -- 1: token, 2: signature, 3: ip, 4: dns.
    verified smallint,
    -- The requester or crawler that the visitor falsely claimed to be.
    claimed text,
    -- Older decisions have these two among their inputs.
    purpose text,
    permission text,
    enforced smallint not null default 1,
    -- JSON: what the policy's candidate would have decided.
    candidate text,
    -- The license that would have turned a denial: see decisions/ledger/codes. Older denials have none recorded.
    wanted text,
    -- JSON: units, used, period, when units are available again.
    quota text,
    -- The URL that stands for all spellings of its file, where it is another one. Older decisions have none.
    file text
  )`,
  // What is left of licensed decisions that left the log or whose item was deleted: they stay billed.
  `create table ${prefix}deleted_decisions (
    seq {{place}},
    at bigint not null,
    license_id text not null,
    content_no bigint not null,
    purpose text,
    -- Where there is no item.
    url text,
    file text
  )`,
  // Where time went back on SQLite, whose decisions are otherwise in its order: the first decisions after it.
  `create table ${prefix}backward_steps (seq {{key}})`,
];

/** Counts of limits and quotas. */
const counts = (prefix: Prefix): Migration => [
  `create table ${prefix}limits (
    key text primary key,
    state text not null,
    expires_at bigint not null
  )`,
  `create index ${prefix}limits_expiry on ${prefix}limits (expires_at)`,
  // The contents that a quota of distinct ones counted.
  `create table ${prefix}quota_contents (
    license_id text not null,
    -- The version of the terms for which the license was counted.
    opened bigint not null,
    -- The start of the period.
    start bigint not null,
    -- An item's number, or the digest of a URL.
    content text not null,
    expires_at bigint not null,
    primary key (license_id, opened, start, content)
  )`,
  `create index ${prefix}quota_contents_expiry on ${prefix}quota_contents (expires_at)`,
  { postgres: takeClaims(`${prefix}take_claims`, `${prefix}limits`) },
];

export const DECISIONS: Migration = [
  ...decisions(''),
  ...decisions('test_'),
  ...counts(''),
  ...counts('test_'),
  'create index deleted_decisions_at on deleted_decisions (at, seq)',
  // Unlicensed decisions that were allowed and enforced, and whose item was deleted, by the quarter of an hour. With
  // the statements of all licenses, they are all that was allowed.
  `create table deleted_counts (
    quarter bigint primary key,
    requests bigint not null
  )`,
  // Decisions that left the log. '' for a text and 0 for a number that is not there; the default action is rule -1.
  `create table daily_counts (
    no {{serial}},
    day bigint not null,
    content_no bigint not null,
    requester_id text not null,
    policy_no bigint not null,
    reason smallint not null,
    purpose text not null,
    permission text not null,
    collection_id text not null,
    crawler text not null,
    license_id text not null,
    claimed text not null,
    verified smallint not null,
    enforced smallint not null,
    policy_version bigint not null,
    rule_index bigint not null,
    wanted text not null,
    requests bigint not null
  )`,
  `create unique index daily_counts_of on daily_counts (day, content_no, requester_id, policy_no, reason, purpose,
    permission, collection_id, crawler, license_id, claimed, verified, enforced, policy_version, rule_index, wanted)`,
  'create index daily_counts_content on daily_counts (content_no)',
  // Decisions up to `to_seq` are in these files; some may still be here.
  `create table archives (
    to_seq bigint primary key,
    file text not null,
    decisions bigint not null,
    created_at bigint not null
  )`,

  // Requests that find neither an item nor a collection, by hour. `path`: `/` and the first segment. An empty text
  // stands for none; without a host, or without a path, a row counts what was beyond the bound.
  `create table unregistered (
    hour bigint not null,
    host text not null,
    path text not null,
    crawler text not null,
    requester_id text not null,
    requests bigint not null,
    primary key (hour, host, path, crawler, requester_id)
  )`,
  // Crawlers that were seen and names that were used falsely, and the decision up to which both are known.
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

  // Requests by which an operator finds out what a proxy passes on; each for a minute.
  `create table proxy_probes (
    no {{serial}},
    id text not null unique,
    -- Marks the URL of the request.
    mark text not null unique,
    created_at bigint not null,
    expires_at bigint not null,
    -- JSON: what arrived.
    arrived text
  )`,
  `create table served_signals (
    seq {{serial}},
    host text not null,
    kind text not null,
    at bigint not null,
    -- null: from then on, none was served.
    body text
  )`,
  'create index served_signals_of on served_signals (host, kind, at)',
  // The last comparison of each site with its live files.
  `create table signal_checks (
    host text not null primary key,
    state text not null,
    checked_at bigint not null,
    since bigint,
    digest text,
    files text not null
  )`,
];
