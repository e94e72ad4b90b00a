/** Finds the items of a policy, newest first: those that own it, and those with the default in no collection. */
export const POLICY_LISTS: readonly string[] = [
  'create index content_own_policy on content (policy_id, id) where owns_policy = 1',
  'create index content_default_policy on content (policy_id, id) where owns_policy = 0 and collection_id is null',
];
