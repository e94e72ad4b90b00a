/**
 * Which caches forget what on which kind of change. The table is complete: a kind without a row does not compile, nor
 * does a cache without a column. `test/caches.ts` has an edit for each row and a reader for each cache.
 */
import type { ChangeNotice } from './change.ts';
import type { ChangeKind } from './kinds.ts';

/** The call on a cache: `owner` forgets the record of `ownerId`; `object` hands over the object of the change. */
const CALLS = { record: 'delete', owner: 'delete', all: 'clear', object: 'set' } as const;

type Way = keyof typeof CALLS;

const NOTHING = {} as const;
const PLACES = { collections: 'all', totals: 'all', signals: 'all' } as const;
const ITEM = { items: 'record', addresses: 'record', totals: 'all', signals: 'all' } as const;
const SITE = { ...PLACES, sites: 'all' } as const;
const POLICY = { policies: 'record', signals: 'all' } as const;
const CANDIDATE = { policies: 'record' } as const;
const REQUESTER = { requesters: 'record', names: 'object', proofs: 'object', signals: 'all' } as const;
const LICENSE = { requesters: 'owner', signals: 'all' } as const;
const OFFER = { offers: 'all', signals: 'all' } as const;
const LIST = { lists: 'all' } as const;
const KEY = { keys: 'all' } as const;
const TOKEN = { tokens: 'all', licenseTokens: 'all' } as const;
const WEBHOOK = { subscriptions: 'object' } as const;

/** Addresses and requesters are cached also where there are none; other new records have nothing to forget. */
export const FORGETS = {
  'content.created': { addresses: 'record', totals: 'all', signals: 'all' },
  'content.updated': ITEM,
  'content.archived': ITEM,
  'content.restored': ITEM,
  'content.deleted': ITEM,
  'collection.created': PLACES,
  'collection.updated': PLACES,
  'collection.deleted': PLACES,
  'policy.created': NOTHING,
  // It may be the default from now on.
  'policy.updated': { ...PLACES, ...POLICY },
  'policy.rolled_back': POLICY,
  'policy.deleted': CANDIDATE,
  'policy.candidate_diverged': NOTHING,
  'policy_candidate.created': CANDIDATE,
  'policy_candidate.updated': CANDIDATE,
  'policy_candidate.deleted': CANDIDATE,
  'requester.created': REQUESTER,
  'requester.updated': REQUESTER,
  'requester.deleted': { ...REQUESTER, names: 'record', proofs: 'record' },
  // Rules and events that named the requester have its pseudonym.
  'requester.erased': { policies: 'all', signals: 'all', bodies: 'all' },
  'requester_token.created': NOTHING,
  'requester_token.rotated': TOKEN,
  'requester_token.revoked': TOKEN,
  'requester.spoofed': NOTHING,
  'denials.jumped': NOTHING,
  'crawler.created': { directory: 'object' },
  'crawler.deleted': { directory: 'record' },
  'crawler.first_seen': NOTHING,
  'identity.list_changed': LIST,
  'identity.list_suspicious': LIST,
  'identity.list_accepted': LIST,
  'crawler_directory.replaced': { directory: 'all' },
  'license.created': LICENSE,
  'license.updated': LICENSE,
  'license.revoked': LICENSE,
  'license.expired': LICENSE,
  'license.expiring': NOTHING,
  'log_keys.rotated': NOTHING,
  'signing_keys.rotated': { signingKeys: 'all', licenseTokens: 'all' },
  'site.created': { collections: 'all', totals: 'all', sites: 'all' },
  'site.updated': SITE,
  'site.deleted': SITE,
  'signals.drifted': NOTHING,
  'license.requested': NOTHING,
  'license_request.granted': NOTHING,
  'license_request.declined': NOTHING,
  'license.threshold_reached': NOTHING,
  'license.quota_exceeded': NOTHING,
  'offer.created': OFFER,
  'offer.updated': OFFER,
  'offer.deleted': OFFER,
  'statement.finalized': NOTHING,
  'api_key.created': NOTHING,
  'api_key.rotated': KEY,
  'api_key.revoked': KEY,
  'user.created': NOTHING,
  'user.signed_in': NOTHING,
  'user.link_created': NOTHING,
  'user.role_lost': NOTHING,
  'user.suspended': NOTHING,
  'user.reinstated': NOTHING,
  'user.deleted': NOTHING,
  'webhook.created': WEBHOOK,
  'webhook.updated': WEBHOOK,
  'webhook.secret_rotated': NOTHING,
  'webhook.disabled': WEBHOOK,
  'webhook.deleted': { subscriptions: 'record' },
  'webhook.test': NOTHING,
  'webhook_delivery.retried': NOTHING,
} as const satisfies Record<ChangeKind, Readonly<Record<string, Way>>>;

/** Kinds whose object a cache takes over. */
export const OBJECT_KINDS: readonly string[] = Object.entries<Readonly<Record<string, Way>>>(FORGETS)
  .filter(([, row]) => Object.values(row).includes('object'))
  .map(([kind]) => kind);

type Table = typeof FORGETS;
type ColumnsOf<Row> = Row extends unknown ? keyof Row : never;
export type CacheName = ColumnsOf<Table[ChangeKind]>;

type WayOf<N extends CacheName> = {
  [K in ChangeKind]: N extends keyof Table[K] ? Extract<Table[K][N], Way> : never;
}[ChangeKind];

/** A cache that can do what the table says of it. */
export type Forgetful<N extends CacheName> = {
  readonly [W in WayOf<N> as (typeof CALLS)[W]]: (id: string, object: object) => void;
};

type Calls = Partial<Record<(typeof CALLS)[Way], (id: string, object: object) => void>>;

/** The caches of this node. */
export class Caches {
  readonly #caches: (readonly [CacheName, Calls])[] = [];

  add<C extends Calls>(name: CacheName, cache: C): C {
    this.#caches.push([name, cache]);
    return cache;
  }

  forget({ kind, id, ownerId, object }: ChangeNotice): void {
    const row: { readonly [N in CacheName]?: Way } | undefined = FORGETS[kind];
    for (const [name, cache] of this.#caches) {
      // Nodes of the next version may announce other kinds.
      const way = row === undefined ? 'all' : row[name];
      if (way !== undefined) cache[CALLS[way]]?.(way === 'owner' ? (ownerId as string) : id, object);
    }
  }
}
