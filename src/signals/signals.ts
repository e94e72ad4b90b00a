/**
 * The signals of sites in memory: rendered at the first use and after each edit that may change them. Promise: once an
 * edit has been answered, no signal is served that was rendered before it; what is served is recorded first.
 */
import { createHash } from 'node:crypto';
import type { Changes } from '../api/changes/changes.ts';
import { siteNotFound } from '../content/sites/edits.ts';
import { isFreeFile, isSitemap } from '../content/sites/free.ts';
import { NO_NOTICE, type Notice, toNotice } from '../content/sites/notice.ts';
import type { Site } from '../content/sites/site.ts';
import { findSites } from '../content/sites/store.ts';
import type { SignalsOf } from '../decisions/check/draft.ts';
import { Cache } from '../lib/cache/cache.ts';
import { Whole } from '../lib/cache/whole.ts';
import type { Clock } from '../lib/clock.ts';
import { type Modified, toModified } from '../lib/modified.ts';
import { type Locator, parseVisited } from '../lib/urls/locator.ts';
import type { Crawler } from '../rules/crawlers/crawler.ts';
import { CRAWLERS } from '../rules/crawlers/directory.ts';
import { SIGNAL_KINDS, SIGNALS, type Signal, type SignalKind } from './formats/kinds.ts';
import { pageHeaders, toPageSignals } from './formats/page-headers.ts';
import { type Renderings, render } from './formats/render.ts';
import type { PublishedLicense } from './formats/rsl.ts';
import type { BaseContradiction } from './robots/base-contradictions.ts';
import { findServed, insertServed } from './store.ts';
import { assess } from './table/assess.ts';
import { readSources, type SourceDeps } from './table/sources.ts';
import type { Inexpressible, Table } from './table/table.ts';

/** A signal as it is served. */
export interface File {
  body: string;
  type: string;
  etag: string;
  modifiedAt: number;
  modified: Modified;
}

export interface Published {
  table: Table;
  /** A text says why there is none. */
  files: { readonly [K in SignalKind]: File | string };
  cannotExpress: readonly Inexpressible[];
  baseContradicts: readonly BaseContradiction[];
  /** The licenses that the license server gives tokens for; empty: the site has none. */
  licenses: readonly PublishedLicense[];
}

export interface Signals {
  /** Returns the signals of a host if they are up to date in memory. */
  now(host: string): Published | undefined;
  /** Brings them up to date first. Throws site_not_found, and Unavailable. */
  read(host: string): Promise<Published>;
  /** Returns what answers to visitors of a host say about licenses; never throws. */
  notice(host: string): Notice | Promise<Notice>;
  /** Returns a function for the signals of any page, of what is in memory; never throws. */
  ofPages(): SignalsOf | Promise<SignalsOf>;
  /** Returns the headers of a page's answer; none while the signals are not up to date in memory. Never throws. */
  headersOf(locator: Locator): Record<string, string>;
  /** Returns whether a URL is a file for crawlers, which is never refused. Throws Unavailable. */
  isFree(locator: Locator): boolean | Promise<boolean>;
  /** Returns a file that everybody may read, if it is up to date in memory now (`at`). `host`: in its one spelling. */
  publicFile(host: string, kind: SignalKind, at: number): File | undefined;
  /** Returns whether everybody may read them. Throws Unavailable. */
  isPublic(host: string): boolean | Promise<boolean>;
}

interface Rendered extends Published {
  /** The crawler directory that they were rendered with. */
  crawlers: readonly Crawler[];
}

export interface SignalDeps extends SourceDeps {
  changes: Changes;
  clock: Clock;
}

/** Memory of all sites together, by the length of their files. */
const LENGTH_MAX = 32 * 1024 * 1024;
const SITES_MAX = 1_000;
/** Rows of a table weigh about as much as so many characters. */
const ROW_LENGTH = 200;

export function openSignals(deps: SignalDeps): Signals {
  const { changes, clock } = deps;
  const sites = openSites(deps);
  const known = changes.known('signals', new Cache<string, Rendered>(SITES_MAX, { max: LENGTH_MAX, of: weigh }));
  const building = new Map<string, Promise<void>>();

  const build = (host: string): Promise<void> =>
    known.read(async (keep) => {
      const site = (await sites.read()).get(host);
      if (site === undefined) throw siteNotFound(host);
      const sources = await readSources(deps, site, clock.now());
      keep(host, await publish(deps, await assess(sources), sources.crawlers));
    });

  function now(host: string, at = clock.now()): Published | undefined {
    const published = known.get(host);
    const isNow = published !== undefined && at < published.table.until && published.crawlers === CRAWLERS;
    return isNow ? published : undefined;
  }

  async function read(host: string): Promise<Published> {
    for (;;) {
      const published = now(host);
      if (published !== undefined) return published;
      const work = building.get(host) ?? build(host).finally(() => building.delete(host));
      building.set(host, work);
      await work;
    }
  }

  function headersOf(locator: Locator): Record<string, string> {
    const site = sites.now()?.get(locator.host);
    if (site === undefined || !(site.signals.tdmrep || site.signals.contentUsage)) return {};
    const published = now(locator.host);
    // A visitor does not wait for them.
    if (published === undefined) read(locator.host).catch(() => {});
    return published === undefined ? {} : pageHeaders(published.table, locator);
  }

  return {
    now,
    read,
    headersOf,
    ...openNotices(sites, headersOf),
    isFree: openFree(sites),
    publicFile(host, kind, at) {
      const file = sites.now()?.get(host)?.signals.public === true ? now(host, at)?.files[kind] : undefined;
      return typeof file === 'string' ? undefined : file;
    },
    isPublic(host) {
      const isOpen = (all: ReadonlyMap<string, Site>): boolean => all.get(host)?.signals.public === true;
      const all = sites.now();
      return all === undefined ? sites.read().then(isOpen) : isOpen(all);
    },
  };
}

type Sites = ReadonlyMap<string, Site>;

/** All sites in memory, by host. */
const openSites = ({ db, changes }: SignalDeps): Whole<Sites> =>
  changes.known('sites', new Whole<Sites>(async () => new Map((await findSites(db)).map((site) => [site.host, site]))));

const openFree =
  (sites: Whole<Sites>): Signals['isFree'] =>
  (locator) => {
    if (isFreeFile(locator)) return true;
    const known = sites.now();
    return known === undefined ? sites.read().then((all) => isFreeIn(all, locator)) : isFreeIn(known, locator);
  };

function isFreeIn(all: Sites, locator: Locator): boolean {
  const site = all.get(locator.host);
  return isFreeFile(locator) || (site !== undefined && isSitemap(locator, site));
}

type HeadersOf = Signals['headersOf'];

function openNotices(sites: Whole<Sites>, headersOf: HeadersOf): Pick<Signals, 'notice' | 'ofPages'> {
  const none: Sites = new Map();
  const allNow = (): Sites | Promise<Sites> => sites.now() ?? sites.read().catch(() => none);
  const noticeIn = (all: Sites, host: string): Notice => toNotice(all.get(host));
  const ofPages =
    (all: Sites): SignalsOf =>
    (page, decision) => {
      const locator = parseVisited(page);
      if (locator === undefined) return toPageSignals(NO_NOTICE, {}, decision);
      const signals = toPageSignals(noticeIn(all, locator.host), headersOf(locator), decision);
      return isFreeIn(all, locator) ? { ...signals, free: true } : signals;
    };
  return {
    notice(host) {
      const all = allNow();
      return all instanceof Promise ? all.then((read) => noticeIn(read, host)) : noticeIn(all, host);
    },
    ofPages() {
      const all = allNow();
      return all instanceof Promise ? all.then(ofPages) : ofPages(all);
    },
  };
}

/** Renders all signals and records those that differ from the last ones. */
async function publish(deps: SignalDeps, table: Table, crawlers: readonly Crawler[]): Promise<Rendered> {
  const files: Partial<Record<SignalKind, File | string>> = {};
  const cannotExpress = [...table.cannotExpress];
  const renderings = await render(table);
  for (const kind of SIGNAL_KINDS) {
    const signal: Signal = SIGNALS[kind];
    const rendering = renderings[kind];
    const refusal = rendering === null ? 'The site has this signal switched off.' : rendering.refusal;
    const body = refusal === null ? (rendering?.text ?? null) : null;
    cannotExpress.push(...(rendering?.cannotExpress ?? []));
    const modifiedAt = await record(deps, { host: table.host, kind, body });
    files[kind] = body === null ? (refusal as string) : toFile(body, signal.type, modifiedAt);
  }
  const baseContradicts = renderings['robots.txt']?.baseContradicts ?? [];
  const licenses = findLicenses(renderings);
  return { crawlers, table, files: files as Published['files'], cannotExpress, baseContradicts, licenses };
}

const findLicenses = (renderings: Renderings): readonly PublishedLicense[] => renderings['license.xml']?.licenses ?? [];

/** Returns the time from which on it is served. */
async function record(
  { db, clock }: SignalDeps,
  { host, kind, body }: { host: string; kind: SignalKind; body: string | null },
): Promise<number> {
  const at = clock.now();
  const last = await findServed(db, { host, kind, at });
  if (last?.body === body || (last === undefined && body === null)) return last?.at ?? at;
  await db.atomic([insertServed(host, kind, { at, body })]);
  return at;
}

export const toFile = (body: string, type: string, modifiedAt: number): File => ({
  body,
  type,
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  modifiedAt,
  modified: toModified(modifiedAt),
});

const weigh = ({ table, files, licenses }: Published): number =>
  Object.values(files).reduce((sum, file) => sum + (typeof file === 'string' ? 0 : file.body.length), 0) +
  licenses.length * ROW_LENGTH +
  table.rows.length * ROW_LENGTH +
  table.audiences.length * ROW_LENGTH;
