/** The options of a guard in a server. */
import type { AskAbout, CommonOptions, RouterUrls } from './edge/options.ts';
import type { Visit } from './edge/visit.ts';

type Maybe<T> = T | undefined | Promise<T | undefined>;

export interface GuardOptions extends CommonOptions {
  /**
   * Returns the id or externalId of the item; undefined for unregistered content, see `unknown`. Or `'url'`: asks by
   * the URL of the request, so that items are found by their `source`, and collections decide about the rest.
   */
  content: 'url' | ((visit: Visit) => Maybe<string>);
  /**
   * With `content: 'url'`, what your router ignores in paths, where the guard cannot see it: that of a framework behind
   * `check` or `fetch`, or a `getPath` of your own. Adds to the settings that it reads from Express, Fastify and Hono.
   */
  urls?: RouterUrls;
  /**
   * The visitors to ask about; `everyone` by default. `programs` serves everything that looks like a browser without
   * asking.
   */
  ask?: AskAbout;
  /** Returns the requester id from your login or key check; undefined if anonymous. Never trust a visitor's header. */
  requester?(visit: Visit): Maybe<string>;
  /** Returns the visitor's address and country, as your server knows them. The user agent is added. */
  context?(visit: Visit): Maybe<{ ip?: string; country?: string }>;
  /** Paths of sitemaps, never asked about; those in the settings of the site are never refused either. */
  sitemaps?: readonly string[];
  /** Answers a visitor whose `Accept` prefers HTML with a small page; true by default. */
  pages?: boolean;
  /** The verdict without an answer of the service; `deny` by default. */
  onError?: 'deny' | 'allow';
  /**
   * Sends the checks of visitors that come together in one request. True for Express and Fastify, false for all others:
   * set it for a server of Node, Deno or Bun that uses fetch. Never in workerd, where no visitor may wait for another.
   */
  batch?: boolean;
}
