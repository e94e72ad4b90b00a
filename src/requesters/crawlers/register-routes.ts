/** Register crawlers of the directory as requesters. */
import type { App } from '../../api/http/app.ts';
import { edit } from '../../api/http/route.ts';
import type { RequesterDeps } from '../routes.ts';
import { CrawlersRegistered, RegisterCrawlers } from '../schema.ts';
import { findCrawlers, planRegister } from './register.ts';

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
