/** The price list: one offer per license type, everywhere or in a collection. */
export const OFFERS: readonly string[] = [
  `create table offers (
    no {{serial}},
    id text not null unique,
    license_type text not null,
    -- Empty: everywhere.
    collection_id text not null,
    -- JSON.
    features text not null,
    unit text not null,
    unit_price_micros bigint,
    currency text,
    contact text,
    url text,
    valid_until text,
    -- JSON.
    x402 text,
    revision bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (license_type, collection_id)
  )`,
];
