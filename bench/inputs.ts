/** A publisher's data for benchmarks: a catalog, the crawlers that read it, and policies. */
import crawlers from 'crawler-user-agents';
import { type Random, seeded } from '../kit/random.ts';
import { toFacts } from '../src/decisions/check/facts.ts';
import type { CheckRequest } from '../src/decisions/check/schema.ts';
import { ANONYMOUS } from '../src/decisions/snapshot/subject.ts';
import { type CompiledPolicy, compile } from '../src/rules/compile.ts';
import { type ContentFacts, type Facts, UNPLACED } from '../src/rules/facts.ts';
import type { Rule } from '../src/rules/policy.ts';

/** A check by item. */
export type ItemCheck = CheckRequest & { contentId: string };

/** Real user agents of ordinary length. */
export const USER_AGENTS: readonly string[] = crawlers
  .flatMap((crawler) => crawler.instances)
  .filter((agent) => agent.length > 10 && agent.length < 200)
  .slice(0, 500);

const REQUESTERS = 2_000;
const PARTNERS = ['partner_0001', 'partner_0002', 'partner_0003', 'partner_0004', 'partner_0005'];
const PURPOSES = ['search_indexing', 'search_indexing', 'inference', 'training', 'archiving', 'research'];
const COUNTRIES = ['US', 'US', 'DE', 'FR', 'GB', 'IN', 'CN', 'BR', 'KP'];
const TYPES = ['article', 'article', 'article', 'report', 'image', 'dataset', 'video'] as const;
const TAGS = [
  ['news'],
  ['news', 'open'],
  ['science', 'premium'],
  ['archive'],
  ['science', 'open'],
  ['embargoed'],
  ['opinion'],
];

export interface Item {
  externalId: string;
  title: string;
  type: (typeof TYPES)[number];
  source: string;
  metadata: Record<string, unknown>;
  tags: string[];
}

export function itemAt(index: number, prefix = 'article'): Item {
  const number = String(index).padStart(7, '0');
  return {
    externalId: `${prefix}-${number}`,
    title: `How the harbor of number ${number} was rebuilt after the storm`,
    type: TYPES[index % TYPES.length] as Item['type'],
    source: `https://publisher.example/${prefix}/${number}`,
    metadata: { section: 'regional', words: 400 + (index % 2000), author: `author-${index % 300}` },
    tags: TAGS[(index >> 2) % TAGS.length] as string[],
  };
}

/** Returns the facts that the service would have of the item. */
export function contentAt(index: number): ContentFacts {
  const { externalId, type, tags } = itemAt(index);
  const rest = { metadata: null, policyId: 'pol_bench', archived: false, ...UNPLACED };
  return { no: index + 1, id: `cnt_${index}`, externalId, type, tags, ...rest };
}

/** Returns the facts of a check by an unregistered requester. */
export const factsAt = (check: CheckRequest, content: ContentFacts, at = 0): Facts =>
  toFacts({ content, requester: ANONYMOUS }, check.requesterId, check, at);

/** Compiles rules; denies when none matches. */
export const compiled = (rules: readonly Rule[]): CompiledPolicy =>
  compile({
    no: 1,
    id: 'pol_bench',
    version: 1,
    rules: [...rules],
    defaultAction: 'deny',
  });

/** Ten rules: denials first, so that engines in which a denial always wins decide alike. */
export const TEN_RULES: readonly Rule[] = [
  {
    action: 'deny',
    conditions: { userAgent: ['Bytespider', 'PetalBot', 'SemrushBot'] },
    message: 'This crawler is not welcome.',
  },
  { action: 'deny', conditions: { country: ['KP', 'IR'] } },
  { action: 'deny', conditions: { contentTags: 'embargoed' }, message: 'Under embargo.' },
  {
    action: 'deny',
    conditions: { purpose: ['training', 'fine_tuning'], requesterIdNot: PARTNERS },
    message: 'Training takes a contract.',
  },
  { action: 'deny', conditions: { contentType: 'dataset', purposeNot: ['research', 'search_indexing'] } },
  { action: 'allow', conditions: { requesterId: PARTNERS }, permissions: ['full_access', 'training'] },
  { action: 'allow', conditions: { purpose: 'search_indexing' }, permissions: ['preview_only'] },
  { action: 'allow', conditions: { contentTags: 'open' }, permissions: ['full_access'] },
  {
    action: 'allow',
    conditions: { purpose: 'research', contentType: ['report', 'dataset'] },
    permissions: ['full_access'],
  },
  { action: 'deny', conditions: { default: true }, message: 'Ask for a license.' },
];

/** The same rules with limits that every allow counts and none reaches. */
export const LIMITED_RULES: readonly Rule[] = TEN_RULES.map((rule) =>
  rule.action === 'allow' ? { ...rule, rateLimit: { requests: 10_000_000, period: 'hour', scope: 'requester' } } : rule,
);

/** Returns `count` rules of all kinds that match no check of the benchmarks, and one that then allows. */
export function unmatchedRules(count: number): Rule[] {
  const rules = Array.from({ length: count }, (_, i): Rule => {
    const kinds: Record<string, unknown>[] = [
      { requesterId: [`stranger_${i}`, `stranger_${i}_b`] },
      { country: ['AQ', 'BV'] },
      { contentTags: [`never-${i}`] },
      { purpose: `unheard_of_${i}` },
      { contentType: 'article', purpose: `unheard_of_${i}` },
    ];
    return { action: 'deny', conditions: kinds[i % kinds.length] };
  });
  return [...rules, { action: 'allow', conditions: { default: true } }];
}

/** Returns `count` checks of items that `nextItem` chooses. */
export function checksOf(count: number, nextItem: () => string, seed = 7): ItemCheck[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => ({
    contentId: nextItem(),
    requesterId: requester(random),
    purpose: random.pick(PURPOSES),
    context: { userAgent: random.pick(USER_AGENTS), country: random.pick(COUNTRIES) },
  }));
}

const requester = (random: Random): string =>
  random.chance(0.1) ? random.pick(PARTNERS) : `crawler_${Math.floor(random.next() ** 3 * REQUESTERS)}`;
