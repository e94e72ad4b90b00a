/** Writes one group of robots.txt: the names of its crawlers, its statements and its rules. Pure. */

import { EVERYWHERE } from '../table/regions.ts';
import { crawlAnswer, type Inexpressible, type Table, type TableRow, useAnswer } from '../table/table.ts';
import { askedRows } from '../table/values.ts';
import { FORMATS, USE_WORDS, type Use } from '../table/words.ts';
import { NO_USAGE, usageLines } from './aipref.ts';
import { KnownRules } from './known-rules.ts';
import { type RankedRule, spellDenied, toLongestMatch } from './longest-match.ts';
import type { Base, BaseLine } from './robots-base.ts';
import type { NamedGroup } from './robots-groups.ts';
import { inOneSpelling } from './robots-reader.ts';
import type { BookRule } from './rule-book.ts';

const KIND = 'robots.txt';

interface GroupParts extends NamedGroup {
  uses: readonly Use[];
  licenseUrl: string | null;
  base: Base;
  /** Everything is disallowed to crawlers that may not fetch everything. */
  isClosed: boolean;
  /** The rules of the site are not looked at. */
  isAlone: boolean;
}

interface WrittenGroup {
  lines: string[];
  cannotExpress: Inexpressible[];
  stricter: string[];
  closed: string[];
  open: string[];
}

export function writeGroup(table: Table, parts: GroupParts): WrittenGroup {
  const { tokens, audiences, uses, licenseUrl, base } = parts;
  const ranked = rankRows(table, parts);
  const isMerged = tokens.some((token) => token === '*' || base.isNamed(token));
  const { signal, cannotExpress } = toSignal(table.rows, audiences, uses);
  if (isMerged && signal !== '' && tokens.some((token) => base.isNamed(token) && hasSignal(base, token)))
    cannotExpress.push(OWN_SIGNAL);
  const { contentUsage } = table.site.signals;
  const usage = contentUsage && !parts.isClosed ? usageLines(table.rows, audiences) : NO_USAGE;
  cannotExpress.push(...usage.cannotExpress);
  const repeated = isMerged || parts.isAlone ? NONE : repeatLines(base.everybody.lines, ranked);
  const lines = repeated.lines.filter(({ key, value }) => {
    if (key === 'content-signal') return signal === '' && !/=\s*yes/i.test(value);
    return key !== 'content-usage' || (!contentUsage && !/=\s*y/i.test(value));
  });
  const head = [
    ...(licenseUrl === null ? [] : [`License: ${licenseUrl}`]),
    ...(signal === '' ? [] : [`Content-Signal: ${signal}`]),
    ...usage.lines,
    ...lines.map(({ name, value }) => `${name}: ${value}`),
  ];
  const written = besideRules(ranked, { ...parts, isMerged, repeated: lines });
  return {
    ...written,
    cannotExpress,
    closed: [...written.closed, ...repeated.closed],
    lines: written.parts.flatMap(({ tokens: some, rules }, i) => [
      ...(i === 0 ? [] : ['']),
      // That of everybody is the last name: it stands above its rules.
      ...some.toSorted((a, b) => Number(a === '*') - Number(b === '*')).map((token) => `User-agent: ${token}`),
      ...head,
      ...(rules.length + lines.filter(isRule).length === 0 ? ['Disallow:'] : rules),
    ]),
  };
}

const isRule = ({ key }: BaseLine): boolean => key === 'allow' || key === 'disallow';

const hasSignal = (base: Base, token: string): boolean =>
  base.groupOf(token).lines.some(({ key }) => key === 'content-signal');

function rankRows({ rows }: Table, { audiences, isClosed }: GroupParts): RankedRule[] {
  const ranked = rows.map(
    (row): RankedRule => ({
      pattern: row.pattern,
      allowed: audiences.every((audience) => crawlAnswer(row, audience).allowed),
      isFile: row.cell.policyId === null,
    }),
  );
  if (!isClosed || ranked.every(({ allowed }) => allowed)) return ranked;
  return [{ pattern: EVERYWHERE, allowed: false }];
}

const NONE = { lines: [], closed: [] };

/** Returns the lines of `*` for a group that replaces it, without those that would open what is denied. */
function repeatLines(lines: readonly BaseLine[], ranked: readonly RankedRule[]) {
  const denied = toKnownRules(ranked.filter(({ allowed }) => !allowed).flatMap(({ pattern }) => spellDenied(pattern)));
  const disallowed = toKnownRules(
    lines.flatMap(({ key, value }) => (key === 'disallow' ? [inOneSpelling(value)] : [])),
  );
  const isOpening = ({ key, value }: BaseLine): boolean =>
    key === 'allow' && denied.longestBeside(inOneSpelling(value)) > 0;
  const closed = lines.filter((line) => isOpening(line) && disallowed.longestBeside(inOneSpelling(line.value)) > 0);
  return { lines: lines.filter((line) => !isOpening(line)), closed: closed.map(({ value }) => value) };
}

function toKnownRules(texts: readonly string[]): KnownRules {
  const known = new KnownRules();
  for (const text of new Set(texts)) if (text !== '') known.add(text);
  return known;
}

interface Beside extends GroupParts {
  isMerged: boolean;
  repeated: readonly BaseLine[];
}

/** Splits tokens where the site's own rules for some of them need other rules beside them. */
function besideRules(ranked: readonly RankedRule[], { tokens, base, isMerged, repeated, isAlone }: Beside) {
  const about = { stricter: new Set<string>(), closed: new Set<string>(), open: new Set<string>() };
  const parts = new Map<string, { tokens: string[]; rules: string[] }>();
  const known = new Map<unknown, string[]>();
  for (const token of tokens) {
    const group = isMerged ? base.groupOf(token) : repeated;
    let rules = known.get(group);
    if (rules === undefined) {
      const site = isMerged ? base.groupOf(token).rules : toRules(repeated);
      const found = toLongestMatch(ranked, isAlone ? [] : site);
      for (const name of ['stricter', 'closed', 'open'] as const) for (const text of found[name]) about[name].add(text);
      rules = found.rules.map(toLine);
      known.set(group, rules);
    }
    const whole = rules.join('\n');
    const part = parts.get(whole) ?? { tokens: [], rules };
    part.tokens.push(token);
    parts.set(whole, part);
  }
  const { stricter, closed, open } = about;
  return { parts: [...parts.values()], stricter: [...stricter], closed: [...closed], open: [...open] };
}

const toRules = (lines: readonly BaseLine[]): BookRule[] =>
  lines
    .filter((line) => isRule(line) && line.value !== '')
    .map(({ key, value }) => ({
      text: inOneSpelling(value),
      allowed: key === 'allow',
    }));

const toLine = ({ allowed, text }: BookRule): string => `${allowed ? 'Allow' : 'Disallow'}: ${text}`;

const OWN_SIGNAL: Inexpressible = {
  kind: KIND,
  about: ['Content-Signal'],
  message: 'The site’s own file has Content-Signal lines, which stay. Remove them, or switch `contentSignal` off.',
};

/** Returns one value for all paths: yes only if every path that may be fetched says so. */
function toSignal(rows: readonly TableRow[], audiences: readonly number[], uses: readonly Use[]) {
  const cannotExpress: Inexpressible[] = [];
  const asked = askedRows(rows);
  const words = uses.flatMap((use) => {
    const word = USE_WORDS[use].contentSignal;
    if (word === null || asked.length === 0) return [];
    const values = audiences.map((audience) => {
      const open = asked.filter((row) => crawlAnswer(row, audience).allowed);
      const allowing = open.filter((row) => useAnswer(row, use, audience).allowed).length;
      if (allowing > 0 && allowing < open.length) {
        const message = 'Some paths allow this use and others do not. Content-Signal has one value for all paths: no.';
        cannotExpress.push({ kind: KIND, about: [word], message });
      }
      return allowing > 0 && allowing === open.length;
    });
    return [`${word}=${FORMATS.contentSignal.values[values.every(Boolean) ? 1 : 0]}`];
  });
  return { signal: words.join(', '), cannotExpress };
}
