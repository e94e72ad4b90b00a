/**
 * Invents requests: readers, robots and partners with their habits. The names and user agents of robots are real; how
 * often they come and what they want is invented. The past and the live part use the same traffic.
 */
import { type Random, skewed, weighted } from '../kit/random.ts';
import type { CheckRequest } from '../src/decisions/check/schema.ts';
import type { Listed } from './catalog.ts';
import { type Crawler, readCrawlers, tagged } from './crawlers.ts';
import { PARTNERS, type Partner } from './partners.ts';
import { siteCrowds } from './site.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A kind of requester. */
interface Crowd {
  /** Share of all checks, if every crowd kept the same hours. */
  share: number;
  hours: (at: number) => number;
  next: () => CheckRequest;
}

export interface Traffic {
  /** Returns how busy a time is, relative to others. */
  busyness(at: number): number;
  /** Returns the next check, as a requester would send it at this time. */
  next(at: number): CheckRequest;
}

const hourOf = (at: number): number => (at % DAY) / HOUR;
/** The epoch began on a Thursday. */
const isWeekend = (at: number): boolean => [2, 3].includes(Math.floor(at / DAY) % 7);
const wave = (hour: number, peak: number): number => (1 + Math.cos(((hour - peak) / 24) * 2 * Math.PI)) / 2;

/** Readers worldwide; the peak is afternoon in Europe and morning in America. */
const awake = (at: number): number => (0.25 + 1.5 * wave(hourOf(at), 15)) * (isWeekend(at) ? 0.55 : 1.15);
const office = (at: number): number => (isWeekend(at) ? 0.1 : hourOf(at) >= 7 && hourOf(at) < 18 ? 2.2 : 0.3);
/** Robots prefer quiet hours. */
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

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
];

/** Everything that crowds draw from. */
interface World {
  items: ReturnType<typeof picker>;
  crawlers: readonly Crawler[];
  random: Random;
  /** Draws a country, some far more often than others. */
  country: () => string;
}

export function openTraffic(catalog: readonly Listed[], random: Random): Traffic {
  const country = skewedPick(COUNTRIES, 0.8, random);
  const world: World = { items: picker(catalog, random), crawlers: readCrawlers(), random, country };
  const person = () => ({ country: country(), userAgent: random.pick(BROWSERS) });
  const site = siteCrowds(random, person).map(({ isRobot, ...crowd }) => ({
    ...crowd,
    hours: isRobot ? night : awake,
  }));
  const crowds = [...readers(world), ...robots(world), partners(world), ...site];
  let quarter = Number.NaN;
  let chances: number[] = [];
  let draw = (_: Random): number => 0;
  /** The crowds' hours change slowly: their chances are computed once for each quarter of an hour. */
  function turnTo(at: number): void {
    const next = Math.floor(at / (HOUR / 4));
    if (next === quarter) return;
    quarter = next;
    chances = crowds.map(({ share, hours }) => share * hours(at));
    draw = weighted(chances);
  }
  return {
    busyness(at) {
      turnTo(at);
      return chances.reduce((sum, chance) => sum + chance, 0);
    },
    next(at) {
      turnTo(at);
      return (crowds[draw(random)] as Crowd).next();
    },
  };
}

/** People on the web, and the publisher's own offices. */
function readers({ items, random, country }: World): Crowd[] {
  const person = () => ({ country: country(), userAgent: random.pick(BROWSERS) });
  return [
    {
      share: 30,
      hours: awake,
      next: () => ({ contentId: items.popular('article'), purpose: 'reading', context: person() }),
    },
    {
      share: 3,
      hours: awake,
      next: () => ({
        contentId: items.popular('image'),
        permission: random.pick(['preview_only', 'preview_only', 'full_access']),
        purpose: 'reading',
        context: person(),
      }),
    },
    {
      share: 1,
      hours: awake,
      next: () => ({
        contentId: items.popular('image'),
        permission: random.pick(['commercial_use', 'redistribution']),
        purpose: 'design',
        context: person(),
      }),
    },
    {
      share: 1.5,
      hours: awake,
      next: () => ({ contentId: items.popular('dataset'), purpose: 'reading', context: person() }),
    },
    {
      share: 0.5,
      hours: office,
      next: () => ({
        contentId: items.popular('image'),
        permission: 'full_access',
        purpose: 'reading',
        context: { ...person(), country: 'NL', ip: `192.0.2.${random.int(1, 40)}` },
      }),
    },
  ];
}

function robots({ items, crawlers, random }: World): Crowd[] {
  const ai = tagged(crawlers, 'ai-crawler');
  // Assistants fetch a page when a person has asked for it; their names say so.
  const isAssistant = ({ id }: Crawler): boolean => /user|search|assist/i.test(id);
  const trainers = ai.filter((crawler) => !isAssistant(crawler));
  const rows: [members: readonly Crawler[], share: number, hours: Crowd['hours'], request: () => CheckRequest][] = [
    [tagged(crawlers, 'search-engine'), 22, night, () => ({ contentId: items.any('article'), purpose: 'search' })],
    [trainers, 12, night, () => ({ contentId: items.any('article'), purpose: 'training', permission: 'training' })],
    [trainers, 3, night, () => ({ contentId: items.any('article'), purpose: 'search' })],
    [
      ai.filter(isAssistant),
      6,
      awake,
      () => ({ contentId: items.popular('article'), purpose: 'inference', permission: 'inference' }),
    ],
    [tagged(crawlers, 'seo'), 5, night, () => ({ contentId: items.any('article'), purpose: 'analysis' })],
    [
      tagged(crawlers, 'social-preview'),
      3,
      awake,
      () => ({
        contentId: items.popular(random.pick(['article', 'article', 'image'])),
        purpose: 'preview',
        permission: 'preview_only',
      }),
    ],
    [
      tagged(crawlers, 'http-library', 'browser-automation'),
      4,
      always,
      () => ({ contentId: items.any(random.pick(['article', 'image', 'dataset'])), purpose: 'reading' }),
    ],
    [
      tagged(crawlers, 'archiver', 'academic'),
      2,
      night,
      () => ({ contentId: items.any('article'), purpose: 'archive' }),
    ],
    [
      tagged(crawlers, 'feed-reader', 'monitoring'),
      2,
      always,
      () => ({ contentId: items.popular('article'), purpose: 'monitoring', permission: 'metadata_only' }),
    ],
    [tagged(crawlers, 'scanner'), 1, always, () => ({ contentId: items.any('article'), purpose: 'reading' })],
  ];
  return rows.map(([members, share, hours, request]) => {
    const member = skewedPick(members, 1.1, random);
    const next = (): CheckRequest => {
      const { id, userAgents } = member();
      return { ...request(), requesterId: id, context: { country: 'US', userAgent: random.pick(userAgents) } };
    };
    return { share, hours, next };
  });
}

function partners({ items, random }: World): Crowd {
  const draw = weighted(PARTNERS.map(({ weight }) => weight));
  return {
    share: 9,
    hours: office,
    next() {
      const { id, country, userAgent, wants } = PARTNERS[draw(random)] as Partner;
      const { types, ...request } = wants;
      return { contentId: items.any(random.pick(types)), requesterId: id, ...request, context: { country, userAgent } };
    },
  };
}

/** Draws some values far more often than others, the first one most. */
function skewedPick<T>(values: readonly T[], skew: number, random: Random): () => T {
  const draw = skewed(values.length, random, skew);
  return () => values[draw()] as T;
}

/** Draws externalIds by type: `popular` as people do, `any` as robots do, which take page after page. */
function picker(catalog: readonly Listed[], random: Random) {
  const byType = Map.groupBy(catalog, ({ item }) => item.type);
  const pickers = new Map(
    [...byType].map(([type, list]) => {
      const ids = list.map(({ item }) => item.externalId);
      return [type, { popular: skewedPick(ids, 0.9, random), any: skewedPick(ids, 0.35, random) }];
    }),
  );
  const of = (type: Listed['item']['type']) => {
    const found = pickers.get(type);
    if (found === undefined) throw new Error(`the catalog has no ${type}`);
    return found;
  };
  return {
    popular: (type: Listed['item']['type']) => of(type).popular(),
    any: (type: Listed['item']['type']) => of(type).any(),
  };
}
