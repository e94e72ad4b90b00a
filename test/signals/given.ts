/** Tools of the tests of signals: sites with random policies, and what the service itself answers there. */
import assert from 'node:assert/strict';
import * as fc from '../../kit/fast-check.ts';
import type { TestService } from '../../kit/service.ts';

export const HOST = 'www.example.com';

/** Crawlers of every purpose, with tokens that are parts of one another, and one that robots.txt cannot name. */
export const CRAWLER_NAMES = [
  'GPTBot',
  'ClaudeBot',
  'Google-Extended',
  'Googlebot',
  'Googlebot-Image',
  'Googlebot-News',
  'bingbot',
  'PerplexityBot',
  'ChatGPT-User',
  'CCBot',
  'OAI-SearchBot',
  'Amazonbot',
  'MJ12bot',
];

export const PATHS = [
  '/',
  '/news/',
  '/news/sport/',
  '/news/*/live',
  '/*.pdf$',
  '/a$',
  '/a',
  '/shop?id=',
  '/*secret',
  '/press/',
  '/b%2Ac/',
  '/news/2026/*/x$',
  '/über/',
  '/ab*',
  '*/feed',
  '/news/a?q=a%20b$',
  '/admin/press/',
  '/s?q=',
  '/s?id=7',
  '/s?',
  '/news/item?q=',
];

/** URLs in and around the patterns. */
export const URLS = [
  '/',
  '/news/',
  '/news',
  '/news/sport/',
  '/news/sport/1.pdf',
  '/news/x/live',
  '/news/live',
  '/x.pdf',
  '/x.pdf?y=1',
  '/x.pdf2',
  '/a',
  '/ab',
  '/a?x=1',
  '/a/b',
  '/shop?id=3',
  '/shop?x=1',
  '/shop',
  '/y/secret',
  '/ysecret?z',
  '/press/1',
  '/y?secret',
  '/y?z=.pdf',
  '/y?z=/feed',
  '/b*c/1',
  '/b/c/1',
  '/news/2026/11/x',
  '/news/2026/11/xy',
  '/%C3%BCber/uns',
  '/abc',
  '/x/feed',
  '/feed',
  '/feed/2',
  '/news/a?q=a+b',
  '/news/a?q=a%20b',
  '/item',
  '/item?x=1',
  '/other',
  '/admin',
  '/admin/x.pdf',
  '/admin/press/1',
  '/admin/press/secret',
  '/s',
  '/s?q=1',
  '/s?id=7',
  '/s?x=1&id=7',
  '/s?q=1&id=7',
  '/s?id=8&q=2',
  '/news/item',
  '/news/item?q=1',
  '/press/1?id=7',
  // Other spellings of the same files.
  '/index.html',
  '/news/index.html',
  '/news/sport',
  '/news/sport/index.php',
  '/press',
  '/press/index.htm',
  '/a/',
  '/a/index.html',
  '/a/index.html?x=1',
  '/A',
  '/NEWS/',
  '/News/Sport/1.PDF',
  '/news/x/live/',
  '/news/2026/11/x/',
  '/s/',
  '/s/index.html?id=7',
  '/S?id=7',
  '/shop/?id=3',
  '/item/',
  '/item/index.html',
  '/ITEM',
  '/news/item/',
  '/news/Item',
  '/ab/',
  '/x.pdf/',
  '/home',
  '/home.htm',
];

/** Files for crawlers, and what they are not: URLs that some server may take for another page. */
export const RESERVED = [
  '/robots.txt',
  '/robots.txt?',
  '/robots.txt?v=2',
  '/robots.txt?x=1',
  '/robots.txt?v=2&rest_route=/',
  '/robots.txt;x',
  '/robots.txt/x',
  '/license.xml?x=1',
  '/favicon.ico?x=1',
  '/tdmrep.json?x=1',
  '/maps/all.xml',
  '/maps/all.xml?page=2',
  '/maps/all.xml2',
  '/.well-known/',
  '/.well-known/security.txt',
  '/.well-known/security.txt?x=1',
  '/.well-known/security.txt?v=2',
  '/.well-known/webfinger?resource=acct:a@example.com',
  '/.well-known/a;b',
  '/.well-known/a;b/c',
  '/.well-known/..;/premium/',
  '/.well-known/a%3Fb',
  '/.well-known/a%23b',
  '/.well-known/a%2Fb',
  '/.well-known/a%255Cb',
  '/.well-known/a./b',
  '/.well-known/a%20/b',
  '/.well-known/index.php/a',
  '/.well-known/index.html/a',
  '/.well-known/a.php/b',
  '/.well-known/a::$DATA',
  '/.well-known/pki/a.b',
];

/** Where items are registered. */
const SOURCES = [
  '/item',
  '/s',
  '/s?id=7',
  '/news/item',
  '/press/1',
  '/a',
  '/shop?id=3',
  '/x.pdf',
  '/ab',
  '/item/',
  '/news/',
  '/Item',
];

const path = fc.constantFrom(...PATHS);
const some = <T>(values: readonly T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });

const condition: fc.Arbitrary<Record<string, unknown>> = fc.oneof<fc.Arbitrary<Record<string, unknown>>[]>(
  fc.record({ crawler: some(CRAWLER_NAMES) }),
  fc.record({ crawlerNot: some(CRAWLER_NAMES) }),
  fc.record({ crawlerPurpose: some(['training', 'search', 'user_fetch', 'other']) }),
  fc.record({ crawlerOperator: some(['OpenAI', 'Google']) }),
  fc.record({ userAgent: some(['gptbot', 'Mozilla', 'bot', 'google']) }),
  fc.record({ path: fc.uniqueArray(path, { minLength: 1, maxLength: 3 }) }),
  fc.record({ pathNot: fc.uniqueArray(path, { minLength: 1, maxLength: 2 }) }),
  fc.record({ purpose: some(['training', 'search', 'grounding']) }),
  fc.record({ purposeNot: some(['training', 'search', 'grounding']) }),
  fc.record({ country: some(['DE', 'US']) }),
  fc.record({ countryNot: some(['DE', 'US']) }),
  fc.record({ ip: some(['10.0.0.0/8', '10.1.0.0/16', '192.0.2.7']) }),
  fc.record({ requesterVerified: fc.constantFrom<unknown>(true, false, ['signature']) }),
  fc.record({ hasValidLicense: fc.boolean() }),
  fc.record({ licenseType: some(['gold', 'press']) }),
  fc.record({ requesterTags: fc.constant(['crawler']) }),
  fc.record({ host: fc.constant(['*.example.com']) }),
  fc.record({ contentType: some(['article', 'video']) }),
  fc.constant({}),
);

const rule = fc
  .record({
    action: fc.constantFrom('allow', 'deny'),
    one: condition,
    other: fc.option(condition),
    isLimited: fc.nat(9),
  })
  .map(({ action, one, other, isLimited }) => ({
    action,
    conditions: { ...one, ...other },
    ...(action === 'allow' && isLimited > 5 ? { permissions: ['full_access', 'training', 'fine_tuning'] } : {}),
    ...(action === 'allow' && isLimited === 0 ? { rateLimit: { requests: 1_000_000, period: 'day' } } : {}),
  }));

const policy = fc.record({
  rules: fc.array(rule, { maxLength: 4 }),
  defaultAction: fc.constantFrom('allow', 'deny'),
});

const collection = fc.record({
  hosts: fc.constantFrom<string[]>([], [HOST], ['*.example.com'], ['other.example'], [HOST, '*.example.com']),
  paths: fc.uniqueArray(path, { minLength: 1, maxLength: 4 }),
  policy: fc.nat(2),
  mode: fc.constantFrom('enforce', 'observe'),
});

const baseLine = fc.oneof(
  fc.constantFrom('User-agent: *', 'User-agent: GPTBot', 'User-agent: Googlebot', 'User-agent: SomeBot', '', '# note'),
  fc.constantFrom('Disallow: /admin', 'Allow: /', 'Allow: /news/', 'Allow: /a$', 'Disallow: /press/', 'Allow: /*.pdf$'),
  fc.constantFrom('Disallow: /', 'Disallow: /*/live', 'Disallow: /a$', 'Disallow: /%61dmin/p', 'Allow: /admin/press/'),
  fc.constantFrom('Disallow: /new', 'Disallow: /*secret', 'Disallow: /*f$', 'User-agent: CCBot'),
);

/** Which URLs are one file. */
const urls = fc.option(
  fc.record({
    case: fc.constantFrom<'sensitive' | 'ignored'>('sensitive', 'sensitive', 'ignored'),
    finalSlash: fc.constantFrom<'significant' | 'ignored'>('significant', 'ignored'),
    index: fc.constantFrom<string[]>(['index.html', 'index.htm', 'index.php'], [], ['home.htm']),
  }),
);

export const world = fc.record({
  urls,
  policies: fc.array(policy, { minLength: 3, maxLength: 3 }),
  collections: fc.array(collection, { minLength: 1, maxLength: 4 }),
  base: fc.option(fc.array(baseLine, { maxLength: 8 }).map((lines) => lines.join('\n'))),
  item: fc.option(fc.record({ policy: fc.nat(2), archived: fc.boolean() })),
  items: fc.uniqueArray(
    fc.record({
      source: fc.constantFrom(...SOURCES),
      // Without one of its own, an item follows its collection.
      policy: fc.option(fc.nat(2)),
      type: fc.constantFrom('article', 'video'),
      archived: fc.boolean(),
    }),
    { maxLength: 3, selector: ({ source }) => source },
  ),
  registered: fc.subarray(['GPTBot', 'Googlebot'], { maxLength: 2 }),
});
export type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

const open: World['policies'][number] = { rules: [], defaultAction: 'allow' };
const closed: World['policies'][number] = { rules: [], defaultAction: 'deny' };
const everywhere = { hosts: [HOST], paths: ['/'], policy: 0, mode: 'enforce' as const };
const plain = { urls: null, base: null, item: null, items: [], registered: [] };
const ITEM = { policy: 1, type: 'article' as const, archived: false };

/** Worlds in which each defence is needed. */
export const EXAMPLES: World[] = [
  // A star of an allowing pattern, above a denial of everything.
  {
    ...plain,
    policies: [closed, open, open],
    collections: [everywhere, { ...everywhere, paths: ['/*.pdf$'], policy: 1 }],
  },
  // A path that ends, above an allowance of everything; an item.
  {
    ...plain,
    policies: [open, closed, open],
    collections: [everywhere, { ...everywhere, paths: ['/a$'], policy: 1 }],
    item: { policy: 1, archived: false },
  },
  // Rules of equal length; circumstances, purposes, path conditions.
  {
    ...plain,
    base: 'User-agent: *\nAllow: /\n',
    policies: [
      {
        rules: [
          { action: 'deny', conditions: { country: ['DE'], path: ['/news/'] } },
          { action: 'deny', conditions: { purpose: ['training'], path: ['/press/'] } },
          { action: 'deny', conditions: { crawler: ['CCBot'] } },
        ],
        defaultAction: 'allow',
      },
      open,
      open,
    ],
    collections: [everywhere],
  },
  // A query is allowed, and the item of its path is denied like everything else.
  {
    ...plain,
    policies: [closed, open, open],
    collections: [everywhere, { ...everywhere, paths: ['/s?q=', '/shop?id='], policy: 1 }],
    items: [{ ...ITEM, source: '/s', policy: null }],
  },
  // A query is denied alone; an item with a query within an open collection.
  {
    ...plain,
    policies: [open, closed, open],
    collections: [
      { ...everywhere, paths: ['/s?id=7'], policy: 1 },
      { ...everywhere, paths: ['/news/'] },
    ],
    items: [
      { ...ITEM, source: '/shop?id=3' },
      { ...ITEM, source: '/news/item', policy: 1 },
    ],
  },
  // Rules about types hold for items of a collection alone.
  {
    ...plain,
    policies: [
      { rules: [{ action: 'deny', conditions: { contentType: ['video'] } }], defaultAction: 'allow' },
      open,
      open,
    ],
    collections: [{ ...everywhere, paths: ['/'] }],
    items: [{ ...ITEM, source: '/s', policy: null, type: 'video' as const }],
  },
  // Ours are longer than rules of the site's own file, which differ between crawlers.
  {
    ...plain,
    base: 'User-agent: *\nDisallow: /admin\nDisallow: /a$\n\nUser-agent: GPTBot\nDisallow: /*s\nAllow: /news/sport/\n',
    policies: [closed, open, open],
    collections: [everywhere, { ...everywhere, paths: ['/admin/press/', '/news/', '/ab*', '/a$'], policy: 1 }],
  },
  // Two items are one file, so none is chosen.
  {
    ...plain,
    policies: [open, open, open],
    collections: [everywhere],
    items: [
      { ...ITEM, source: '/item' },
      { ...ITEM, source: '/item/' },
    ],
  },
  // Items in any case: one is denied, two are one file, and one has a query.
  {
    ...plain,
    urls: { case: 'ignored', finalSlash: 'ignored', index: ['index.html'] },
    policies: [open, closed, open],
    collections: [everywhere],
    items: [
      { ...ITEM, source: '/news/item', policy: 1 },
      { ...ITEM, source: '/s?id=7', policy: 1 },
    ],
  },
  {
    ...plain,
    urls: { case: 'ignored', finalSlash: 'significant', index: [] },
    policies: [open, open, open],
    collections: [everywhere],
    items: [
      { ...ITEM, source: '/item' },
      { ...ITEM, source: '/Item' },
    ],
  },
  // A folder and a file that ends are denied.
  {
    ...plain,
    policies: [open, closed, open],
    collections: [everywhere, { ...everywhere, paths: ['/a$', '/press/', '/news/*/live'], policy: 1 }],
    items: [{ ...ITEM, source: '/s', policy: 1 }],
  },
  // Queries are allowed, and none is denied: an empty one is none.
  {
    ...plain,
    urls: { case: 'sensitive', finalSlash: 'ignored', index: ['home.htm'] },
    policies: [closed, open, open],
    collections: [everywhere, { ...everywhere, paths: ['/s?', '/shop?*', '/*.pdf?', '/a?*$', '/b?$'], policy: 1 }],
  },
  // Requesters that are proven are denied, and so are crawlers that are named.
  {
    ...plain,
    policies: [
      { rules: [{ action: 'allow', conditions: { requesterVerified: false } }], defaultAction: 'deny' },
      open,
      open,
    ],
    collections: [everywhere],
    registered: ['GPTBot'],
  },
  // A star is allowed, and queries are denied whose other spellings are longer.
  {
    ...plain,
    urls: { case: 'sensitive', finalSlash: 'ignored', index: ['home.htm'] },
    policies: [open, closed, open],
    collections: [
      { ...everywhere, paths: ['/s?'], policy: 1 },
      { ...everywhere, paths: ['/*secret'] },
    ],
  },
];

/** Records of the world. */
export const ids: { collections: string[]; items: string[]; requesters: string[] } = {
  collections: [],
  items: [],
  requesters: [],
};

/** The text of each policy of the world. */
export const rulesOf = new Map<string, string>();

export async function ask(postern: TestService, method: string, to: string, body?: object) {
  const answer = await postern.call(method, to, body === undefined ? {} : { body });
  assert.ok(answer.status < 300, `${method} ${to} ${answer.text}`);
  return answer.body;
}

async function addItems(postern: TestService, items: World['items'], made: readonly string[]): Promise<void> {
  for (const { source, policy: i, type, archived } of items) {
    const body = { externalId: source, title: 'I', type, source: `https://${HOST}${source}` };
    const { id } = await ask(postern, 'POST', '/v1/content', { ...body, ...(i === null ? {} : { policyId: made[i] }) });
    if (archived) await ask(postern, 'PATCH', `/v1/content/${id}`, { status: 'archived' });
    ids.items.push(id);
  }
}

/** Returns the part of a site that says which URLs are one file. */
export const urlsOf = ({ urls: given }: Pick<World, 'urls'>): object => (given === null ? {} : { urls: given });

/** Replaces what the service has by another world. */
export async function become(
  postern: TestService,
  { policies, collections, base, item, items, registered, ...site }: World,
) {
  for (const id of ids.collections.splice(0)) await ask(postern, 'DELETE', `/v1/collections/${id}`);
  for (const id of ids.items.splice(0)) await ask(postern, 'DELETE', `/v1/content/${id}`);
  for (const id of ids.requesters.splice(0)) await ask(postern, 'DELETE', `/v1/requesters/${id}`);
  const made: string[] = [];
  rulesOf.clear();
  for (const [i, one] of policies.entries()) {
    const { id } = await ask(postern, 'POST', '/v1/policies', { name: `P${i}`, ...one });
    made.push(id);
    rulesOf.set(id, JSON.stringify(one));
  }
  for (const { policy: i, ...one } of collections) {
    ids.collections.push((await ask(postern, 'POST', '/v1/collections', { name: 'C', ...one, policyId: made[i] })).id);
  }
  if (item !== null) {
    const body = {
      externalId: 'i',
      title: 'I',
      type: 'article',
      source: `https://${HOST}/item`,
      policyId: made[item.policy],
    };
    const { id } = await ask(postern, 'POST', '/v1/content', body);
    if (item.archived) await ask(postern, 'PATCH', `/v1/content/${id}`, { status: 'archived' });
    ids.items.push(id);
  }
  await addItems(postern, items, made);
  if (registered.length > 0) {
    const answer = await ask(postern, 'POST', '/v1/crawlers/register', { names: registered });
    for (const { requesterId } of answer.requesters) ids.requesters.push(requesterId);
  }
  const signals = base === null ? { robots: 'replace' } : { robots: 'augment', robotsBase: base };
  const sitemaps = [`https://${HOST}/maps/all.xml`];
  await ask(postern, 'PUT', `/v1/sites/${HOST}`, { signals: { ...signals, public: true }, sitemaps, ...urlsOf(site) });
}
