/** The options of all guards, at the edge and in a server. */
import type { Check } from '../types.ts';
import type { Service } from './asker.ts';
import type { Visit } from './visit.ts';

/** The differences of paths that a router ignores. */
export type RouterUrls = NonNullable<Check['urls']>;

/** The facts that the platform itself knows of a visitor, never from a header that visitors can send. */
export interface Known {
  ip?: string | undefined;
  /** ISO 3166 alpha-2. Anything else, such as `XX`, is not passed on. */
  country?: string | undefined;
  /** The platform takes the visitor for a program. */
  isBot?: boolean | undefined;
  /** The platform verified that the visitor is the crawler that its user agent names. */
  isVerified?: boolean | undefined;
}

/** The visitors to ask about. */
export type AskAbout = 'programs' | 'everyone' | ((visit: Visit, known: Known) => boolean);

export interface CommonOptions extends Service {
  /** The origin of your site, such as `https://example.com`; else the host that the visitor named counts. */
  origin?: string;
  /**
   * `enforce` by default; `observe`: everything is served, and Postern is asked beside the answer; `off`: everything is
   * served, and nothing is asked.
   */
  mode?: 'enforce' | 'observe' | 'off';
  /** The permission to request. */
  permission?: string;
  purpose?: string;
  /** The verdict on unregistered content; `deny` by default. */
  unknown?: 'deny' | 'allow';
  /** Milliseconds that a visitor waits for an answer, at most. */
  timeoutMs?: number;
  /** Shows remedies and offers to visitors; true by default. Without them no denial is 402. */
  remedies?: boolean;
  /** Adds what the signals of your site say about the page, such as `tdm-reservation`; true by default. */
  signals?: boolean;
  /** WWW-Authenticate of a 401; `Bearer` by default. */
  challenge?: string;
  /** The number of answers kept for their `maxAge`; 1,000 by default. */
  keptMax?: number;
  /** Receives the error of every failed check. */
  report?(error: unknown): void;
}
