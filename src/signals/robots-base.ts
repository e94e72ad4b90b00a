/** Reads a site's own robots.txt as crawlers do (RFC 9309, section 2.2), to write groups beside it. Pure. */

import { type Rule, inOneSpelling as spell } from './longest-match.ts';
import { inOneSpelling } from './robots-reader.ts';

/** A group of one token: all of its groups in the file together. */
interface BaseGroup {
  /** Its lines but those that name crawlers. */
  lines: { name: string; value: string }[];
}

export interface Base {
  /** Tokens with a group of their own, as they are written; without `*`. */
  readonly tokens: readonly string[];
  isNamed(token: string): boolean;
  /** Its last group has no rule yet: the next one would belong to it. */
  readonly isOpen: boolean;
  /** Paths that the group of a token allows; `*` where it has none. */
  allowed(token: string): string[];
  /** The rules of the group of a token, in all spellings; those of `*` where it has none. */
  rules(token: string): Rule[];
  /** The lines of `*`, for groups that replace it. */
  readonly everybody: readonly string[];
  /** Returns whether the group of a token has a line of this name. */
  has(token: string, name: string): boolean;
}

/** Lines that belong to no group. */
const GLOBAL: ReadonlySet<string> = new Set(['sitemap', 'host', 'license']);

export function readBase(text: string): Base {
  const groups = new Map<string, BaseGroup>();
  const tokens: string[] = [];
  let current: BaseGroup[] = [];
  let isNaming = false;
  const begin = (value: string): void => {
    if (!isNaming) current = [];
    isNaming = true;
    const token = toKey(value);
    if (!groups.has(token) && token !== '*' && token !== '') tokens.push(value.replace(/\/.*$/, '').trim());
    const group = groups.get(token) ?? { lines: [] };
    groups.set(token, group);
    current.push(group);
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] = LINE.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === 'user-agent') begin(value);
    else if (key !== '' && !GLOBAL.has(key)) {
      isNaming = false;
      for (const group of current) group.lines.push({ name, value });
    }
  }
  return { ...toBase(groups, tokens), isOpen: isNaming };
}

const LINE = /^\s*([^:#]+?)\s*:\s*([^#]*?)\s*(?:#.*)?$/;

function toBase(groups: ReadonlyMap<string, BaseGroup>, tokens: readonly string[]): Omit<Base, 'isOpen'> {
  const linesOf = (token: string): BaseGroup['lines'] =>
    (groups.get(toKey(token)) ?? groups.get('*') ?? { lines: [] }).lines;
  return {
    tokens,
    everybody: (groups.get('*')?.lines ?? []).map(({ name, value }) => `${name}: ${value}`),
    isNamed: (token) => groups.has(toKey(token)),
    allowed: (token) =>
      linesOf(token).flatMap(({ name, value }) => (name.toLowerCase() === 'allow' && value !== '' ? [value] : [])),
    rules: (token) => linesOf(token).flatMap(toRules),
    has: (token, wanted) => linesOf(token).some(({ name }) => name.toLowerCase() === wanted),
  };
}

/** An empty rule says nothing. Readers differ in the escapes that they take for the character itself. */
function toRules({ name, value }: BaseGroup['lines'][number]): Rule[] {
  const isRule = value !== '' && /^(?:dis)?allow$/i.test(name);
  const texts = isRule ? new Set([inOneSpelling(value), spell(value)]) : [];
  return [...texts].map((text) => ({ text, allowed: /^allow$/i.test(name) }));
}

/** Tokens are compared without a version and in lowercase. */
const toKey = (token: string): string => token.replace(/\/.*$/, '').trim().toLowerCase();
