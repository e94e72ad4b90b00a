/**
 * Finds accesses that broke robots.txt as it was published then. RFC 9309 lets a crawler use a copy for 24 hours: an
 * access that an older file of that time allows has a kind of its own.
 */

import type { Db } from '../../db/db.ts';
import type { LoggedDecision, RobotsBreak, RobotsJudge } from '../../decisions/history/logged.ts';
import { Lru } from '../../lib/cache/lru.ts';
import { Slices } from '../../lib/slices.ts';
import { fromCrawlers } from '../../rules/crawlers/directory.ts';
import { findServedBody, findServedTimes, type ServedTime } from '../store.ts';
import { mayFetch, type Robots, readRobots, toReadable } from './robots-reader.ts';

const COPY_MS = 24 * 3_600_000;
/** Files in memory. */
const FILES_MAX = 16;

const KIND = 'robots.txt';

const tokensByName = fromCrawlers((all) => new Map(all.map(({ name, userAgents }) => [name, userAgents])));

interface Access {
  at: number;
  host: string;
  /** The path and the query, as robots.txt matches them. */
  readable: string;
  tokens: readonly string[];
}

export function openRobotsJudge(db: Db): RobotsJudge {
  const files = new Lru<number, Robots>(FILES_MAX);

  async function loadRobots(seq: number): Promise<Robots> {
    const known = files.get(seq) ?? readRobots((await findServedBody(db, seq)) ?? '');
    files.set(seq, known);
    return known;
  }

  /** A file that is gone, or was none, allows everything. */
  async function isAllowed({ seq, isNone }: ServedTime, { readable, tokens }: Access): Promise<boolean> {
    if (isNone || readable === '/robots.txt') return true;
    const robots = await loadRobots(seq);
    return tokens.some((token) => mayFetch(robots.groupOf(token), readable));
  }

  async function judgeOne(access: Access, served: readonly ServedTime[]): Promise<RobotsBreak | null> {
    // The newest first.
    const past = served.filter(({ at }) => at <= access.at);
    const [current, ...older] = past;
    if (current === undefined || (await isAllowed(current, access))) return null;
    const since = access.at - COPY_MS;
    const last = past.findIndex(({ at }) => at <= since);
    // Nothing is known of the time before the first one.
    if (last === -1) return 'within_24h';
    for (const one of older.slice(0, last)) if (await isAllowed(one, access)) return 'within_24h';
    return 'broken';
  }

  return {
    async judge(decisions) {
      const accesses = decisions.map(toAccess);
      const served = await readServed(db, accesses);
      const slices = new Slices();
      const found: (RobotsBreak | null)[] = [];
      for (const access of accesses) {
        found.push(access === null ? null : await judgeOne(access, served.get(access.host) ?? []));
        await slices.next();
      }
      return found;
    },
  };
}

/** Returns null for a decision that is no access of a crawler to a URL. */
function toAccess({ url, crawler, spoofed, created, context }: LoggedDecision): Access | null {
  const known = crawler === null ? undefined : tokensByName().get(crawler);
  if (url === null || known === undefined || spoofed === true) return null;
  const slash = url.indexOf('/');
  if (slash === -1) return null;
  const agent = context?.userAgent?.toLowerCase() ?? '';
  const sent = known.filter((token) => agent.includes(token.toLowerCase()));
  return {
    at: Date.parse(created),
    host: url.slice(0, slash),
    readable: toReadable(url.slice(slash)),
    // With a shortened user agent, any of its tokens may have been sent.
    tokens: (sent.length === 0 ? known : sent).map((token) => token.replace(/\/$/, '')),
  };
}

async function readServed(db: Db, accesses: readonly (Access | null)[]): Promise<Map<string, ServedTime[]>> {
  const byHost = Map.groupBy(
    accesses.filter((access) => access !== null),
    ({ host }) => host,
  );
  const served = new Map<string, ServedTime[]>();
  for (const [host, all] of byHost) {
    const times = all.map(({ at }) => at);
    const [from, to] = [Math.min(...times) - COPY_MS, Math.max(...times)];
    served.set(host, await findServedTimes(db, { host, kind: KIND, from, to }));
  }
  return served;
}
