/**
 * An example of each request with a body, by its operation. A test sends them as they stand, in this order, with the
 * ids replaced by real ones.
 */

const TERMS = {
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  period: 'month',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 5000 }],
};

const RULES = [
  { action: 'allow', conditions: { licenseType: 'research' } },
  { action: 'allow', conditions: { purpose: 'reading' }, permissions: ['preview_only'] },
];

export const EXAMPLES: Readonly<Record<string, object | string>> = {
  createPolicy: { name: 'Research partners', description: 'Licensed research; previews for readers', rules: RULES },
  updatePolicy: { rules: [...RULES, { action: 'allow', conditions: { requesterTags: 'partner' } }] },
  rollbackPolicy: { version: 1 },
  lintPolicy: { name: 'Research partners', rules: RULES },
  putPolicyCandidate: { rules: [{ action: 'allow', conditions: { purposeNot: 'training' } }] },
  previewPolicyImpact: { policy: { rules: RULES }, examples: 5 },
  createContent: {
    externalId: 'tides',
    title: 'Tides',
    type: 'article',
    source: 'https://www.example.com/news/tides',
    tags: ['science'],
    policyId: 'pol_01kbm3q8e5f6v7w8x9y0z1a2b3',
  },
  updateContent: { tags: ['science', 'coast'], metadata: { words: 1250 } },
  upsertContent: { externalId: 'map-1', title: 'Map', type: 'image', source: 'https://www.example.com/map' },
  bulkUpsertContent: {
    items: [
      { externalId: 'map-1', title: 'Map of the coast', type: 'image', source: 'https://www.example.com/map' },
      { externalId: 'map-2', title: 'Map of the river', type: 'image', source: 'https://www.example.com/map-2' },
    ],
  },
  bulkDeleteContent: { ids: ['map-1', 'map-2'] },
  createCollection: {
    name: 'News',
    hosts: ['www.example.com'],
    paths: ['/news/'],
    policyId: 'pol_01kbm3q8e5f6v7w8x9y0z1a2b3',
  },
  updateCollection: { mode: 'observe' },
  tryCollection: { url: 'https://www.example.com/news/tides', collection: { hosts: ['www.example.com'] } },
  putSite: { contact: 'licensing@example.com', urls: { case: 'ignored' } },
  putOffer: { unitPriceMicros: 5000, currency: 'EUR', contact: 'licensing@example.com' },
  createRequester: { id: 'university', name: 'University of Somewhere', type: 'research', tags: ['nonprofit'] },
  importRequesters: 'name,type,contactName,email\nNorthern Library,research,Jo Reyes,jo@library.example\n',
  updateRequester: { tags: ['nonprofit', 'partner'] },
  createRequesterToken: { name: 'Production', expiresAt: '2100-01-01T00:00:00Z' },
  rotateRequesterToken: { graceSeconds: 3600 },
  createCrawler: { token: 'foobot', name: 'Foobot', operator: 'Foo Ltd', purpose: 'training' },
  registerCrawlers: { names: ['GPTBot', 'ClaudeBot'] },
  acceptIdentityList: { url: 'https://openai.com/gptbot.json' },
  createLicense: { requesterId: 'university', type: 'research', expiresAt: '2100-01-01T00:00:00Z', terms: TERMS },
  updateLicense: { features: ['archive'] },
  previewStatement: { startsAt: '2030-10-28T00:00:00Z', units: 100, terms: TERMS },
  reconcileStatement: 'contentId,count\ntides,2\n',
  evaluateAccess: {
    subject: { type: 'user', id: 'university', properties: { role: 'editor' } },
    action: { name: 'full_access' },
    resource: { type: 'article', id: 'tides' },
    context: { purpose: 'reading' },
  },
  evaluateAccesses: {
    subject: { type: 'user', id: 'university' },
    action: { name: 'full_access' },
    evaluations: [
      { resource: { type: 'article', id: 'tides' } },
      { resource: { type: 'page', id: 'https://www.example.com/news/' } },
    ],
  },
  searchSubjects: {
    subject: { type: 'requester' },
    action: { name: 'full_access' },
    resource: { type: 'article', id: 'tides' },
  },
  searchResources: {
    subject: { type: 'requester', id: 'university' },
    action: { name: 'full_access' },
    resource: { type: 'content' },
    page: { limit: 50 },
  },
  searchActions: {
    subject: { type: 'requester', id: 'university' },
    resource: { type: 'content', id: 'tides' },
  },
  checkAccess: {
    contentId: 'tides',
    requesterId: 'university',
    permission: 'full_access',
    context: { userAgent: 'GPTBot/1.2', ip: '203.0.113.7' },
  },
  checkAccessBatch: {
    checks: [
      { contentId: 'tides', requesterId: 'university' },
      { url: 'https://www.example.com/news/', context: { country: 'DE' } },
    ],
  },
  simulatePolicy: {
    policy: { rules: RULES },
    checks: [{ contentId: 'tides', context: { userAgent: 'GPTBot/1.2' } }],
  },
  checkOwnAccess: { checks: [{ contentId: 'tides' }] },
  requestLicense: { licenseType: 'commercial', note: 'For our search index' },
  grantLicenseRequest: { type: 'commercial', expiresAt: '2100-01-01T00:00:00Z', terms: TERMS, answer: 'Welcome' },
  declineLicenseRequest: { answer: 'Not this year' },
  createApiKey: { name: 'Web server', type: 'secret', permissions: ['access:check'] },
  rotateApiKey: { graceSeconds: 3600 },
  createSignInLink: { name: 'Ada Lovelace', role: 'licensing' },
  createWebhook: { url: 'https://hooks.example.com/postern', events: ['license.*', 'access.denied'] },
  updateWebhook: { status: 'disabled' },
  eraseRequester: { confirm: 'university' },
  createProxyProbe: { host: 'www.example.com' },
  rotateSigningKeys: {},
  getLicenseToken: {
    grant_type: 'client_credentials',
    resource: 'https://www.example.com/news/*',
    license: '<license><permits type="usage">search</permits></license>',
  },
  introspectLicenseToken: { token: 'eyJhbGciOiJFUzI1NiJ9.e30.AA' },
};
