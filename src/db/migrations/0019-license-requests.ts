/** Requests of requesters for licenses, with the publisher's answer. */
export const LICENSE_REQUESTS: readonly string[] = [
  `create table license_requests (
    id text primary key,
    requester_id text not null,
    license_type text not null,
    collection_id text,
    note text,
    status text not null,
    -- The publisher's note, and the license that it granted.
    answer text,
    license_id text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index license_requests_requester on license_requests (requester_id, id)',
  'create index license_requests_status on license_requests (status, id)',
];
