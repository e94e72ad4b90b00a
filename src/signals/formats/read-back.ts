/**
 * Reads the formats without groups of crawlers back, and Content-Usage, and compares what they permit with the answers
 * of `decide` in the table.
 */

import { Slices } from '../../lib/slices.ts';
import { type Locator, parseTarget } from '../../lib/urls/locator.ts';
import type { PathPattern } from '../../lib/urls/url-pattern.ts';
import type { Offered } from '../../requesters/offers/offer.ts';
import { formatAmount } from '../../rules/terms/money.ts';
import { PREFERRED } from '../robots/aipref.ts';
import {
  examplePaths,
  inOneSpelling,
  matchesReadable,
  type RobotsGroup,
  toPattern,
  toReadable,
} from '../robots/robots-reader.ts';
import { prefers, usageRules } from '../robots/usage-reader.ts';
import { spellPattern, type Table, type TableRow, useAnswer } from '../table/table.ts';
import { askedRows, isFree } from '../table/values.ts';
import { FORMATS, USE_WORDS, USES, type Use } from '../table/words.ts';
import { rowAt } from './page-headers.ts';
import { contentForClient, contentsFor, type RslContent, readRsl } from './rsl-reader.ts';

export interface Contradiction {
  pattern: string;
  crawler: string;
  message: string;
}

export type ReadBack = (table: Table, text: string, found: Contradiction[]) => Promise<void>;

export const FOUND_MAX = 100;
/** Rules that are compared with addresses; the rest of a large file is not read back. */
export const STEPS_MAX = 1_000_000;
/** Finding the row of an address takes about as long as so many rules. */
export const STEPS_OF_ROW = 20;

/** Returns the row that decides about an address; undefined for an address that no policy is asked about. */
export function askedRow(table: Table, path: string): TableRow | undefined {
  const target = parseTarget(path);
  const locator: Locator | undefined = target && { host: table.host, ...target };
  const row = locator && rowAt(table, locator);
  return row?.cell.policyId === null ? undefined : row;
}

/** The group that a crawler reads. */
export interface GroupOf {
  audience: number;
  crawler: string;
  group: RobotsGroup;
}

/** The `Content-Usage` of Postern in a group. */
interface Usage {
  texts: string[];
  /** Returns a preference that is permitted at a path and that a policy denies. */
  wrongAt(row: TableRow, path: string): string | undefined;
}

export function readUsage({ audience, crawler, group }: GroupOf): Usage {
  const rules = usageRules(group.ours.get('content-usage') ?? []);
  return {
    texts: rules.map(({ text }) => text),
    wrongAt(row, path) {
      const readable = toReadable(path);
      const matches = (pattern: PathPattern): boolean => matchesReadable(pattern, readable);
      const found = PREFERRED.find(
        (use) =>
          !useAnswer(row, use, audience).allowed &&
          prefers(rules, `${USE_WORDS[use].aipref}=${FORMATS.aipref.values[1]}`, matches),
      );
      return found && `Content-Usage permits ${crawler} ${USE_WORDS[found].aipref} at ${path}`;
    },
  };
}

export async function readBackRsl(table: Table, text: string, found: Contradiction[]): Promise<void> {
  const slices = new Slices();
  const contents = await readRsl(text, table.host, slices);
  const texts = new Set([
    ...askedRows(table.rows).map(({ pattern }) => spellPattern(pattern)),
    ...contents.map(toText),
  ]);
  let steps = STEPS_MAX;
  for (const pattern of texts) {
    for (const path of examplePaths(pattern)) {
      steps -= 2 * contents.length + STEPS_OF_ROW;
      const row = askedRow(table, path);
      const use = row && permittedWrongly(row, contents, path);
      if (use === undefined) continue;
      const message = `license.xml permits ${USE_WORDS[use].rsl} at ${path}, which a policy denies.`;
      found.push({ pattern, crawler: '*', message });
      break;
    }
    await slices.next();
    if (steps < 0 || found.length >= FOUND_MAX) return;
  }
}

const toText = ({ text }: RslContent): string => text;

/** Finds a use that a reader finds permitted, and that is neither free nor for sale at that price. */
function permittedWrongly(row: TableRow, contents: readonly RslContent[], path: string): Use | undefined {
  const client = contentForClient(contents, path);
  const readings = [contentsFor(contents, path), client === undefined ? [] : [client]];
  return USES.find(
    (use) =>
      !isFree(row.cell, use) &&
      readings.some(
        (reading) =>
          reading.length > 0 &&
          reading.every(({ permitted }) => permitted.includes(USE_WORDS[use].rsl)) &&
          !reading.some(({ payment }) => payment !== null && payment === formatPrice(row.offers?.[use])),
      ),
  );
}

function formatPrice(offer: Offered | undefined): string | undefined {
  if (offer === undefined) return undefined;
  const { unit, unitPriceMicros, currency } = offer;
  const type = unit === 'decision' ? 'crawl' : 'subscription';
  if (unitPriceMicros === undefined || currency === undefined) return type;
  return `${type} ${currency} ${formatAmount(BigInt(unitPriceMicros), currency)}`;
}

export async function readBackTdmrep(table: Table, text: string, found: Contradiction[]): Promise<void> {
  const slices = new Slices();
  const entries = (JSON.parse(text) as { location: string; 'tdm-reservation': number }[]).slice(0, 1_000);
  const rules = entries.map((entry) => ({ entry, pattern: toPattern(inOneSpelling(entry.location)) }));
  for (const { location } of entries) {
    const wrong = examplePaths(location).find((path) => {
      const row = askedRow(table, path);
      const first = rules.find(({ pattern }) => matchesReadable(pattern, toReadable(path)));
      const isReserved = first?.entry['tdm-reservation'] === FORMATS.tdmrep.values[0];
      return row !== undefined && !isReserved && USES.some((use) => USE_WORDS[use].tdm && !isFree(row.cell, use));
    });
    await slices.next();
    if (wrong === undefined) continue;
    found.push({
      pattern: location,
      crawler: '*',
      message: `tdmrep.json reserves nothing at ${wrong}, where a policy denies mining.`,
    });
    if (found.length >= FOUND_MAX) return;
  }
}
