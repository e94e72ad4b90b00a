/** Reconciles a statement with a partner's CSV. Nothing is written. */

import { fail, invalid } from '../../api/errors.ts';
import { findOwnUrls } from '../../content/sites/store.ts';
import type { Db } from '../../db/db.ts';
import { inList, toList } from '../../db/query.ts';
import { countLicensed } from '../../decisions/history/count.ts';
import { UnreadableCsv } from '../../lib/csv-table.ts';
import { inSlices } from '../../lib/slices.ts';
import { type Locator, parseLocator, parseVisited } from '../../lib/urls/locator.ts';
import { canonicalUrl, USUAL_URLS } from '../../lib/urls/spellings.ts';
import { toTarget } from '../../lib/urls/url-pattern.ts';
import { countsPurpose, type Terms } from '../../rules/terms/terms.ts';
import { COMPARED_MAX, Comparison, type OurItem, type PlaceFinder, type Reconciled, TooMany } from './comparison.ts';
import { type ComputeDeps, computeStatements } from './compute.ts';
import { getBilled } from './find.ts';
import { type ColumnName, readCounts, type TheirCount } from './reconcile-csv.ts';

export interface Reconciliation extends Reconciled {
  object: 'reconciliation';
  statementId: string;
  by: ('date' | 'content' | 'purpose')[];
}

/** Throws statement_not_found and invalid_request. */
export async function reconcile(deps: ComputeDeps, id: string, csv: string): Promise<Reconciliation> {
  const billed = await getBilled(deps.db, id, deps.now());
  const { columns, theirs } = await guarded(() => read(csv));
  const [computed] = await computeStatements(deps, [billed]);
  const { statement } = computed as NonNullable<typeof computed>;
  const span = { from: Date.parse(statement.from), to: Date.parse(statement.to) };
  const comparison = new Comparison(columns);
  return guarded(async () => {
    const ours = await count(deps, { ...span, licenseId: statement.licenseId, terms: statement.terms });
    const places = await readPlaces(deps.db, ours);
    await inSlices(compared(comparison, { ours, theirs, places }));
    const by = [
      ...(columns.includes('date') ? (['date'] as const) : []),
      ...(columns.includes('contentId') || columns.includes('url') ? (['content'] as const) : []),
      ...(columns.includes('purpose') ? (['purpose'] as const) : []),
    ];
    return { object: 'reconciliation' as const, statementId: id, by, ...(await inSlices(comparison.result())) };
  });
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreadableCsv) throw invalid(error.problems);
    if (!(error instanceof TooMany)) throw error;
    const most = COMPARED_MAX.toLocaleString('en');
    throw fail(
      'invalid_request',
      `There are more than ${most} rows to compare; leave out the column url or contentId.`,
    );
  }
}

const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};

async function read(csv: string): Promise<{ columns: ColumnName[]; theirs: TheirCount[] }> {
  const theirs: TheirCount[] = [];
  const columns = await readCounts(csv, isDay, (row) => {
    theirs.push(row);
    if (theirs.length > COMPARED_MAX) throw new TooMany();
  });
  return { columns, theirs };
}

/** Adds both counts to a comparison. */
function* compared(
  comparison: Comparison,
  { ours, theirs, places }: { ours: readonly Counted[]; theirs: readonly TheirCount[]; places: OurPlaces },
): Generator<undefined, void> {
  for (const { date, purpose, content, count: n } of ours) {
    const item = places.items.get(content);
    const url = item === undefined ? places.fileOf(String(content)) : null;
    comparison.addOurs({ date, purpose, item, url, count: n });
    yield;
  }
  for (const their of theirs) {
    comparison.addTheirs(their, places);
    yield;
  }
}

interface Counted {
  date: string;
  content: number | string;
  purpose: string | null;
  count: number;
}

interface Period {
  licenseId: string;
  from: number;
  to: number;
  terms: Terms;
}

/** Counts the decisions of a statement by day of its zone, item or URL, and purpose. */
async function count(deps: ComputeDeps, { licenseId, from, to, terms }: Period): Promise<Counted[]> {
  const counts = new Map<string, Counted>();
  const toDay = days(terms.timezone);
  const query = { from, to, licenses: { only: [licenseId] } };
  await countLicensed(deps, query, {
    begin: () => counts.clear(),
    take({ at, purpose, content }) {
      if (!countsPurpose(terms, purpose)) return;
      const date = toDay(at);
      const key = JSON.stringify([date, content, purpose]);
      const known = counts.get(key);
      if (known !== undefined) known.count += 1;
      else if (counts.size === COMPARED_MAX) throw new TooMany();
      else counts.set(key, { date, content, purpose, count: 1 });
    },
  });
  return [...counts.values()];
}

/** Returns a function that returns the day of a time; times mostly ascend. */
function days(timezone: string): (at: number) => string {
  let known = { start: 0, end: 0, day: '' };
  return (at) => {
    if (at < known.start || at >= known.end) {
      const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
      const day = zoned.toPlainDate();
      const next = day.add({ days: 1 }).toZonedDateTime(timezone).epochMilliseconds;
      known = { start: zoned.startOfDay().epochMilliseconds, end: next, day: day.toString() };
    }
    return known.day;
  };
}

interface OurPlaces extends PlaceFinder {
  items: Map<number | string, OurItem>;
  /** Returns the URL that stands for all spellings, today: files that were counted under other rules become alike. */
  fileOf(url: string): string;
}

const NOS_AT_ONCE = 1_000;

/** Finds items by id, external id and address, and URLs by their file. */
async function readPlaces(db: Db, ours: readonly Counted[]): Promise<OurPlaces> {
  const nos = [...new Set(ours.flatMap(({ content }) => (typeof content === 'number' ? [content] : [])))];
  const rules = await findOwnUrls(db);
  const fileOf = (url: string): string => canonicalUrl(url, (host) => rules.get(host) ?? USUAL_URLS);
  const files = new Set(ours.flatMap(({ content }) => (typeof content === 'string' ? [fileOf(content)] : [])));
  const items = new Map<number | string, OurItem>(nos.map((no) => [no, { no, id: null }]));
  const byName = new Map<string, OurItem>();
  const byAddress = new Map<string, OurItem>();
  for (let i = 0; i < nos.length; i += NOS_AT_ONCE) {
    const rows = await db.read<{ no: number; id: string; externalId: string; source: string }>(
      `select no, id, external_id as "externalId", source from content where ${inList(db.engine, 'no', 'bigint')}`,
      [toList(nos.slice(i, i + NOS_AT_ONCE))],
    );
    for (const { no, id, externalId, source } of rows) {
      const item = { no, id };
      items.set(no, item);
      byName.set(id, item).set(externalId, item);
      const locator = parseLocator(source);
      if (locator !== undefined) byAddress.set(fileOf(formatAddress(locator)), item);
    }
  }
  return { items, fileOf, find: (their) => find(their, { byName, byAddress, files, fileOf }) };
}

function formatAddress(locator: Locator): string {
  const { path, query } = toTarget(locator);
  return `${locator.host}${path}${query === '' ? '' : `?${query}`}`;
}

interface Known {
  byName: ReadonlyMap<string, OurItem>;
  byAddress: ReadonlyMap<string, OurItem>;
  files: ReadonlySet<string>;
  fileOf(url: string): string;
}

function find(
  { contentId, url }: TheirCount,
  { byName, byAddress, files, fileOf }: Known,
): ReturnType<PlaceFinder['find']> {
  if (contentId !== null) return { item: byName.get(contentId), url: null };
  const locator = parseVisited(/^https?:\/\//i.test(url ?? '') ? (url ?? '') : `https://${url}`);
  if (locator === undefined) return { item: undefined, url };
  const [whole, plain] = [formatAddress(locator), formatAddress({ ...locator, query: '' })];
  const item = byAddress.get(fileOf(whole)) ?? byAddress.get(fileOf(plain));
  if (item !== undefined) return { item, url: null };
  const file = fileOf(whole);
  return { item: undefined, url: files.has(file) ? file : fileOf(plain) };
}
