/**
 * The records that checks need, in memory: read through, bounded, forgotten on change. Once this node has answered an
 * edit, no check that starts afterwards is decided on what was there before.
 */
import type { Changes } from '../../api/changes/changes.ts';
import { Failure } from '../../api/errors.ts';
import {
  type Addresses,
  type AskedUrl,
  type AtUrl,
  type FoundContent,
  foundAt,
  openAddresses,
  readAddress,
} from '../../content/address.ts';
import type { InForce, KnownCollections } from '../../content/collections/known.ts';
import { isContentId } from '../../content/content.ts';
import { contentNotFound } from '../../content/edits.ts';
import { toPlace } from '../../content/placement.ts';
import { findContents } from '../../content/store.ts';
import { type Undecided, UndecidedUrl } from '../../content/undecided.ts';
import type { Db } from '../../db/db.ts';
import { ENTRY_BYTES, estimateBytes } from '../../lib/bytes.ts';
import { Cache } from '../../lib/cache/cache.ts';
import { Joined, Lru, Recent } from '../../lib/cache/lru.ts';
import { planBudget, type SnapshotMemory, USUAL_MIB } from '../../lib/memory.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import { findCandidate } from '../../policies/candidate-store.ts';
import { findPolicy } from '../../policies/store.ts';
import { withCandidate } from '../../rules/candidate.ts';
import { type CompiledPolicy, compile } from '../../rules/compile.ts';
import type { ContentFacts } from '../../rules/facts.ts';
import {
  factsIn,
  type KnownItem,
  lacksField,
  leanFacts,
  type PlacedItem,
  type ReadTogether,
  weightOfItem,
  withPage,
} from './known-item.ts';
import { readRequester, weightOfRequester } from './known-requester.ts';
import { isLooser, placedLooser, readLooser } from './looser.ts';
import { Shared } from './shared.ts';
import {
  ANONYMOUS,
  type KnownRequester,
  type PlacedReadings,
  type PlacedSubject,
  type Subject,
  type SubjectAsk,
  together,
} from './subject.ts';

const CONTENT_MAX = 2_000_000;
const POLICIES_MAX = 10_000;
const REQUESTERS_MAX = 100_000;

/** The part of the items' memory that finds them by externalId. */
const IDS_PART = 0.15;
/** A compiled rule takes as many times the memory of its text. */
const COMPILED_TIMES = 4;

export class Snapshot {
  readonly #db: Db;
  readonly #collections: KnownCollections;
  readonly #addresses: Addresses;
  readonly #contents: Cache<string, KnownItem>;
  /** Ids by externalId: only a hint where to look, because an externalId never changes. */
  readonly #ids: Lru<string, string>;
  readonly #policies: Cache<string, CompiledPolicy>;
  readonly #joined: Joined<PlacedItem, InForce>;
  /** The size of the rules that each was compiled from. */
  readonly #policyBytes = new WeakMap<CompiledPolicy, number>();
  readonly #requesters: Cache<string, KnownRequester>;
  readonly #shared = new Shared();

  constructor(
    db: Db,
    changes: Changes,
    collections: KnownCollections,
    memory: SnapshotMemory = planBudget(USUAL_MIB).snapshot,
  ) {
    this.#db = db;
    this.#collections = collections;
    this.#addresses = openAddresses(db, changes);
    const { itemBytes, requesterBytes, policyBytes } = memory;
    const itemWeight = { max: itemBytes * (1 - IDS_PART), of: weightOfItem };
    const requesterWeight = { max: requesterBytes, of: weightOfRequester };
    const policyWeight = { max: policyBytes, of: (policy: CompiledPolicy) => this.#policyBytes.get(policy) ?? 0 };
    this.#contents = changes.known('items', new Cache(CONTENT_MAX, itemWeight));
    this.#ids = new Lru(CONTENT_MAX, { max: itemBytes * IDS_PART, of: () => ENTRY_BYTES });
    this.#requesters = changes.known('requesters', new Cache(REQUESTERS_MAX, requesterWeight, new Recent()));
    this.#policies = changes.known('policies', new Cache(POLICIES_MAX, policyWeight));
    this.#joined = new Joined([this.#contents, this.#ids, this.#policies]);
  }

  /** Returns the subject of a check if all of it is in memory. The past is not. */
  subject({ contentId, locator, urls, requesterId, asOf }: SubjectAsk): Subject | undefined {
    const inForce = this.#collections.now();
    if (asOf !== undefined || inForce === undefined) return undefined;
    const placed =
      locator === undefined ? this.#item(contentId as string, inForce) : this.#atUrl({ locator, urls }, inForce);
    const requester = requesterId === undefined ? ANONYMOUS : this.#requesters.get(requesterId);
    return placed && requester && toSubject(placed, requester);
  }

  /** Returns the subjects of checks without `asOf`, reading what is not in memory. Throws Unavailable. */
  async loadSubjects<A extends SubjectAsk>(asks: readonly A[]): Promise<Map<A, Subject | Failure>> {
    const inForce = asks.length === 0 ? undefined : await this.#collections.read();
    if (inForce === undefined) return new Map();
    const addresses = await this.#readAddresses(asks, inForce);
    // Taken once, before anything is read: an edit during a read may remove it from memory.
    const refs = [
      ...asks.flatMap(({ contentId }) => contentId ?? []),
      ...[...addresses.values()].flatMap(foundAt).flatMap((found) => ('id' in found ? [found.id] : [])),
    ];
    const known = new Map(refs.map((ref) => [ref, this.#item(ref, inForce)]));
    const missing = [...known].flatMap(([ref, item]) => (item === undefined ? [ref] : []));
    const contents =
      missing.length === 0 ? new Map<string, ContentFacts>() : await this.#loadContents(missing, inForce);
    const requesters = new Map([[undefined as string | undefined, ANONYMOUS]]);
    const subjects = new Map<A, Subject | Failure>();
    for (const ask of asks) {
      const { contentId = '', locator, urls, requesterId } = ask;
      const placed =
        locator === undefined
          ? (known.get(contentId) ?? (await this.#withPolicy(contentId, contents.get(contentId))))
          : await this.#readAtUrl({ locator, urls }, inForce, { at: addresses.get(locator), known, contents });
      if (placed === undefined || placed instanceof Failure) {
        subjects.set(ask, placed ?? contentNotFound(contentId));
        continue;
      }
      const requester = requesters.get(requesterId) ?? (await this.findRequester(requesterId as string));
      requesters.set(requesterId, requester);
      subjects.set(ask, toSubject(placed, requester));
    }
    return subjects;
  }

  /** Returns a requester, also for an id that is not registered. Throws Unavailable. */
  async findRequester(id: string): Promise<KnownRequester> {
    const known = this.#requesters.get(id);
    if (known !== undefined) return known;
    return this.#requesters.read(async (keep) => {
      const read = await readRequester(this.#db, id);
      keep(id, read);
      return read;
    });
  }

  inForce(): Promise<InForce> {
    return this.#collections.read();
  }

  /** Returns what decides about a URL, if it is in memory. */
  #atUrl(asked: AskedUrl, inForce: InForce): PlacedReadings | undefined {
    const at = this.#addresses.now(asked, inForce);
    if (at === undefined || typeof at === 'string') return undefined;
    if (!('found' in at) && !('id' in at && isLooser(at))) return this.#inMemory(at, inForce);
    return together(
      at,
      foundAt(at).flatMap((one) =>
        'id' in one && isLooser(one)
          ? placedLooser(this.#contents.get(one.id), one, inForce, (id) => this.#policies.get(id))
          : this.#inMemory(one, inForce),
      ),
    );
  }

  #inMemory(found: FoundContent, inForce: InForce): PlacedSubject | undefined {
    if ('id' in found) {
      const item = this.#item(found.id, inForce);
      return item && withPage(item, found);
    }
    const policy = this.#policies.get(found.page.policyId);
    return policy && { content: null, page: found.page, policy };
  }

  /** Returns what is at the URLs of the asks, reading it for all of them together. */
  #readAddresses(asks: readonly SubjectAsk[], inForce: InForce): Promise<Map<Locator, AtUrl>> | Map<Locator, AtUrl> {
    const asked = asks.flatMap(({ locator, urls }) => (locator === undefined ? [] : [{ locator, urls }]));
    return asked.length === 0 ? new Map() : this.#addresses.readAll(asked, inForce);
  }

  async #readAtUrl(
    asked: AskedUrl,
    inForce: InForce,
    { at, known, contents }: ReadTogether,
  ): Promise<PlacedReadings | Failure> {
    const read = at ?? (await this.#addresses.read(asked, inForce));
    const placed = await this.#readPlaced(read, inForce, async (id) => {
      const item = known.get(id) ?? (await this.#withPolicy(id, contents.get(id)));
      return item ?? this.#item(id, inForce) ?? this.#readItem(id, inForce);
    });
    if (placed !== undefined) return typeof placed === 'string' ? new UndecidedUrl(asked.locator, placed) : placed;
    // Since it was found, the item was deleted, or the collection got another policy and this one was deleted.
    const now = await this.#collections.read();
    const again = await this.#readPlaced(
      await readAddress(this.#db, asked, now),
      now,
      async (id) => this.#item(id, now) ?? this.#readItem(id, now),
    );
    return again === undefined || typeof again === 'string' ? new UndecidedUrl(asked.locator, again ?? 'none') : again;
  }

  /** Returns undefined where something of it is gone. */
  async #readPlaced(
    at: AtUrl,
    inForce: InForce,
    itemOf: (id: string) => Promise<PlacedItem | undefined>,
  ): Promise<PlacedReadings | Undecided | undefined> {
    if (typeof at === 'string') return at;
    const all: (PlacedSubject | undefined)[] = [];
    for (const found of foundAt(at)) {
      if ('id' in found && isLooser(found)) {
        all.push(...(await readLooser(this.#db, found, inForce, (id) => this.findPolicy(id))));
      } else if ('id' in found) {
        const item = await itemOf(found.id);
        all.push(item && withPage(item, found));
      } else {
        const policy = await this.findPolicy(found.page.policyId);
        all.push(policy && { content: null, page: found.page, policy });
      }
    }
    return together(at, all);
  }

  async #readItem(id: string, inForce: InForce): Promise<PlacedItem | undefined> {
    return this.#withPolicy(id, (await this.#loadContents([id], inForce)).get(id));
  }

  /** Returns the item by id or externalId, if it is in memory with its policy. */
  #item(ref: string, inForce: InForce): PlacedItem | undefined {
    const joined = this.#joined.get(ref, inForce);
    if (joined !== undefined) return joined;
    const known = this.#contents.get(isContentId(ref) ? ref : (this.#ids.get(ref) ?? ''));
    if (known === undefined) return undefined;
    const content = factsIn(known, inForce);
    const policy = this.#policies.get(content.policyId);
    if (policy === undefined || lacksField(content, policy)) return undefined;
    const placed = { content, policy };
    this.#joined.set(ref, placed);
    return placed;
  }

  async #withPolicy(ref: string, content: ContentFacts | undefined): Promise<PlacedItem | undefined> {
    if (content === undefined) return undefined;
    const policy = await this.findPolicy(content.policyId);
    if (policy !== undefined && !lacksField(content, policy)) return { content, policy };
    // Since it was read, it moved and this policy was deleted, or a rule began to ask for metadata: read it again.
    return this.#readItem(ref, await this.#collections.read());
  }

  /** Reads items by id or externalId, and the policies that say whether their metadata is kept. */
  #loadContents(refs: readonly string[], inForce: InForce): Promise<Map<string, ContentFacts>> {
    return this.#contents.read(async (keep) => {
      const found = new Map<string, ContentFacts>();
      for (const [ref, read] of await findContents(this.#db, refs)) {
        const policyId = this.#shared.text(read.policyId);
        const content = { ...read, policyId, type: this.#shared.text(read.type) };
        const place = toPlace(content, inForce);
        const policy = await this.findPolicy(place.policyId);
        const facts = { ...leanFacts(content, place, policy), tags: this.#shared.tags(content.tags) };
        found.set(ref, facts);
        keep(facts.id, { facts, inForce, source: content.source, policyId });
        this.#ids.set(facts.externalId, facts.id);
      }
      return found;
    });
  }

  /** Returns a policy as it decides now. Throws Unavailable. */
  async findPolicy(id: string): Promise<CompiledPolicy | undefined> {
    return this.#policies.get(id) ?? (await this.#loadPolicy(id));
  }

  #loadPolicy(id: string): Promise<CompiledPolicy | undefined> {
    return this.#policies.read(async (keep) => {
      const policy = await findPolicy(this.#db, id);
      if (policy === undefined) return undefined;
      const candidate = await findCandidate(this.#db, id);
      const compiled = withCandidate(compile(policy), candidate);
      const bytes = estimateBytes(policy.rules) + (candidate === undefined ? 0 : estimateBytes(candidate.rules));
      this.#policyBytes.set(compiled, COMPILED_TIMES * bytes);
      keep(id, compiled);
      return compiled;
    });
  }
}

/** Returns the subject of a check. */
export function toSubject(placed: PlacedReadings, requester: KnownRequester): Subject {
  const { content, page, policy, others, missing, spelled } = placed;
  if (page === undefined) return { content, policy, requester };
  if (others === undefined) return { content, page, policy, requester };
  return { content, page, policy, requester, others, missing: missing === true, spelled: spelled === true };
}
