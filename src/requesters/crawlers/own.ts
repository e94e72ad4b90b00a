/** Entries of the publisher's own in the crawler directory: their edits, and what they make of a directory. */
import type { Edit } from '../../api/changes/change.ts';
import { fail } from '../../api/errors.ts';
import type { Db } from '../../db/db.ts';
import type { Crawler } from '../../rules/crawlers/crawler.ts';
import { CRAWLERS, type Directory } from '../../rules/crawlers/directory.ts';
import { isTokenOfPrograms } from '../../rules/crawlers/token.ts';
import { deleteOwnCrawler, findOwnCrawlers, insertOwnCrawler, OWN_CRAWLERS_MAX, type OwnCrawler } from './own-store.ts';
import { type CrawlerAnswer, type CreateCrawler, crawlerAnswer } from './schema.ts';

const toId = (token: string): string => token.toLowerCase();

const toCrawler = ({ token, name, operator, purpose, identities, url }: OwnCrawler): Crawler => ({
  name,
  operator,
  purpose,
  userAgents: [token],
  identities,
  url,
  source: null,
  own: true,
});

const toAnswer = (own: OwnCrawler): CrawlerAnswer => crawlerAnswer(toCrawler(own));

/** Returns the entry of an announced change. */
export const toOwn = (
  id: string,
  { userAgents, name, operator, purpose, identities, url }: CrawlerAnswer,
): OwnCrawler => ({
  id,
  token: userAgents[0] ?? id,
  name,
  operator,
  purpose,
  identities,
  url,
  createdAt: 0,
});

/**
 * Returns the directory with these entries before its rows. A row with the token or the name of an entry becomes part
 * of it, so that one crawler has one name: what the publisher said stays, so rules that name it go on holding, and the
 * row adds the rest, such as further tokens and proofs.
 */
export function withOwn(directory: Directory, entries: Iterable<OwnCrawler>): Directory {
  const own = new Map([...entries].map((one) => [one.id, toCrawler(one)]));
  if (own.size === 0) return directory;
  const byName = new Map([...own].map(([id, one]) => [one.name.toLowerCase(), id]));
  const rows = directory.crawlers.filter((row) => {
    const id = row.userAgents.map(toId).find((token) => own.has(token)) ?? byName.get(row.name.toLowerCase());
    const entry = id === undefined ? undefined : own.get(id);
    if (id === undefined || entry === undefined) return true;
    own.set(id, {
      ...entry,
      operator: entry.operator ?? row.operator,
      userAgents: [...entry.userAgents, ...row.userAgents.filter((token) => !own.has(toId(token)))],
      identities: entry.identities.length > 0 ? entry.identities : row.identities,
      url: entry.url ?? row.url,
      source: row.source,
    });
    return false;
  });
  return { date: directory.date, crawlers: [...own.values(), ...rows] };
}

/** Throws invalid_request and crawler_exists. */
export async function planAdd(db: Db, body: CreateCrawler, at: number): Promise<Edit> {
  const { token, name = token, operator = null, purpose, identities = [], url = null } = body;
  const own: OwnCrawler = { id: toId(token), token, name, operator, purpose, identities, url, createdAt: at };
  if (!isTokenOfPrograms(token)) {
    const message = `\`token\`: ${JSON.stringify(token)} must be in the user agents of a program, and in no browser's.`;
    throw fail('invalid_request', message, { param: 'token' });
  }
  const entries = await findOwnCrawlers(db);
  requireFree(own, [...entries.map(toCrawler), ...CRAWLERS.filter(({ source }) => source !== null)]);
  if (entries.length >= OWN_CRAWLERS_MAX) {
    throw fail(
      'too_many_crawlers',
      `There are ${OWN_CRAWLERS_MAX} entries of your own, which is the most; remove one first.`,
    );
  }
  const answer = toAnswer(own);
  return {
    steps: [insertOwnCrawler(own)],
    changes: [{ kind: 'crawler.created', id: own.id, object: answer }],
    status: 201,
    body: answer,
  };
}

/** Throws crawler_exists. */
function requireFree({ id, name }: OwnCrawler, crawlers: readonly Crawler[]): void {
  for (const one of crawlers) {
    const where = one.source === null ? 'is an entry of your own' : 'is in the crawler directory';
    if (one.userAgents.some((token) => toId(token) === id)) {
      const as = one.name.toLowerCase() === id ? '' : ` as ${one.name}`;
      throw fail('crawler_exists', `${JSON.stringify(id)} ${where} already${as}. Rules can name it.`, {
        param: 'token',
      });
    }
    if (one.name.toLowerCase() === name.toLowerCase()) {
      throw fail('crawler_exists', `${one.name} ${where} already. Choose another \`name\`.`, { param: 'name' });
    }
  }
}

/** Throws crawler_not_found. */
export async function planRemove(db: Db, token: string): Promise<Edit> {
  const id = toId(token);
  const own = (await findOwnCrawlers(db)).find((one) => one.id === id);
  if (own === undefined) {
    const named = CRAWLERS.some((one) => one.userAgents.some((text) => toId(text) === id));
    const why = named ? ' It is in the crawler directory, which only a newer directory changes.' : '';
    throw fail('crawler_not_found', `No entry of your own has the token ${JSON.stringify(token.slice(0, 64))}.${why}`);
  }
  return {
    steps: [deleteOwnCrawler(id)],
    changes: [{ kind: 'crawler.deleted', id, object: toAnswer(own) }],
    status: 200,
    body: { object: 'crawler', token: own.token, deleted: true },
  };
}
