/** Ways to verify a visitor that uses the name of a requester. */
export const IDENTITIES: readonly string[] = [
  `alter table requesters add column identities text not null default '[]'`,
];
