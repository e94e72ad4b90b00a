// Random policies and checks over a small vocabulary, so that conditions match often.
//
// The values at the edge of what a service may accept are kept apart in EDGE, where they can be taken out one by one.

import * as fc from '../../kit/fast-check.ts';
import { words } from '../../kit/words.ts';
import type { OracleCollection } from './collections.ts';
import type { OracleCheck, OracleInput, OracleLicense } from './decide.ts';

/** Conditions that have a Not form. */
const NEGATABLE = words(`
  licenseType licenseFeatures requesterId requesterType requesterTags purpose permission contentId contentType
  contentTags contentMetadata requesterMetadata country ip userAgent attributes collection host path crawler crawlerOperator
  crawlerPurpose
`);
const withNotForms = (keys: string[]): string[] => [...keys, ...keys.map((key) => `${key}Not`)];

/** The entire condition table. */
export const ALL_KEYS: string[] = [
  'default',
  'hasValidLicense',
  'licenseExpiry',
  'time',
  'requesterVerified',
  'crawlerVerified',
  ...withNotForms(NEGATABLE),
];

const LESS_COMMON =
  /^(licenseFeatures|licenseExpiry|requester[TV]|contentId|time|attributes|collection|host|path|crawler)|Metadata/;
export const CORE_KEYS: string[] = ALL_KEYS.filter((key) => !LESS_COMMON.test(key));

export const VOCABULARY = {
  contents: [
    { id: 'cnt_01jd3v0000000000000000000a', externalId: 'article-1' },
    { id: 'cnt_01jd3v0000000000000000000b', externalId: 'https://example.com/2?x=é' },
  ],
  policyIds: ['pol_01jd3v0000000000000000000a', 'pol_default'],
  contentTypes: ['article', 'report'],
  tags: ['a', 'b', 'c'],
  licenseTypes: ['basic', 'enterprise'],
  features: ['x', 'y'],
  requesterIds: ['r1', 'r2'],
  requesterTypes: ['ai_company', 'person'],
  purposes: ['training', 'search'],
  permissions: ['full_access', 'commercial_use', 'training', 'preview_only'],
  countries: ['US', 'DE'],
  ips: ['10.1.2.3', '10.1.2.200', '192.0.2.7', '::ffff:10.1.2.3', '2001:db8::1', '2001:db9::1'],
  ranges: ['10.0.0.0/8', '10.1.2.0/25', '10.1.2.3', '192.0.2.0/24', '0.0.0.0/0', '2001:db8::/32', '2001:db8::1'],
  userAgents: [
    'Mozilla/5.0 (compatible; GPTBot/1.2)',
    'gptbot',
    'Mozilla/5.0 (compatible; Googlebot/2.1)',
    'curl/8',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'curl/8 ClaudeBot-1.0 GPTBot',
    'Claude-Users GPTBotter (+https://example.com/GPTBot; bot@Googlebot.example)',
    'Mozilla/5.0 (compatible; Stranger/1.0)',
  ],
  verified: ['token', 'signature', 'ip', 'dns', 'license'] as const,
  crawlers: ['GPTBot', 'Googlebot', 'ClaudeBot', 'curl'],
  operators: ['OpenAI', 'Google', 'Anthropic'],
  crawlerPurposes: ['training', 'search', 'other', 'unknown'],
  /** Spellings of one place each. */
  urls: [
    ['https://www.a.example/news/x', 'HTTP://WWW.A.example.:443/%6Eews/x?utm=1'],
    ['https://a.example/news/%C3%A4.pdf', 'https://A.EXAMPLE/n%65ws/%c3%a4.pdf'],
    ['https://b.a.example:8080/search?q=a+b', 'https://b.a.example:8080/search?q=%61%20b'],
    ['https://a.example/News/x%3Fq=1', 'https://a.example./News/x%3fq=1?q=1'],
    ['http://localhost', 'https://localhost/?q=a'],
  ],
  /** Sources that a check by URL cannot have: all but the first may be read differently by servers. */
  sources: [
    'http://u@www.a.example:80/news/%78',
    'https://a.example/news//x',
    'https://a.example/news%2Fx',
    'https://a.example/%256Eews/x',
  ],
  hosts: [
    'a.example',
    'WWW.A.example.',
    '*.a.example',
    '*.example',
    'b.a.example:8080',
    '*.a.example:8080',
    'localhost:443',
  ],
  paths: ['/', '/news/', '/n%65ws/x$', '/*.pdf$', '*x', '/search?q=', '/*?*b$', '/News/x%3F', '/%6eews/*%C3%A4'],
  collections: ['col_01jd3v0000000000000000000a', 'col_01jd3v0000000000000000000b', 'col_01jd3v0000000000000000000c'],
  userAgentParts: ['GPTBot', 'gptBOT', 'Googlebot', 'bot'],
  days: ['mon', 'fri', 'sat'],
  spans: [{ from: '09:00', to: '17:00' }, { from: '22:00', to: '06:00' }, { from: '09:00' }, { to: '17:00' }],
  timezones: ['UTC', 'America/New_York', 'Asia/Kolkata'],
  /** Times of checks, and limits of `time`; each also one millisecond before and after. */
  moments: [
    '2026-11-20T09:00:00.000Z', // Friday, 09:00
    '2026-11-20T17:00:00.000Z', // Friday, 17:00
    '2026-11-21T02:00:00.000Z', // Saturday; Friday 21:00 in New York
    '2026-11-21T22:00:00.000Z', // Saturday, 22:00
    '2026-11-23T06:00:00.000Z', // Monday, 06:00
    '2026-03-08T07:00:00.000Z', // summer time begins in New York
  ],
  /** Limits of `licenseExpiry`, never within a millisecond of a check; `now` gives the exact boundary. */
  expiries: ['2026-11-01T00:00:00.000Z', '2026-11-20T12:00:00.000Z', '2026-12-31T00:00:00.000Z', 'now'],
};

/** Values the contract does not speak of in so many words. */
export const EDGE = {
  /** IPv6 forms of IPv4 ranges, and a range of the whole other family. */
  ranges: ['::ffff:10.1.2.3', '::ffff:10.0.0.0/104', '::/0'],
  /** A scope list without entries. */
  emptyScopeLists: true,
  /** `days` together with a span that passes midnight. */
  daysPastMidnight: true,
  /** Metadata conditions with more than one key. */
  severalMetadataKeys: true,
  /** A registered requester without a type. */
  requesterWithoutType: true,
  /** `default: true` beside other conditions. */
  defaultBesideOthers: true,
};

const ABSENT = Symbol('absent');

/** Drops the members that are absent. */
function compact(value: Record<string, unknown>): any {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== ABSENT));
}

function maybe<T>(arbitrary: fc.Arbitrary<T>, absentWeight = 1, presentWeight = 1): fc.Arbitrary<T | typeof ABSENT> {
  return fc.oneof(
    { weight: absentWeight, arbitrary: fc.constant<typeof ABSENT>(ABSENT) },
    { weight: presentWeight, arbitrary },
  );
}

function pick<T>(values: readonly T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

function listOf<T>(values: readonly T[], minLength = 1, maxLength = values.length): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...values], { minLength, maxLength });
}

function oneOrList<T>(values: readonly T[]): fc.Arbitrary<T | T[]> {
  return fc.oneof(pick(values), listOf(values, 1, Math.min(2, values.length)));
}

// ---------------------------------------------------------------------------------------------------------------------
// Rules

const METADATA = {
  section: ['news', 'sport'],
  tier: [1, 2],
  premium: [true, false],
  constructor: ['x', 'y'], // an ordinary key
};

/** Returns metadata, or a condition on it, as attributes of the subject. */
export const asAttributes = (metadata: Record<string, unknown>): any =>
  Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`subject.${key}`, value]));

function metadataCondition(): fc.Arbitrary<any> {
  const entry = fc.oneof(
    ...Object.entries(METADATA).map(([key, values]) =>
      fc.tuple(fc.constant(key), oneOrList<string | number | boolean>(values)),
    ),
  );
  const maxLength = EDGE.severalMetadataKeys ? 2 : 1;
  return fc
    .uniqueArray(entry, { minLength: 1, maxLength, selector: ([key]) => key })
    .map((entries) => Object.fromEntries(entries));
}

function timeCondition(): fc.Arbitrary<any> {
  return fc
    .record({
      after: maybe(pick(VOCABULARY.moments), 3),
      before: maybe(pick(VOCABULARY.moments), 3),
      days: maybe(listOf(VOCABULARY.days)),
      span: fc.oneof(fc.constant({}), pick(VOCABULARY.spans)),
      timezone: maybe(pick(VOCABULARY.timezones)),
    })
    .map(({ span, ...rest }) => compact({ ...rest, ...span }))
    .filter((value) => Object.keys(value).some((key) => key !== 'timezone'))
    .filter((value) => EDGE.daysPastMidnight || value.days === undefined || !(value.from > value.to));
}

const VALUES: Record<string, (v: typeof VOCABULARY) => fc.Arbitrary<any>> = {
  default: () => fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  hasValidLicense: () => fc.boolean(),
  licenseType: (v) => oneOrList(v.licenseTypes),
  licenseFeatures: (v) => listOf(v.features),
  licenseExpiry: (v) =>
    fc
      .record({ after: maybe(pick(v.expiries)), before: maybe(pick(v.expiries)) })
      .map(compact)
      .filter((value) => Object.keys(value).length > 0),
  requesterId: (v) => oneOrList(v.requesterIds),
  requesterType: (v) => oneOrList(v.requesterTypes),
  requesterTags: (v) => oneOrList(v.tags),
  requesterMetadata: () => metadataCondition(),
  attributes: () => metadataCondition().map(asAttributes),
  purpose: (v) => oneOrList(v.purposes),
  permission: (v) => oneOrList(v.permissions),
  contentId: (v) => oneOrList(v.contents.flatMap((content) => [content.id, content.externalId])),
  contentType: (v) => oneOrList(v.contentTypes),
  contentTags: (v) => oneOrList(v.tags),
  contentMetadata: () => metadataCondition(),
  country: (v) => oneOrList(v.countries),
  ip: (v) => oneOrList([...v.ranges, ...EDGE.ranges]),
  userAgent: (v) => oneOrList(v.userAgentParts),
  time: () => timeCondition(),
  crawlerVerified: () => fc.boolean(),
  requesterVerified: (v) => fc.oneof(fc.boolean(), listOf(v.verified, 1, 2)),
  collection: (v) => oneOrList(v.collections),
  host: (v) => oneOrList(v.hosts),
  path: (v) => oneOrList(v.paths),
  crawler: (v) => oneOrList(v.crawlers),
  crawlerOperator: (v) => oneOrList(v.operators),
  crawlerPurpose: (v) => oneOrList(v.crawlerPurposes),
};

/** Generates values of a condition; a Not form takes what its positive form takes. */
function conditionValue(key: string): fc.Arbitrary<any> {
  const values = VALUES[key.replace(/Not$/, '')];
  if (values === undefined) throw new Error(`unknown condition ${key}`);
  return values(VOCABULARY);
}

function conditionsArbitrary(keys: string[]): fc.Arbitrary<any> {
  const others = keys.filter((key) => key !== 'default');
  const some = (pool: string[], maxLength: number) =>
    fc
      .shuffledSubarray(pool, { minLength: Math.min(1, pool.length), maxLength: Math.min(maxLength, pool.length) })
      .chain((chosen) => fc.record(Object.fromEntries(chosen.map((key) => [key, conditionValue(key)]))))
      // an ordinary object, as JSON gives it
      .map((value) => ({ ...value }));
  const choices = [
    { weight: 1, arbitrary: fc.constant<any>(ABSENT) },
    { weight: 1, arbitrary: fc.constant<any>({}) },
    { weight: 8, arbitrary: some(others, 2) },
    { weight: 2, arbitrary: some(others, 3) },
  ];
  // Rules that differ by their license keys alone deserve a share of their own.
  const license = others.filter((key) => key === 'hasValidLicense' || key.startsWith('license'));
  if (license.length > 0) choices.push({ weight: 3, arbitrary: some(license, 2) });
  if (keys.includes('default')) {
    choices.push({ weight: 2, arbitrary: conditionValue('default').map((value) => ({ default: value })) });
    if (EDGE.defaultBesideOthers) {
      const beside = fc.tuple(some(others, 1), fc.boolean(), fc.boolean());
      choices.push({
        weight: 1,
        arbitrary: beside.map(([more, first, value]) =>
          first ? { default: value, ...more } : { ...more, default: value },
        ),
      });
    }
  }
  return fc.oneof(...choices);
}

function ruleArbitrary(keys: string[]): fc.Arbitrary<any> {
  return fc
    .record({
      action: pick(['allow', 'deny']),
      // Equal, negative and out of order, beside the places that missing ones take.
      priority: maybe(pick([-1, 0, 1, 2, 2, 3, 99])),
      conditions: conditionsArbitrary(keys),
      permissions: maybe(fc.oneof(fc.constant<string[]>([]), listOf(VOCABULARY.permissions), listOf(['full_access']))),
      rateLimit: maybe(
        fc.record({ requests: fc.integer({ min: 1, max: 3 }), period: pick(['minute', 'hour', 'day']) }),
        3,
      ).map((limit) => (limit === ABSENT ? limit : { ...limit })),
      message: maybe(fc.constant('Licence needed'), 4),
    })
    .map(compact);
}

export function policyArbitrary(keys: string[]): fc.Arbitrary<OracleInput['policy']> {
  return fc
    .record({
      rules: fc.array(ruleArbitrary(keys), { minLength: 0, maxLength: 6 }),
      defaultAction: fc.oneof(
        { weight: 3, arbitrary: fc.constant<'allow' | 'deny'>('deny') },
        { weight: 1, arbitrary: fc.constant<'allow' | 'deny'>('allow') },
      ),
    })
    .map((policy) => ({ ...policy }));
}

// ---------------------------------------------------------------------------------------------------------------------
// Checks

const DAY = 86_400_000;

/** A time of a license: none, near the check, or near a limit of `licenseExpiry`. */
type LicenseMoment = null | { offset: number } | { moment: number };

function licenseMoment(offsets: number[]): fc.Arbitrary<LicenseMoment> {
  const limits = VOCABULARY.expiries.filter((text) => text !== 'now').map((text) => Date.parse(text));
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant<LicenseMoment>(null) },
    { weight: 3, arbitrary: pick(offsets).map<LicenseMoment>((offset) => ({ offset })) },
    {
      weight: 1,
      arbitrary: fc.tuple(pick(limits), pick([-1, 0, 1])).map<LicenseMoment>(([m, d]) => ({ moment: m + d })),
    },
  );
}

function resolve(moment: LicenseMoment, at: number): number | null {
  if (moment === null) return null;
  return 'offset' in moment ? at + moment.offset : moment.moment;
}

function scopeArbitrary(): fc.Arbitrary<OracleLicense['scope']> {
  const min = EDGE.emptyScopeLists ? 0 : 1;
  const list = (values: string[]) =>
    fc.oneof(
      { weight: 8, arbitrary: listOf(values, 1) },
      { weight: 1, arbitrary: listOf(values, min, Math.max(min, 1)) },
    );
  const narrow = fc
    .record({
      contentIds: maybe(list(VOCABULARY.contents.flatMap((content) => [content.id, content.externalId])), 2),
      contentTypes: maybe(list(VOCABULARY.contentTypes), 2),
      tags: maybe(list(VOCABULARY.tags), 2),
      policyIds: maybe(list(VOCABULARY.policyIds), 2),
      collectionIds: maybe(listOf(VOCABULARY.collections, 0, 2), 2),
    })
    .map(compact);
  return fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: narrow });
}

function licenseArbitrary(): fc.Arbitrary<LicenseDraft> {
  return fc.record({
    type: pick(VOCABULARY.licenseTypes),
    features: listOf(VOCABULARY.features, 0),
    startsAt: licenseMoment([-DAY, -1, 0, 0, 1, DAY]),
    expiresAt: licenseMoment([-DAY, -1, 0, 0, 1, DAY]),
    status: fc.oneof(
      { weight: 4, arbitrary: fc.constant<OracleLicense['status']>('active') },
      { weight: 1, arbitrary: pick<OracleLicense['status']>(['suspended', 'revoked']) },
    ),
    scope: scopeArbitrary(),
  });
}

type LicenseDraft = Omit<OracleLicense, 'startsAt' | 'expiresAt'> & {
  startsAt: LicenseMoment;
  expiresAt: LicenseMoment;
};

function licensesOf(drafts: LicenseDraft[], at: number, registered: boolean): OracleLicense[] {
  const licenses = drafts.map((draft) => {
    const startsAt = resolve(draft.startsAt, at);
    const expiresAt = resolve(draft.expiresAt, at);
    // A license begins before it ends.
    const inOrder = startsAt === null || expiresAt === null || startsAt < expiresAt;
    return { ...draft, startsAt: inOrder ? startsAt : null, expiresAt };
  });
  if (registered) return licenses;
  // Without a registered requester there is at most one license: the calling server vouches for it.
  return licenses.slice(0, 1).map((license) => ({ ...license, startsAt: null, status: 'active', scope: {} }));
}

function metadataArbitrary(): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .record(Object.fromEntries(Object.entries(METADATA).map(([key, values]) => [key, maybe(pick<unknown>(values))])))
    .map(compact);
}

function mostly<T>(usual: T, rare: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 14, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(rare) });
}

function nullable<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 2, arbitrary });
}

function usually<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 4, arbitrary });
}

function collectionsArbitrary(): fc.Arbitrary<OracleCollection[]> {
  const v = VOCABULARY;
  const few = <T>(values: readonly T[]) =>
    fc.oneof({ weight: 2, arbitrary: fc.constant<T[]>([]) }, listOf(values, 1, 2));
  const selectors = fc
    .record({
      hosts: few(v.hosts),
      paths: few(v.paths),
      contentTypes: few(v.contentTypes),
      contentTags: few(v.tags),
      createdAt: fc.integer({ min: 1, max: 3 }),
    })
    .filter(({ createdAt: _, ...lists }) => Object.values(lists).some((list) => list.length > 0));
  return fc
    .array(selectors, { maxLength: v.collections.length })
    .map((all) => all.map((one, i) => ({ ...one, id: v.collections[i] as string })));
}

/** A check of an item or a URL, among collections. */
export function checkArbitrary(keys: string[]): fc.Arbitrary<Omit<OracleCheck, 'usedUp'>> {
  const asked = fc.oneof(
    fc.constant({ kind: 'item' as const, place: 0, spelling: 0 }),
    fc.record({ kind: pick(['both', 'url'] as const), place: fc.nat(), spelling: fc.nat() }),
  );
  return fc
    .tuple(inputArbitrary(keys), collectionsArbitrary(), asked, fc.nat())
    .map(([input, collections, { kind, place, spelling }, other]) => {
      if (kind === 'item') return { ...input, collections };
      const spellings = VOCABULARY.urls[place % VOCABULARY.urls.length] as string[];
      const spelled = (number: number): string => spellings[number % spellings.length] as string;
      const at = { ...input, collections, url: spelled(spelling) };
      const { policyId } = input.content;
      return kind === 'url'
        ? { ...at, content: null, policyId }
        : { ...at, content: { ...input.content, source: spelled(other) } };
    });
}

/** A check of an item against a policy, without collections; `usedUp` is left to the test. */
export function inputArbitrary(keys: string[]): fc.Arbitrary<Omit<OracleInput, 'usedUp'>> {
  const v = VOCABULARY;
  return fc
    .record({
      at: fc.tuple(pick(v.moments), pick([-1, 0, 0, 1])).map(([text, delta]) => Date.parse(text) + delta),
      policy: policyArbitrary(keys),
      content: fc.record({
        names: pick(v.contents),
        type: pick(v.contentTypes),
        tags: listOf(v.tags, 0, 2),
        metadata: metadataArbitrary(),
        status: mostly<'active' | 'archived'>('active', 'archived'),
        policyId: pick(v.policyIds),
        ownsPolicy: fc.boolean(),
        source: pick([...v.urls.flat(), ...v.sources]),
      }),
      requesterId: usually(pick(v.requesterIds)),
      requester: usually(
        fc.record({
          type: EDGE.requesterWithoutType ? nullable(pick(v.requesterTypes)) : pick(v.requesterTypes),
          tags: listOf(v.tags, 0, 2),
          metadata: metadataArbitrary(),
          status: mostly<'active' | 'suspended'>('active', 'suspended'),
        }),
      ),
      licenses: fc.array(licenseArbitrary(), { minLength: 0, maxLength: 3 }),
      permission: nullable(pick(v.permissions)),
      purpose: nullable(pick(v.purposes)),
      context: fc
        .record({
          ip: maybe(fc.oneof({ weight: 6, arbitrary: pick(v.ips) }, fc.constant('unreadable')), 1, 2),
          country: maybe(pick(v.countries), 1, 2),
          userAgent: maybe(pick(v.userAgents), 1, 2),
          verified: maybe(pick(v.verified)),
          crawlerVerified: maybe(fc.boolean()),
          attributes: maybe(metadataArbitrary().map(asAttributes)),
        })
        .map(compact)
        .map(({ ip, ...rest }) =>
          ip === undefined ? rest : { ...rest, ...(ip === 'unreadable' ? { ipUnreadable: true } : { ip }) },
        ),
    })
    .map(({ content: { names, ...content }, requester, licenses, ...rest }) => ({
      ...rest,
      content: { ...names, ...content },
      requester: rest.requesterId === null || requester === null ? null : { ...requester },
      licenses: licensesOf(licenses, rest.at, rest.requesterId !== null && requester !== null),
    }));
}
