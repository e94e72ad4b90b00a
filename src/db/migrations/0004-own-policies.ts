/**
 * Marks the items that have a policy of their own; the others follow a collection or the default. Until now all items
 * stored a policy: one whose policy is a default is taken to have none of its own. No decision changes with that.
 */
export const OWN_POLICIES: readonly string[] = [
  // Nodes of the previous version insert items that keep the policy they name.
  'alter table content add column owns_policy smallint not null default 1',
  // For lists alone: the most specific collection of the item, as far as `items_placed_to` says.
  'alter table content add column collection_id text',
  `update content set owns_policy = 0
   where policy_id = 'pol_default' or policy_id = (select value from settings where name = 'default_policy')`,
  'create index content_collection on content (collection_id, id, owns_policy)',
  'create table default_policies (no {{serial}}, policy_id text not null, at bigint not null)',
  `insert into default_policies (policy_id, at) select value, 0 from settings where name = 'default_policy'`,
  'create index policy_versions_policy on policy_versions (policy_id, version)',
];
