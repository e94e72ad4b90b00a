/** A row of the crawler directory: a bot that visits sites, who operates it, and how it can be recognized. */
import type { Identity } from './identity.ts';

export const CRAWLER_PURPOSES = [
  'training',
  'search',
  'user_fetch',
  'index',
  'preview',
  'monitoring',
  'other',
] as const;
export type CrawlerPurpose = (typeof CRAWLER_PURPOSES)[number];

/** The purpose of programs that the directory does not name, in conditions. */
export const UNKNOWN_PURPOSE = 'unknown';

export interface Crawler {
  /** Unique, in either case. */
  name: string;
  /** null: unknown. */
  operator: string | null;
  purpose: CrawlerPurpose;
  /** Whole tokens of its user agents, matched in either case. No two crawlers share one. */
  userAgents: string[];
  identities: Identity[];
  /** A page about the crawler. */
  url: string | null;
  /** The page that the row was taken from; null for entries that only the publisher has. */
  source: string | null;
  /** The publisher added its first token. */
  own?: true;
}
