/**
 * Renders robots.txt (RFC 9309) with `Content-Signal` and `License`. Pure. Promise: no crawler of the directory reads
 * that it may fetch what the policies deny it. A group replaces that of `*` for its crawlers, so each is complete.
 */

import { usageLines } from './aipref.ts';
import { keepClosed } from './keep-closed.ts';
import { type Ranked, type Rule, type Rules, toLongestMatch } from './longest-match.ts';
import { type Base, readBase } from './robots-base.ts';
import { BEGIN, END } from './robots-reader.ts';
import { crawlOf, type Group, groupAudiences, type Inexpressible, type Row, type Table, useOf } from './table.ts';
import { FORMATS, USE_WORDS, USES, type Use } from './words.ts';

interface Rendering {
  text: string;
  cannotExpress: Inexpressible[];
  /** Why the file is not served; null: it is. */
  refusal: string | null;
}

/** Parsers must read this much and may ignore the rest. */
const BYTES_MAX = 500 * 1024;
const KIND = 'robots.txt';
const ABOUT_MAX = 20;

const SIGNALED: readonly Use[] = USES.filter((use) => USE_WORDS[use].contentSignal !== null);

/** `licenseUrl`: null without a license document. */
export function renderRobots(table: Table, licenseUrl: string | null): Rendering {
  const { signals } = table.site;
  const base = signals.robots === 'augment' ? (signals.robotsBase ?? '') : '';
  const cannotExpress: Inexpressible[] = [];
  const lines: string[] = [];
  const uses = signals.contentSignal ? SIGNALED : [];
  const own = readBase(base);
  const named = namedGroups(table, groupedUses(table.site), cannotExpress).flatMap((one, _, all) =>
    besideBase(one, all, own),
  );
  const stricter = new Set<string>();
  let bytes = Buffer.byteLength(base);
  for (const { tokens, group } of named) {
    const written = writeGroup(table, { tokens, group, uses, licenseUrl, base: own });
    for (const text of written.stricter) stricter.add(text);
    cannotExpress.push(...written.cannotExpress);
    lines.push('', ...written.lines);
    bytes += written.lines.reduce((sum, line) => sum + line.length + 1, 1);
    if (bytes > BYTES_MAX) break;
  }
  if (stricter.size > 0) cannotExpress.push(aboutPatterns(stricter));
  // An empty rule ends a group of the site that has none.
  const marked = [BEGIN, ...(own.isOpen ? ['Disallow:'] : []), ...lines, '', END, ''].join('\n');
  const text = base === '' || base.endsWith('\n') ? base + marked : `${base}\n${marked}`;
  return { text, cannotExpress: unique(cannotExpress), refusal: bytes > BYTES_MAX ? TOO_LONG : null };
}

/** Both formats have words for the same uses. */
const groupedUses = ({ signals }: Table['site']): readonly Use[] =>
  signals.contentSignal || signals.contentUsage ? SIGNALED : [];

const unique = (all: readonly Inexpressible[]): Inexpressible[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
];

const TOO_LONG = `The file would be longer than ${BYTES_MAX / 1024} KiB, which crawlers need not read. Use fewer or shorter path patterns.`;

const aboutPatterns = (texts: ReadonlySet<string>): Inexpressible => ({
  kind: KIND,
  about: [...texts].slice(0, ABOUT_MAX),
  message:
    'In robots.txt, `*` and `$` also apply to the query of a URL. Some URLs with such a query are disallowed too.',
});

/** Tokens as crawlers find their group: one word. */
const TOKEN = /^[A-Za-z0-9][\w.-]*$/;
const toToken = (token: string): string => token.replace(/\/$/, '');

interface NamedGroup {
  tokens: string[];
  group: Group;
}

/** Returns the group of `*`, then those of crawlers with other answers. */
function namedGroups(table: Table, uses: readonly Use[], cannotExpress: Inexpressible[]): NamedGroup[] {
  const { audiences } = table;
  const [everybody, ...others] = groupAudiences(table, uses);
  const named = others.map((group) => ({
    group,
    tokens: group.audiences.map((i) => toToken(audiences[i]?.token ?? '')),
  }));
  const unnamable = named.flatMap(({ tokens }) => tokens.filter((token) => !TOKEN.test(token)));
  if (unnamable.length > 0) {
    cannotExpress.push({
      kind: KIND,
      about: unnamable.slice(0, ABOUT_MAX),
      message: 'The names of these crawlers are no tokens of robots.txt, so they read what everybody else reads.',
    });
  }
  const groups = named.map(({ group, tokens }) => ({ group, tokens: tokens.filter((token) => TOKEN.test(token)) }));
  const all = groups.flatMap(({ tokens }) => tokens.map((token) => token.toLowerCase()));
  // Some parsers take a group whose token is a part of theirs: those of `*` with such names get it by name.
  const mistaken = (everybody?.audiences ?? [])
    .map((i) => toToken(audiences[i]?.token ?? ''))
    .filter((token) => TOKEN.test(token) && all.some((other) => token.toLowerCase().includes(other)));
  return [
    ...(everybody === undefined ? [] : [{ tokens: ['*', ...new Set(mistaken)], group: everybody }]),
    ...groups
      .filter(({ tokens }) => tokens.length > 0)
      .map(({ group, tokens }) => ({ group, tokens: [...new Set(tokens)] })),
  ];
}

/**
 * Splits a group into tokens that are merged with groups of the site's own file, and tokens that replace its `*`.
 * Crawlers that the file names and the directory does not know are part of everybody.
 */
function besideBase({ tokens, group }: NamedGroup, groups: readonly NamedGroup[], base: Base): NamedGroup[] {
  const isTaken = (token: string): boolean =>
    groups.some((one) => one.tokens.some((other) => other.toLowerCase() === token.toLowerCase()));
  const all = tokens[0] === '*' ? [...tokens, ...base.tokens.filter((token) => !isTaken(token))] : tokens;
  const merged = all.filter((token) => base.isNamed(token) || token === '*');
  const replacing = all.filter((token) => !merged.includes(token));
  return [merged, replacing].filter((some) => some.length > 0).map((some) => ({ tokens: some, group }));
}

interface GroupParts extends NamedGroup {
  uses: readonly Use[];
  licenseUrl: string | null;
  base: Base;
}

function writeGroup(table: Table, { tokens, group, uses, licenseUrl, base }: GroupParts) {
  const { audience } = group;
  const ranked = table.rows.map((row): Ranked => ({ pattern: row.pattern, allowed: crawlOf(row, audience).allowed }));
  const beside = [...new Set(tokens.flatMap((token) => base.allowed(token)))];
  const own: Rules = toLongestMatch(ranked, beside);
  const isMerged = tokens.some((token) => token === '*' || base.isNamed(token));
  const { signal, cannotExpress } = signalOf(table.rows, audience, uses);
  const repeated = isMerged ? [] : base.everybody.filter((line) => signal === '' || !/^content-signal:/i.test(line));
  if (isMerged && signal !== '' && tokens.some((token) => base.isNamed(token) && base.has(token, 'content-signal')))
    cannotExpress.push(OWN_SIGNAL);
  const usage = table.site.signals.contentUsage ? usageLines(table.rows, audience) : NO_USAGE;
  cannotExpress.push(...usage.cannotExpress);
  const head = [
    ...(licenseUrl === null ? [] : [`License: ${licenseUrl}`]),
    ...(signal === '' ? [] : [`Content-Signal: ${signal}`]),
    ...usage.lines,
    ...repeated,
  ];
  const { parts, closed } = besideRules(tokens, own.rules, base);
  if (closed.length > 0) cannotExpress.push({ kind: KIND, about: closed.slice(0, ABOUT_MAX), message: CLOSED });
  const lines = parts.flatMap(({ tokens: some, rules }, i) => [
    ...(i === 0 ? [] : ['']),
    ...some.map((token) => `User-agent: ${token}`),
    ...head,
    ...(rules.length + repeated.length === 0 ? ['Disallow:'] : rules),
  ]);
  return { lines, stricter: own.stricter, cannotExpress };
}

/** Splits tokens where the site's own rules for some of them need other rules beside them. */
function besideRules(tokens: readonly string[], ours: readonly Rule[], base: Base) {
  const closed = new Set<string>();
  const parts = new Map<string, { tokens: string[]; rules: string[] }>();
  const kept = new Map<string, string[]>();
  for (const token of tokens) {
    const site = base.rules(token);
    const name = site.map(toLine).join('\n');
    let rules = kept.get(name);
    if (rules === undefined) {
      const found = keepClosed(ours, site);
      for (const text of found.stricter) closed.add(text);
      rules = found.rules.map(toLine);
      kept.set(name, rules);
    }
    const whole = rules.join('\n');
    const part = parts.get(whole) ?? { tokens: [], rules };
    part.tokens.push(token);
    parts.set(whole, part);
  }
  return { parts: [...parts.values()], closed: [...closed] };
}

const toLine = ({ allowed, text }: Rule): string => `${allowed ? 'Allow' : 'Disallow'}: ${text}`;

const CLOSED =
  'What the site’s own file disallows stays so. Rules that would open some of it are left out or overruled, and some paths beside it are disallowed too.';

const NO_USAGE = { lines: [], cannotExpress: [] };

const OWN_SIGNAL: Inexpressible = {
  kind: KIND,
  about: ['Content-Signal'],
  message: 'The site’s own file has Content-Signal lines, which stay. Remove them, or switch `contentSignal` off.',
};

/** Returns one value for all paths: yes only if every path that may be fetched says so. */
function signalOf(rows: readonly Row[], audience: number, uses: readonly Use[]) {
  const cannotExpress: Inexpressible[] = [];
  const open = rows.filter((row) => row.cell.policyId !== null && crawlOf(row, audience).allowed);
  const stated = rows.some((row) => row.cell.policyId !== null);
  const words = uses.flatMap((use) => {
    const word = USE_WORDS[use].contentSignal;
    if (word === null || !stated) return [];
    const allowing = open.filter((row) => useOf(row, use, audience).allowed).length;
    if (allowing > 0 && allowing < open.length) {
      const message = 'Some paths allow this use and others do not. Content-Signal has one value for all paths: no.';
      cannotExpress.push({ kind: KIND, about: [word], message });
    }
    return [`${word}=${FORMATS.contentSignal.values[allowing > 0 && allowing === open.length ? 1 : 0]}`];
  });
  return { signal: words.join(', '), cannotExpress };
}
