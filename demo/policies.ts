/** What a publisher of such a catalogue would decide: six policies in the words of the service. */
import type { Rule } from '../src/policies/policy.ts';
import type { Api } from './api.ts';
import { readCrawlers, tagged } from './crawlers.ts';

export type PolicyName =
  | 'openArticles'
  | 'licensedReference'
  | 'embargoed'
  | 'openImages'
  | 'brandImages'
  | 'researchData';

export interface PolicyBody {
  name: string;
  description: string;
  rules: Rule[];
  defaultAction: 'allow' | 'deny';
}

const noScrapers: Rule = {
  action: 'deny',
  conditions: {
    userAgent: [
      'python-requests',
      'python-urllib',
      'scrapy',
      'wget',
      'curl',
      'httrack',
      'go-http-client',
      'headlesschrome',
    ],
  },
  message: 'Copying tools are not served. Ask us for a license and a key.',
};

const BOT = ['bot', 'crawl', 'spider', 'slurp', 'fetch', 'archiver'];
const TRAINING = ['training', 'fine_tuning'];

/** Rate limits are a requester's own unless a rule says otherwise. */
export function policies(): Record<PolicyName, PolicyBody> {
  const aiCrawlers = tagged(readCrawlers(), 'ai-crawler').map(({ id }) => id);
  return {
    openArticles: {
      name: 'Open articles',
      description: 'Everybody reads; robots within a daily allowance; training by agreement.',
      defaultAction: 'deny',
      rules: [
        noScrapers,
        {
          action: 'allow',
          conditions: { purpose: TRAINING, licenseType: 'enterprise' },
          permissions: ['full_access', 'training', 'fine_tuning'],
          rateLimit: { requests: 2_000, period: 'hour' },
        },
        {
          action: 'deny',
          conditions: { purpose: TRAINING },
          message: 'Training on our articles takes an enterprise license.',
        },
        {
          action: 'allow',
          conditions: { userAgent: BOT },
          permissions: ['full_access'],
          rateLimit: { requests: 300, period: 'day' },
          message: 'Robots have 300 articles a day.',
        },
        { action: 'allow', conditions: { default: true }, permissions: ['full_access'] },
      ],
    },
    licensedReference: {
      name: 'JavaScript and Web API reference',
      description:
        'People and search engines read; AI trains with an enterprise license and answers with an assistant license.',
      defaultAction: 'deny',
      rules: [
        noScrapers,
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
        {
          action: 'deny',
          conditions: { purpose: [...TRAINING, 'inference'], hasValidLicense: false },
          message: 'Use by AI takes a license: enterprise for training, assistant for answers.',
        },
        {
          action: 'deny',
          conditions: { purpose: [...TRAINING, 'inference'] },
          message: 'Your license is of another kind.',
        },
        {
          action: 'deny',
          conditions: { requesterId: aiCrawlers, hasValidLicense: false },
          message: 'AI crawlers need a license, whatever they say they come for.',
        },
        {
          action: 'allow',
          conditions: { userAgent: BOT },
          permissions: ['full_access'],
          rateLimit: { requests: 1_000, period: 'day' },
          message: 'Robots have 1,000 pages of the reference a day.',
        },
        { action: 'allow', conditions: { default: true }, permissions: ['full_access'] },
      ],
    },
    embargoed: {
      name: 'WebAssembly reference, embargoed',
      description: 'Not in Japan and Korea until the translated edition is out; elsewhere open, without AI.',
      defaultAction: 'deny',
      rules: [
        noScrapers,
        {
          action: 'deny',
          conditions: { country: ['JP', 'KR'] },
          message: 'Under embargo in your country until the translated edition is out.',
        },
        { action: 'deny', conditions: { purpose: [...TRAINING, 'inference'], licenseTypeNot: 'enterprise' } },
        {
          action: 'allow',
          conditions: { default: true },
          permissions: ['full_access'],
          rateLimit: { requests: 600, period: 'hour', scope: 'content' },
          message: 'This page is asked for more than we can serve; come back within the hour.',
        },
      ],
    },
    openImages: {
      name: 'Images under an open license',
      description: 'To be used and passed on; one image not more than 5,000 times a day.',
      defaultAction: 'deny',
      rules: [
        {
          action: 'allow',
          conditions: { default: true },
          permissions: ['full_access', 'commercial_use', 'redistribution'],
          rateLimit: { requests: 5_000, period: 'day', scope: 'content' },
        },
      ],
    },
    brandImages: {
      name: 'Brand images',
      description: 'Everybody sees a preview; the image itself and its use in products are licensed.',
      defaultAction: 'deny',
      rules: [
        noScrapers,
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
        {
          action: 'deny',
          conditions: { permission: ['commercial_use', 'redistribution'], hasValidLicense: false },
          message: 'Use of brand images takes a media license.',
        },
        { action: 'allow', conditions: { default: true }, permissions: ['preview_only'] },
      ],
    },
    researchData: {
      name: 'Data sets',
      description: 'Public domain for all, the rest for research.',
      defaultAction: 'deny',
      rules: [
        noScrapers,
        {
          action: 'allow',
          conditions: { contentTags: 'public-domain' },
          permissions: ['full_access', 'redistribution'],
          rateLimit: { requests: 100, period: 'minute' },
        },
        {
          action: 'allow',
          conditions: { licenseType: ['research', 'enterprise'] },
          permissions: ['full_access'],
          rateLimit: { requests: 300, period: 'hour' },
        },
        {
          action: 'deny',
          conditions: { default: true },
          message: 'This data set is for those with a research license.',
        },
      ],
    },
  };
}

interface Stored {
  id: string;
  name: string;
  rules: Rule[];
  defaultAction: string;
}

/** Makes those that are not there yet and edits those that differ; known by their names. Gives their ids. */
export async function putPolicies(
  api: Api,
): Promise<{ ids: Record<PolicyName, string>; created: number; edited: number }> {
  const there = new Map<string, Stored>();
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await api.get<{ data: Stored[]; nextCursor: string | null }>(`/v1/policies?limit=100${next}`);
    for (const policy of page.data) there.set(policy.name, policy);
    cursor = page.nextCursor;
  } while (cursor !== null);

  const ids = {} as Record<PolicyName, string>;
  let created = 0;
  let edited = 0;
  for (const [key, body] of Object.entries(policies()) as [PolicyName, PolicyBody][]) {
    const old = there.get(body.name);
    if (old === undefined) {
      ids[key] = (await api.send<Stored>('POST', '/v1/policies', body)).id;
      created++;
      continue;
    }
    ids[key] = old.id;
    if (JSON.stringify([old.rules, old.defaultAction]) === JSON.stringify([body.rules, body.defaultAction])) continue;
    await api.send('PATCH', `/v1/policies/${old.id}`, body);
    edited++;
  }
  return { ids, created, edited };
}
