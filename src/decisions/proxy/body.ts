/**
 * The body of a denial, for proxies that pass it on to the visitor: problem details (RFC 9457), or a small page. It
 * says what would help, and nothing of the rules.
 */

import type { VerifiedKind } from '../../rules/facts.ts';
import { formatAmount } from '../../rules/terms/money.ts';
import type { Decision, Remedy } from '../ledger/decision.ts';

export const BODIES = ['problem', 'html'] as const;
export type BodyKind = (typeof BODIES)[number];

/** Where the body of a denial is. */
export const BODY_PLACES = ['body', 'header'] as const;

/** Bytes of a body in a header: with all other headers, it must fit into the 16 KiB that proxies are set to. */
const IN_HEADER_MAX = 8_192;

/** A denial, or a request that nothing decides about. */
export interface Refusal {
  status: number;
  /** The reason of the decision, or the error. */
  reason: string;
  message: string;
  remedies: readonly Remedy[];
  decisionId: string | null;
  /** The policy of RateLimit-Policy that a 429 is due to. */
  violated?: 'access' | 'license';
  /** The page about licenses; null: the site names none. */
  licensingUrl?: string | null;
}

export interface Body {
  type: string;
  text: string;
}

export const toBody = (kind: BodyKind, refusal: Refusal): Body =>
  kind === 'problem'
    ? { type: 'application/problem+json', text: JSON.stringify(toProblem(refusal)) }
    : { type: 'text/html; charset=utf-8', text: toPage(refusal) };

/** Returns the headers with the body of a denial, as ASCII without line ends. One that is too long has no remedies. */
export function bodyHeaders(kind: BodyKind, refusal: Refusal): Record<string, string> {
  const whole = inHeader(kind, refusal);
  const { type, text } = whole.text.length <= IN_HEADER_MAX ? whole : inHeader(kind, { ...refusal, remedies: [] });
  return { 'x-postern-body': text, 'x-postern-body-type': type };
}

function inHeader(kind: BodyKind, refusal: Refusal): Body {
  const { type, text } = toBody(kind, refusal);
  const ascii =
    kind === 'problem'
      ? text.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : text.replaceAll(/[^\x20-\x7e]/gu, (character) => `&#${character.codePointAt(0)};`);
  return { type, text: ascii };
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'Authentication required',
  402: 'License required',
  403: 'Access denied',
  429: 'Too many requests',
};
const statusTitle = (status: number): string => TITLES[status] ?? 'Access denied';

/** The phrases of the statuses: titles of problems without a type (RFC 9457, 4.2.1). */
const PHRASES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  429: 'Too Many Requests',
};

/** The problem type of draft-ietf-httpapi-ratelimit-headers-11. */
const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

const toProblemType = ({ status, violated }: Refusal) =>
  status === 429 && violated !== undefined
    ? { type: QUOTA_EXCEEDED, title: 'Quota exceeded', 'violated-policies': [violated] }
    : { title: PHRASES[status] ?? 'Forbidden' };

const toProblem = (refusal: Refusal) => ({ ...toProblemType(refusal), ...toDetails(refusal) });

const toDetails = ({ status, reason, message, remedies, decisionId, licensingUrl = null }: Refusal) => ({
  status,
  detail: message,
  reason,
  remedies: remedies.map(withoutRule),
  ...(licensingUrl === null ? {} : { licensingUrl }),
  ...(decisionId === null ? {} : { decisionId }),
});

/** Omits the index of the rule and the id of the license, which visitors must not see. */
function withoutRule(remedy: Remedy): object {
  if (remedy.kind === 'amend') return { kind: 'amend' };
  if (remedy.kind !== 'license') return remedy;
  const { rule: _, ...license } = remedy;
  return license;
}

export const toRefusal = (status: number, decision: Decision, remedies: readonly Remedy[]): Refusal => ({
  status,
  reason: decision.reason ?? 'policy_denied',
  message: decision.message,
  remedies,
  decisionId: decision.id,
  ...(decision.reason === 'rate_limit_exceeded' ? { violated: 'access' as const } : {}),
  ...(decision.reason === 'quota_exceeded' ? { violated: 'license' as const } : {}),
});

const STYLE =
  ':root{color-scheme:light dark}' +
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem;overflow-wrap:anywhere;' +
  'color:#1a1a1a;background:#fff}h1{font-size:1.5rem}p.quote{color:#5c5c5c;font-size:.85rem}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}p.quote{color:#aaa}}';

function toPage({ status, message, remedies, decisionId, licensingUrl = null }: Refusal): string {
  const title = statusTitle(status);
  const steps = remedies.map((remedy) => `<li>${escape(describeRemedy(remedy))}${renderOffers(remedy)}</li>`).join('');
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style>` +
    `<h1>${title}</h1><p>${escape(message)}</p>` +
    (steps === '' ? '' : `<p>This would help:</p><ul>${steps}</ul>`) +
    (licensingUrl === null ? '' : `<p><a href="${escape(licensingUrl)}">About licenses</a></p>`) +
    (decisionId === null ? '' : `<p class="quote">Quote this when you write to the publisher: ${decisionId}</p>`)
  );
}

function describeRemedy(remedy: Remedy): string {
  if (remedy.kind === 'wait') return `Ask again after ${timeText(remedy.until)}.`;
  if (remedy.kind === 'permission') return `Ask for another permission: ${remedy.permissions.join(', ')}.`;
  if (remedy.kind === 'verification') return describeProofs(remedy.verified);
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

const PROOFS: Readonly<Record<VerifiedKind, string>> = {
  token: 'send your token',
  signature: 'sign your requests',
  ip: 'ask from your published addresses',
  dns: 'ask from an address with one of your host names',
  license: 'send a License token',
};

/** Returns the ways to prove a name as a sentence. */
function describeProofs(verified: readonly VerifiedKind[]): string {
  const ways = verified.map((kind) => PROOFS[kind]).join(', or ');
  return `Prove who you are: ${ways}.`;
}

/** The list of a remedy's offers, as HTML. */
function renderOffers(remedy: Remedy): string {
  if (remedy.kind !== 'license' || remedy.offers === undefined) return '';
  const entries = remedy.offers.map(({ licenseType, unit, unitPriceMicros, currency, contact, url }) => {
    const price =
      unitPriceMicros === undefined || currency === undefined
        ? 'price on request'
        : `${currency} ${formatAmount(BigInt(unitPriceMicros), currency)} ${PER[unit]}`;
    const write = contact === undefined ? '' : ` <a href="mailto:${escape(contact)}">${escape(contact)}</a>`;
    const page = url === undefined ? '' : ` <a href="${escape(url)}">About this license</a>`;
    return `<li>${escape(`${licenseType}: ${price}.`)}${write}${page}</li>`;
  });
  return `<ul>${entries.join('')}</ul>`;
}

const PER = { decision: 'per access', month: 'per month', year: 'per year' } as const;

const escape = (text: string): string =>
  text.toWellFormed().replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
