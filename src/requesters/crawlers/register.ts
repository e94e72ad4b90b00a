/** Registers rows of the crawler directory as requesters. Promise: repeating it changes nothing. */
import type { Edit } from '../../api/changes/change.ts';
import { fail } from '../../api/errors.ts';
import type { Db } from '../../db/db.ts';
import { nearest } from '../../lib/text.ts';
import type { Crawler } from '../../rules/crawlers/crawler.ts';
import { CRAWLERS } from '../../rules/crawlers/directory.ts';
import { newRequester, requireNotErasing } from '../edits.ts';
import { type RegisterCrawlers, requesterAnswer } from '../schema.ts';
import { findNamed, findNames, insertRequester } from '../store.ts';

/** The tag of all requesters that were made from the directory. */
const CRAWLER_TAG = 'crawler';

/** The id of a crawler as a requester: its name, of which other characters than those of ids become `_`. */
export const toRequesterId = ({ name }: Crawler): string => name.toLowerCase().replaceAll(/[^a-z0-9.:@/-]+/g, '_');

/** Returns the rows with one of the names or purposes. Throws invalid_request. */
export function findCrawlers({ names = [], purposes = [] }: RegisterCrawlers): Crawler[] {
  const byName = new Map(CRAWLERS.map((crawler) => [crawler.name.toLowerCase(), crawler]));
  const named = new Set(names.map((name, place) => byName.get(name.toLowerCase()) ?? unknown(name, place)));
  return CRAWLERS.filter((crawler) => named.has(crawler) || purposes.includes(crawler.purpose));
}

function unknown(name: string, place: number): never {
  const like = nearest(
    name,
    CRAWLERS.map((crawler) => crawler.name),
  );
  const hint = like === undefined ? '' : ` Did you mean ${like}?`;
  throw fail('invalid_request', `The directory has no crawler ${JSON.stringify(name)}.${hint}`, {
    param: `names[${place}]`,
  });
}

/**
 * A crawler that has a requester already, by its id or by one of its user agents, is left as it is. Throws
 * requester_exists.
 */
export async function planRegister(db: Db, crawlers: readonly Crawler[], at: number): Promise<Edit> {
  const [registered, userAgents] = await Promise.all([findNames(db, crawlers.map(toRequesterId)), findNamed(db)]);
  const byUserAgent = new Map(userAgents.flatMap((one) => one.userAgents.map((text) => [text.toLowerCase(), one.id])));
  const rows = crawlers.map((crawler) => {
    const id = toRequesterId(crawler);
    const found = crawler.userAgents
      .map((text) => byUserAgent.get(text.toLowerCase()))
      .find((one) => one !== undefined);
    const existing = registered.has(id) ? id : found;
    return { crawler, id: existing ?? id, isNew: existing === undefined };
  });
  const made = rows.filter(({ isNew }) => isNew).map(({ crawler, id }) => toRequester(crawler, id, at));
  await requireNotErasing(
    db,
    made.map(({ id }) => id),
  );
  return {
    steps: made.flatMap(insertRequester),
    changes: made.map((one) => ({ kind: 'requester.created', id: one.id, object: requesterAnswer(one) })),
    status: 200,
    body: {
      object: 'crawler_registration',
      created: made.length,
      unchanged: rows.length - made.length,
      requesters: rows.map(({ crawler, id, isNew }) => ({ crawler: crawler.name, requesterId: id, created: isNew })),
    },
  };
}

const toRequester = ({ name, purpose, userAgents, identities }: Crawler, id: string, at: number) =>
  newRequester({ id, name, tags: [CRAWLER_TAG, purpose], userAgents, identities }, at);
