/**
 * Who asks for what, when: readers, robots and partners with their habits. Requesters and user agents of robots are real,
 * how often they come and what they want is invented. The past and the live part draw from the same source.
 */
import type { CheckRequest } from '../src/access/schema.ts';
import type { Listed } from './catalogue.ts';
import { type Crawler, readCrawlers, tagged } from './crawlers.ts';
import { PARTNERS, type Partner } from './partners.ts';
import { type Random, weighted, zipf } from './random.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** One kind of requester. */
interface Crowd {
  /** Share of all checks if every crowd kept the same hours. */
  share: number;
  hours: (at: number) => number;
  ask: () => CheckRequest;
}

export interface Traffic {
  /** How busy a moment is, in relation to others. */
  busyness(at: number): number;
  /** One more check, as somebody would make it at that moment. */
  ask(at: number): CheckRequest;
}

const hourOf = (at: number): number => (at % DAY) / HOUR;
/** The epoch began on a Thursday. */
const isWeekend = (at: number): boolean => [2, 3].includes(Math.floor(at / DAY) % 7);
const wave = (hour: number, peak: number): number => (1 + Math.cos(((hour - peak) / 24) * 2 * Math.PI)) / 2;

/** Readers all over the world, most of them awake when it is afternoon in Europe and morning in America. */
const awake = (at: number): number => (0.25 + 1.5 * wave(hourOf(at), 15)) * (isWeekend(at) ? 0.55 : 1.15);
const office = (at: number): number => (isWeekend(at) ? 0.1 : hourOf(at) >= 7 && hourOf(at) < 18 ? 2.2 : 0.3);
/** Robots come when they disturb least. */
const night = (at: number): number => 0.7 + 0.8 * wave(hourOf(at), 2);
const always = (): number => 1;

const COUNTRIES = [
  'US',
  'IN',
  'DE',
  'GB',
  'JP',
  'BR',
  'FR',
  'CA',
  'KR',
  'NL',
  'PL',
  'ES',
  'AU',
  'SE',
  'IT',
  'MX',
  'KE',
  'NG',
];

export function trafficOn(catalogue: readonly Listed[], now: number, random: Random): Traffic {
  const crawlers = readCrawlers();
  const items = picker(catalogue, random);
  const one = <T>(values: readonly T[]): T => values[random.below(values.length)] as T;
  const country = skewed(COUNTRIES, 0.8, random);

  const crowd = (
    members: readonly Crawler[],
    share: number,
    hours: Crowd['hours'],
    rest: (crawler: Crawler) => CheckRequest,
  ): Crowd => {
    const member = skewed(members, 1.1, random);
    return {
      share,
      hours,
      ask() {
        const crawler = member();
        return {
          ...rest(crawler),
          requesterId: crawler.id,
          context: { country: 'US', userAgent: one(crawler.userAgents) },
        };
      },
    };
  };

  const ai = tagged(crawlers, 'ai-crawler');
  // Some AI crawlers come when a person has asked something; they are called after it.
  const isAssistant = ({ id }: Crawler): boolean => /user|search|assist/i.test(id);
  const partner = weighted(PARTNERS.map(({ weight }) => weight));
  const expiry = PARTNERS.map(({ license }) => new Date(now + license.days * DAY).toISOString());

  const crowds: Crowd[] = [
    { share: 30, hours: awake, ask: () => ({ contentId: items.popular('article'), context: { country: country() } }) },
    {
      share: 3,
      hours: awake,
      ask: () => ({
        contentId: items.popular('image'),
        permission: one(['preview_only', 'preview_only', 'full_access']),
        context: { country: country() },
      }),
    },
    {
      share: 1,
      hours: awake,
      ask: () => ({
        contentId: items.popular('image'),
        permission: one(['commercial_use', 'redistribution']),
        purpose: 'design',
        context: { country: country() },
      }),
    },
    { share: 1.5, hours: awake, ask: () => ({ contentId: items.popular('dataset'), context: { country: country() } }) },
    {
      share: 0.5,
      hours: office,
      ask: () => ({
        contentId: items.popular('image'),
        permission: 'full_access',
        context: { country: 'NL', ip: `192.0.2.${1 + random.below(40)}` },
      }),
    },
    crowd(tagged(crawlers, 'search-engine'), 22, night, () => ({ contentId: items.any('article'), purpose: 'search' })),
    crowd(
      ai.filter((crawler) => !isAssistant(crawler)),
      12,
      night,
      () => ({ contentId: items.any('article'), purpose: 'training', permission: 'training' }),
    ),
    crowd(
      ai.filter((crawler) => !isAssistant(crawler)),
      3,
      night,
      () => ({ contentId: items.any('article') }),
    ),
    crowd(ai.filter(isAssistant), 6, awake, () => ({
      contentId: items.popular('article'),
      purpose: 'inference',
      permission: 'inference',
    })),
    crowd(tagged(crawlers, 'seo'), 5, night, () => ({ contentId: items.any('article'), purpose: 'analysis' })),
    crowd(tagged(crawlers, 'social-preview'), 3, awake, () => ({
      contentId: items.popular(one(['article', 'article', 'image'])),
      permission: 'preview_only',
    })),
    crowd(tagged(crawlers, 'http-library', 'browser-automation'), 4, always, () => ({
      contentId: items.any(one(['article', 'image', 'dataset'])),
    })),
    crowd(tagged(crawlers, 'archiver', 'academic'), 2, night, () => ({
      contentId: items.any('article'),
      purpose: 'archive',
    })),
    crowd(tagged(crawlers, 'feed-reader', 'monitoring'), 2, always, () => ({
      contentId: items.popular('article'),
      permission: 'metadata_only',
    })),
    crowd(tagged(crawlers, 'scanner'), 1, always, () => ({ contentId: items.any('article') })),
    {
      share: 9,
      hours: office,
      ask() {
        const index = partner(random);
        const { id, license, wants } = PARTNERS[index] as Partner;
        const { types, ...purpose } = wants;
        const { days, ...vouched } = license;
        return {
          contentId: items.any(one(types)),
          requesterId: id,
          ...purpose,
          license: { ...vouched, expiresAt: expiry[index] as string },
        };
      },
    },
  ];

  let momentOf = Number.NaN;
  let chances: number[] = [];
  let draw = (_: Random): number => 0;
  /** The crowds' hours change slowly: worked out once a quarter of an hour. */
  function turnTo(at: number): void {
    const moment = Math.floor(at / (HOUR / 4));
    if (moment === momentOf) return;
    momentOf = moment;
    chances = crowds.map(({ share, hours }) => share * hours(at));
    draw = weighted(chances);
  }

  return {
    busyness(at) {
      turnTo(at);
      return chances.reduce((sum, chance) => sum + chance, 0);
    },
    ask(at) {
      turnTo(at);
      return (crowds[draw(random)] as Crowd).ask();
    },
  };
}

/** Some are drawn far more often than others; the first most. */
function skewed<T>(values: readonly T[], skew: number, random: Random): () => T {
  const draw = zipf(values.length, skew);
  return () => values[draw(random)] as T;
}

/** Externals ids by type: `popular` as people ask, `any` as robots do, who take page after page but begin with the known ones. */
function picker(catalogue: readonly Listed[], random: Random) {
  const byType = Map.groupBy(catalogue, ({ item }) => item.type);
  const pickers = new Map(
    [...byType].map(([type, list]) => {
      const ids = list.map(({ item }) => item.externalId);
      return [type, { popular: skewed(ids, 0.9, random), any: skewed(ids, 0.35, random) }];
    }),
  );
  const of = (type: Listed['item']['type']) => {
    const found = pickers.get(type);
    if (found === undefined) throw new Error(`the catalogue has no ${type}`);
    return found;
  };
  return {
    popular: (type: Listed['item']['type']) => of(type).popular(),
    any: (type: Listed['item']['type']) => of(type).any(),
  };
}
