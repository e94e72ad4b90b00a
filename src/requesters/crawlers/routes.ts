/** List the crawler directory, and register its crawlers as requesters. */

import type { App } from '../../api/http/app.ts';
import { toList } from '../../api/http/list.ts';
import { edit, route } from '../../api/http/route.ts';
import { cutPage, fromCursor, PAGE_DEFAULT, type Page } from '../../db/page.ts';
import type { Crawler } from '../../rules/crawlers/crawler.ts';
import { CRAWLERS } from '../../rules/crawlers/directory.ts';
import type { RequesterDeps } from '../routes.ts';
import { CrawlersRegistered, RegisterCrawlers } from '../schema.ts';
import { findCrawlers, planRegister } from './register.ts';
import type { RenewedDirectory } from './renewal.ts';
import { type CrawlerAnswer, CrawlerPage, ListCrawlersQuery } from './schema.ts';

/** The number of crawlers on the pages before. */
const POSITION = /^[1-9]\d{0,5}$/;

export function crawlerRoutes(app: App, directory: Pick<RenewedDirectory, 'state'>): void {
  const list = {
    tag: 'Crawlers',
    permission: 'policies:read',
    id: 'listCrawlers',
    is: 'List the crawler directory',
    query: ListCrawlersQuery,
    answer: CrawlerPage,
  } as const;
  route(app, 'GET /v1/crawlers', list, async ({ query }) => {
    const { date, source } = directory.state();
    return { ...toList(listCrawlers(query), toAnswer), directory: { date, source } };
  });
}

const toAnswer = (crawler: Crawler): CrawlerAnswer => ({ object: 'crawler', ...crawler });

/** Returns a page in the order of the directory in force. Throws InvalidCursor. */
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

const QUEUE = 'crawlers';

export function crawlerRegistrationRoutes(app: App, { db, changes, clock }: Omit<RequesterDeps, 'allowPrivate'>): void {
  const register = {
    tag: 'Crawlers',
    permission: 'requesters:write',
    id: 'registerCrawlers',
    is: 'Register crawlers as requesters',
    body: RegisterCrawlers,
    answer: CrawlersRegistered,
  } as const;
  edit(app, 'POST /v1/crawlers/register', register, (request) => {
    const crawlers = findCrawlers(request.body);
    return changes.commit(request, QUEUE, () => planRegister(db, crawlers, clock.now()));
  });
}
