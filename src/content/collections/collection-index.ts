/**
 * Finds the most specific collection of an address or an item. Pure. The longest matching path pattern in octets wins;
 * then an exact host before `*.`, before none; then more selectors; then the older. A search costs about the same for
 * any number of hosts and of patterns that differ in their literal parts.
 */
import { toText } from '../../lib/urls/glob.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import { toFolded, type UrlRules, USUAL_URLS } from '../../lib/urls/spellings.ts';
import {
  matchesPath,
  type PathPattern,
  parseHostPattern,
  parsePathPattern,
  type Target,
  toHostPatterns,
  toTarget,
} from '../../lib/urls/url-pattern.ts';
import { type Collection, givenSelectors } from './collection.ts';
import { Patterns } from './patterns.ts';

/** An address or an item, as collections select it. */
export interface Selected {
  /** undefined: no address, so neither hosts nor paths match. */
  locator: Locator | undefined;
  /** null: an address without a registered item. */
  item: { readonly type: string; readonly tags: readonly string[] } | null;
  /** The rules of its host; absent: the usual ones. */
  urls?: UrlRules | undefined;
}

/** A collection with its patterns parsed. */
interface Member {
  collection: Collection;
  hosts: readonly string[];
  patterns: readonly PathPattern[];
  types: ReadonlySet<string> | null;
  tags: ReadonlySet<string> | null;
  selectors: number;
}

interface Match {
  member: Member;
  /** The path pattern that matches; null: the collection has none. */
  pattern: PathPattern | null;
  octets: number;
  /** 2: the host itself, 1: a name below, 0: any host. */
  hostRank: number;
}

/** The collections of a host pattern, and how specific that is. */
interface Ranked {
  site: Site;
  /** 2: the host itself, 1: a name below, 0: any host. */
  hostRank: number;
}

/** The most specific collection. */
export interface Matched {
  collection: Collection;
  /** Its pattern names a query. */
  namesQuery: boolean;
}

const toMatched = ({ member, pattern }: Match): Matched => ({
  collection: member.collection,
  namesQuery: pattern?.query != null,
});

/** For collections without hosts. */
const ANY_HOST = '';
/** Hosts whose sites are remembered: few are named, and spelling their patterns takes as long as a search. */
const HOSTS_MAX = 1_000;

export class CollectionIndex {
  readonly #members = new Map<string, Member>();
  readonly #sites = new Map<string, Site>();
  readonly #ranked = new Map<string, readonly Ranked[]>();
  /** The other collections of a trial. */
  #others: CollectionIndex | undefined;

  /** Adds a collection, or replaces the one with its id. Costs its own addresses, not those of the others. */
  put(collection: Collection): void {
    this.delete(collection.id);
    const member = toMember(collection);
    this.#members.set(collection.id, member);
    this.#ranked.clear();
    for (const host of member.hosts) {
      const site = this.#sites.get(host) ?? new Site();
      this.#sites.set(host, site);
      site.add(member);
    }
  }

  delete(id: string): void {
    const member = this.#members.get(id);
    this.#members.delete(id);
    this.#ranked.clear();
    for (const host of member?.hosts ?? []) {
      const site = this.#sites.get(host);
      site?.remove(member as Member);
      if (site?.size === 0) this.#sites.delete(host);
    }
  }

  /** Returns an index in which a collection is added or replaced; this one stays as it is. Costs no copy. */
  including(collection: Collection): CollectionIndex {
    const trial = new CollectionIndex();
    trial.put(collection);
    trial.#others = this;
    return trial;
  }

  get(id: string): Collection | undefined {
    return this.#members.get(id)?.collection ?? this.#others?.get(id);
  }

  /** The number of collections. A trial counts a replaced one twice. */
  get size(): number {
    return this.#members.size + (this.#others?.size ?? 0);
  }

  all(): Collection[] {
    const others = this.#others?.all().filter(({ id }) => !this.#members.has(id)) ?? [];
    return [...[...this.#members.values()].map(({ collection }) => collection), ...others];
  }

  /** With `except`, returns the most specific of the other collections. */
  find(selected: Selected, except?: ReadonlySet<string>): Collection | undefined {
    return this.#match(selected, except)?.member.collection;
  }

  /** Returns the most specific collection with what of its selectors matches. */
  findMatch(selected: Selected): Matched | undefined {
    const match = this.#match(selected);
    return match && toMatched(match);
  }

  /**
   * Returns the other collections with a pattern that is the one of the most specific collection in another case of
   * letters. Where the case does not count, which of them is meant is not known.
   */
  findOtherCase(selected: Selected): Matched[] {
    const first = this.#match(selected);
    if (first?.pattern == null) return [];
    const found: Matched[] = [];
    const passed = new Set<string>();
    for (let match: Match | undefined = first; match?.octets === first.octets; match = this.#match(selected, passed)) {
      if (match.pattern !== null && isOtherCase(match.pattern, first.pattern)) found.push(toMatched(match));
      passed.add(match.member.collection.id);
    }
    return found;
  }

  /** Returns whether a collection names the host, or names above it with the same port. */
  namesHost(host: string): boolean {
    return this.#rankedFor(host).some(({ hostRank }) => hostRank > 0) || (this.#others?.namesHost(host) ?? false);
  }

  #match({ locator, item, urls }: Selected, except?: ReadonlySet<string>): Match | undefined {
    const target = locator && toTarget(locator, urls ?? USUAL_URLS);
    let best: Match | undefined;
    for (const { site, hostRank } of this.#rankedFor(locator?.host ?? ANY_HOST)) {
      best = site.find({ target, item, hostRank, except }, best) ?? best;
    }
    if (this.#others === undefined) return best;
    const other = this.#others.#match({ locator, item, urls }, new Set([...(except ?? []), ...this.#members.keys()]));
    return other !== undefined && (best === undefined || isBetter(other, best)) ? other : best;
  }

  /** Returns the sites that a host belongs to, by rank. */
  #rankedFor(host: string): readonly Ranked[] {
    const known = this.#ranked.get(host);
    if (known !== undefined) return known;
    const ranked = [...new Set([...toHostPatterns(host), ANY_HOST])].flatMap((pattern) => {
      const site = this.#sites.get(pattern);
      if (site === undefined) return [];
      return [{ site, hostRank: pattern === ANY_HOST ? 0 : pattern.startsWith('*') ? 1 : 2 }];
    });
    if (this.#ranked.size >= HOSTS_MAX) this.#ranked.clear();
    this.#ranked.set(host, ranked);
    return ranked;
  }
}

function isOtherCase(one: PathPattern, other: PathPattern): boolean {
  const [text, otherText] = [toText(one.path), toText(other.path)];
  return text !== otherText && toFolded(text) === toFolded(otherText);
}

function toMember(collection: Collection): Member {
  const { contentTypes, contentTags, hosts, paths } = collection;
  return {
    collection,
    hosts: hosts.length === 0 ? [ANY_HOST] : [...new Set(hosts.flatMap((host) => parseHostPattern(host) ?? []))],
    patterns: paths.flatMap((path) => parsePathPattern(path) ?? []),
    types: contentTypes.length === 0 ? null : new Set(contentTypes),
    tags: contentTags.length === 0 ? null : new Set(contentTags),
    selectors: givenSelectors(collection).length,
  };
}

/** A pattern of one collection. */
interface Entry {
  member: Member;
  pattern: PathPattern;
}

interface Sought {
  target: Target | undefined;
  item: Selected['item'];
  hostRank: number;
  except: ReadonlySet<string> | undefined;
}

/** The collections of one host. */
class Site {
  readonly #members = new Set<Member>();
  #patterns: Patterns<Entry> | undefined;
  #withoutPaths: readonly Member[] = [];

  get size(): number {
    return this.#members.size;
  }

  add(member: Member): void {
    this.#members.add(member);
    this.#patterns = undefined;
  }

  remove(member: Member): void {
    this.#members.delete(member);
    this.#patterns = undefined;
  }

  /** Returns the best match here if it is better than the best one so far. */
  find({ target, item, hostRank, except }: Sought, before: Match | undefined): Match | undefined {
    const patterns = this.#getPatterns();
    let best = before;
    const consider = (member: Member, pattern: PathPattern | null): void => {
      if (except?.has(member.collection.id) === true) return;
      const match = { member, pattern, octets: pattern?.octets ?? 0, hostRank };
      if (selects(member, item) && (best === undefined || isBetter(match, best))) best = match;
    };
    if (target !== undefined) {
      for (const entries of patterns.listsFor(target)) {
        for (const { member, pattern } of entries) {
          // Sorted by length: no later one can win.
          if (best !== undefined && pattern.octets < best.octets) break;
          if (matchesPath(pattern, target)) consider(member, pattern);
        }
      }
    }
    for (const member of this.#withoutPaths) consider(member, null);
    return best;
  }

  /** Made at the first search, so that many edits in a row cost little. */
  #getPatterns(): Patterns<Entry> {
    if (this.#patterns !== undefined) return this.#patterns;
    const members = [...this.#members];
    this.#withoutPaths = members.filter(({ collection }) => collection.paths.length === 0);
    this.#patterns = new Patterns(members.flatMap((member) => member.patterns.map((pattern) => ({ member, pattern }))));
    return this.#patterns;
  }
}

function selects({ types, tags }: Member, item: Selected['item']): boolean {
  if (types !== null && (item === null || !types.has(item.type))) return false;
  return tags === null || (item?.tags.some((tag) => tags.has(tag)) ?? false);
}

function isBetter(one: Match, other: Match): boolean {
  if (one.octets !== other.octets) return one.octets > other.octets;
  if (one.hostRank !== other.hostRank) return one.hostRank > other.hostRank;
  if (one.member.selectors !== other.member.selectors) return one.member.selectors > other.member.selectors;
  return isOlder(one.member.collection, other.member.collection);
}

/** Ids are in order of time. */
const isOlder = (one: Collection, other: Collection): boolean =>
  one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt;
