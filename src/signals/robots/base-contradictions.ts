/** Finds lines of the site's own robots.txt that say something else than the policies: they stay as they are. Pure. */
import { canMatchBoth, impliesPath } from '../../lib/urls/url-pattern.ts';
import { crawlAnswer, spellPattern, type Table, type TableRow, useAnswer } from '../table/table.ts';
import { askedRows } from '../table/values.ts';
import { FORMATS, USE_WORDS, USES, type Use } from '../table/words.ts';
import { spellDenied } from './longest-match.ts';
import type { Base, BaseGroup, BaseLine } from './robots-base.ts';
import type { NamedGroup } from './robots-groups.ts';
import { inOneSpelling, toPattern } from './robots-reader.ts';
import { usageRules } from './usage-reader.ts';

export interface BaseContradiction {
  /** The line of the site's own file, from 1. */
  readonly line: number;
  readonly statement: string;
  /** The first crawler that reads it; `*`: everybody else. */
  readonly crawler: string;
  /** Where a policy says something else. */
  readonly pattern: string;
  readonly message: string;
}

const FOUND_MAX = 100;
/** Rows that are compared with lines; the rest of a large file is not compared. */
const STEPS_MAX = 1_000_000;

/** `groups`: crawlers that the policies treat alike. */
export function contradictionsOfBase(table: Table, base: Base, groups: readonly NamedGroup[]): BaseContradiction[] {
  const work: Work = { rows: askedRows(table.rows), steps: STEPS_MAX };
  const found: BaseContradiction[] = [];
  for (const { tokens, audiences } of groups) {
    for (const [group, crawler] of findReadGroups(tokens, groups, base)) {
      for (const line of group.lines) {
        const pattern = wrongAt(line, audiences[0] as number, work);
        if (pattern !== undefined) found.push(toContradiction(line, crawler, pattern));
        if (found.length >= FOUND_MAX || work.steps < 0) return found;
      }
    }
  }
  return found.toSorted((a, b) => a.line - b.line);
}

/** Returns the groups of the site that some of the tokens read, with the first of them. */
function findReadGroups(tokens: readonly string[], groups: readonly NamedGroup[], base: Base): Map<BaseGroup, string> {
  const read = new Map<BaseGroup, string>();
  // A group of ours replaces that of `*` for crawlers that the file does not name.
  const others = tokens[0] === '*' ? base.tokens.filter((token) => !isIn(groups, token)) : [];
  for (const token of [...tokens, ...others].filter((one) => one === '*' || base.isNamed(one))) {
    const group = base.groupOf(token);
    if (!read.has(group)) read.set(group, token);
  }
  return read;
}

const isIn = (groups: readonly NamedGroup[], token: string): boolean =>
  groups.some(({ tokens }) => tokens.some((one) => one.toLowerCase() === token.toLowerCase()));

function toContradiction({ no, name, value }: BaseLine, crawler: string, pattern: string): BaseContradiction {
  const statement = `${name}: ${value}`.slice(0, 500);
  const reader = crawler === '*' ? 'everybody' : crawler;
  return {
    line: no,
    statement,
    crawler,
    pattern,
    message: `Line ${no} of the site’s own robots.txt says "${statement}" to ${reader}; a policy denies that at ${pattern}.`,
  };
}

interface Work {
  rows: readonly TableRow[];
  steps: number;
}

/** Returns the pattern of a row that denies what a line allows. */
function wrongAt({ key, value }: BaseLine, audience: number, work: Work): string | undefined {
  const mayFetch = (row: TableRow): boolean => crawlAnswer(row, audience).allowed;
  const mayUse =
    (use: Use) =>
    (row: TableRow): boolean =>
      mayFetch(row) && useAnswer(row, use, audience).allowed;
  if (key === 'allow' && value !== '') return findDenied(value, work, mayFetch);
  if (key === 'content-signal') {
    const words = value.split(',').map((part) => part.replaceAll(/\s/g, '').toLowerCase());
    return findFirst(permittedBy(words, 'contentSignal'), (use) => findDenied('/', work, mayUse(use)));
  }
  const [rule] = key === 'content-usage' ? usageRules([value]) : [];
  if (rule === undefined) return undefined;
  return findFirst(permittedBy(rule.value.split(', '), 'aipref'), (use) => findDenied(rule.text, work, mayUse(use)));
}

/** Returns the uses that words such as `train-ai=y` permit. */
const permittedBy = (words: readonly string[], format: 'aipref' | 'contentSignal'): Use[] =>
  USES.filter((use) => words.includes(`${USE_WORDS[use][format]}=${FORMATS[format].values[1]}`));

function findFirst<T, R>(all: readonly T[], find: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the pattern of the first row that holds for an address of the text, unless it is allowed there. */
function findDenied(text: string, work: Work, isAllowed: (row: TableRow) => boolean): string | undefined {
  const own = toPattern(inOneSpelling(text));
  for (const row of work.rows) {
    if (--work.steps < 0) return undefined;
    const patterns = spellDenied(row.pattern).map(toPattern);
    if (!patterns.some((pattern) => canMatchBoth(own, pattern))) continue;
    if (!isAllowed(row)) return spellPattern(row.pattern);
    if (patterns.some((pattern) => impliesPath(own, pattern))) return undefined;
  }
  return undefined;
}
