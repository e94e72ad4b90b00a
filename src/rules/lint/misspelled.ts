/** Names in rules that are probably misspelled: permissions, and texts that no user agent of a known crawler has. */
import type { Steps } from '../../lib/slices.ts';
import { nearest } from '../../lib/text.ts';
import { fromCrawlers } from '../crawlers/directory.ts';
import { GRANTS, type Rule } from '../policy.ts';
import { at, code, type Warning } from './warning.ts';

/** The most reported for one policy, since each is compared with all known permissions. */
const PERMISSIONS_MAX = 100;
/** The most compared with the tokens of all crawlers. */
const USER_AGENTS_MAX = 50;

/** A value of a rule, and its path. */
interface Named {
  index: number;
  value: string;
  param: string;
}

/** Returns the warnings by the index of their rule. */
export function* findMisspelled(rules: readonly Rule[]): Steps<Map<number, Warning[]>> {
  const granted = new Set(rules.flatMap((rule) => (rule.action === 'allow' ? (rule.permissions ?? []) : [])));
  const found = new Map<number, Warning[]>();
  const add = (index: number, warning: Warning): unknown => found.set(index, [...(found.get(index) ?? []), warning]);
  const unknown = rules.flatMap((rule, index) => findUnknownPermissions(rule, index, granted));
  for (const one of unknown.slice(0, PERMISSIONS_MAX)) {
    add(one.index, unknownPermission(one));
    yield;
  }
  const texts = rules.flatMap((rule, index) => namedIn(rule, index, ['userAgent', 'userAgentNot']));
  for (const one of texts.slice(0, USER_AGENTS_MAX)) {
    const meant = findToken(one.value);
    if (meant !== undefined) add(one.index, unknownUserAgent(one, meant));
    yield;
  }
  return found;
}

/** Returns the texts of conditions. */
const namedIn = ({ conditions = {} }: Rule, index: number, keys: readonly string[]): Named[] =>
  keys.flatMap((key) => {
    const named = conditions[key] as string | string[] | undefined;
    const path = at(index, `.conditions.${key}`);
    const toNamed = (value: string, i: number) => ({
      index,
      value,
      param: Array.isArray(named) ? `${path}[${i}]` : path,
    });
    return [named ?? []].flat().map(toNamed);
  });

/** A condition may name any permission that a rule of the policy grants. */
function findUnknownPermissions(rule: Rule, index: number, granted: ReadonlySet<string>): Named[] {
  const given = (rule.permissions ?? []).map((value, i) => ({ index, value, param: at(index, `.permissions[${i}]`) }));
  const named = namedIn(rule, index, ['permission', 'permissionNot']).filter(({ value }) => !granted.has(value));
  return [...given, ...named].filter(({ value }) => !(GRANTS as readonly string[]).includes(value));
}

function unknownPermission({ value, param }: Named): Warning {
  const meant = nearest(value, GRANTS);
  const todo =
    meant === undefined
      ? 'If it is one of your own, checks must spell it the same way.'
      : `Did you mean ${code(meant)}? If it is one of your own, checks must spell it the same way.`;
  return {
    code: 'unknown_permission',
    message: `${code(value)} is not a permission that Postern knows. ${todo}`,
    param,
  };
}

const allTokens = fromCrawlers((crawlers) => crawlers.flatMap(({ userAgents }) => userAgents));

/** Many crawlers have short names, so only a slip of the hand counts. */
const toSlips = ({ length }: string): number => (length < 5 ? 0 : length < 10 ? 1 : 2);

/** Returns the token that a text is nearly; undefined where it may well be right. */
function findToken(text: string): string | undefined {
  const wanted = text.toLowerCase();
  const tokens = allTokens();
  const isKnown = tokens.some((token) => token.toLowerCase().includes(wanted) || wanted.includes(token.toLowerCase()));
  return isKnown ? undefined : nearest(text, tokens, toSlips);
}

const unknownUserAgent = ({ value, param }: Named, meant: string): Warning => ({
  code: 'unknown_user_agent',
  message: `No crawler that Postern knows has ${code(value)} in its user agent. Did you mean ${code(meant)}? If it is another program, keep it.`,
  param,
});
