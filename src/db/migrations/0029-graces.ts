/** Keeps, with a key or a token in its grace, when it was replaced and which expiry it had before. */
export const GRACES: readonly string[] = ['api_keys', 'requester_tokens'].flatMap((table) => [
  `alter table ${table} add column replaced_at bigint`,
  `alter table ${table} add column own_expires_at bigint`,
]);
