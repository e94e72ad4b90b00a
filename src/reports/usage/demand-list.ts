/** The report of denied demand as answered: what is asked, and its rows with names and estimates. */

import type { CsvColumns } from '../../api/http/csv.ts';
import { readSpan, requireOrder } from '../../api/http/list.ts';
import { findCollectionNames } from '../../content/collections/store.ts';
import type { Demand, DemandQuery, DemandWanted } from '../../decisions/history/columns/demand-query.ts';
import type { DemandDimension } from '../../decisions/history/columns/dimensions.ts';
import type { RowPage } from '../../decisions/history/columns/list-page.ts';
import { parseWanted } from '../../decisions/ledger/codes.ts';
import { toIso } from '../../lib/clock.ts';
import { findOwnPrices, findPrices } from '../../requesters/licenses/terms-store.ts';
import { toPriceList } from '../../requesters/offers/price-list.ts';
import { findAllOffers } from '../../requesters/offers/store.ts';
import { decodeReason, reasonCode } from '../../rules/reason.ts';
import { formatAmount } from '../../rules/terms/money.ts';
import { estimateDemand, type Prices } from './demand-estimate.ts';
import { DEMAND_REASONS, type DemandListQuery, type DemandRow, type Estimate } from './demand-schema.ts';
import { reachesBack, resolvePeriod } from './period.ts';
import { findContentNo, type ReportDeps, readTitles } from './report.ts';
import { toWho, whoText } from './who.ts';

const DAY_MS = 86_400_000;
const SPAN_DAYS = 30;

const NONE: Prices['own'] = new Map();

export const NO_DEMAND: RowPage<Demand> = { rows: [], totalCount: 0, upTo: 0 };

export const readDimensions = ({ groupBy = 'who' }: DemandListQuery): DemandDimension[] =>
  groupBy.split(',') as DemandDimension[];

/** Returns undefined for an unknown item. Throws invalid_request. */
export async function toDemandQuery(
  deps: ReportDeps,
  query: DemandListQuery,
  now: number,
): Promise<Omit<DemandQuery, 'after' | 'limit'> | undefined> {
  const { from, to } = await toSpan(deps, query, now);
  requireOrder({ from, to });
  const contentNo = query.contentId === undefined ? undefined : await findContentNo(deps.db, query.contentId);
  if (query.contentId !== undefined && contentNo === undefined) return undefined;
  const { requesterId, type, purpose, reason, collectionId, crawler, enforced = true, sort = 'denied' } = query;
  return {
    filter: {
      ...(contentNo === undefined ? {} : { contentNo }),
      ...(requesterId === undefined ? {} : { requesterId }),
      type,
      purpose,
      collectionId,
      crawler,
      enforced,
    },
    licenseType: query.licenseType,
    reasons: (reason === undefined ? DEMAND_REASONS : [reason]).map(reasonCode),
    by: readDimensions(query),
    from,
    to,
    q: query.q,
    sort,
    ascending: query.order === 'asc',
  };
}

async function toSpan(
  { columns }: ReportDeps,
  query: DemandListQuery,
  now: number,
): Promise<{ from: number; to: number }> {
  const { period, timezone } = query;
  if (period === undefined && timezone === undefined) {
    const span = readSpan(query);
    const to = span.to ?? now + 1;
    return { to, from: span.from ?? to - SPAN_DAYS * DAY_MS };
  }
  const asked = { period, timezone, startDate: query.from, endDate: query.to };
  const bounds = reachesBack(asked) ? await columns.bounds() : null;
  const { from, to } = resolvePeriod(asked, { now, first: bounds?.first, last: bounds?.last });
  return { from, to };
}

export interface DemandShown {
  by: readonly DemandDimension[];
  /** The only requester of all rows, if they are filtered by it. */
  requesterId: string | undefined;
  withPrices: boolean;
}

/** Omits items without a title, which were deleted meanwhile. */
export async function toDemandRows(
  { db, now }: ReportDeps,
  found: readonly Demand[],
  { by, requesterId, withPrices }: DemandShown,
): Promise<DemandRow[]> {
  const toRequester = ({ key }: Demand): string => key.requester ?? requesterId ?? '';
  // The offers of a deleted collection no longer count.
  const knownCollection = ({ key }: Demand): string | null =>
    key.collection !== null && names.has(key.collection) ? key.collection : null;
  const collectionIds = found.flatMap(({ key, collections }) => [
    ...(key.collection === null ? [] : [key.collection]),
    ...collections.map(({ collectionId }) => collectionId),
  ]);
  const types = !withPrices
    ? []
    : found.flatMap(({ wanted }) => wanted.flatMap((one) => toLicense(one.wanted).licenseTypes));
  const requesterIds = new Set(found.map(toRequester));
  const [titles, names, licenses, own, offers] = await Promise.all([
    readTitles(db, [...new Set(found.flatMap(({ content }) => content.map(({ no }) => no)))]),
    findCollectionNames(db, [...new Set(collectionIds)]),
    findPrices(db, [...new Set(types)], now()),
    findOwnPrices(db, { requesterIds: [...requesterIds], types: [...new Set(types)] }, now()),
    types.length === 0 ? [] : findAllOffers(db),
  ]);
  const priceList = toPriceList(offers);
  return found.map((one) => ({
    ...toGroup(one, by, names),
    denied: one.denied,
    previous: one.previous,
    trend: one.trend,
    since: toIso(one.since),
    lastSeen: toIso(one.lastSeen),
    uniqueContent: one.uniqueContent,
    uniqueUrls: one.uniqueUrls,
    byReason: one.reasons.flatMap(({ reason: code, count }) => {
      const reason = decodeReason(code);
      return reason === null ? [] : [{ reason, count }];
    }),
    byLicense: one.wanted.map((wanted) =>
      toByLicense(wanted, {
        own: own.get(toRequester(one)) ?? NONE,
        offers: priceList.at(knownCollection(one), now()),
        licenses,
      }),
    ),
    purposes: one.purposes,
    crawlers: one.crawlers,
    collections: one.collections.map((some) => ({ ...some, name: names.get(some.collectionId) ?? null })),
    topContent: one.content.flatMap(({ id: contentId, denied }) => {
      const title = titles.get(contentId);
      return title === undefined ? [] : [{ id: contentId, title, denied }];
    }),
  }));
}

type Grouped = Pick<
  DemandRow,
  'requesterId' | 'name' | 'registered' | 'who' | 'crawler' | 'collectionId' | 'collectionName' | 'purpose' | 'license'
>;

function toGroup({ key, name }: Demand, by: readonly DemandDimension[], names: ReadonlyMap<string, string>): Grouped {
  const group: Grouped = { requesterId: key.requester, name: name ?? key.requester, registered: name !== null };
  if (by.includes('who')) group.who = toWho(key.who, new Map(name === null ? [] : [[key.requester ?? '', name]]));
  if (by.includes('crawler')) group.crawler = key.crawler;
  if (by.includes('collection')) {
    group.collectionId = key.collection;
    group.collectionName = key.collection === null ? null : (names.get(key.collection) ?? null);
  }
  if (by.includes('purpose')) group.purpose = key.purpose;
  if (by.includes('licenseType')) group.license = toLicense(key.licenseType);
  return group;
}

function toLicense(wanted: string | null): { licenseTypes: string[]; anyLicense: boolean } {
  if (wanted === null) return { licenseTypes: [], anyLicense: false };
  const { types } = parseWanted(wanted);
  return { licenseTypes: types ?? [], anyLicense: types === null };
}

function toByLicense(wanted: DemandWanted, prices: Prices): DemandRow['byLicense'][number] {
  const license = toLicense(wanted.wanted);
  return { ...license, denied: wanted.denied, estimate: estimateDemand(license.licenseTypes, wanted, prices) };
}

/** The sum of the estimates of a row that are in one currency. */
function sumEstimates({ byLicense }: DemandRow): { amount: string | null; currency: string | null } {
  const estimates = byLicense.flatMap(({ estimate }) => estimate ?? []);
  const [first] = estimates;
  const isOne = estimates.every(({ currency, amountMicros }) => currency === first?.currency && amountMicros !== null);
  if (first === undefined || !isOne) return { amount: null, currency: null };
  const micros = estimates.reduce((sum: bigint, one: Estimate) => sum + BigInt(one.amountMicros ?? 0), 0n);
  return { amount: formatAmount(micros, first.currency), currency: first.currency };
}

const licensesText = ({ licenseTypes, anyLicense }: { licenseTypes: string[]; anyLicense: boolean }): string =>
  anyLicense ? '(any)' : licenseTypes.length === 0 ? '(none)' : licenseTypes.join(' or ');

export const DEMAND_CSV: CsvColumns<DemandRow> = [
  ['requesterId', (row) => row.requesterId],
  ['name', (row) => row.name],
  ['registered', (row) => row.registered],
  ['denied', (row) => row.denied],
  ['previous', (row) => row.previous],
  ...DEMAND_REASONS.map(
    (reason) => [reason, (row: DemandRow) => row.byReason.find((one) => one.reason === reason)?.count ?? 0] as const,
  ),
  ['uniqueContent', (row) => row.uniqueContent],
  ['lastSeen', (row) => row.lastSeen],
  ['purposes', (row) => row.purposes.map(({ purpose, denied }) => `${purpose ?? '(none)'}: ${denied}`).join('; ')],
  ['topContent', (row) => row.topContent.map(({ title, denied }) => `${title}: ${denied}`).join('; ')],
  ['crawler', (row) => row.crawler],
  ['collectionId', (row) => row.collectionId],
  ['collectionName', (row) => row.collectionName],
  ['purpose', (row) => row.purpose],
  ['license', (row) => row.license && licensesText(row.license)],
  ['since', (row) => row.since],
  ['uniqueUrls', (row) => row.uniqueUrls],
  ['licenses', (row) => row.byLicense.map((one) => `${licensesText(one)}: ${one.denied}`).join('; ')],
  ['estimate', (row) => sumEstimates(row).amount],
  ['currency', (row) => sumEstimates(row).currency],
  ['who', (row) => row.who && whoText(row.who)],
];
