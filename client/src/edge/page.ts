/** The page of a refusal, for visitors whose browser asks for one: what /v1/authorize answers with `body=html`. */
import { amountOf, type Offered } from './offers.ts';
import type { Problem, Remedy } from './problem.ts';

export type PageFor = (accept: string | undefined, problem: Problem) => string | undefined;

const STYLE =
  ':root{color-scheme:light dark}' +
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem;overflow-wrap:anywhere;' +
  'color:#1a1a1a;background:#fff}h1{font-size:1.5rem}p.quote{color:#5c5c5c;font-size:.85rem}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}p.quote{color:#aaa}}';

const HEADINGS: Readonly<Record<number, string>> = {
  401: 'Authentication required',
  402: 'License required',
  403: 'Access denied',
  429: 'Too many requests',
  503: 'Access cannot be decided now',
};

function toPage({ status, detail, remedies, licensingUrl, decisionId }: Problem): string {
  const title = HEADINGS[status] as string;
  const steps = remedies.map((remedy) => `<li>${escape(sentenceOf(remedy))}${offersOf(remedy)}</li>`).join('');
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style>` +
    `<h1>${title}</h1><p>${escape(detail)}</p>` +
    (steps === '' ? '' : `<p>This would help:</p><ul>${steps}</ul>`) +
    (licensingUrl === undefined ? '' : `<p><a href="${escape(licensingUrl)}">About licenses</a></p>`) +
    (decisionId === undefined
      ? ''
      : `<p class="quote">Quote this when you write to the publisher: ${escape(decisionId)}</p>`)
  );
}

function sentenceOf(remedy: Remedy): string {
  if (remedy.kind === 'wait') return `Ask again after ${timeText(remedy.until)}.`;
  if (remedy.kind === 'permission') return `Ask for another permission: ${remedy.permissions.join(', ')}.`;
  if (remedy.kind === 'verification') {
    return `Prove who you are: ${remedy.verified.map((kind) => PROOFS[kind]).join(', or ')}.`;
  }
  if (remedy.kind === 'amend') return 'Have your license amended.';
  const { licenseType, licenseFeatures } = remedy;
  const type = licenseType === null ? 'A license' : `A license of the type ${licenseType.join(' or ')}`;
  return licenseFeatures.length === 0 ? `${type}.` : `${type} with ${licenseFeatures.join(', ')}.`;
}

/** The time in whole seconds, not earlier. */
const timeText = (time: string): string => {
  const seconds = Math.ceil(Date.parse(time) / 1000);
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
};

const PROOFS = {
  token: 'send your token',
  signature: 'sign your requests',
  ip: 'ask from your published addresses',
  dns: 'ask from an address with one of your host names',
  license: 'send a License token',
} as const;

function offersOf(remedy: Remedy): string {
  if (remedy.kind !== 'license' || remedy.offers === undefined) return '';
  const entries = remedy.offers.map((offer) => {
    const { licenseType, contact, url } = offer;
    const write = contact === undefined ? '' : ` <a href="mailto:${escape(contact)}">${escape(contact)}</a>`;
    const page = url === undefined ? '' : ` <a href="${escape(url)}">About this license</a>`;
    return `<li>${escape(`${licenseType}: ${priceOf(offer)}.`)}${write}${page}</li>`;
  });
  return `<ul>${entries.join('')}</ul>`;
}

const PER = { decision: 'per access', month: 'per month', year: 'per year' } as const;

function priceOf(offer: Offered): string {
  const amount = amountOf(offer);
  return amount === undefined ? 'price on request' : `${amount} ${PER[offer.unit]}`;
}

const escape = (text: string): string =>
  text.toWellFormed().replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** Returns the page of a refusal for a visitor with this `Accept`; undefined where it prefers problem details. */
export const pageFor: PageFor = (accept, problem) => (prefersPage(accept) ? toPage(problem) : undefined);

/**
 * Tests whether a visitor would rather have a page than problem details, by its `Accept` (RFC 9110, 12.5.1): browsers
 * would, and programs that accept anything would not.
 */
function prefersPage(accept: string | undefined): boolean {
  const ranges = (accept ?? '').toLowerCase().split(',').map(toRange);
  const page = weightOf(ranges, ['text/html', 'text/*', '*/*']);
  return page > weightOf(ranges, ['application/problem+json', 'application/*', '*/*']) && page > 0;
}

interface Range {
  type: string;
  weight: number;
}

function toRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

/** Returns the weight of the first of these ranges, which are in the order of their precedence; 0: there is none. */
const weightOf = (ranges: readonly Range[], precedence: readonly string[]): number =>
  precedence.flatMap((type) => ranges.find((one) => one.type === type)?.weight ?? []).at(0) ?? 0;
