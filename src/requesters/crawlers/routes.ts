/** Lists the crawler directory. */

import type { App } from '../../api/http/app.ts';
import { toList } from '../../api/http/list.ts';
import { route } from '../../api/http/route.ts';
import { cutPage, fromCursor, PAGE_DEFAULT, type Page } from '../../db/page.ts';
import type { Crawler } from '../../rules/crawlers/crawler.ts';
import { CRAWLERS } from '../../rules/crawlers/directory.ts';
import { type CrawlerAnswer, CrawlerPage, ListCrawlersQuery } from './schema.ts';

/** The number of crawlers on the pages before. */
const POSITION = /^[1-9]\d{0,5}$/;

export function crawlerRoutes(app: App): void {
  const list = {
    tag: 'Crawlers',
    permission: 'policies:read',
    id: 'listCrawlers',
    is: 'List the crawler directory',
    query: ListCrawlersQuery,
    answer: CrawlerPage,
  } as const;
  route(app, 'GET /v1/crawlers', list, async ({ query }) => toList(listCrawlers(query), toAnswer));
}

const toAnswer = (crawler: Crawler): CrawlerAnswer => ({ object: 'crawler', ...crawler });

/** Returns a page in the order of the directory, which does not change while the process runs. Throws InvalidCursor. */
function listCrawlers({ limit = PAGE_DEFAULT, cursor, purpose, q }: ListCrawlersQuery): Page<Crawler> {
  const part = q?.toLowerCase();
  const all = CRAWLERS.filter(
    (crawler) =>
      (purpose === undefined || crawler.purpose === purpose) && (part === undefined || hasPart(crawler, part)),
  );
  const start = cursor === undefined ? 0 : Number(fromCursor(cursor, POSITION));
  return cutPage(all.slice(start, start + limit + 1), limit, all.length, (last) => String(all.indexOf(last) + 1));
}

const hasPart = ({ name, operator, userAgents }: Crawler, part: string): boolean =>
  [name, operator ?? '', ...userAgents].some((text) => text.toLowerCase().includes(part));
