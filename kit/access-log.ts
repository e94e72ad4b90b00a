/** Lines of an access log of a news site: readers, crawlers that fetch many old pages, and what else visits sites. */
import type { Random } from './random.ts';

const AGENTS: [string, number, string][] = [
  [
    'GPTBot',
    6,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  ],
  [
    'ClaudeBot',
    5,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
  ],
  ['Googlebot', 8, 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
  [
    'bingbot',
    3,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
  ],
  [
    'Bytespider',
    4,
    'Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)',
  ],
  [
    'ChatGPT-User',
    2,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  ],
  [
    'PerplexityBot',
    1,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)',
  ],
  ['AhrefsBot', 2, 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)'],
  ['facebookexternalhit', 1, 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
];
const SYSTEMS = [
  'Windows NT 10.0; Win64; x64',
  'Macintosh; Intel Mac OS X 10_15_7',
  'X11; Linux x86_64',
  'Linux; Android 10; K',
];
const REFERRERS = [
  '-',
  '-',
  '-',
  'https://www.google.com/',
  'https://www.example.com/',
  'https://chatgpt.com/',
  'https://www.bing.com/',
];
const STATUSES = [200, 200, 200, 200, 200, 200, 200, 304, 301, 404];
const SECTIONS = ['politics', 'business', 'culture', 'sport', 'science', 'local-news'];
const CRAWLED = 35;
const SEEN_BY_READERS = 5_000;

/** Returns a line in the format *combined*, without its end. Crawlers make up a third. */
export function logLine(random: Random, at: number, articles: number): string {
  const roll = random.int(0, 99);
  const agent = roll < CRAWLED ? crawlerAt(roll) : undefined;
  const article = random.int(0, (agent === undefined ? Math.min(articles, SEEN_BY_READERS) : articles) - 1);
  const path =
    random.int(0, 199) === 0
      ? '/robots.txt'
      : `/${SECTIONS[article % SECTIONS.length]}/2026/${String((article % 12) + 1).padStart(2, '0')}/an-article-with-a-headline-of-its-own-${article}.html`;
  const query = agent === undefined && random.chance(0.1) ? `?utm_source=newsletter&id=${random.int(1, 1e6)}` : '';
  const name =
    agent ??
    `Mozilla/5.0 (${random.pick(SYSTEMS)}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${random.int(120, 142)}.0.0.0 Safari/537.36`;
  const address = `${random.int(1, 223)}.${random.int(0, 255)}.${random.int(0, 255)}.${random.int(1, 254)}`;
  const referrer = agent === undefined ? random.pick(REFERRERS) : '-';
  return `${address} - - [${clf(at)}] "GET ${path}${query} HTTP/1.1" ${random.pick(STATUSES)} ${random.int(200, 90_000)} "${referrer}" "${name}"`;
}

function crawlerAt(roll: number): string | undefined {
  let rest = roll;
  for (const [, weight, agent] of AGENTS) {
    if (rest < weight) return agent;
    rest -= weight;
  }
  return undefined;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function clf(at: number): string {
  const iso = new Date(at).toISOString();
  return `${iso.slice(8, 10)}/${MONTHS[Number(iso.slice(5, 7)) - 1]}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
}
