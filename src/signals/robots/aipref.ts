/**
 * Renders `Content-Usage` (draft-ietf-aipref-vocab-08, attached as in draft-ietf-aipref-attach-05): lines of a group of
 * robots.txt, and the header of an answer. Pure. Both are drafts without consensus.
 */

import { crawlAnswer, type Inexpressible, type TableRow, useAnswer } from '../table/table.ts';
import { askedRows, isFree } from '../table/values.ts';
import { FORMATS, USE_WORDS, USES, type Use } from '../table/words.ts';
import { byOctets, toNarrowest } from './ranking.ts';

export const PREFERRED: readonly Use[] = USES.filter((use) => USE_WORDS[use].aipref !== null);

const ABOUT_MAX = 20;
const [NO, YES] = FORMATS.aipref.values;

const toValue = (isAllowed: (use: Use) => boolean): string =>
  PREFERRED.map((use) => `${USE_WORDS[use].aipref}=${isAllowed(use) ? YES : NO}`).join(', ');

/** The most restrictive of both: `y` only where both say so. */
const least = (one: string, other: string): string => {
  const others = other.split(', ');
  return one
    .split(', ')
    .map((word, i) => (word === others[i] ? word : word.replace(`=${YES}`, `=${NO}`)))
    .join(', ');
};

interface UsageLines {
  lines: string[];
  cannotExpress: Inexpressible[];
}

export const NO_USAGE: UsageLines = { lines: [], cannotExpress: [] };

/** Returns the lines of a group. Preferences are about what may be fetched, so a use needs access. */
export function usageLines(rows: readonly TableRow[], audiences: readonly number[]): UsageLines {
  const values = askedRows(rows).map((row) => ({
    pattern: row.pattern,
    value: toValue((use) =>
      audiences.every((audience) => crawlAnswer(row, audience).allowed && useAnswer(row, use, audience).allowed),
    ),
  }));
  if (values.length === 0) return NO_USAGE;
  const ranking = toNarrowest(values, { least, measure: byOctets, segments: false });
  const entries = ranking?.entries ?? [{ texts: ['/*'], value: values.map(({ value }) => value).reduce(least) }];
  const lines = entries.flatMap(({ texts, value }) =>
    texts.map((text) => `Content-Usage: ${text.replace(/(?<=.)\*$/, '')} ${value}`),
  );
  const lowered = ranking?.lowered ?? ['/'];
  return {
    lines,
    cannotExpress:
      lowered.length === 0 ? [] : [{ kind: 'robots.txt', about: lowered.slice(0, ABOUT_MAX), message: LOWERED }],
  };
}

const LOWERED =
  'Content-Usage cannot separate these paths from others with stricter preferences, so the stricter ones are published for them.';

/** Returns the value of the header for a page of the row. */
export const usageHeader = ({ cell }: TableRow): string => toValue((use) => isFree(cell, use));
