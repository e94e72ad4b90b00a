/**
 * Allow rules that go by a name: they hold for a requester, by its id, type, tags or metadata, a crawler or the holder
 * of a license, also where it was not verified. If that requester has identities, anybody who uses its name gets what
 * the rule allows. Anybody may use the name of a crawler, and only `crawlerVerified` asks for its proof: the token of
 * a partner proves the partner. Pure: the store is asked beforehand, for what `namedBy` returns.
 * Reported only if the rule decides some check that is not verified. Like an evasion, this is advice, not proof.
 */

import type { Steps } from '../../lib/slices.ts';
import { list, metadataTest } from '../conditions/match.ts';
import type { Crawler } from '../crawlers/crawler.ts';
import { CRAWLERS } from '../crawlers/directory.ts';
import { DEFAULT_GRANT, type Rule } from '../policy.ts';
import type { Meter } from './cells.ts';
import { UNPROVEN_CRAWLER, UNVERIFIED_CHECK } from './literals.ts';
import { meetAll } from './region.ts';
import { whereItDecides } from './silence.ts';
import { attempt, type PlacedRule } from './unreachable.ts';

/** The parties that rules name. */
export interface NamedParties {
  requesterIds: readonly string[];
  /** Some rule allows by the type, the tags or the metadata of requesters. */
  byKind: boolean;
  /** The keys of requesters' metadata that those rules go by. */
  metadataKeys: readonly string[];
  /** Some rule allows by license. */
  byLicense: boolean;
}

/** The requesters with identities. */
export interface Verifiable {
  /** Ids, of those that the rules name. */
  requesterIds: ReadonlySet<string>;
  /** Kinds of requesters with identities, each once. */
  kinds: readonly RequesterKind[];
  /** Types of the licenses that requesters with identities hold. */
  licenseTypes: ReadonlySet<string>;
}

/** Requesters of the same type, tags and metadata under the keys that rules go by. */
export interface RequesterKind {
  type: string | null;
  tags: readonly string[];
  metadata: Readonly<Record<string, unknown>>;
}

export type FindVerifiable = (rules: readonly Rule[]) => Promise<Verifiable>;

/** For rules that are not those of a service. */
export const NOBODY: Verifiable = { requesterIds: new Set(), kinds: [], licenseTypes: new Set() };

type Conditions = Record<string, unknown>;

const CRAWLER_FIELDS = { crawler: 'name', crawlerOperator: 'operator', crawlerPurpose: 'purpose' } as const;
const CRAWLER_KEYS = Object.keys(CRAWLER_FIELDS) as (keyof typeof CRAWLER_FIELDS)[];
const KIND_KEYS = ['requesterType', 'requesterTags', 'requesterMetadata'] as const;
const LICENSE_KEYS = ['licenseType', 'licenseFeatures', 'licenseExpiry'];

export function namedBy(rules: readonly Rule[]): NamedParties {
  const named = rules.filter(isByName).map(({ conditions = {} }) => conditions);
  return {
    requesterIds: [...new Set(named.flatMap((conditions) => toTexts(conditions.requesterId)))],
    byKind: named.some((conditions) => kindKey(conditions) !== undefined),
    metadataKeys: [
      ...new Set(
        named.flatMap(({ requesterMetadata, requesterMetadataNot }) =>
          Object.keys({ ...(requesterMetadata as object), ...(requesterMetadataNot as object) }),
        ),
      ),
    ],
    byLicense: named.some((conditions) => licenseKey(conditions) !== undefined),
  };
}

/** An allow rule that grants something and does not ask for verification. */
const isByName = (rule: Rule): boolean => isGrant(rule) && !asksVerified(rule.conditions ?? {});

const isGrant = ({ action, permissions }: Rule): boolean =>
  action === 'allow' && (permissions ?? DEFAULT_GRANT).length > 0;

const asksVerified = ({ requesterVerified = false }: Conditions): boolean => requesterVerified !== false;

export interface Unverified {
  index: number;
  /** The condition that names the party. */
  key: string;
  /** A crawler, or a requester with identities; null: requesters of a kind, or holders of licenses. */
  name: string | null;
  /** The rule goes by the name of a crawler, and does not ask for its proof. */
  ofCrawler?: {
    /** The rule asks for the proof of the requester instead. */
    asksRequester: boolean;
    /** The directory knows how to verify one of the crawlers. */
    provable: boolean;
  };
}

export function* findUnverified(
  order: readonly PlacedRule[],
  verifiable: Verifiable,
  meter: Meter,
): Steps<Unverified[]> {
  const unverified: Unverified[] = [];
  for (const [position, placed] of order.entries()) {
    const { conditions = {} } = placed.rule;
    const party = isGrant(placed.rule) ? findUnverifiedParty(conditions, verifiable) : undefined;
    yield;
    if (party === undefined) continue;
    const left = yield* attempt(whereItDecides(placed, order.slice(0, position), meter));
    // Where reasoning gives up, the rule counts by itself.
    const open = party.ofCrawler === undefined ? UNVERIFIED_CHECK : UNPROVEN_CRAWLER;
    const isOpen = left === null || left.some((region) => meetAll(region, [open], meter) !== null);
    if (isOpen) unverified.push({ index: placed.index, ...party });
  }
  return unverified;
}

/** The narrowest condition counts: a rule for one requester with a license is about that requester. */
function findUnverifiedParty(conditions: Conditions, verifiable: Verifiable): Omit<Unverified, 'index'> | undefined {
  const crawlerKey = CRAWLER_KEYS.find((key) => conditions[key] !== undefined);
  // A proven crawler is no other party.
  if (crawlerKey !== undefined && conditions.crawlerVerified === true) return undefined;
  const isVerified = asksVerified(conditions);
  if (conditions.requesterId !== undefined) {
    const name = isVerified ? undefined : toTexts(conditions.requesterId).find((id) => verifiable.requesterIds.has(id));
    if (name !== undefined) return { key: 'requesterId', name };
    if (isVerified || crawlerKey === undefined) return undefined;
  }
  if (crawlerKey !== undefined) return crawlerParty(crawlerKey, conditions);
  return isVerified ? undefined : findUnverifiedGroup(conditions, verifiable);
}

function crawlerParty(key: string, conditions: Conditions): Omit<Unverified, 'index'> | undefined {
  const crawlers = matchCrawlers(conditions);
  const provable = crawlers.find(({ identities }) => identities.length > 0);
  const crawler = provable ?? crawlers[0];
  if (crawler === undefined) return undefined;
  const ofCrawler = { asksRequester: asksVerified(conditions), provable: provable !== undefined };
  return { key, name: crawler.name, ofCrawler };
}

/** Requesters of a kind, or holders of licenses. */
function findUnverifiedGroup(conditions: Conditions, verifiable: Verifiable): Omit<Unverified, 'index'> | undefined {
  const byKind = kindKey(conditions);
  if (byKind !== undefined) {
    return verifiable.kinds.some((kind) => isOfKind(conditions, kind)) ? { key: byKind, name: null } : undefined;
  }
  const key = licenseKey(conditions);
  const { licenseTypes } = verifiable;
  const isHeld =
    conditions.licenseType === undefined
      ? licenseTypes.size > 0
      : toTexts(conditions.licenseType).some((type) => licenseTypes.has(type));
  return key !== undefined && isHeld ? { key, name: null } : undefined;
}

const toTexts = (value: unknown): readonly string[] => (value === undefined ? [] : list(value as string | string[]));

const kindKey = (conditions: Conditions): string | undefined => KIND_KEYS.find((key) => conditions[key] !== undefined);

/** Returns whether such requesters meet the conditions on them. A missing type, or key of metadata, meets none. */
function isOfKind(conditions: Conditions, { type, tags, metadata }: RequesterKind): boolean {
  const types = type === null ? [] : [type];
  const holds = (key: string, values: readonly string[]): boolean =>
    (conditions[key] === undefined || toTexts(conditions[key]).some((one) => values.includes(one))) &&
    !toTexts(conditions[`${key}Not`]).some((one) => values.includes(one));
  const { requesterMetadata = {}, requesterMetadataNot } = conditions as Record<string, RequesterKind['metadata']>;
  return (
    holds('requesterType', types) &&
    holds('requesterTags', tags) &&
    metadataTest(requesterMetadata)(metadata) === true &&
    (requesterMetadataNot === undefined || metadataTest(requesterMetadataNot)(metadata) === false)
  );
}

const licenseKey = (conditions: Conditions): string | undefined =>
  conditions.hasValidLicense === true ? 'hasValidLicense' : LICENSE_KEYS.find((key) => conditions[key] !== undefined);

/** Returns the crawlers that meet all conditions on crawlers; none without one that says which. */
function matchCrawlers(conditions: Conditions): Crawler[] {
  const toTextSet = (key: string): Set<string | null> | undefined =>
    conditions[key] === undefined ? undefined : new Set(toTexts(conditions[key]));
  if (CRAWLER_KEYS.every((key) => conditions[key] === undefined)) return [];
  const tests = CRAWLER_KEYS.map((key) => ({
    field: CRAWLER_FIELDS[key],
    wanted: toTextSet(key),
    unwanted: toTextSet(`${key}Not`),
  }));
  return CRAWLERS.filter((crawler) =>
    tests.every(
      ({ field, wanted, unwanted }) => wanted?.has(crawler[field]) !== false && unwanted?.has(crawler[field]) !== true,
    ),
  );
}
