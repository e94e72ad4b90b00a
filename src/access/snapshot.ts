/**
 * The records that checks need, in memory: read through, bounded, forgotten on change. Once this node has answered an
 * edit, no check that starts afterwards is decided on what was there before.
 */
import type { Changes } from '../changes/changes.ts';
import { isRequesterEdit } from '../changes/kinds.ts';
import type { InForce, KnownCollections } from '../collections/known.ts';
import { type Addresses, type AtUrl, openAddresses, readAddress, UndecidedUrl } from '../content/address.ts';
import { isContentId, toContentFacts } from '../content/content.ts';
import { contentNotFound } from '../content/edits.ts';
import { placeOf } from '../content/placement.ts';
import { findContents } from '../content/store.ts';
import type { Db } from '../db/db.ts';
import { Failure } from '../errors.ts';
import { bytesOf, ENTRY_BYTES } from '../lib/bytes.ts';
import { Cache } from '../lib/cache.ts';
import { Joined } from '../lib/joined.ts';
import type { Locator } from '../lib/locator.ts';
import { Lru } from '../lib/lru.ts';
import { Recent } from '../lib/recent.ts';
import { budgetOf, type SnapshotMemory, USUAL_MIB } from '../memory.ts';
import { withCandidate } from '../policies/candidate.ts';
import { findCandidate } from '../policies/candidate-store.ts';
import { type CompiledPolicy, compile } from '../policies/compile.ts';
import type { ContentFacts } from '../policies/facts.ts';
import { findPolicy } from '../policies/store.ts';
import { inServingOrder, toLicenseFacts } from '../requesters/license.ts';
import { toRequesterFacts } from '../requesters/requester.ts';
import { findLicensesOf, findRequester } from '../requesters/store.ts';
import { findContracts } from '../requesters/terms-store.ts';
import type { Ask } from './ask.ts';
import { ANONYMOUS, type KnownRequester, type Subject } from './facts.ts';
import { factsIn, type KnownItem, lacksField, type PlacedItem, weightOfItem, withPage } from './known-item.ts';

const CONTENT_MAX = 2_000_000;
const POLICIES_MAX = 10_000;
const REQUESTERS_MAX = 100_000;
const TAG_LISTS_MAX = 100_000;

/** The part of the items' memory that finds them by externalId. */
const IDS_PART = 0.15;
/** A compiled rule takes as many times the memory of its text. */
const COMPILED_TIMES = 4;

const weightOfRequester = (requester: KnownRequester): number => ENTRY_BYTES + bytesOf(requester);

/** An item or a page with its policy. */
type Placed = Omit<Subject, 'requester'>;

const toSubject = ({ content, page, policy }: Placed, requester: KnownRequester): Subject =>
  page === undefined ? { content, policy, requester } : { content, page, policy, requester };

/** Records that were read for all checks of a request together. */
interface ReadTogether {
  at: AtUrl | undefined;
  known: ReadonlyMap<string, PlacedItem | undefined>;
  contents: ReadonlyMap<string, ContentFacts>;
}

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
  readonly #tagLists = new Lru<string, readonly string[]>(TAG_LISTS_MAX);
  /** Ids of policies, and types. */
  readonly #texts = new Lru<string, string>(POLICIES_MAX);

  constructor(
    db: Db,
    changes: Changes,
    collections: KnownCollections,
    memory: SnapshotMemory = budgetOf(USUAL_MIB).snapshot,
  ) {
    this.#db = db;
    this.#collections = collections;
    this.#addresses = openAddresses(db, changes);
    const { itemBytes, requesterBytes, policyBytes } = memory;
    this.#contents = new Cache(CONTENT_MAX, { max: itemBytes * (1 - IDS_PART), of: weightOfItem });
    this.#ids = new Lru(CONTENT_MAX, { max: itemBytes * IDS_PART, of: () => ENTRY_BYTES });
    this.#requesters = new Cache(REQUESTERS_MAX, { max: requesterBytes, of: weightOfRequester }, new Recent());
    this.#policies = new Cache(POLICIES_MAX, { max: policyBytes, of: (policy) => this.#policyBytes.get(policy) ?? 0 });
    this.#joined = new Joined([this.#contents, this.#ids, this.#policies]);
    changes.subscribe(({ kind, id, ownerId }) => {
      if (kind.startsWith('content.')) this.#contents.delete(id);
      else if (kind.startsWith('policy.') || kind.startsWith('policy_candidate.')) this.#policies.delete(id);
      // Rules that named the requester have its pseudonym.
      else if (kind === 'requester.erased') this.#policies.clear();
      else if (isRequesterEdit(kind)) this.#requesters.delete(id);
      else if (ownerId !== undefined) this.#requesters.delete(ownerId);
    });
  }

  /** Returns the subject of a check if all of it is in memory. The past is not. */
  subject({ contentId, locator, requesterId, asOf }: Ask): Subject | undefined {
    const inForce = this.#collections.now();
    if (asOf !== undefined || inForce === undefined) return undefined;
    const placed = locator === undefined ? this.#item(contentId as string, inForce) : this.#atUrl(locator, inForce);
    const requester = requesterId === undefined ? ANONYMOUS : this.#requesters.get(requesterId);
    return placed && requester && toSubject(placed, requester);
  }

  /** Returns the subjects of checks without `asOf`, reading what is not in memory. Throws Unavailable. */
  async loadSubjects(asks: readonly Ask[]): Promise<Map<Ask, Subject | Failure>> {
    const inForce = asks.length === 0 ? undefined : await this.#collections.read();
    if (inForce === undefined) return new Map();
    const addresses = await this.#readAddresses(asks, inForce);
    // Taken once, before anything is read: an edit during a read may remove it from memory.
    const refs = [
      ...asks.flatMap(({ contentId }) => contentId ?? []),
      ...[...addresses.values()].flatMap((at) => (typeof at === 'object' && 'id' in at ? [at.id] : [])),
    ];
    const known = new Map(refs.map((ref) => [ref, this.#item(ref, inForce)]));
    const missing = [...known].flatMap(([ref, item]) => (item === undefined ? [ref] : []));
    const contents =
      missing.length === 0 ? new Map<string, ContentFacts>() : await this.#loadContents(missing, inForce);
    const requesters = new Map([[undefined as string | undefined, ANONYMOUS]]);
    const subjects = new Map<Ask, Subject | Failure>();
    for (const ask of asks) {
      const { contentId = '', locator, requesterId } = ask;
      const placed =
        locator === undefined
          ? (known.get(contentId) ?? (await this.#withPolicy(contentId, contents.get(contentId))))
          : await this.#readAtUrl(locator, inForce, { at: addresses.get(locator), known, contents });
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
      const requester = await findRequester(this.#db, id);
      const licenses = requester === undefined ? [] : await findLicensesOf(this.#db, id);
      const facts = requester === undefined ? null : toRequesterFacts(requester);
      const hasTerms = licenses.some(({ termsVersion }) => termsVersion > 0);
      const contracts = hasTerms ? await findContracts(this.#db, { requesterId: id }) : [];
      const segments = new Map(contracts.map((contract) => [contract.licenseId, contract.segments]));
      const read = {
        facts,
        licenses: inServingOrder(licenses).map((license) => toLicenseFacts(license, segments.get(license.id))),
      };
      keep(id, read);
      return read;
    });
  }

  inForce(): Promise<InForce> {
    return this.#collections.read();
  }

  /** Returns what decides about a URL, if it is in memory. */
  #atUrl(locator: Locator, inForce: InForce): Placed | undefined {
    const at = this.#addresses.now(locator, inForce);
    if (at === undefined || typeof at === 'string') return undefined;
    if ('id' in at) {
      const item = this.#item(at.id, inForce);
      return item && withPage(item, locator);
    }
    const policy = this.#policies.get(at.page.policyId);
    return policy && { content: null, page: at.page, policy };
  }

  /** Returns what is at the URLs of the asks, reading it for all of them together. */
  #readAddresses(asks: readonly Ask[], inForce: InForce): Promise<Map<Locator, AtUrl>> | Map<Locator, AtUrl> {
    const locators = asks.flatMap(({ locator }) => locator ?? []);
    return locators.length === 0 ? new Map() : this.#addresses.readAll(locators, inForce);
  }

  async #readAtUrl(
    locator: Locator,
    inForce: InForce,
    { at, known, contents }: ReadTogether,
  ): Promise<Placed | Failure> {
    const read = at ?? (await this.#addresses.read(locator, inForce));
    const id = typeof read === 'object' && 'id' in read ? read.id : undefined;
    const item = id === undefined ? undefined : (known.get(id) ?? (await this.#withPolicy(id, contents.get(id))));
    if (item !== undefined) return withPage(item, locator);
    const found = await this.#readPlaced(locator, read, inForce);
    if (found !== undefined) return found;
    // Since it was found, the item was deleted, or the collection got another policy and this one was deleted.
    const now = await this.#collections.read();
    const placed = await this.#readPlaced(locator, await readAddress(this.#db, locator, now), now);
    return placed ?? new UndecidedUrl(locator, 'none');
  }

  async #readPlaced(locator: Locator, at: AtUrl, inForce: InForce): Promise<Placed | Failure | undefined> {
    if (typeof at === 'string') return new UndecidedUrl(locator, at);
    if ('id' in at) {
      const item = this.#item(at.id, inForce) ?? (await this.#readItem(at.id, inForce));
      return item && withPage(item, locator);
    }
    const policy = await this.findPolicy(at.page.policyId);
    return policy && { content: null, page: at.page, policy };
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
        const policyId = this.#shared(read.policyId);
        const content = { ...read, policyId, type: this.#shared(read.type) };
        const place = placeOf(content, inForce);
        const policy = await this.findPolicy(place.policyId);
        const facts = {
          ...toContentFacts(content, place),
          tags: this.#sharedTags(content.tags),
          source: policy?.asksSource === true ? content.source : null,
          // Up to 16 KiB an item: kept only for rules that need it.
          metadata: policy?.asksMetadata === true ? content.metadata : null,
        };
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
      const bytes = bytesOf(policy.rules) + (candidate === undefined ? 0 : bytesOf(candidate.rules));
      this.#policyBytes.set(compiled, COMPILED_TIMES * bytes);
      keep(id, compiled);
      return compiled;
    });
  }

  /** Returns one string for equal ones: each row that is read has its own. */
  #shared<T extends string>(text: T): T {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return (known ?? text) as T;
  }

  /** Returns one list for equal tags: thousands of items have the same. */
  #sharedTags(tags: readonly string[]): readonly string[] {
    const name = JSON.stringify(tags);
    const known = this.#tagLists.get(name);
    if (known === undefined) this.#tagLists.set(name, tags);
    return known ?? tags;
  }
}
