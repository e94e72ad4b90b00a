// The decision on access, written a second time, from the contract alone: slow, plain, one sentence of the contract
// after the other. The service must come to the same verdicts.
//
// Where the contract leaves a choice, this file takes the following readings.
//
//  1. A registered requester without a type: the type is unknown. (Only missing tags are called known.)
//  2. Metadata conditions with several keys: the positive holds when every key is equal. If any named key is absent,
//     the whole condition is unknown. With all keys present, the Not form is the plain negation: not all are equal.
//  3. Metadata equality is strict equality of JSON values without conversion (1 is not "1"). A stored list is one
//     value, equal to no single value. A key that is present with null is known.
//  4. A license without expiresAt never expires: licenseExpiry `after` holds for it, `before` does not.
//     `licenseExpiry: {}` still needs a valid license.
//  5. An empty scope list covers nothing (only an absent one covers everything).
//  6. A rule with `default: true` beside other keys is evaluated last, needs all its keys to hold, and is a catch-all
//     for `no_license` (b).
//  7. A deny rule that is (a) and (b) at once takes its reason from (a).
//  8. (b) considers only the allow rule itself. It ignores whether another deny rule would then have come first, a
//     used-up limit and a permission that the rule does not grant.
//  9. Any license key counts in (b), the Not forms too: with no valid license `licenseTypeNot` is unknown, with one
//     more of another type it holds.
// 10. "One more valid license" must be possible: it expires after now, at the earliest one millisecond later. A rule
//     whose `licenseExpiry.before` is not later than that cannot be helped.
// 11. `license_expired` (b): the expired license counts as renewed, its type and features unchanged, to an end that
//     suits the rule's licenseExpiry. It has to be what makes the rule hold.
// 12. Anonymous and unregistered requesters get `no_license` and `license_expired` too.
// 13. IPv4 and IPv6 are separate: `::/0` holds no IPv4 address, mapped or not; `::ffff:a.b.c.d/n` with n >= 96 is the
//     IPv4 range `/n-96`. Host bits below the mask are ignored. An address that cannot be read is unknown.
// 14. An empty user agent is unknown.
// 15. Texts are compared byte for byte, also countries and the `permission` condition (no implication there).
// 16. `time`: `after` and `from` inclusive, `before` and `to` exclusive. `days` is the day of the check in the time
//     zone, also when the span passes midnight. `from` alone runs to midnight, `to` alone from midnight; `from`
//     equal to `to` never holds. Without `timezone` it is UTC; a time without offset is UTC.
// 17. An allow rule with `permissions: []` allows a check that names no permission, and grants nothing.
// 18. `default: allow` as default action grants full_access, so a check naming another right of use is denied
//     `permission_not_granted` with no matched rule.
// 19. A user agent that contains a text letter by letter contains it in any case too; the two small sigmas are one
//     letter.
//
// Readings 20 to 23, on addresses and crawlers, are in places.ts.
//
// 24. A URL without an item: what is known of items alone is unknown, and a license whose scope asks for an item does
//     not cover it. `policyIds` of a scope is about the policy in force, and `collectionIds` about the collection that
//     decides: none does for an item with a policy of its own.
// 25. Not verified is known: `requesterVerified: false` holds without silence.

import { mostSpecific, type OracleCollection } from './collections.ts';
import { crawlerNamed, hostMatches, type OracleUrl, pathMatches, readUrl } from './places.ts';

export interface OracleContent {
  id: string;
  externalId: string;
  type: string;
  tags: string[];
  metadata: Record<string, unknown>;
  status: 'active' | 'archived';
  policyId: string;
  /** The policy was given to the item. Absent: not. */
  ownsPolicy?: boolean;
  /** Absent: it has no address. */
  source?: string;
}

/** A check of an item, or of a URL. */
export type OracleCheck = Omit<OracleInput, 'content'> & { content: OracleContent | null };

export interface OracleInput {
  /** The time of the check, epoch milliseconds. */
  at: number;
  /** The policy in the shape of the API. */
  policy: { rules: any[]; defaultAction: 'allow' | 'deny' };
  content: OracleContent;
  /** The URL that was asked for; absent: the check names an item. */
  url?: string;
  /** The policy in force at a URL without an item. */
  policyId?: string;
  collections?: OracleCollection[];
  /** null = anonymous. */
  requesterId: string | null;
  /** null = an unregistered id, or anonymous. */
  requester: null | {
    type: string | null;
    tags: string[];
    metadata: Record<string, unknown>;
    status: 'active' | 'suspended';
  };
  /** Stored ones and the vouched-for one alike. */
  licenses: OracleLicense[];
  permission: string | null;
  purpose: string | null;
  context: {
    ip?: string;
    /** A proxy sent an address that cannot be read. */
    ipUnreadable?: boolean;
    country?: string;
    userAgent?: string;
    verified?: 'token' | 'signature' | 'ip' | 'dns' | 'license';
    crawlerVerified?: boolean;
    attributes?: Record<string, string | number | boolean>;
  };
  /** Is the rate limit of that rule used up at this time? */
  usedUp: (ruleIndex: number) => boolean;
}

export interface OracleLicense {
  type: string;
  features: string[];
  startsAt: number | null;
  expiresAt: number | null;
  status: 'active' | 'suspended' | 'revoked';
  scope: {
    contentIds?: string[];
    contentTypes?: string[];
    tags?: string[];
    policyIds?: string[];
    collectionIds?: string[];
  };
}

export interface OracleVerdict {
  allowed: boolean;
  reason: null | string;
  permissions: string[];
  matchedRule: { index: number; priority: number } | null;
}

interface PlacedRule {
  rule: any;
  index: number;
  priority: number;
}

/** Truth of a positive condition: it holds, it does not, or the check does not know the value. */
type Answer = 'yes' | 'no' | 'unknown';

// ---------------------------------------------------------------------------------------------------------------------
// The decision

export function oracleDecide(input: OracleCheck): OracleVerdict {
  // 1. Archived content, suspended requester.
  if (input.content?.status === 'archived') return denied('content_archived', null);
  if (input.requester !== null && input.requester.status === 'suspended') return denied('requester_suspended', null);

  // 2. The first rule whose conditions all hold decides; none: the default action.
  const order = evaluationOrder(input.policy.rules);
  for (let position = 0; position < order.length; position++) {
    const placed = order[position]!;
    if (!ruleHolds(placed.rule, input, input.licenses)) continue;
    const matched = { index: placed.index, priority: placed.priority };
    if (placed.rule.action === 'deny') {
      return denied(denialReason(placed.rule, order.slice(0, position), input), matched);
    }
    return allowOrRefuse(placed.rule, matched, input);
  }
  if (input.policy.defaultAction === 'allow') return allowOrRefuse({ action: 'allow' }, null, input);
  return denied(denialReason(null, order, input), null);
}

function denied(reason: string, matchedRule: OracleVerdict['matchedRule']): OracleVerdict {
  return { allowed: false, reason, permissions: [], matchedRule };
}

// 3. and 4. The permission first, then the limit; no later rule is asked.
function allowOrRefuse(rule: any, matched: OracleVerdict['matchedRule'], input: OracleCheck): OracleVerdict {
  const permissions: string[] = rule.permissions === undefined ? ['full_access'] : [...rule.permissions];
  if (input.permission !== null && !grants(permissions, input.permission)) {
    return denied('permission_not_granted', matched);
  }
  if (matched !== null && rule.rateLimit !== undefined && input.usedUp(matched.index)) {
    return denied('rate_limit_exceeded', matched);
  }
  return { allowed: true, reason: null, permissions, matchedRule: matched };
}

function grants(permissions: string[], named: string): boolean {
  if (permissions.includes(named)) return true;
  return permissions.includes('full_access') && (named === 'preview_only' || named === 'metadata_only');
}

function evaluationOrder(rules: any[]): PlacedRule[] {
  const placed = rules.map((rule, index) => ({ rule, index, priority: rule.priority ?? index + 1 }));
  const byPriority = (a: PlacedRule, b: PlacedRule) => a.priority - b.priority || a.index - b.index;
  const last = (p: PlacedRule) => conditionsOf(p.rule).default === true;
  return [...placed.filter((p) => !last(p)).toSorted(byPriority), ...placed.filter(last).toSorted(byPriority)];
}

function conditionsOf(rule: any): Record<string, any> {
  return rule.conditions ?? {};
}

// ---------------------------------------------------------------------------------------------------------------------
// Why a deny is a deny

/** `rule` null = the default action decided; `before` = the rules that were evaluated before and did not hold. */
function denialReason(rule: any, before: PlacedRule[], input: OracleCheck): string {
  const ranOut = input.licenses.filter((l) => hasRunOut(l, input));

  // (a) a deny rule with hasValidLicense: false
  if (rule !== null && conditionsOf(rule).hasValidLicense === false) {
    return ranOut.length > 0 ? 'license_expired' : 'no_license';
  }

  // (b) a catch-all deny or the default action
  const catchAll = rule === null || conditionsOf(rule).default === true || Object.keys(conditionsOf(rule)).length === 0;
  if (catchAll) {
    const allows = before.map((p) => p.rule).filter((r) => r.action === 'allow' && hasLicenseKey(r));
    if (allows.some((r) => ranOut.some((l) => oneMoreWouldDo(r, l.type, l.features, input)))) return 'license_expired';
    if (allows.some((r) => someLicenseWouldDo(r, input))) return 'no_license';
  }
  return 'policy_denied';
}

const LICENSE_KEYS = [
  'hasValidLicense',
  'licenseType',
  'licenseTypeNot',
  'licenseFeatures',
  'licenseFeaturesNot',
  'licenseExpiry',
];

function hasLicenseKey(rule: any): boolean {
  return LICENSE_KEYS.some((key) => Object.hasOwn(conditionsOf(rule), key));
}

/** Is there any kind of license that, held beside the present ones, would have made the rule hold? */
function someLicenseWouldDo(rule: any, input: OracleCheck): boolean {
  const conditions = conditionsOf(rule);
  // Of the right kind: a type the rule names (any other type if it names none), just the features it asks for.
  const types = conditions.licenseType === undefined ? ['a type no rule names'] : asList(conditions.licenseType);
  const features = conditions.licenseFeatures === undefined ? [] : asList(conditions.licenseFeatures);
  return types.some((type) => oneMoreWouldDo(rule, type, features, input));
}

function oneMoreWouldDo(rule: any, type: string, features: string[], input: OracleCheck): boolean {
  // The ends it may have: none, the next millisecond, or the first one the rule takes.
  const ends: (number | null)[] = [null, input.at + 1];
  const after = conditionsOf(rule).licenseExpiry?.after;
  if (after !== undefined) ends.push(Math.max(input.at + 1, momentOf(after, input.at)));
  return ends.some((expiresAt) => {
    const oneMore: OracleLicense = { type, features, startsAt: null, expiresAt, status: 'active', scope: {} };
    return ruleHolds(rule, input, [...input.licenses, oneMore]);
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Licenses

/** Valid = active, startsAt <= now < expiresAt, scope covers the item. */
function isValid(license: OracleLicense, input: OracleCheck): boolean {
  if (license.status !== 'active') return false;
  if (license.startsAt !== null && input.at < license.startsAt) return false;
  if (license.expiresAt !== null && input.at >= license.expiresAt) return false;
  return scopeCovers(license, input);
}

/** Active and covering the item, but its end has passed. */
function hasRunOut(license: OracleLicense, input: OracleCheck): boolean {
  if (license.status !== 'active') return false;
  if (license.expiresAt === null || input.at < license.expiresAt) return false;
  return scopeCovers(license, input);
}

function scopeCovers(license: OracleLicense, input: OracleCheck): boolean {
  const scope = license.scope ?? {};
  if (scope.policyIds && !scope.policyIds.includes(policyInForce(input))) return false;
  if (scope.collectionIds && !scope.collectionIds.some((id) => id === decidingCollection(input))) return false;
  if (input.content === null) return !scope.contentIds && !scope.contentTypes && !scope.tags;
  const { id, externalId, type, tags } = input.content;
  if (scope.contentIds && !scope.contentIds.includes(id) && !scope.contentIds.includes(externalId)) return false;
  if (scope.contentTypes && !scope.contentTypes.includes(type)) return false;
  if (scope.tags && !scope.tags.some((tag) => tags.includes(tag))) return false;
  return true;
}

const decidingCollection = (input: OracleCheck): string | null =>
  input.content?.ownsPolicy === true ? null : collectionOf(input);

function policyInForce({ content, policyId }: OracleCheck): string {
  const id = content === null ? policyId : content.policyId;
  if (id === undefined) throw new Error('a URL without an item has a policy too');
  return id;
}

// ---------------------------------------------------------------------------------------------------------------------
// Conditions

/** All keys of a rule must hold. */
function ruleHolds(rule: any, input: OracleCheck, licenses: OracleLicense[]): boolean {
  const valid = licenses.filter((l) => isValid(l, input));
  const conditions = conditionsOf(rule);
  for (const [key, value] of Object.entries(conditions)) {
    if (!conditionHolds(key, value, rule, input, valid)) return false;
  }
  // One valid license must match all positive license keys of a rule.
  if (['licenseType', 'licenseFeatures', 'licenseExpiry'].some((key) => Object.hasOwn(conditions, key))) {
    return valid.some((license) => meetsPositiveKeys(license, conditions, input.at));
  }
  return true;
}

function meetsPositiveKeys(license: OracleLicense, conditions: Record<string, any>, at: number): boolean {
  const { licenseType, licenseFeatures, licenseExpiry } = conditions;
  if (licenseType !== undefined && !hasType(license, licenseType)) return false;
  if (licenseFeatures !== undefined && !hasFeatures(license, licenseFeatures)) return false;
  if (licenseExpiry !== undefined) {
    const end = license.expiresAt ?? Number.POSITIVE_INFINITY;
    if (licenseExpiry.after !== undefined && end < momentOf(licenseExpiry.after, at)) return false;
    if (licenseExpiry.before !== undefined && end >= momentOf(licenseExpiry.before, at)) return false;
  }
  return true;
}

function hasType(license: OracleLicense, wanted: any): boolean {
  return asList(wanted).includes(license.type);
}

function hasFeatures(license: OracleLicense, wanted: any): boolean {
  return asList(wanted).every((feature) => license.features.includes(feature));
}

function conditionHolds(key: string, value: any, rule: any, input: OracleCheck, valid: OracleLicense[]): boolean {
  switch (key) {
    case 'default':
      return value === true;
    case 'hasValidLicense':
      return value === valid.length > 0;
    case 'time':
      return timeHolds(value, input.at);
    case 'requesterVerified': {
      // Without a requester, none was proven.
      const verified = input.requesterId === null ? undefined : input.context.verified;
      return Array.isArray(value) ? value.includes(verified) : value === (verified !== undefined);
    }
    case 'crawlerVerified': {
      const { userAgent, crawlerVerified = false } = input.context;
      // Where no crawler is named, neither value holds.
      return userAgent !== undefined && crawlerNamed(userAgent) !== null && value === crawlerVerified;
    }
    case 'licenseType':
    case 'licenseFeatures':
    case 'licenseExpiry':
      return true; // tested together, see ruleHolds
    case 'licenseTypeNot':
      return notHolds(
        anyLicense(valid, (license) => hasType(license, value)),
        rule,
      );
    case 'licenseFeaturesNot':
      return notHolds(
        anyLicense(valid, (license) => hasFeatures(license, value)),
        rule,
      );
  }
  // An address that cannot be read: every deny rule that names an address holds, and no allow rule that does.
  if ((key === 'ip' || key === 'ipNot') && input.context.ipUnreadable === true) return rule.action === 'deny';
  if (key.endsWith('Not')) return notHolds(positive(key.slice(0, -'Not'.length), value, input), rule);
  return positive(key, value, input) === 'yes';
}

/** The silence rule: a Not condition on something unknown holds in a deny rule and does not hold in an allow rule. */
function notHolds(answer: Answer, rule: any): boolean {
  if (answer === 'unknown') return rule.action === 'deny';
  return answer === 'no';
}

function anyLicense(valid: OracleLicense[], test: (license: OracleLicense) => boolean): Answer {
  if (valid.length === 0) return 'unknown';
  return yesOrNo(valid.some(test));
}

function positive(key: string, value: any, input: OracleCheck): Answer {
  const { content, requester, context } = input;
  switch (key) {
    case 'requesterId':
      return equalsAny(input.requesterId, value);
    case 'requesterType':
      return requester === null ? 'unknown' : equalsAny(requester.type, value);
    case 'requesterTags':
      return requester === null ? 'unknown' : overlaps(requester.tags, value);
    case 'requesterMetadata':
      return requester === null ? 'unknown' : metadataEquals(requester.metadata, value);
    case 'purpose':
      return equalsAny(input.purpose, value);
    case 'permission':
      return equalsAny(input.permission, value);
    case 'contentId':
      if (content === null) return 'unknown';
      return yesOrNo(asList(value).includes(content.id) || asList(value).includes(content.externalId));
    case 'contentType':
      return content === null ? 'unknown' : equalsAny(content.type, value);
    case 'contentTags':
      return content === null ? 'unknown' : overlaps(content.tags, value);
    case 'contentMetadata':
      return content === null ? 'unknown' : metadataEquals(content.metadata, value);
    case 'collection':
      return yesOrNo(asList(value).includes(collectionOf(input)));
    case 'host':
      return ofAddress(input, (url) => asList(value).some((pattern) => hostMatches(url.host, pattern)));
    case 'path':
      return ofAddress(input, (url) => asList(value).some((pattern) => pathMatches(url, pattern)));
    case 'crawler':
    case 'crawlerOperator':
    case 'crawlerPurpose':
      return ofCrawler(key, value, context.userAgent);
    case 'attributes':
      return context.attributes === undefined ? 'unknown' : metadataEquals(context.attributes, value);
    case 'country':
      return equalsAny(context.country, value);
    case 'ip':
      return ipInAny(context.ip, value);
    case 'userAgent':
      return containsAny(context.userAgent, value);
    default:
      throw new Error(`unknown condition ${key}`);
  }
}

function addressOf({ content, url }: OracleCheck): OracleUrl | null {
  const text = url ?? content?.source;
  return text === undefined ? null : readUrl(text);
}

function ofAddress(input: OracleCheck, test: (url: OracleUrl) => boolean): Answer {
  const url = addressOf(input);
  return url === null ? 'unknown' : yesOrNo(test(url));
}

/** The most specific collection: of the item by its source, else of the URL. null: none, which is known. */
function collectionOf({ content, url, collections = [] }: OracleCheck): string | null {
  const text = content === null ? url : content.source;
  const address = text === undefined ? undefined : (readUrl(text) ?? undefined);
  return mostSpecific(collections, { url: address, item: content })?.id ?? null;
}

/** Without a user agent the crawler is unknown; a user agent that names none is known to name none. */
function ofCrawler(key: string, value: any, userAgent: string | undefined): Answer {
  if (userAgent === undefined) return 'unknown';
  const crawler = crawlerNamed(userAgent);
  if (crawler === null) {
    // Of all user agents that are tried, only that of Firefox is a browser's.
    const isUnknown = key === 'crawlerPurpose' && [value].flat().includes('unknown');
    return yesOrNo(isUnknown && !userAgent.includes('Firefox'));
  }
  if (key === 'crawler') return equalsAny(crawler.name, value);
  return equalsAny(key === 'crawlerOperator' ? crawler.operator : crawler.purpose, value);
}

function yesOrNo(holds: boolean): Answer {
  return holds ? 'yes' : 'no';
}

/** A list means any of. */
function asList(value: any): any[] {
  return Array.isArray(value) ? value : [value];
}

function equalsAny(actual: string | null | undefined, value: any): Answer {
  if (actual === null || actual === undefined) return 'unknown';
  return yesOrNo(asList(value).includes(actual));
}

function overlaps(actual: string[], value: any): Answer {
  return yesOrNo(asList(value).some((tag) => actual.includes(tag)));
}

function metadataEquals(metadata: Record<string, unknown>, value: Record<string, any>): Answer {
  const wanted = Object.entries(value);
  if (wanted.some(([key]) => !Object.hasOwn(metadata, key))) return 'unknown';
  return yesOrNo(wanted.every(([key, one]) => asList(one).some((v) => v === metadata[key])));
}

function containsAny(actual: string | null | undefined, value: any): Answer {
  if (actual === null || actual === undefined || actual === '') return 'unknown';
  return yesOrNo(asList(value).some((part) => inSmallLetters(actual).includes(inSmallLetters(part))));
}

/** Lowercases letter by letter: the result of a letter must not depend on those beside it. */
function inSmallLetters(text: string): string {
  return [...text].map((letter) => (letter === 'ς' ? 'σ' : letter.toLowerCase())).join('');
}

// ---------------------------------------------------------------------------------------------------------------------
// Times

function momentOf(text: string, now: number): number {
  if (text === 'now') return now;
  const hasTime = text.includes('T');
  const hasOffset = /(Z|[+-]\d\d:?\d\d)$/i.test(text);
  const moment = Date.parse(hasTime && !hasOffset ? `${text}Z` : text);
  if (Number.isNaN(moment)) throw new Error(`not a moment: ${text}`);
  return moment;
}

function timeHolds(value: any, at: number): boolean {
  if (value.after !== undefined && at < momentOf(value.after, at)) return false;
  if (value.before !== undefined && at >= momentOf(value.before, at)) return false;

  const parts = Object.fromEntries(
    clockIn(value.timezone ?? 'UTC')
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  );
  const day = parts.weekday!.toLowerCase();
  const minute = minuteOfDay(`${parts.hour}:${parts.minute}`);

  if (value.days !== undefined && !value.days.includes(day)) return false;
  const from = value.from === undefined ? 0 : minuteOfDay(value.from);
  const to = value.to === undefined ? 24 * 60 : minuteOfDay(value.to);
  const passesMidnight = from > to;
  return passesMidnight ? minute >= from || minute < to : minute >= from && minute < to;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockIn(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  clocks.set(timeZone, made);
  return made;
}

function minuteOfDay(text: string): number {
  const [hours, minutes] = text.split(':');
  return Number(hours) * 60 + Number(minutes);
}

// ---------------------------------------------------------------------------------------------------------------------
// Addresses

interface Address {
  bits: 32 | 128;
  value: bigint;
}

function ipInAny(actual: string | null | undefined, value: any): Answer {
  if (actual === null || actual === undefined) return 'unknown';
  const address = parseAddress(actual);
  if (address === null) return 'unknown';
  return yesOrNo(asList(value).some((range) => inRange(asIPv4IfMapped(address), range)));
}

function inRange(address: Address, range: string): boolean {
  const [base, prefixText] = range.split('/');
  const written = parseAddress(base!);
  if (written === null) throw new Error(`not an address or range: ${range}`);
  let network = written;
  let prefix = prefixText === undefined ? written.bits : Number(prefixText);
  // A mapped range is the IPv4 range.
  if (isMapped(written) && prefix >= 96) {
    network = asIPv4IfMapped(written);
    prefix -= 96;
  }
  if (network.bits !== address.bits) return false;
  const hostBits = BigInt(network.bits - prefix);
  return network.value >> hostBits === address.value >> hostBits;
}

function isMapped(address: Address): boolean {
  return address.bits === 128 && address.value >> 32n === 0xffffn;
}

function asIPv4IfMapped(address: Address): Address {
  return isMapped(address) ? { bits: 32, value: address.value & 0xffffffffn } : address;
}

function parseAddress(text: string): Address | null {
  return text.includes(':') ? parseIPv6(text) : parseIPv4(text);
}

function parseIPv4(text: string): Address | null {
  const parts = text.split('.');
  if (parts.length !== 4) return null;
  let value = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null;
    value = value * 256n + BigInt(part);
  }
  return { bits: 32, value };
}

function parseIPv6(text: string): Address | null {
  // A dotted tail becomes two groups.
  let plain = text;
  const lastColon = text.lastIndexOf(':');
  const tail = text.slice(lastColon + 1);
  if (tail.includes('.')) {
    const v4 = parseIPv4(tail);
    if (v4 === null) return null;
    plain = `${text.slice(0, lastColon + 1)}${(v4.value >> 16n).toString(16)}:${(v4.value & 0xffffn).toString(16)}`;
  }
  // "::" stands for as many zero groups as are missing.
  const halves = plain.split('::');
  if (halves.length > 2) return null;
  const groupsOf = (half: string) => (half === '' ? [] : half.split(':'));
  const left = groupsOf(halves[0]!);
  const right = halves.length === 2 ? groupsOf(halves[1]!) : [];
  const missing = 8 - left.length - right.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  let value = 0n;
  for (const group of groups) {
    if (!/^[0-9a-f]{1,4}$/i.test(group)) return null;
    value = value * 65536n + BigInt(`0x${group}`);
  }
  return { bits: 128, value };
}
