/** A row of the crawler directory: a bot that visits sites, who operates it, and how it can be recognized. */

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

/** A way to verify a crawler: its addresses, the host name of its address, or its signature. */
export type CrawlerIdentity =
  | { kind: 'ip'; list: string }
  | { kind: 'ip'; ranges: string[] }
  | { kind: 'dns'; suffixes: string[] }
  | { kind: 'signature'; agent: string };

export interface Crawler {
  /** Unique, in either case. */
  name: string;
  /** null: unknown. */
  operator: string | null;
  purpose: CrawlerPurpose;
  /** Whole tokens of its user agents, matched in either case. No two crawlers share one. */
  userAgents: string[];
  identities: CrawlerIdentity[];
  /** A page about the crawler. */
  url: string | null;
  /** The page that the row was taken from. */
  source: string;
}
