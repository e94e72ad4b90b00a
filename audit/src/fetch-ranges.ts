/**
 * Fetches the published lists of the crawler directory for an audit. Promise: no address of a log leads to a request,
 * and every request obeys the rules for Postern's own: https, public addresses, no redirects, bounded.
 */

import type { Getter } from '../../src/lib/outgoing/get.ts';
import { atMost } from '../../src/lib/queue.ts';
import { readList } from '../../src/requesters/identities/list.ts';
import { CRAWLERS } from '../../src/rules/crawlers/directory.ts';
import { crawlerLists, type Given } from './range-files.ts';

const AT_ONCE = 4;
const WANTED = { accept: 'application/json, text/csv, text/plain', maxBytes: 2 * 1024 * 1024, timeoutMs: 20_000 };

/** A list that could not be fetched. */
export interface Missed {
  source: string;
  error: string;
}

/** Fetches each list that a crawler without ranges names. */
export async function fetchRanges(
  getter: Pick<Getter, 'get'>,
  before: readonly Given[],
): Promise<{ given: Given[]; missed: Missed[] }> {
  const known = new Set(before.flatMap(({ crawlers }) => crawlers));
  const urls = new Set(CRAWLERS.filter((one) => !known.has(one)).flatMap(crawlerLists));
  const inTurn = atMost(AT_ONCE);
  const fetched = await Promise.all([...urls].map((url) => inTurn.run(() => fetchOne(getter, url))));
  return {
    given: fetched.filter((one) => 'ranges' in one),
    missed: fetched.filter((one) => 'error' in one),
  };
}

async function fetchOne(getter: Pick<Getter, 'get'>, url: string): Promise<Given | Missed> {
  const answer = await getter.get(url, WANTED);
  const found = answer.error === undefined ? readList(answer.body.toString()) : answer.error;
  if (typeof found === 'string') return { source: url, error: found };
  return { source: url, crawlers: CRAWLERS.filter((one) => crawlerLists(one).includes(url)), ranges: found };
}
