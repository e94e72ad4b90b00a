/** List the crawler directory, and register its crawlers as requesters. */

import type { App } from '../../api/http/app.ts';
import { toList } from '../../api/http/list.ts';
import { edit, route } from '../../api/http/route.ts';
import { cutPage, fromCursor, PAGE_DEFAULT, type Page } from '../../db/page.ts';
import type { Crawler } from '../../rules/crawlers/crawler.ts';
import { CRAWLERS } from '../../rules/crawlers/directory.ts';
import { requireIdentities } from '../edits.ts';
import type { RequesterDeps } from '../routes.ts';
import { CrawlersRegistered, RegisterCrawlers } from '../schema.ts';
import { planAdd, planRemove } from './own.ts';
import { findCrawlers, planRegister } from './register.ts';
import type { RenewedDirectory } from './renewal.ts';
import {
  CrawlerAnswer,
  CrawlerDeleted,
  CrawlerPage,
  CreateCrawler,
  crawlerAnswer,
  ListCrawlersQuery,
} from './schema.ts';

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
    return { ...toList(listCrawlers(query), crawlerAnswer), directory: { date, source } };
  });
}

/** Returns a page in the order of the directory in force. Throws InvalidCursor. */
function listCrawlers({ limit = PAGE_DEFAULT, cursor, purpose, own, q }: ListCrawlersQuery): Page<Crawler> {
  const part = q?.toLowerCase();
  const all = CRAWLERS.filter(
    (crawler) =>
      (purpose === undefined || crawler.purpose === purpose) &&
      (own === undefined || own === (crawler.own === true)) &&
      (part === undefined || hasPart(crawler, part)),
  );
  const start = cursor === undefined ? 0 : Number(fromCursor(cursor, POSITION));
  return cutPage(all.slice(start, start + limit + 1), limit, all.length, (last) => String(all.indexOf(last) + 1));
}

const hasPart = ({ name, operator, userAgents }: Crawler, part: string): boolean =>
  [name, operator ?? '', ...userAgents].some((text) => text.toLowerCase().includes(part));

const QUEUE = 'crawlers';

export function crawlerEditRoutes(app: App, { db, changes, clock, allowPrivate }: RequesterDeps): void {
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

  const editing = { tag: 'Crawlers', permission: 'policies:write' } as const;
  const add = {
    ...editing,
    id: 'createCrawler',
    is: 'Add an entry of your own to the crawler directory',
    body: CreateCrawler,
    answers: { 201: CrawlerAnswer },
  };
  edit(app, 'POST /v1/crawlers', add, (request) => {
    requireIdentities(request.body.identities, allowPrivate);
    return changes.commit(request, QUEUE, () => planAdd(db, request.body, clock.now()));
  });

  const remove = {
    ...editing,
    id: 'deleteCrawler',
    is: 'Remove an entry of your own from the crawler directory',
    answer: CrawlerDeleted,
  };
  edit(app, 'DELETE /v1/crawlers/:token', remove, (request) =>
    changes.commit(request, QUEUE, () => planRemove(db, request.params.token)),
  );
}
