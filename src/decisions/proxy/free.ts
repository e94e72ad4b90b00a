/**
 * Allows the files with the rules for crawlers, such as robots.txt, to everybody: no decision is made, recorded or
 * counted, and no limit is touched. The visitor is not identified either: a token that expired changes nothing.
 */

import type { Notice } from '../../content/sites/notice.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import type { RobotsReads } from '../visitors/robots-reads.ts';
import { type ProxyAnswer, toFreeAnswer } from './answer.ts';
import type { Decide, ProxyQuestion } from './question.ts';
import { readMethod, readTarget } from './target.ts';

/** Statements of a site in answers to its visitors, beside the decision. */
export interface SiteSignals {
  /** Returns whether a URL is a file for crawlers. Throws Unavailable. */
  isFree(locator: Locator): boolean | Promise<boolean>;
  /** Never throws. */
  notice(host: string): Notice | Promise<Notice>;
  /** Returns the headers of a page's answer. Never throws. */
  headersOf(locator: Locator): Record<string, string>;
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export function exceptFree(signals: SiteSignals, robotsReads: Pick<RobotsReads, 'note'>, decide: Decide): Decide {
  const answerFree = (question: ProxyQuestion, target: Locator): Promise<ProxyAnswer> => {
    if (target.path === '/robots.txt') robotsReads.note(question.request.headers['user-agent']);
    return answer(signals, target);
  };
  return (question) => {
    const target = isSafe(question) ? tryReadTarget(question) : undefined;
    if (target === undefined) return decide(question);
    const is = signals.isFree(target);
    if (!(is instanceof Promise)) return is ? answerFree(question, target) : decide(question);
    return is.then((found) => (found ? answerFree(question, target) : decide(question)));
  };
}

/** A proxy that does not say the method asks about pages. */
function isSafe({ request: { headers, method }, suffix, options }: ProxyQuestion): boolean {
  const sent = readMethod({ headers, suffix, origin: options.origin }, method);
  if (sent !== undefined) return SAFE.has(sent);
  return headers['x-forwarded-method'] === undefined && headers['x-original-method'] === undefined;
}

function tryReadTarget({ request, suffix, options }: ProxyQuestion): Locator | undefined {
  const target = readTarget({ headers: request.headers, suffix, origin: options.origin });
  return typeof target === 'string' ? undefined : target;
}

async function answer({ notice, headersOf }: SiteSignals, target: Locator): Promise<ProxyAnswer> {
  const { link } = await notice(target.host);
  const { status, headers } = toFreeAnswer();
  return { status, headers: { ...headers, ...(link === null ? {} : { link }), ...headersOf(target) } };
}
