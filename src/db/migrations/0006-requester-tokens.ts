/** Tokens of requesters. A revoked one stays, so that its use differs from that of an unknown one. */
export const REQUESTER_TOKENS: readonly string[] = [
  `create table requester_tokens (
    id text primary key,
    requester_id text not null,
    hash text not null unique,
    prefix text not null,
    name text not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index requester_tokens_of on requester_tokens (requester_id, id)',
];
