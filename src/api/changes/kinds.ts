/**
 * The closed list of kinds. Edits of records are changes and go to the audit log. Webhooks carry decisions and the
 * kinds marked as events; a `to-one` kind goes to the webhook it names.
 */
export const KINDS = {
  'content.created': { event: true, doc: 'An item was registered' },
  'content.updated': { event: true, doc: 'An item was edited' },
  'content.archived': { event: true, doc: 'Access to an item was switched off' },
  'content.restored': { event: true, doc: 'Access to an item was switched on again' },
  'content.deleted': { event: true, doc: 'An item was deleted, with its decisions' },
  'collection.created': { event: true, doc: 'A collection was created' },
  'collection.updated': { event: true, doc: 'A collection was edited' },
  'collection.deleted': { event: true, doc: 'A collection was deleted' },
  'policy.created': { event: true, doc: 'A policy was created' },
  'policy.updated': { event: true, doc: 'A policy has a new version, or became the default' },
  'policy.rolled_back': { event: true, doc: 'A policy has a new version with the rules of an old one' },
  'policy.deleted': { event: true, doc: 'A policy was deleted' },
  'policy.candidate_diverged': {
    event: true,
    doc: 'A candidate decided otherwise than its policy; at most once an hour',
  },
  'policy_candidate.created': { event: false, doc: 'A policy has a candidate' },
  'policy_candidate.updated': { event: false, doc: 'A policy has another candidate' },
  'policy_candidate.deleted': { event: false, doc: 'A candidate was published or discarded' },
  'requester.created': { event: true, doc: 'A requester was registered' },
  'requester.updated': { event: true, doc: 'A requester was edited' },
  'requester.deleted': { event: true, doc: 'A requester was deleted, with its licenses' },
  'requester.erased': { event: false, doc: 'A requester was erased; its id is a pseudonym in everything past' },
  'requester_token.created': { event: true, doc: 'A token of a requester was created' },
  'requester_token.rotated': { event: true, doc: 'A token of a requester was replaced by a new one' },
  'requester_token.revoked': { event: true, doc: 'A token of a requester was revoked' },
  'requester.spoofed': {
    event: true,
    doc: 'Visitors falsely claimed the name of a requester or a crawler; at most once an hour for each',
  },
  'denials.jumped': {
    event: true,
    doc: 'A requester, crawler or program is denied far more often than in the days before; at most once a day for each',
  },
  'crawler.created': { event: true, doc: 'A crawler was added to the directory as an entry of your own' },
  'crawler.deleted': { event: true, doc: 'An entry of your own was removed from the crawler directory' },
  'crawler.first_seen': { event: true, doc: 'A crawler of the directory was seen for the first time' },
  'identity.list_changed': { event: false, doc: 'A published list of addresses has other ranges' },
  'identity.list_suspicious': { event: true, doc: 'A published list shrank by more than half and is held back' },
  'identity.list_accepted': { event: false, doc: 'A list that was held back was accepted' },
  'crawler_directory.replaced': { event: false, doc: 'A newer crawler directory is in force' },
  'license.created': { event: true, doc: 'A license was given' },
  'license.updated': { event: true, doc: 'A license was edited' },
  'license.revoked': { event: true, doc: 'A license was revoked or deleted' },
  'license.expired': { event: true, doc: 'A license ran out' },
  'license.expiring': { event: true, doc: 'A license ends in 30, 7 or 1 days; once for each' },
  'log_keys.rotated': { event: false, doc: 'The key of the log of receipts was replaced' },
  'signing_keys.rotated': { event: false, doc: 'The keys that sign License tokens were rotated' },
  'site.created': { event: true, doc: 'A site was made' },
  'site.updated': { event: true, doc: 'The settings of a site were edited' },
  'site.deleted': { event: true, doc: 'A site was deleted' },
  'signals.drifted': {
    event: true,
    doc: 'The live files of a site say something else than intended; once for each difference',
  },
  'license.requested': { event: true, doc: 'A requester asked for a license' },
  'license_request.granted': { event: true, doc: 'A request for a license was granted' },
  'license_request.declined': { event: true, doc: 'A request for a license was declined' },
  'license.threshold_reached': { event: true, doc: 'A license used a part of its quota; once a period for each part' },
  'license.quota_exceeded': { event: true, doc: 'The quota of a license was used up, and a check needed more' },
  'offer.created': { event: true, doc: 'Licenses of a type are offered' },
  'offer.updated': { event: true, doc: 'An offer was edited' },
  'offer.deleted': { event: true, doc: 'An offer was deleted' },
  'statement.finalized': { event: true, doc: 'A statement is final' },
  'api_key.created': { event: true, doc: 'A key was created' },
  'api_key.rotated': { event: true, doc: 'A key was replaced by a new one' },
  'api_key.revoked': { event: true, doc: 'A key was revoked' },
  'user.created': { event: false, doc: 'A person signed in for the first time, or was given a sign-in link' },
  'user.signed_in': { event: false, doc: 'A person signed in to the console' },
  'user.link_created': { event: false, doc: 'A person was given a sign-in link' },
  'user.role_lost': { event: false, doc: 'The provider no longer gave a person a role' },
  'user.suspended': { event: false, doc: 'A person was suspended, and their sessions ended' },
  'user.reinstated': { event: false, doc: 'A suspended person may sign in again' },
  'user.deleted': { event: false, doc: 'A person was deleted, and their sessions ended' },
  'webhook.created': { event: false, doc: 'A webhook was created' },
  'webhook.updated': { event: false, doc: 'A webhook was edited' },
  'webhook.secret_rotated': { event: false, doc: 'A webhook has a new secret' },
  'webhook.disabled': { event: false, doc: 'A webhook was switched off because its deliveries failed' },
  'webhook.deleted': { event: false, doc: 'A webhook was deleted' },
  'webhook.test': { event: 'to-one', doc: 'A test event was sent to a webhook' },
  'webhook_delivery.retried': { event: false, doc: 'A delivery was retried manually' },
  'access.granted': { event: true, decision: true, doc: 'A check was allowed' },
  'access.denied': { event: true, decision: true, doc: 'A check was denied, but not by a rate limit' },
  'access.rate_limited': { event: true, decision: true, doc: 'A check was denied because its rate limit is used up' },
} as const;

type Kinds = typeof KINDS;

/** The kinds of an edit. */
export type ChangeKind = { [K in keyof Kinds]: Kinds[K] extends { decision: true } ? never : K }[keyof Kinds];

/** The kinds of a decision. */
export type AccessKind = Exclude<keyof Kinds, ChangeKind>;

/** The kinds that a webhook can subscribe to. */
export type EventKind = { [K in keyof Kinds]: Kinds[K] extends { event: true } ? K : never }[keyof Kinds];

const names = Object.keys(KINDS) as (keyof Kinds)[];

export const EVENT_KINDS = names.filter((kind): kind is EventKind => KINDS[kind].event === true);
export const CHANGE_KINDS = names.filter((kind): kind is ChangeKind => !('decision' in KINDS[kind]));
export const ACCESS_KINDS = names.filter((kind): kind is AccessKind => 'decision' in KINDS[kind]);

/** Every kind, `content.*` for all kinds of one group, `*` for all: what a subscription may name. */
export const KIND_PATTERNS: readonly string[] = [
  '*',
  ...new Set(EVENT_KINDS.map((kind) => `${kind.slice(0, kind.indexOf('.'))}.*`)),
  ...EVENT_KINDS,
];

/** The kinds that patterns name, each once. */
export const expandKinds = (patterns: readonly string[]): EventKind[] =>
  EVENT_KINDS.filter((kind) =>
    patterns.some((one) => one === '*' || one === kind || (one.endsWith('.*') && kind.startsWith(one.slice(0, -1)))),
  );
