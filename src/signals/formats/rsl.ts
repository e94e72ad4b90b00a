/**
 * Renders license.xml (RSL-SPEC-1.0). Pure. Promise: no reader finds a use permitted that a policy denies to some
 * crawler, nor for sale that an offer would not turn. Clients read double quotes only, the first license of each
 * content, and absolute URLs.
 */
import type { Offered } from '../../requesters/offers/offer.ts';
import { formatAmount } from '../../rules/terms/money.ts';
import { byLiterals, type Narrowed, toNarrowest } from '../robots/ranking.ts';
import type { Inexpressible, Table, TableRow } from '../table/table.ts';
import { askedRows, interned, isFree, isMixed } from '../table/values.ts';
import { FORMATS, USE_WORDS, USES, type Use } from '../table/words.ts';

/** A license of the file, and the paths that it is for. */
export interface PublishedLicense {
  /** The address of the content, as the file spells it. */
  url: string;
  /** The pattern of its path. */
  text: string;
  /** The element `license`. */
  license: string;
  /** The permitted uses in words of RSL; empty: nothing is permitted. */
  permits: string;
  /** null: it is free. */
  offer: Offered | null;
}

interface Rendering {
  text: string;
  /** Only of a site with a license server. */
  licenses: PublishedLicense[];
  cannotExpress: Inexpressible[];
  refusal: string | null;
}

const KIND = 'license.xml';
const ABOUT_MAX = 20;
/** Days for which a client may keep it. */
const MAX_AGE = 1;
const { namespace, everything } = FORMATS.rsl;

/** A use is free, denied, or costs a license. */
type Standing = 'free' | 'denied' | Offered;
type Terms = { readonly [U in Use]: Standing };

const standingKey = (standing: Standing): string =>
  typeof standing === 'string' ? standing : JSON.stringify(standing);
const toTerms = (toStanding: (use: Use) => Standing): Terms =>
  Object.fromEntries(USES.map((use) => [use, toStanding(use)])) as Terms;

export function renderRsl(table: Table): Rendering {
  const rows = askedRows(table.rows);
  const cannotExpress = aboutRows(rows);
  const one = interned<Terms>((terms) => USES.map((use) => standingKey(terms[use])).join('\n'));
  const ranking = toNarrowest(
    rows.map((row) => ({ pattern: row.pattern, value: one(toTerms((use) => rowStanding(row, use))) })),
    {
      least: (a, b) => one(toTerms((use) => (standingKey(a[use]) === standingKey(b[use]) ? a[use] : 'denied'))),
      measure: byLiterals,
      segments: true,
    },
  );
  if (ranking === undefined) cannotExpress.push({ kind: KIND, about: [], message: TOO_MANY });
  if (ranking !== undefined && ranking.lowered.length > 0) {
    cannotExpress.push({ kind: KIND, about: ranking.lowered.slice(0, ABOUT_MAX), message: LOWERED });
  }
  const entries = ranking?.entries ?? [{ texts: ['/*'], isWider: false, value: toTerms(() => 'denied') }];
  const licenses = entries.flatMap((entry) => toLicenses(table, entry));
  const contents = licenses.map((license) => renderContent(table, license));
  const text = `<rsl xmlns="${namespace}" max-age="${MAX_AGE}">\n${contents.join('')}</rsl>\n`;
  return {
    text,
    licenses: table.server === null ? [] : licenses,
    cannotExpress,
    refusal: contents.length === 0 ? NOTHING : null,
  };
}

const TOO_MANY = 'Too many path patterns overlap, so nothing is permitted. Use fewer of them with `*`.';
const NOTHING = 'No collection has pages on this host, so there is nothing to say.';
const LOWERED =
  'Readers of RSL cannot separate these paths from others with stricter terms, so the stricter ones are published for them.';

/** Free where everybody may, for sale where a license of one type lets everybody. */
const rowStanding = ({ cell, offers = {} }: TableRow, use: Use): Standing =>
  isFree(cell, use) ? 'free' : (offers[use] ?? 'denied');

function aboutRows(rows: readonly TableRow[]): Inexpressible[] {
  const mixed = USES.filter((use) => rows.some(({ cell }) => isMixed(cell, use)));
  const both = rows.some((row) => {
    const standings = USES.map((use) => standingKey(rowStanding(row, use)));
    return new Set(standings.filter((one) => one !== 'denied')).size > 1;
  });
  return [
    ...(mixed.length === 0 ? [] : [{ kind: KIND, about: mixed.map((use) => USE_WORDS[use].rsl), message: MIXED }]),
    ...(both ? [{ kind: KIND, about: ['license'], message: ONE_LICENSE }] : []),
  ];
}

const MIXED = 'Some crawlers may and others may not. RSL has no names of crawlers, so the use is not permitted.';
const ONE_LICENSE =
  'Some uses are free and others for sale, or at different prices. Clients read one license for each path, so only the free ones, or those at the first price, are permitted.';

function toLicenses({ host, site }: Table, { texts, value }: Narrowed<Terms>): PublishedLicense[] {
  const license = renderLicense(value, site);
  return texts.map((text) => ({ url: `https://${host}${text}`, text, ...license }));
}

function renderContent({ site: { licensingUrl }, server }: Table, { url, license }: PublishedLicense): string {
  const terms = licensingUrl === null ? '' : `    <terms>${escape(licensingUrl)}</terms>\n`;
  const named = server === null ? '' : ` server="${escape(server)}"`;
  return `  <content url="${escape(url)}"${named}>\n    ${license}\n${terms}  </content>\n`;
}

function renderLicense(
  terms: Terms,
  { contact, licensingUrl }: Table['site'],
): Pick<PublishedLicense, 'license' | 'permits' | 'offer'> {
  const free = USES.filter((use) => terms[use] === 'free');
  const offer = USES.map((use) => terms[use]).find((one): one is Offered => typeof one !== 'string');
  const isSold = free.length === 0 && offer !== undefined;
  const permitted = isSold ? USES.filter((use) => standingKey(terms[use]) === standingKey(offer)) : free;
  const denied = USES.filter((use) => terms[use] === 'denied');
  const address = (isSold ? offer.contact : undefined) ?? contact;
  const lines = [
    usage('permits', permitted),
    permitted.length === 0 ? `<prohibits type="usage">${everything}</prohibits>` : usage('prohibits', denied),
    isSold ? renderPayment(offer, licensingUrl) : '',
    address === null || !ADDRESS.test(address) ? '' : `<legal type="contact">${escape(address)}</legal>`,
  ];
  const children = lines.flatMap((line) => (line === '' ? [] : [`      ${line}\n`])).join('');
  return {
    license: `<license>\n${children}    </license>`,
    permits: permitted.map((use) => USE_WORDS[use].rsl).join(' '),
    offer: isSold ? offer : null,
  };
}

/** An email address or a URL. */
const ADDRESS = /^(?:[^\s@:]+@[^\s@]+|(?:https?|mailto):\S+)$/i;

const usage = (element: string, uses: readonly Use[]): string =>
  uses.length === 0 ? '' : `<${element} type="usage">${uses.map((use) => USE_WORDS[use].rsl).join(' ')}</${element}>`;

function renderPayment({ unit, unitPriceMicros, currency, url, x402 }: Offered, licensingUrl: string | null): string {
  const page = url ?? licensingUrl;
  const children = [
    page === null ? '' : `<custom>${escape(page)}</custom>`,
    unitPriceMicros === undefined || currency === undefined
      ? ''
      : `<amount currency="${currency}">${formatAmount(BigInt(unitPriceMicros), currency)}</amount>`,
    x402 === undefined ? '' : `<accepts type="${FORMATS.rsl.x402}"/>`,
  ];
  const type = unit === 'decision' ? 'crawl' : 'subscription';
  return `<payment type="${type}">${children.join('')}</payment>`;
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
