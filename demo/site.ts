/**
 * An invented newspaper behind a proxy: its requests name no requester, only addresses and user agents. Crawlers come
 * from their own addresses and from others; three programs are in no directory.
 */
import type { Postern } from '../client/src/client.ts';
import { PosternError } from '../client/src/errors.ts';
import { type Random, skewed } from '../kit/random.ts';
import type { Db } from '../src/db/db.ts';
import type { CheckRequest } from '../src/decisions/check/schema.ts';
import { toLines } from '../src/signals/drift/lines.ts';
import { StepBudget } from '../src/signals/drift/meaning.ts';
import { compareRobots } from '../src/signals/drift/robots.ts';
import { putCheck } from '../src/signals/drift/store.ts';

export const HOST = 'harbor-times.example';

const SUBJECTS =
  'harbor tide ferry market budget school weather rail museum election bridge fishing storm island theater'.split(' ');
const KINDS = 'report guide interview analysis opening review history plan vote map'.split(' ');
const slugs = SUBJECTS.flatMap((subject) => KINDS.map((kind) => `${subject}-${kind}`));
/** The most read pages first. */
const PAGES = slugs.flatMap((slug) => [`/news/${slug}`, `/archive/${slug}`]);

/** The addresses that are reserved for documentation, as those of crawlers. */
const CRAWLERS = [
  {
    id: 'Googlebot',
    agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    net: 1,
    weight: 5,
  },
  {
    id: 'GPTBot',
    agent: 'Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    net: 2,
    weight: 4,
  },
  {
    id: 'ClaudeBot',
    agent: 'Mozilla/5.0 AppleWebKit/537.36 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
    net: 3,
    weight: 3,
  },
  {
    id: 'PerplexityBot',
    agent: 'Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)',
    net: 4,
    weight: 2,
  },
  {
    id: 'bingbot',
    agent: 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    net: 5,
    weight: 2,
  },
] as const;

/** Programs that the crawler directory does not name; only the second one reads robots.txt. */
const PROGRAMS = [
  { agent: 'PageHarvest/2.1 (+https://pageharvest.example)', weight: 8, readsRobots: false },
  { agent: 'lodestone-reader/0.4', weight: 2, readsRobots: true },
  { agent: 'Cartographer/1.0 (research)', weight: 1, readsRobots: false },
] as const;

/** Creates the site with its collections, and registers its crawlers. What is there is left alone. */
export async function publishSite(postern: Postern, policyId: string): Promise<void> {
  const sites = await Array.fromAsync(postern.listSites({ limit: 100 }));
  if (sites.some(({ host }) => host === HOST)) return;
  for (const [name, path] of [
    ['Harbor Times, news', '/'],
    ['Harbor Times, archive', '/archive/'],
  ] as const) {
    await postern.createCollection({ name, hosts: [HOST], paths: [path], policyId });
  }
  for (const { id, net } of CRAWLERS) await registerCrawler(postern, id, net);
  await postern.putSite(HOST, { signals: { robots: 'replace' } });
}

async function registerCrawler(postern: Postern, id: string, net: number): Promise<void> {
  try {
    await postern.createRequester({
      id,
      name: id,
      tags: ['crawler'],
      userAgents: [id],
      identities: [{ kind: 'ip', ranges: [`203.0.113.${net * 16}/28`] }],
    });
  } catch (error) {
    if (!(error instanceof PosternError && error.code === 'requester_exists')) throw error;
  }
}

/** Writes the comparison of a day ago with a robots.txt that the site has changed by hand. */
export async function writeDrift(db: Db, intended: string, now: number): Promise<void> {
  const live = intended.replace(/^Disallow: \/archive\/$/m, 'Disallow: /drafts/');
  const { differences } = await compareRobots(intended, live, new StepBudget(20_000_000));
  const file = { kind: 'robots.txt', path: '/robots.txt', state: 'drifted', message: null } as const;
  const files = [{ ...file, differences, differenceCount: differences.length, lines: toLines(intended, live) }];
  await db.atomic([
    putCheck({ host: HOST, state: 'drifted', checkedAt: now, since: now - 86_400_000, digest: '', files }),
  ]);
}

interface SiteCrowd {
  share: number;
  /** Robots and people keep different hours. */
  isRobot: boolean;
  next: () => CheckRequest;
}

export function siteCrowds(random: Random, person: () => { country: string; userAgent: string }): SiteCrowd[] {
  const [often, evenly] = [skewed(PAGES.length, random, 0.9), skewed(PAGES.length, random, 0.3)];
  const of = (path: string, context: NonNullable<CheckRequest['context']>): CheckRequest => ({
    url: `https://${HOST}${path}`,
    context: { method: 'GET', ...context },
    // As a proxy asks: who it is follows from what the visitor sent.
    visitor: {},
  });
  const page = (draw: () => number): string => PAGES[draw()] as string;
  const crawler = turnBy(CRAWLERS, random);
  const program = turnBy(PROGRAMS, random);
  const address = (net: string, first: number, count: number): string => `${net}.${first + random.int(0, count - 1)}`;
  return [
    {
      share: 14,
      isRobot: false,
      next: () => of(page(often), { ...person(), ip: address('192.0.2', 1, 250) }),
    },
    {
      share: 14,
      isRobot: true,
      next: () => {
        const { agent, net } = crawler();
        const path = random.next() < 0.02 ? '/robots.txt' : page(evenly);
        return of(path, { userAgent: agent, ip: address('203.0.113', net * 16, 16) });
      },
    },
    // The names of two crawlers, from addresses of others.
    {
      share: 3,
      isRobot: true,
      next: () =>
        of(page(evenly), { userAgent: random.pick(CRAWLERS.slice(0, 2)).agent, ip: address('198.51.100', 1, 40) }),
    },
    {
      share: 8,
      isRobot: true,
      next: () => {
        const { agent, readsRobots } = program();
        const path = readsRobots && random.next() < 0.05 ? '/robots.txt' : page(evenly);
        return of(path, { userAgent: agent, ip: address('198.51.100', 60, 20) });
      },
    },
    { share: 1, isRobot: true, next: () => of(page(evenly), { userAgent: '', ip: address('198.51.100', 100, 5) }) },
  ];
}

/** Draws by weight. */
function turnBy<T extends { weight: number }>(all: readonly T[], random: Random): () => T {
  const turns = all.flatMap((one) => Array.from({ length: one.weight }, () => one));
  return () => random.pick(turns);
}
