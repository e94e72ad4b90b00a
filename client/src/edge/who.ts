/**
 * Chooses the visitors to ask about. Promise: with `programs`, everything is asked about that is not plainly a browser,
 * that proves who it is, or that the platform takes for a program. A program that sends the user agent of a browser
 * looks like one.
 */
import type { AskAbout, Known } from './options.ts';
import type { Visit } from './visit.ts';

export function isAskedAbout(ask: AskAbout, visit: Visit, known: Known): boolean {
  if (typeof ask === 'function') return ask(visit, known);
  return (
    ask === 'everyone' ||
    known.isBot === true ||
    visit.header('signature-input') !== undefined ||
    /^(?:bearer +svc_rt_|license\b)/i.test(visit.header('authorization') ?? '') ||
    !isBrowser(visit.header('user-agent') ?? '')
  );
}

/** The product names of browsers, in lowercase. */
const PRODUCTS: ReadonlySet<string> = new Set(
  (
    'mozilla applewebkit gecko chrome safari mobile version firefox edg edga edgios opr crios fxios ' +
    'samsungbrowser yabrowser yowser duckduckgo ddg silk ucbrowser miuibrowser huaweibrowser gsa instagram'
  ).split(' '),
);

/** A comment, which may hold another one; and what an app of Facebook adds. */
const COMMENTS = /\((?:[^()]|\([^()]*\))*\)|\[FB[^[\]]*\]/g;
/** A bot in a comment: what it calls itself, an address, or a product with a version. */
const SIGNS = /compatible|bot|crawl|spider|proxy|https?:|www\.|[@+]|(?<!build)\/\d/i;
const LENGTH_MAX = 512;

/** Tests for the user agent of a browser: nothing in it is unknown. */
export function isBrowser(userAgent: string): boolean {
  if (userAgent.length > LENGTH_MAX || !/^Mozilla\/5\.0 \(.* (?:AppleWebKit|Gecko)\/\d/.test(userAgent)) return false;
  const comments = userAgent.match(COMMENTS) ?? [];
  const products = userAgent.replaceAll(COMMENTS, ' ').split(' ').filter(Boolean);
  return (
    !comments.some((comment) => comment.startsWith('(') && SIGNS.test(comment)) &&
    products.every((product) => PRODUCTS.has((product.split('/')[0] as string).toLowerCase()))
  );
}
