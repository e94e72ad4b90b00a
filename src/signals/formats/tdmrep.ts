/**
 * Renders tdmrep.json and its policies (TDMRep, with ODRL 2.2). Pure. The first entry that matches a path counts.
 * Promise: a path is reserved wherever a policy denies mining to some crawler.
 */

import type { PathPattern } from '../../lib/urls/url-pattern.ts';
import type { Offered } from '../../requesters/offers/offer.ts';
import { overlapping, spell } from '../robots/ranking.ts';
import { type Inexpressible, spellPattern, type Table, type TableRow } from '../table/table.ts';
import { askedRows, isFree, isMixed } from '../table/values.ts';
import { FORMATS, USE_WORDS, USES } from '../table/words.ts';

interface Rendering {
  text: string;
  cannotExpress: Inexpressible[];
  refusal: string | null;
}

const KIND = 'tdmrep.json';
const ABOUT_MAX = 20;
const MINING = USES.filter((use) => USE_WORDS[use].tdm);

interface Entry {
  pattern: PathPattern;
  collectionId: string | null;
  isReserved: boolean;
}

/** The folder of the policies on the site. */
export const TDM_POLICIES = '/.well-known/tdm-policy/';

/** The URL of a collection's policy on the site. */
export const tdmPolicyUrl = (host: string, collectionId: string): string =>
  `https://${host}${TDM_POLICIES}${collectionId}.json`;

export function renderTdmrep({ host, rows }: Table): Rendering {
  const asked = askedRows(rows);
  const read = readEntries(asked);
  if (read === undefined) return closedFile();
  const { entries, reserved } = read;
  const [values, mixed] = [FORMATS.tdmrep.values, MINING.some((use) => asked.some(({ cell }) => isMixed(cell, use)))];
  const listed = entries.flatMap(({ pattern, collectionId, isReserved }) =>
    spell(pattern).texts.map((location) => ({
      location,
      'tdm-reservation': values[isReserved ? 0 : 1],
      ...(isReserved && collectionId !== null ? { 'tdm-policy': tdmPolicyUrl(host, collectionId) } : {}),
    })),
  );
  return {
    text: `${JSON.stringify(listed, null, 1)}\n`,
    cannotExpress: [
      ...aboutTexts(reserved, MORE),
      ...aboutTexts(queryPatterns(asked), QUERIES),
      ...(mixed ? [{ kind: KIND, about: [], message: MIXED }] : []),
    ],
    refusal: listed.length === 0 ? NOTHING : null,
  };
}

/** Returns undefined for too many patterns. */
function readEntries(rows: readonly TableRow[]): { entries: Entry[]; reserved: Set<string> } | undefined {
  const entries = toEntries(rows);
  const pairs = new Set(entries.map(({ isReserved }) => isReserved)).size < 2 ? [] : overlapping(entries);
  return pairs === undefined ? undefined : { entries, reserved: reserveMore(entries, pairs) };
}

/** Readers may match the path alone, so an entry names no query: one that is reserved reserves its path. */
function toEntries(rows: readonly TableRow[]): Entry[] {
  const entries = rows.map(
    ({ pattern, collectionId, cell }): Entry => ({
      pattern: pattern.query === null ? pattern : { ...pattern, query: null },
      collectionId,
      isReserved: isReservedAt({ cell }),
    }),
  );
  return entries.filter(({ isReserved }, i) => isReserved || rows[i]?.pattern.query === null);
}

const isReservedAt = ({ cell }: Pick<TableRow, 'cell'>): boolean => MINING.some((use) => !isFree(cell, use));

const aboutTexts = (texts: ReadonlySet<string>, message: string): Inexpressible[] =>
  texts.size === 0 ? [] : [{ kind: KIND, about: [...texts].slice(0, ABOUT_MAX), message }];

const queryPatterns = (rows: readonly TableRow[]): Set<string> =>
  new Set(rows.filter(({ pattern }) => pattern.query !== null).map(({ pattern }) => spellPattern(pattern)));

/** The file for too many patterns that overlap. */
const closedFile = (): Rendering => ({
  text: `${JSON.stringify([{ location: '/*', 'tdm-reservation': FORMATS.tdmrep.values[0] }], null, 1)}\n`,
  cannotExpress: [{ kind: KIND, about: [], message: TOO_MANY }],
  refusal: null,
});

const TOO_MANY = 'Too many path patterns overlap, so everything is reserved. Use fewer of them with `*`.';
const QUERIES =
  'Readers of TDMRep may look at the path alone, so these queries have no entries. Where one is reserved, its path is reserved with every query.';
export const NOTHING = 'No collection has pages on this host, so there is nothing to say.';
const MORE =
  'TDMRep cannot separate these paths from reserved ones, because of `*` or a query, so they are reserved too.';
const MIXED = 'Some crawlers may mine and others may not. TDMRep has no names of crawlers, so the paths are reserved.';

/** Reserves entries that a reader may take for reserved ones. */
function reserveMore(entries: readonly Entry[], pairs: readonly (readonly [number, number])[]): Set<string> {
  const more = new Set<string>();
  const reserve = (entry: Entry): void => {
    entry.isReserved = true;
    more.add(spell(entry.pattern).texts[0] as string);
  };
  for (let count = -1; count !== more.size; ) {
    count = more.size;
    for (const [i, j] of pairs) {
      const [earlier, later] = [entries[i] as Entry, entries[j] as Entry];
      if (earlier.isReserved === later.isReserved) continue;
      if (later.isReserved && spell(earlier.pattern).isWider) reserve(earlier);
    }
  }
  return more;
}

/** Returns the headers of a page of the row. */
export function tdmHeaders(host: string, { cell, collectionId }: TableRow): Record<string, string> {
  const isReserved = isReservedAt({ cell });
  return {
    'tdm-reservation': String(FORMATS.tdmrep.values[isReserved ? 0 : 1]),
    ...(isReserved && collectionId !== null ? { 'tdm-policy': tdmPolicyUrl(host, collectionId) } : {}),
  };
}

/** Renders all policies as a list; the site serves each under its own URL. */
export function renderTdmPolicies(table: Table): Rendering {
  const asked = askedRows(table.rows);
  // The entries name the policies of all that is reserved, also of what could not be kept apart from it.
  const named = [...asked.filter(isReservedAt), ...(readEntries(asked)?.entries ?? []).filter((one) => one.isReserved)];
  const ids = new Set(named.flatMap(({ collectionId }) => collectionId ?? []));
  const byCollection = Map.groupBy(
    asked.filter(({ collectionId }) => collectionId !== null && ids.has(collectionId)),
    ({ collectionId }) => collectionId as string,
  );
  const policies = [...byCollection].map(([id, rows]) => toPolicy(table, id, rows));
  const refusal = policies.length === 0 ? 'No path is reserved, so there is no policy.' : null;
  return { text: `${JSON.stringify(policies, null, 1)}\n`, cannotExpress: [], refusal };
}

function toPolicy({ host, site }: Table, collectionId: string, rows: readonly TableRow[]): object {
  const { context, profile } = FORMATS.tdmrep;
  const offered = rows.flatMap(({ offers = {} }) => MINING.flatMap((use) => offers[use] ?? []));
  const contact = offered.find((one) => one.contact !== undefined)?.contact ?? site.contact;
  const page = offered.find((one) => one.url !== undefined)?.url ?? site.licensingUrl;
  const uid = tdmPolicyUrl(host, collectionId);
  return {
    '@context': context,
    '@type': 'Offer',
    profile,
    uid,
    assigner: {
      uid: `https://${host}`,
      'vcard:fn': host,
      ...(contact !== null && EMAIL.test(contact) ? { 'vcard:hasEmail': `mailto:${contact}` } : {}),
      ...(page === null ? {} : { 'vcard:hasURL': page }),
    },
    permission: [{ target: `${uid}#collection`, action: 'tdm:mine', duty: [{ action: pickDuty(rows, offered) }] }],
  };
}

const EMAIL = /^[^\s@:]+@[^\s@]+$/;

/** Payment is enough only where everything that is reserved is for sale at a price. */
function pickDuty(rows: readonly TableRow[], offered: readonly Offered[]): 'compensate' | 'obtainConsent' {
  const isForSale = rows.every(({ cell, offers = {} }) =>
    MINING.every((use) => isFree(cell, use) || offers[use] !== undefined),
  );
  return isForSale && offered.length > 0 && offered.every((one) => one.unitPriceMicros !== undefined)
    ? 'compensate'
    : 'obtainConsent';
}
