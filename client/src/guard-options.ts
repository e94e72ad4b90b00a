/** The options of a guard. */
import type { ConnectionOptions } from './transport.ts';
import type { Check } from './types.ts';
import type { Visit } from './visit.ts';

/** The differences of paths that a router ignores. */
export type RouterUrls = NonNullable<Check['urls']>;

type Maybe<T> = T | undefined | Promise<T | undefined>;

export interface GuardOptions extends Pick<ConnectionOptions, 'url' | 'key' | 'fetch'> {
  /**
   * Returns the id or externalId of the item; undefined for unregistered content, see `unknown`. Or `'url'`: asks by
   * the URL of the request, so that items are found by their `source`, and collections decide about the rest.
   */
  content: 'url' | ((visit: Visit) => Maybe<string>);
  /** With `content: 'url'`, the origin of your site, such as `https://example.com`; else the visitor's Host counts. */
  origin?: string;
  /**
   * With `content: 'url'`, what your router ignores in paths, where the guard cannot see it: that of a framework behind
   * `check` or `fetch`, or a `getPath` of your own. Adds to the settings that it reads from Express, Fastify and Hono.
   */
  urls?: RouterUrls;
  /** Returns the requester id from your login or key check; undefined if anonymous. Never trust a visitor's header. */
  requester?(visit: Visit): Maybe<string>;
  /** Returns the visitor's address and country, as your server knows them. The user agent is added. */
  context?(visit: Visit): Maybe<{ ip?: string; country?: string }>;
  /** The permission to request. */
  permission?: string;
  purpose?: string;
  /** The verdict on unregistered content; `deny` by default. */
  unknown?: 'deny' | 'allow';
  /** The verdict without an answer of the service; `deny` by default. */
  onError?: 'deny' | 'allow';
  /** Milliseconds that a visitor waits for an answer, at most; 1,000 by default. */
  timeoutMs?: number;
  /**
   * Sends the checks of visitors that come together in one request. True for Express and Fastify, false for all others:
   * set it for a server of Node, Deno or Bun that uses fetch. Never in workerd, where no visitor may wait for another.
   */
  batch?: boolean;
  /** Paths of sitemaps, never asked about; those in the settings of the site are never refused either. */
  sitemaps?: readonly string[];
  /** Shows remedies and offers to visitors; true by default. Without them no denial is 402. */
  remedies?: boolean;
  /** Answers a visitor whose `Accept` prefers HTML with a small page; true by default. */
  pages?: boolean;
  /** Adds what the signals of your site say about the page, such as `tdm-reservation`; true by default. */
  signals?: boolean;
  /** WWW-Authenticate of a 401; `Bearer` by default. */
  challenge?: string;
  /** The number of answers kept for their `maxAge`; 1,000 by default. */
  keptMax?: number;
  /** Receives the error of every failed check. */
  report?(error: unknown): void;
}
