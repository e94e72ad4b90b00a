/** Reads the published addresses that the operator of Postern names for an audit. */
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Crawler } from '../../crawlers/crawler.ts';
import { CRAWLERS } from '../../crawlers/directory.ts';
import { readRanges } from '../../identities/ranges.ts';
import { nearest } from '../../lib/text.ts';
import { misused } from '../outcome.ts';

/** The addresses of one crawler. */
export interface KnownRanges {
  ranges: string[];
  /** All of its lists are here: other addresses are not its own. */
  complete: boolean;
}

const FILE_BYTES_MAX = 16 << 20;

/** Reads `name=file` and `file` options into ranges by the names of crawlers. Throws for an invalid one. */
export function loadRanges(options: readonly string[]): Record<string, KnownRanges> {
  const found = new Map<string, { ranges: string[]; files: number }>();
  for (const option of options) {
    const { file, crawlers } = toCrawlers(option);
    const ranges = load(file);
    for (const { name } of crawlers) {
      const before = found.get(name) ?? { ranges: [], files: 0 };
      found.set(name, { ranges: [...before.ranges, ...ranges], files: before.files + 1 });
    }
  }
  return Object.fromEntries(
    [...found].map(([name, { ranges, files }]) => [name, { ranges, complete: files >= listsOf(find(name)).length }]),
  );
}

/** A list belongs to all crawlers that share it. */
function toCrawlers(option: string): { file: string; crawlers: readonly Crawler[] } {
  const equals = option.indexOf('=');
  if (equals === -1) {
    const crawlers = CRAWLERS.filter((one) => listsOf(one).some((list) => basename(list) === basename(option)));
    if (crawlers.length === 0) {
      throw misused(`No crawler has a list named ${basename(option)}. Name the crawler: --ranges GPTBot=${option}`);
    }
    return { file: option, crawlers };
  }
  const crawler = find(option.slice(0, equals));
  const lists = listsOf(crawler);
  const sharing = CRAWLERS.filter((one) => one === crawler || (lists.length === 1 && listsOf(one).join() === lists[0]));
  return { file: option.slice(equals + 1), crawlers: sharing };
}

const listsOf = ({ identities }: Crawler): string[] => identities.flatMap((one) => ('list' in one ? [one.list] : []));

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
    throw misused(`Cannot read ${file} (${String(error.code)}).`);
  }
  const ranges = readRanges(text);
  if (ranges === undefined) {
    throw misused(
      `${file} is no list of addresses. It must be JSON with "prefixes", a geofeed, or have a range on each line.`,
    );
  }
  return ranges;
}
