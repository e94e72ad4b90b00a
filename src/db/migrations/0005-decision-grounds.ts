/**
 * Columns for decisions by URL, crawlers, verification, observing and candidates. `purpose` and `permission` move
 * out of `inputs`, which can be erased earlier; older decisions still have them there. `content_no` is 0 for a URL
 * without an item.
 */
export const DECISION_GROUNDS: readonly string[] = [
  'alter table decisions add column url text',
  'alter table decisions add column collection_id text',
  'alter table decisions add column crawler text',
  // 1: token, 2: signature, 3: ip, 4: dns.
  'alter table decisions add column verified smallint',
  // The requester or crawler that the visitor falsely claimed to be.
  'alter table decisions add column claimed text',
  'alter table decisions add column purpose text',
  'alter table decisions add column permission text',
  'alter table decisions add column enforced smallint not null default 1',
  // JSON: what the policy's candidate would have decided.
  'alter table decisions add column candidate text',
  `alter table collections add column mode text not null default 'enforce'`,
];
