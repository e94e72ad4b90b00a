/** The filters of the log and of usage by page: what people write as an address, in the spelling of the ledger. */
import { fail } from '../../api/errors.ts';
import { findOwnUrls } from '../../content/sites/store.ts';
import type { Db } from '../../db/db.ts';
import { parseVisited } from '../../lib/urls/locator.ts';
import { canonicalPath, USUAL_URLS } from '../../lib/urls/spellings.ts';
import { toTarget } from '../../lib/urls/url-pattern.ts';

export interface PageFilter {
  page?: string | undefined;
  pagePrefix?: string | undefined;
}

/** Throws invalid_request. */
export async function toPageFilter(db: Db, { page, pagePrefix }: PageFilter): Promise<PageFilter> {
  return {
    ...(page === undefined ? {} : { page: await toPage(db, page, 'page') }),
    ...(pagePrefix === undefined
      ? {}
      : { pagePrefix: (await toPage(db, pagePrefix, 'pagePrefix')).replace(/\/$/, '') }),
  };
}

/** Takes the canonical path by the rules that the host has now. */
async function toPage(db: Db, text: string, param: keyof PageFilter): Promise<string> {
  const locator = parseVisited(`https://${text.replace(/^https?:\/\//i, '')}`);
  if (locator === undefined || text.includes('?') || text.includes('#')) {
    const message = `\`${param}\` must be a host and a path without a query, such as www.example.com/news.`;
    throw fail('invalid_request', message, { param });
  }
  const rules = (await findOwnUrls(db)).get(locator.host) ?? USUAL_URLS;
  return locator.host + canonicalPath(toTarget(locator).path, rules);
}
