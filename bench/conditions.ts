/**
 * Measures `decide` on ten rules that use every condition and its negation. All ten rules are evaluated, the last is a
 * catch-all denial, and then `decide` looks for a license that would have helped. In one variant each rule fails at
 * its first condition. In the other it fails only at its last, so every decision evaluates every condition.
 */

import { seeded, skewed } from '../kit/random.ts';
import { toFacts } from '../src/decisions/check/facts.ts';
import type { CheckRequest } from '../src/decisions/check/schema.ts';
import { CONDITION_SCHEMAS } from '../src/rules/conditions/conditions.ts';
import { decide } from '../src/rules/decide.ts';
import type { ContentFacts, Facts, LicenseFacts, RequesterFacts } from '../src/rules/facts.ts';
import type { Rule } from '../src/rules/policy.ts';
import { median, medianRatio, type Part } from './figure.ts';
import { checksOf, compiled, contentAt, type ItemCheck, itemAt } from './inputs.ts';
import { RATE_NOTE, rate } from './rate.ts';

const ITEMS = 1_000;
const CHECKS = 4_096;
const LEAST = 1_000_000;
const AT = Date.UTC(2026, 10, 18, 11);
const DAY_MS = 86_400_000;

const COLLECTION = 'col_01jd3v0000000000000000000a';
const OTHER_COLLECTION = 'col_01jd3v0000000000000000000b';
/** Both are crawlers: without one, no condition on crawlers holds. */
const USER_AGENTS = ['GPTBot/1.2 (+https://openai.com/gptbot)', 'Mozilla/5.0 (compatible; ClaudeBot/1.0)'];
const OTHERS = ['NZ', 'IS', 'UY'];
const NETWORKS = ['198.51.100.0/24', '192.0.2.17', '2001:db8:1::/48'];

/** In the first nine rules, only the last condition fails; license conditions are evaluated after all others. */
const EVERY_KEY: readonly Rule[] = [
  { action: 'deny', conditions: { countryNot: OTHERS, collectionNot: OTHER_COLLECTION, ip: NETWORKS } },
  {
    action: 'deny',
    conditions: {
      ipNot: NETWORKS,
      crawlerNot: ['Timpibot', 'YouBot'],
      crawlerOperatorNot: ['Timpi', 'You.com'],
      crawlerPurposeNot: ['preview', 'other'],
      userAgent: ['Bytespider', 'PetalBot', 'SemrushBot'],
    },
  },
  {
    action: 'deny',
    conditions: {
      userAgentNot: ['no-such-bot', 'unheard-of/'],
      purposeNot: 'unheard_of',
      requesterId: ['stranger_1', 'stranger_2'],
    },
  },
  {
    action: 'deny',
    conditions: {
      contentIdNot: ['withdrawn-1', 'withdrawn-2'],
      contentTypeNot: 'dataset',
      contentTagsNot: ['withdrawn', 'embargoed'],
      hostNot: ['*.example.net', 'withdrawn.example.com'],
      pathNot: ['/withdrawn/', '/*.pdf$'],
      contentMetadata: { section: ['obituaries', 'letters'] },
    },
  },
  {
    action: 'allow',
    conditions: {
      requesterIdNot: ['stranger_1', 'stranger_2'],
      requesterTypeNot: 'scraper',
      requesterTagsNot: ['blocked'],
      requesterVerified: ['ip', 'signature'],
      requesterMetadata: { tier: 'platinum' },
    },
  },
  {
    action: 'allow',
    conditions: {
      contentMetadataNot: { section: 'paid' },
      requesterMetadataNot: { tier: 'trial' },
      permissionNot: ['training', 'fine_tuning'],
      host: ['www.example.com', '*.example.org'],
      path: ['/news/', '/articles/', '/premium/'],
      collection: COLLECTION,
      contentType: ['dataset', 'video'],
    },
  },
  {
    action: 'allow',
    conditions: {
      requesterType: ['ai_crawler', 'search_engine'],
      requesterTags: ['partner', 'nonprofit'],
      permission: ['full_access', 'preview_only'],
      crawler: ['GPTBot', 'ClaudeBot'],
      crawlerOperator: ['OpenAI', 'Anthropic'],
      crawlerPurpose: 'training',
      contentTags: ['never', 'premium-plus'],
    },
  },
  {
    action: 'allow',
    conditions: {
      purpose: ['search_indexing', 'inference', 'training', 'archiving', 'research'],
      time: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:30', timezone: 'Europe/Berlin' },
      hasValidLicense: true,
      licenseType: ['enterprise', 'research'],
      licenseFeatures: ['api', 'bulk'],
      licenseExpiry: { after: '2028-01-01T00:00:00Z' },
    },
  },
  {
    action: 'allow',
    conditions: {
      country: ['US', 'DE', 'FR', 'GB', 'IN', 'CN', 'BR', 'KP'],
      contentId: Array.from({ length: ITEMS }, (_, i) => itemAt(i).externalId),
      licenseTypeNot: 'trial',
      licenseFeaturesNot: ['api', 'bulk'],
    },
  },
  { action: 'deny', conditions: { default: true } },
];

const TO_THE_LAST = compiled(EVERY_KEY);
/** The same conditions the other way round. */
const TO_THE_FIRST = compiled(
  EVERY_KEY.map((rule) => ({
    ...rule,
    conditions: Object.fromEntries(Object.entries(rule.conditions ?? {}).toReversed()),
  })),
);

interface Question {
  check: ItemCheck;
  content: ContentFacts;
  requester: { facts: RequesterFacts; licenses: LicenseFacts[] };
}

const factsFor = ({ check, content, requester }: Question): Facts =>
  toFacts({ content, requester }, check.requesterId, check, AT);

export const conditionsPart: Part = {
  name: 'conditions',
  about: '`decide` on ten rules with every condition key, in one thread',
  async run({ quick, say }) {
    const questions = makeQuestions();
    requireAllAsked(questions);
    const facts = questions.map(factsFor);
    const texts = questions.map(({ check }) => JSON.stringify(check));
    const timed = [
      { what: 'rules fail at their first condition', policy: TO_THE_FIRST },
      { what: 'rules fail at their last condition', policy: TO_THE_LAST },
    ].map((one) => ({ ...one, alone: [] as number[], withFacts: [] as number[] }));
    const parsing: number[] = [];
    for (let round = 0; round < (quick ? 3 : 15); round++) {
      for (const { policy, alone, withFacts } of timed) {
        alone.push(rate(CHECKS, (i) => decide(policy, facts[i] as Facts).reason === null));
        withFacts.push(rate(CHECKS, (i) => decide(policy, factsFor(questions[i] as Question)).reason === null));
      }
      parsing.push(rate(CHECKS, (i) => (JSON.parse(texts[i] as string) as CheckRequest).contentId === ''));
      say(`round ${round + 1}: ${timed.map(({ alone }) => `${Math.round(alone[round] as number)}/s`).join(', ')}`);
    }
    const figure = (what: string, values: readonly number[]) => ({
      what,
      value: median(values),
      unit: '/s',
      against: { what: 'JSON.parse of the check', value: median(parsing), ratio: medianRatio(values, parsing) },
      target: { text: `≥ ${LEAST.toLocaleString('en')}/s`, met: median(values) >= LEAST },
    });
    return {
      figures: timed.flatMap(({ what, alone, withFacts }) => [
        figure(`${what}, facts at hand`, alone),
        figure(`${what}, and making its facts`, withFacts),
      ]),
      notes: [
        `${Object.keys(CONDITION_SCHEMAS).length} keys. That all ten rules are asked, and that the second policy asks every key, is checked for every input before the timing.`,
        'Facts at hand: what a check computes once, such as the parsed address and the valid licenses, is computed before.',
        RATE_NOTE,
      ],
    };
  },
};

function makeQuestions(): Question[] {
  const random = seeded(17);
  const contents = new Map(Array.from({ length: ITEMS }, (_, i) => [itemAt(i).externalId, contentOf(i)]));
  const requesters = Array.from({ length: 200 }, (_, i) => ({
    facts: {
      type: i % 2 === 0 ? 'ai_crawler' : 'search_engine',
      tags: i % 3 === 0 ? ['partner'] : ['europe', 'nonprofit'],
      metadata: { tier: i % 2 === 0 ? 'gold' : 'silver' },
      suspended: false,
    },
    licenses: [licenseOf(i, 'sample', -30), licenseOf(i, 'enterprise', 90)],
  }));
  const next = skewed(ITEMS, seeded(3));
  return checksOf(CHECKS, () => itemAt(next()).externalId).map((check, i) => ({
    check: {
      ...check,
      permission: i % 2 === 0 ? 'full_access' : 'preview_only',
      context: {
        ...check.context,
        userAgent: USER_AGENTS[i % 2] as string,
        verified: 'ip',
        ip: `203.0.${i % 256}.${(i * 7) % 256}`,
      },
    },
    content: contents.get(check.contentId) as ContentFacts,
    requester: random.pick(requesters),
  }));
}

/** Without the types and tags that one of the nine rules is about. */
function contentOf(index: number): ContentFacts {
  const content = contentAt(index);
  const { metadata } = itemAt(index);
  const type = ['dataset', 'video'].includes(content.type) ? 'report' : content.type;
  return {
    ...content,
    type,
    tags: content.tags.includes('embargoed') ? ['archive'] : content.tags,
    metadata,
    source: `https://www.example.com/articles/${index}`,
    collectionId: COLLECTION,
  };
}

const licenseOf = (index: number, type: string, endsInDays: number): LicenseFacts => ({
  id: `lic_${index}_${type}`,
  type,
  features: ['api', 'bulk', 'images'],
  startsAt: AT - 365 * DAY_MS,
  expiresAt: AT + endsInDays * DAY_MS,
  active: true,
  scope: null,
});

/** Throws unless the rules use every condition, and every decision evaluates it. */
function requireAllAsked(questions: readonly Question[]): void {
  const used = new Set(EVERY_KEY.flatMap(({ conditions = {} }) => Object.keys(conditions)));
  const unused = Object.keys(CONDITION_SCHEMAS).filter((key) => !used.has(key));
  if (unused.length > 0) throw new Error(`not used: ${unused.join(', ')}`);
  for (const question of questions) {
    const facts = factsFor(question);
    for (const policy of [TO_THE_FIRST, TO_THE_LAST]) {
      const { rule } = decide(policy, facts);
      if (rule?.index !== 9) throw new Error(`rule ${rule?.index} decided ${JSON.stringify(question)}`);
    }
    requireLastFails(question, facts);
  }
}

function requireLastFails(question: Question, facts: Facts): void {
  for (const rule of TO_THE_LAST.rules.slice(0, -1)) {
    // Conditions are evaluated in their order, license conditions last and together.
    const failed = rule.trace(facts).filter(({ held }) => !held);
    const last = Object.keys(EVERY_KEY[rule.index]?.conditions ?? {}).at(-1);
    if (failed.length !== 1 || failed[0]?.key !== last) {
      throw new Error(
        `rule ${rule.index} ends at ${failed.map(({ key }) => key).join(', ')} for ${JSON.stringify(question)}`,
      );
    }
  }
}
