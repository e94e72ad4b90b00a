/**
 * Reads the rendered files back and compares what they say with the answers of `decide` in the table. Finds statements
 * that allow what a policy denies to some visitor of the audience; there must be none.
 */

import { parseTarget } from '../lib/locator.ts';
import { Slices } from '../lib/slices.ts';
import { rowAt } from './page-headers.ts';
import {
  examplesOf,
  inOneSpelling,
  matchesReadable,
  mayFetch,
  type RobotsGroup,
  readRobots,
  toPattern,
  toReadable,
} from './robots-reader.ts';
import type { Published } from './signals.ts';
import { crawlOf, groupAudiences, type Row, type Table, textOf, useOf } from './table.ts';
import { isFree } from './values.ts';
import { FORMATS, USE_WORDS, USES } from './words.ts';

export interface Contradiction {
  pattern: string;
  crawler: string;
  message: string;
}

const FOUND_MAX = 100;
/** Rules that are compared with addresses; the rest of a large file is not read back. */
const STEPS_MAX = 1_000_000;
/** Finding the row of an address takes about as long as so many rules. */
const STEPS_OF_ROW = 20;

const known = new WeakMap<Published, Promise<readonly Contradiction[]>>();

export function contradictionsIn(published: Published): Promise<readonly Contradiction[]> {
  const before = known.get(published);
  if (before !== undefined) return before;
  const begun = find(published);
  known.set(published, begun);
  return begun;
}

async function find({ table, files }: Published): Promise<Contradiction[]> {
  const found: Contradiction[] = [];
  const robots = files['robots.txt'];
  if (typeof robots !== 'string') await readBackRobots(table, robots.body, found);
  const tdmrep = files['tdmrep.json'];
  if (typeof tdmrep !== 'string') readBackTdmrep(table, tdmrep.body, found);
  return found.slice(0, FOUND_MAX);
}

/** Returns the row that decides about an address; undefined for an address that no policy is asked about. */
function askedRow(table: Table, path: string): Row | undefined {
  const target = parseTarget(path);
  const row = target && rowAt(table, { host: table.host, ...target });
  return row?.cell.policyId === null ? undefined : row;
}

async function readBackRobots(table: Table, text: string, found: Contradiction[]): Promise<void> {
  const robots = readRobots(text);
  const slices = new Slices();
  const patterns = table.rows.map(({ pattern }) => textOf(pattern));
  let steps = STEPS_MAX;
  for (const { audience } of groupAudiences(table, USES)) {
    const crawler = table.audiences[audience]?.token ?? '*';
    const group = robots.groupOf(crawler.replace(/\/$/, ''));
    const texts = new Set([...patterns, ...group.rules.map((rule) => rule.text)]);
    for (const pattern of texts) {
      for (const path of examplesOf(pattern)) {
        steps -= group.rules.length + STEPS_OF_ROW;
        const row = askedRow(table, path);
        if (row === undefined || crawlOf(row, audience).allowed || !mayFetch(group, toReadable(path))) continue;
        const message = `robots.txt lets ${crawler} fetch ${path}, which a policy denies.`;
        found.push({ pattern: textOf(row.pattern), crawler, message });
        break;
      }
      await slices.next();
      if (steps < 0 || found.length >= FOUND_MAX) return;
    }
    found.push(...readBackSignal(table, audience, group));
  }
}

/** `yes` holds for every address that may be fetched. */
function readBackSignal(table: Table, audience: number, { rules, others }: RobotsGroup): Contradiction[] {
  const lines = others.get('content-signal') ?? [];
  // The lines of the site's own groups are its own.
  if (lines.length !== 1 || !rules.every(({ isOurs }) => isOurs)) return [];
  const words = new Map((lines[0] ?? '').split(',').map((part) => part.trim().split('=') as [string, string]));
  const crawler = table.audiences[audience]?.token ?? '*';
  return USES.flatMap((use) => {
    const word = USE_WORDS[use].contentSignal;
    if (word === null || words.get(word) !== FORMATS.contentSignal.values[1]) return [];
    const row = table.rows.find(
      (one) => one.cell.policyId !== null && crawlOf(one, audience).allowed && !useOf(one, use, audience).allowed,
    );
    if (row === undefined) return [];
    const pattern = textOf(row.pattern);
    return [
      { pattern, crawler, message: `Content-Signal permits ${crawler} ${word}, which a policy denies at ${pattern}.` },
    ];
  });
}

function readBackTdmrep(table: Table, text: string, found: Contradiction[]): void {
  const entries = (JSON.parse(text) as { location: string; 'tdm-reservation': number }[]).slice(0, 1_000);
  const rules = entries.map((entry) => ({ entry, pattern: toPattern(inOneSpelling(entry.location)) }));
  for (const { location } of entries) {
    const wrong = examplesOf(location).find((path) => {
      const row = askedRow(table, path);
      const first = rules.find(({ pattern }) => matchesReadable(pattern, toReadable(path)));
      const isReserved = first?.entry['tdm-reservation'] === FORMATS.tdmrep.values[0];
      return row !== undefined && !isReserved && USES.some((use) => USE_WORDS[use].tdm && !isFree(row.cell, use));
    });
    if (wrong === undefined) continue;
    found.push({
      pattern: location,
      crawler: '*',
      message: `tdmrep.json reserves nothing at ${wrong}, where a policy denies mining.`,
    });
    if (found.length >= FOUND_MAX) return;
  }
}
