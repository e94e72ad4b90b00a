/**
 * Every text that the records keep is either free of requesters or known to the erasure. A column that a migration adds
 * belongs into this table, and into the erasure if a requester may be named in it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService, testEngine } from '../../kit/service.ts';
import { tablesOf } from './tables.ts';

/** Columns in which the erasure replaces or deletes what names a requester, or with whose rows it is deleted. */
const ERASED: Record<string, string> = {
  agent_keys: 'agent jwks',
  candidates: 'rules',
  change_data: 'object previous',
  changes: 'object_id owner_id',
  daily_counts: 'requester_id claimed',
  decisions: 'requester_id claimed inputs',
  deliveries: 'attempts',
  ended_candidates: 'rules',
  erasures: 'requester_id',
  events: 'object_id',
  history: 'object_id owner_id record',
  identity_lists: 'url texts hash error held_texts held_hash',
  license_requests: 'id requester_id license_type collection_id note status answer license_id',
  license_terms: 'requester_id terms',
  licenses: 'id requester_id type features scope status metadata terms',
  limits: 'key state',
  log_leaves: 'requester_salt inputs_salt',
  log_spans: 'leaves requester_salts inputs_salts',
  log_statements: 'requester_salt',
  log_trees: 'requester_id salt',
  policy_versions: 'rules',
  receipts: 'body',
  requester_tokens: 'id requester_id hash prefix name',
  requesters: 'id name name_words type tags user_agents metadata status identities contact_name email billing_address',
  sightings: 'kind name',
  statements: 'requester_id body',
  test_decisions: 'requester_id claimed inputs',
  test_limits: 'key state',
  unregistered: 'host path crawler requester_id',
};

/** Columns of the publisher's own texts, of ids, digests and closed words. */
const FREE: Record<string, string> = {
  api_keys: 'id hash prefix name type permissions allowed_ips mode',
  archives: 'file',
  candidates: 'policy_id default_action key_id',
  change_data: 'id',
  changes: 'id kind key_id request_id address',
  collection_versions: 'collection_id record',
  collections: 'id name name_words description hosts paths content_types content_tags policy_id metadata mode',
  content:
    'id external_id title title_words type source source_path source_folded source_query policy_id metadata tags status collection_id',
  crawler_directory: 'id text hash date error',
  daily_counts: 'purpose permission collection_id crawler license_id wanted',
  decisions: 'license_id url file collection_id crawler purpose permission candidate wanted quota',
  default_policies: 'policy_id',
  // Evidence of statements names no requester.
  deleted_decisions: 'license_id purpose url file',
  deliveries: 'id webhook_id event_id kind status',
  ended_candidates: 'policy_id default_action key_id',
  erasures: 'id pseudonym status key_id',
  events: 'id kind',
  history: 'kind',
  leases: 'name holder',
  license_terms: 'license_id tail',
  // Hashes, which cannot be guessed once their salt is erased.
  log_leaves: 'decision_salt rule_salt requester_hash inputs_hash',
  log_statements: 'statement_id statement_salt requester_hash',
  log_tiles: 'hashes',
  log_trees: 'commitment',
  offers: 'id license_type collection_id features unit currency contact url valid_until x402',
  own_crawlers: 'id token name operator purpose identities url',
  policies: 'id',
  policy_versions: 'policy_id name description default_action',
  proxy_probes: 'id mark arrived',
  quota_contents: 'license_id content',
  // Digests.
  receipts: 'scope body_hash',
  // Audiences are the crawlers of the directory.
  served_signals: 'host kind body',
  sessions: 'token_hash key_id',
  settings: 'name value',
  sign_in_links: 'token_hash user_id',
  signal_checks: 'host state digest files',
  site_versions: 'host record',
  sites: 'host signals contact licensing_url purposes sitemaps urls',
  statements: 'id license_id own_micros',
  test_decisions: 'license_id url file collection_id crawler purpose permission candidate wanted quota',
  test_deleted_decisions: 'license_id purpose url file',
  test_quota_contents: 'license_id content',
  used_sign_ins: 'state_hash',
  users: 'id issuer subject name email role status',
  webhooks: 'id url events description metadata status disabled_reason secret old_secrets',
};

/** Tables that SQLite does not have: texts and requesters in ClickHouse, where an erasure replaces a requester's. */
const ERASED_ON_POSTGRES = { column_names: 'id', record_names: 'id' };
const FREE_ON_POSTGRES = { record_blocks: 'sha256 inputs_sha256 xor state purged' };

test('every text column is known', async () => {
  await using postern = await startTestService();
  const kept = [...(await tablesOf(postern))].flatMap(([table, columns]) => columns.map((one) => `${table}.${one}`));
  const tables = testEngine() === 'postgres' ? [ERASED, ERASED_ON_POSTGRES, FREE, FREE_ON_POSTGRES] : [ERASED, FREE];
  const known = tables.flatMap((some) =>
    Object.entries(some).flatMap(([table, columns]) => columns.split(' ').map((one) => `${table}.${one}`)),
  );
  assert.equal(new Set(known).size, known.length, 'a column is named twice');
  assert.deepEqual(kept.toSorted(), known.toSorted());
});
