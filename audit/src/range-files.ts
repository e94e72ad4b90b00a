/** Reads the published addresses that the operator of Postern names for an audit. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { misused } from '../../src/cli/outcome.ts';
import { cannotRead } from '../../src/cli/read-file.ts';
import { nearest } from '../../src/lib/text.ts';
import { readRanges } from '../../src/requesters/identities/ranges.ts';
import type { Crawler } from '../../src/rules/crawlers/crawler.ts';
import { CRAWLERS } from '../../src/rules/crawlers/directory.ts';

/** The addresses of one crawler. */
export interface KnownRanges {
  ranges: string[];
  /** All of its lists are here: other addresses are not its own. */
  complete: boolean;
}

const FILE_BYTES_MAX = 16 << 20;
/** Files of a folder. */
const FILES_MAX = 500;

/** Ranges from one source: a file, or a list that was fetched. */
export interface Given {
  source: string;
  crawlers: readonly Crawler[];
  ranges: string[];
}

/** The ranges of the options, and the files of folders that belong to no crawler. */
export interface Loaded {
  given: Given[];
  ignored: string[];
}

/** Reads `name=file`, `file` and `folder` options. Throws for an invalid one. */
export function loadRanges(options: readonly string[]): Loaded {
  const loaded: Loaded = { given: [], ignored: [] };
  for (const option of options) {
    if (isFolder(option)) loadFolder(option, loaded);
    else {
      const { file, crawlers } = toCrawlers(option);
      loaded.given.push({ source: file, crawlers, ranges: load(file) });
    }
  }
  return loaded;
}

/** Puts the ranges of all sources together, by the names of crawlers. */
export function toKnownRanges(given: readonly Given[]): Record<string, KnownRanges> {
  const found = new Map<Crawler, { ranges: string[]; sources: number }>();
  for (const { crawlers, ranges } of given) {
    for (const crawler of crawlers) {
      const before = found.get(crawler) ?? { ranges: [], sources: 0 };
      found.set(crawler, { ranges: [...before.ranges, ...ranges], sources: before.sources + 1 });
    }
  }
  return Object.fromEntries(
    [...found].map(([crawler, { ranges, sources }]) => [
      crawler.name,
      { ranges, complete: sources >= crawlerLists(crawler).length },
    ]),
  );
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** A file has the name of a list, such as gptbot.json, or of a crawler, such as Applebot.txt. */
function loadFolder(folder: string, { given, ignored }: Loaded): void {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  if (names.length > FILES_MAX) throw misused(`${folder} has more than ${FILES_MAX} files.`);
  for (const name of names.toSorted()) {
    const file = join(folder, name);
    const crawlers = namedBy(name);
    if (crawlers.length === 0 || isFolder(file)) ignored.push(file);
    else given.push({ source: file, crawlers, ranges: load(file) });
  }
}

const fileStem = (name: string): string => name.replace(/\.[A-Za-z]+$/, '').toLowerCase();

/** The crawlers of the list with this name; else the crawler, and those that share its one list. */
function namedBy(name: string): readonly Crawler[] {
  const stem = fileStem(name);
  const owners = CRAWLERS.filter((one) => crawlerLists(one).some((list) => fileStem(basename(list)) === stem));
  if (owners.length > 0) return owners;
  const crawler = CRAWLERS.find(
    (one) => one.name.toLowerCase() === stem || one.name.toLowerCase() === name.toLowerCase(),
  );
  return crawler === undefined ? [] : sharing(crawler);
}

/** A list belongs to all crawlers that share it. */
function toCrawlers(option: string): { file: string; crawlers: readonly Crawler[] } {
  const equals = option.indexOf('=');
  if (equals === -1) {
    const crawlers = CRAWLERS.filter((one) => crawlerLists(one).some((list) => basename(list) === basename(option)));
    if (crawlers.length === 0) {
      throw misused(`No crawler has a list named ${basename(option)}. Name the crawler: --ranges GPTBot=${option}`);
    }
    return { file: option, crawlers };
  }
  return { file: option.slice(equals + 1), crawlers: sharing(find(option.slice(0, equals))) };
}

/** The crawler, and others whose only list is its only list. */
function sharing(crawler: Crawler): readonly Crawler[] {
  const [list, ...more] = crawlerLists(crawler);
  if (list === undefined || more.length > 0) return [crawler];
  return CRAWLERS.filter((one) => crawlerLists(one).join(' ') === list);
}

export const crawlerLists = ({ identities }: Crawler): string[] =>
  identities.flatMap((one) => ('list' in one ? [one.list] : []));

function find(name: string): Crawler {
  const crawler = CRAWLERS.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (crawler !== undefined) return crawler;
  const near = nearest(
    name,
    CRAWLERS.map((one) => one.name),
  );
  throw misused(`The directory has no crawler ${name}${near === undefined ? '' : `; did you mean ${near}?`}`);
}

function load(file: string): string[] {
  let text: string;
  try {
    if (statSync(file).size > FILE_BYTES_MAX) throw misused(`${file} is too large for a list of addresses.`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw cannotRead(file, error);
  }
  const ranges = readRanges(text);
  if (ranges === undefined) {
    throw misused(
      `${file} is no list of addresses. It must be JSON with "prefixes", a geofeed, or have a range on each line.`,
    );
  }
  return ranges;
}
