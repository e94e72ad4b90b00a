/**
 * Seven policies that a publisher of this catalog might write. Licenses come first. The last allow rule needs every
 * value that a rule before it denies, so that a check does not evade a denial by omitting it.
 */
import type { Postern } from '../client/src/client.ts';
import type { Body } from '../client/src/types.ts';
import { findCrawler } from '../src/rules/crawlers/directory.ts';
import { readCrawlers, tagged } from './crawlers.ts';

export type PolicyName =
  | 'openArticles'
  | 'licensedReference'
  | 'embargoed'
  | 'openImages'
  | 'brandImages'
  | 'researchData'
  | 'harborTimes';

type PolicyBody = Body<'createPolicy'>;
type Rule = PolicyBody['rules'][number];

const SCRAPERS = [
  'python-requests',
  'python-urllib',
  'scrapy',
  'wget',
  'curl',
  'httrack',
  'go-http-client',
  'headlesschrome',
];
const noScrapers: Rule = {
  action: 'deny',
  conditions: { userAgent: SCRAPERS },
  message: 'Scrapers are not served. Ask us for a license and a key.',
};

/** The last rule: it denies a check that says too little for the rules before, and returns what to send. */
const incomplete = (missing: string): Rule => ({
  action: 'deny',
  conditions: { default: true },
  message: `Send ${missing}.`,
});

const BOT = ['bot', 'crawl', 'spider', 'slurp', 'fetch', 'archiver'];
const TRAINING = ['training', 'fine_tuning'];
const USE_BY_AI = [...TRAINING, 'inference'];
const EMBARGOED = ['JP', 'KR'];

const openArticles: PolicyBody = {
  name: 'Open articles',
  description: 'Open to readers; robots have a daily limit; training needs an agreement.',
  defaultAction: 'deny',
  rules: [
    {
      action: 'allow',
      conditions: { purpose: TRAINING, licenseType: 'enterprise' },
      permissions: ['full_access', 'training', 'fine_tuning'],
      rateLimit: { requests: 2_000, period: 'hour' },
    },
    noScrapers,
    {
      action: 'deny',
      conditions: { purpose: TRAINING, hasValidLicense: false },
      message: 'Training on our articles needs an enterprise license.',
    },
    { action: 'deny', conditions: { purpose: TRAINING }, message: 'Your license does not include this use.' },
    {
      action: 'allow',
      conditions: { userAgent: BOT, purposeNot: TRAINING },
      permissions: ['full_access'],
      rateLimit: { requests: 300, period: 'day' },
      message: 'Robots have 300 articles a day.',
    },
    {
      action: 'allow',
      conditions: { userAgentNot: SCRAPERS, purposeNot: TRAINING },
      permissions: ['full_access'],
    },
    incomplete('the user agent and the purpose'),
  ],
};

const licensedReference = (aiCrawlers: string[]): PolicyBody => ({
  name: 'JavaScript and Web API reference',
  description:
    'People and search engines read; AI trains with an enterprise license and answers with an assistant license.',
  defaultAction: 'deny',
  rules: [
    {
      action: 'allow',
      conditions: { purpose: TRAINING, licenseType: 'enterprise' },
      permissions: ['full_access', 'training', 'fine_tuning', 'inference'],
      rateLimit: { requests: 2_000, period: 'hour' },
    },
    {
      action: 'allow',
      conditions: { purpose: 'inference', licenseType: ['enterprise', 'assistant'] },
      permissions: ['full_access', 'inference'],
      rateLimit: { requests: 600, period: 'hour' },
    },
    noScrapers,
    {
      action: 'deny',
      conditions: { purpose: USE_BY_AI, hasValidLicense: false },
      message: 'Use by AI needs a license: enterprise for training, assistant for answers.',
    },
    {
      action: 'deny',
      conditions: { purpose: USE_BY_AI },
      message: 'Your license does not include this use.',
    },
    {
      action: 'deny',
      conditions: { crawler: aiCrawlers, hasValidLicense: false },
      message: 'AI crawlers need a license for any purpose.',
    },
    {
      action: 'allow',
      conditions: { userAgent: BOT, purposeNot: USE_BY_AI },
      permissions: ['full_access'],
      rateLimit: { requests: 1_000, period: 'day' },
      message: 'Robots have 1,000 pages of the reference a day.',
    },
    {
      action: 'allow',
      conditions: { userAgentNot: SCRAPERS, purposeNot: USE_BY_AI },
      permissions: ['full_access'],
    },
    incomplete('the user agent and the purpose'),
  ],
});

const embargoed: PolicyBody = {
  name: 'WebAssembly reference, embargoed',
  description: 'Closed in Japan and Korea until the translated edition is out; open elsewhere, except for AI.',
  defaultAction: 'deny',
  rules: [
    {
      action: 'deny',
      conditions: { country: EMBARGOED },
      message: 'Under embargo in your country until the translated edition is out.',
    },
    {
      action: 'allow',
      conditions: { licenseType: 'enterprise', countryNot: EMBARGOED },
      permissions: ['full_access'],
      rateLimit: { requests: 600, period: 'hour', scope: 'content' },
      message: 'This page is over its limit; come back within the hour.',
    },
    noScrapers,
    {
      action: 'deny',
      conditions: { purpose: USE_BY_AI, hasValidLicense: false },
      message: 'Use by AI needs an enterprise license.',
    },
    { action: 'deny', conditions: { purpose: USE_BY_AI }, message: 'Your license does not include this use.' },
    {
      action: 'allow',
      conditions: { userAgentNot: SCRAPERS, purposeNot: USE_BY_AI, countryNot: EMBARGOED },
      permissions: ['full_access'],
      rateLimit: { requests: 600, period: 'hour', scope: 'content' },
      message: 'This page is over its limit; come back within the hour.',
    },
    incomplete('the user agent, the purpose and the country'),
  ],
};

const openImages: PolicyBody = {
  name: 'Images under an open license',
  description: 'Free to use and share, up to 5,000 times a day for each image.',
  defaultAction: 'deny',
  rules: [
    {
      action: 'allow',
      conditions: { default: true },
      permissions: ['full_access', 'commercial_use', 'redistribution'],
      rateLimit: { requests: 5_000, period: 'day', scope: 'content' },
    },
  ],
};

const brandImages: PolicyBody = {
  name: 'Brand images',
  description: 'Open preview; the full image and its use in products need a license.',
  defaultAction: 'deny',
  rules: [
    {
      action: 'allow',
      conditions: { licenseType: ['media', 'enterprise'] },
      permissions: ['full_access', 'commercial_use'],
      rateLimit: { requests: 1_000, period: 'hour' },
    },
    {
      action: 'allow',
      conditions: { ip: ['192.0.2.0/24', '2001:db8:42::/48'] },
      permissions: ['full_access'],
      message: 'Our own offices.',
    },
    noScrapers,
    {
      action: 'deny',
      conditions: { permission: ['commercial_use', 'redistribution'], hasValidLicense: false },
      message: 'Use of brand images needs a media license.',
    },
    { action: 'allow', conditions: { userAgentNot: SCRAPERS }, permissions: ['preview_only'] },
    incomplete('the user agent'),
  ],
};

const researchData: PolicyBody = {
  name: 'Data sets',
  description: 'Public-domain data is open; other data is for research.',
  defaultAction: 'deny',
  rules: [
    {
      action: 'allow',
      conditions: { contentTags: 'public-domain', userAgentNot: SCRAPERS },
      permissions: ['full_access', 'redistribution'],
      rateLimit: { requests: 100, period: 'minute' },
    },
    {
      action: 'allow',
      conditions: { licenseType: ['research', 'enterprise'] },
      permissions: ['full_access'],
      rateLimit: { requests: 300, period: 'hour' },
    },
    noScrapers,
    {
      action: 'deny',
      conditions: { default: true },
      message: 'This data set needs a research license.',
    },
  ],
};

const harborTimes: PolicyBody = {
  name: 'Harbor Times',
  description: 'Readers and search engines read the news; the archive and training need a license.',
  defaultAction: 'deny',
  rules: [
    {
      action: 'allow',
      conditions: { licenseType: ['enterprise', 'archive'] },
      permissions: ['full_access', 'training'],
    },
    {
      action: 'deny',
      conditions: { path: '/archive/', hasValidLicense: false },
      message: 'The archive needs a license.',
    },
    {
      action: 'deny',
      conditions: { crawlerPurpose: 'training', hasValidLicense: false },
      message: 'Training on our pages needs a license.',
    },
    { action: 'allow', conditions: { crawlerPurposeNot: 'training' }, permissions: ['full_access'] },
    incomplete('the user agent'),
  ],
};

/** Returns the names of AI crawlers in Postern's directory. */
function namesOfAi(): string[] {
  const userAgents = tagged(readCrawlers(), 'ai-crawler').flatMap((crawler) => crawler.userAgents);
  return [...new Set(userAgents.flatMap((userAgent) => findCrawler(userAgent)?.name ?? []))];
}

/** Rate limits are per requester, unless a rule sets another scope. */
export const policies = (): Record<PolicyName, PolicyBody> => ({
  openArticles,
  licensedReference: licensedReference(namesOfAi()),
  embargoed,
  openImages,
  brandImages,
  researchData,
  harborTimes,
});

/** Creates new policies and edits different ones, found by name. Returns their ids. */
export async function putPolicies(
  postern: Postern,
): Promise<{ ids: Record<PolicyName, string>; created: number; edited: number }> {
  const stored = await Array.fromAsync(postern.listPolicies({ limit: 100 }));
  const ids = {} as Record<PolicyName, string>;
  let created = 0;
  let edited = 0;
  for (const [key, body] of Object.entries(policies()) as [PolicyName, PolicyBody][]) {
    const old = stored.find(({ name }) => name === body.name);
    if (old === undefined) {
      ids[key] = (await postern.createPolicy(body)).id;
      created++;
      continue;
    }
    ids[key] = old.id;
    if (JSON.stringify([old.rules, old.defaultAction]) === JSON.stringify([body.rules, body.defaultAction])) continue;
    await postern.updatePolicy(old.id, body);
    edited++;
  }
  return { ids, created, edited };
}
