/** Reads a site's own robots.txt as crawlers do (RFC 9309, section 2.2), to write groups beside it. Pure. */

import { inOneSpelling as spell } from './longest-match.ts';
import { parseRobotsLine } from './robots-line.ts';
import { inOneSpelling } from './robots-reader.ts';
import type { BookRule } from './rule-book.ts';

/** A line of a group. */
export interface BaseLine {
  /** From 1. */
  readonly no: number;
  readonly key: string;
  readonly name: string;
  readonly value: string;
}

/** A group of one token: all of its groups in the file together. */
export interface BaseGroup {
  /** Its lines but those that name crawlers. */
  readonly lines: readonly BaseLine[];
  /** Its rules, in all spellings. */
  readonly rules: readonly BookRule[];
}

export interface Base {
  /** Tokens with a group of their own, as they are written; without `*`. */
  readonly tokens: readonly string[];
  isNamed(token: string): boolean;
  /** Its last group has no rule yet: the next one would belong to it. */
  readonly isOpen: boolean;
  /** The group of a token; that of `*` where it has none. Tokens without their own share one object. */
  groupOf(token: string): BaseGroup;
  /** The group of `*`. */
  readonly everybody: BaseGroup;
}

/** Lines that belong to no group. */
const GLOBAL: ReadonlySet<string> = new Set(['sitemap', 'host', 'license']);
const NOTHING: BaseGroup = { lines: [], rules: [] };

export function readBase(text: string): Base {
  const drafts = new Map<string, BaseLine[]>();
  const tokens: string[] = [];
  let current: BaseLine[][] = [];
  let isNaming = false;
  let isOpen = false;
  const begin = (value: string): void => {
    if (!isNaming) current = [];
    isNaming = true;
    isOpen = true;
    const token = toKey(value);
    if (!drafts.has(token) && token !== '*' && token !== '') tokens.push(value.replace(/\/.*$/, '').trim());
    const lines = drafts.get(token) ?? [];
    drafts.set(token, lines);
    current.push(lines);
  };
  for (const [i, line] of text.split(/\r\n|\r|\n/).entries()) {
    const read = parseRobotsLine(line.replace(/^\uFEFF/, ''));
    if (read === undefined) continue;
    if (read.key === 'user-agent') begin(read.value);
    else if (!GLOBAL.has(read.key)) {
      isNaming = false;
      // For the reference parser, other lines end no list of names.
      if (isRule(read)) isOpen = false;
      for (const lines of current) lines.push({ no: i + 1, ...read });
    }
  }
  const groups = new Map([...drafts].map(([token, lines]) => [token, { lines, rules: lines.flatMap(toRules) }]));
  const everybody = groups.get('*') ?? NOTHING;
  return {
    tokens,
    isOpen,
    everybody,
    isNamed: (token) => groups.has(toKey(token)),
    groupOf: (token) => groups.get(toKey(token)) ?? everybody,
  };
}

const isRule = ({ key }: Pick<BaseLine, 'key'>): boolean => key === 'allow' || key === 'disallow';

/** An empty rule says nothing. Readers differ in the escapes that they take for the character itself. */
function toRules(line: BaseLine): BookRule[] {
  if (!isRule(line) || line.value === '') return [];
  const texts = new Set([inOneSpelling(line.value), spell(line.value)]);
  return [...texts].map((text) => ({ text, allowed: line.key === 'allow' }));
}

/** Tokens are compared without a version and in lowercase. */
const toKey = (token: string): string => token.replace(/\/.*$/, '').trim().toLowerCase();
