/**
 * Makes the inputs of a check as the ledger keeps them. Promise: nothing that is written has more of a visitor's
 * address and user agent than the settings allow. `reduced` names the fields that were shortened or removed.
 */

import { reduceIp } from '../../lib/ip-precision.ts';
import type { Looseness } from '../../lib/urls/spellings.ts';
import { findCrawler } from '../../rules/crawlers/directory.ts';
import type { Attributes, VerifiedKind } from '../../rules/facts.ts';
import type { Precision, UserAgentPrecision } from '../precision.ts';

/** Fields whose values are shortened or missing; of all that a check sent, once they are erased. */
export const REDUCIBLE = ['context', 'context.ip', 'context.userAgent', 'license'] as const;
export type Reducible = (typeof REDUCIBLE)[number];

export interface Context {
  ip?: string;
  /** A proxy sent an address that could not be read. */
  ipUnreadable?: boolean;
  country?: string;
  userAgent?: string;
  /** The method of the visitor's request. */
  method?: string;
  verified?: VerifiedKind;
  /** The crawler that the user agent names was proven, or was not; absent where nothing could prove it. */
  crawlerVerified?: boolean;
  attributes?: Attributes;
}

/** Fields that a check had in a form that could not be read. */
export const UNREADABLES = ['context.ip'] as const;

/** The JSON in the ledger. */
interface StoredInputs {
  context?: Context | undefined;
  license?: object | undefined;
  urls?: Looseness | undefined;
  reduced?: Reducible[];
}

/**
 * Returns what is kept of a user agent: for `crawler-only`, the token by which the directory knows the crawler, so that
 * conditions on crawlers still have the same outcome.
 */
export function reduceUserAgent(precision: UserAgentPrecision, userAgent: string): string | undefined {
  if (precision === 'full') return userAgent;
  if (precision === 'none') return undefined;
  return findCrawler(userAgent)?.userAgents[0];
}

/** Returns, as JSON, what the ids do not lead to: the ledger keeps it so that the decision can be made again. */
export function toInputs(
  { context, license, urls }: Omit<StoredInputs, 'reduced'>,
  precision: Precision,
): string | null {
  if (context === undefined && license === undefined && urls === undefined) return null;
  if (precision.ip === 'full' && precision.userAgent === 'full') return JSON.stringify({ context, license, urls });
  const { context: kept, reduced } = reduceContext(context, precision);
  const stored: StoredInputs = { context: kept, license, urls, ...(reduced.length === 0 ? {} : { reduced }) };
  return JSON.stringify(stored);
}

function reduceContext(context: Context | undefined, precision: Precision) {
  const reduced: Reducible[] = [];
  if (context === undefined) return { context, reduced };
  const { ip, userAgent, ...rest } = context;
  const keptIp = ip === undefined ? undefined : reduceIp(precision.ip, ip);
  const keptAgent = userAgent === undefined ? undefined : reduceUserAgent(precision.userAgent, userAgent);
  if (keptIp !== ip) reduced.push('context.ip');
  if (keptAgent !== userAgent) reduced.push('context.userAgent');
  return { context: { ...rest, ip: keptIp, userAgent: keptAgent }, reduced };
}

/** The inputs as the log shows them. */
export interface ShownInputs {
  context?: Context | null;
  unreadable?: (typeof UNREADABLES)[number][];
}

/** Parses the JSON of the ledger. What could not be read is named beside the context, as what is reduced. */
export function showInputs<I extends ShownInputs>(text: string): Partial<I> {
  const inputs = JSON.parse(text) as Partial<I>;
  if (inputs.context == null) return inputs;
  const { ipUnreadable, crawlerVerified, ...rest } = inputs.context;
  // Not proven is what a reader expects without a word.
  const context = crawlerVerified === true ? { ...rest, crawlerVerified } : rest;
  return { ...inputs, context, ...(ipUnreadable === true ? { unreadable: [...UNREADABLES] } : {}) };
}
