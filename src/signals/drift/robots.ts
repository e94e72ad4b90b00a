/** Compares a live robots.txt with the intended one: what each crawler may fetch, and what else its group says. */
import { fromCrawlers } from '../../rules/crawlers/directory.ts';
import {
  matchesReadable,
  mayFetch,
  type Robots,
  type RobotsGroup,
  type RobotsRule,
  readRobots,
  ruleFor,
  toReadable,
} from '../robots/robots-reader.ts';
import { findUsage, usageRules } from '../robots/usage-reader.ts';
import { type Difference, formatCrawlers, NOT_ALL, toDifference } from './difference.ts';
import { compare, type Different, type Side, type StepBudget } from './meaning.ts';

/** Crawlers need not read the rest (RFC 9309, 2.5). */
const LENGTH_READ = 500 * 1024;
/** Further crawlers that only the live file names are not looked at. */
const LIVE_TOKENS_MAX = 500;

export async function compareRobots(
  intendedText: string,
  liveText: string,
  budget: StepBudget,
): Promise<{ differences: Difference[]; isCut: boolean }> {
  const [intended, live] = [readRobots(intendedText), readRobots(liveText.slice(0, LENGTH_READ))];
  const differences: Difference[] = [];
  let isCut = false;
  for (const { crawlers, one, other } of pairGroups(intended, live)) {
    const access = await compare(toAccessSide(one), toAccessSide(other), { budget });
    const about = access.differences.map((found) => aboutAccess(found, crawlers, { one, other }));
    // The site may close more to crawlers that neither file nor directory know.
    if (crawlers.every((token) => isUnknown(token, intended))) {
      differences.push(...about.filter(({ effect }) => effect === 'opens'));
      isCut ||= access.isCut;
      continue;
    }
    differences.push(...about);
    differences.push(...compareSignals(crawlers, one, other));
    differences.push(...compareLicenses(crawlers, one, { group: other, robots: live }));
    const usage = await compareUsage(crawlers, { one, other }, budget);
    differences.push(...usage.differences);
    isCut ||= access.isCut || usage.isCut;
  }
  return { differences: isCut ? [...differences, NOT_ALL] : differences, isCut };
}

const knownTokens = fromCrawlers(
  (all) => new Set(all.flatMap(({ userAgents }) => userAgents.map((token) => token.toLowerCase()))),
);

const isUnknown = (token: string, { tokens }: Robots): boolean =>
  token !== '*' &&
  !knownTokens().has(token.toLowerCase()) &&
  !tokens.some((one) => one.toLowerCase() === token.toLowerCase());

interface Pair {
  crawlers: string[];
  one: RobotsGroup;
  other: RobotsGroup;
}

/** Crawlers that read the same groups in both files, together. */
function pairGroups(intended: Robots, live: Robots): Pair[] {
  const known = new Set(intended.tokens.map((token) => token.toLowerCase()));
  const others = live.tokens.filter((token) => token !== '*' && !known.has(token.toLowerCase()));
  const pairs = new Map<RobotsGroup, Map<RobotsGroup, Pair>>();
  for (const token of ['*', ...intended.tokens.filter((one) => one !== '*'), ...others.slice(0, LIVE_TOKENS_MAX)]) {
    const [one, other] = [intended.groupOf(token), live.groupOf(token)];
    const byOther = pairs.get(one) ?? new Map<RobotsGroup, Pair>();
    pairs.set(one, byOther);
    const pair = byOther.get(other) ?? { crawlers: [], one, other };
    byOther.set(other, pair);
    pair.crawlers.push(token);
  }
  return [...pairs.values()].flatMap((byOther) => [...byOther.values()]);
}

function toAccessSide(group: RobotsGroup): Side {
  return {
    rules: new Map(group.rules.map(({ text, allowed }) => [`${allowed} ${text}`, { pattern: text }])),
    at: (path) => (mayFetch(group, toReadable(path)) ? 'allow' : 'disallow'),
  };
}

const formatRule = (rule: RobotsRule | undefined): string | null =>
  rule === undefined ? null : `${rule.allowed ? 'Allow' : 'Disallow'}: ${rule.text}`;

function aboutAccess(
  { pattern, example, live }: Different,
  crawlers: readonly string[],
  { one, other }: Omit<Pair, 'crawlers'>,
): Difference {
  const [rule, liveRule] = [one, other].map((group) => ruleFor(group, toReadable(example)));
  const isOpen = live === 'allow';
  const shown = shorten(pattern);
  const address = shown.includes('*') ? `${shown} (such as ${example})` : shown;
  const why = rule === undefined || rule.isOurs ? 'the policies' : 'your own robots.txt';
  const verbs = rule === undefined || rule.isOurs ? ['deny', 'allow'] : ['disallows', 'allows'];
  return toDifference(crawlers, {
    about: shown,
    intended: formatRule(rule),
    live: formatRule(liveRule),
    effect: isOpen ? 'opens' : 'closes',
    message: isOpen
      ? `${formatCrawlers(crawlers)} may fetch ${address}; ${why} ${verbs[0]} it.`
      : `${formatCrawlers(crawlers)} may not fetch ${address}; ${why} ${verbs[1]} it.`,
  });
}

/** Stars at the end only make a rule longer. */
const shorten = (pattern: string): string => pattern.replace(/(?<=.)\*+$/, '');

/** Values by word, of all lines of a group together. */
function readSignals({ others }: RobotsGroup): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const line of others.get('content-signal') ?? []) {
    for (const part of line.split(',')) {
      const [word = '', value = ''] = part.split('=').map((text) => text.trim().toLowerCase());
      if (word !== '') found.set(word, (found.get(word) ?? new Set()).add(value));
    }
  }
  return found;
}

const joinValues = (values: ReadonlySet<string> | undefined): string | null =>
  values === undefined ? null : [...values].toSorted().join(' and ');

/** Words that the intended file does not state are not compared. */
function compareSignals(crawlers: readonly string[], one: RobotsGroup, other: RobotsGroup): Difference[] {
  const live = readSignals(other);
  return [...readSignals(one)].flatMap(([word, values]) => {
    const [intended, found] = [joinValues(values), joinValues(live.get(word))];
    if (intended === found) return [];
    const isOpen = intended === 'no' && found !== null;
    return [
      toDifference(crawlers, {
        about: `Content-Signal: ${word}`,
        intended,
        live: found,
        effect: isOpen ? 'opens' : intended === 'yes' && found !== null ? 'closes' : 'other',
        message: `${formatCrawlers(crawlers)} ${crawlers.length === 1 && crawlers[0] !== '*' ? 'reads' : 'read'} ${
          found === null ? `no ${word}` : `${word}=${found}`
        } in Content-Signal; intended is ${word}=${intended}.`,
      }),
    ];
  });
}

function compareLicenses(
  crawlers: readonly string[],
  { others }: RobotsGroup,
  live: { group: RobotsGroup; robots: Robots },
): Difference[] {
  const named = [...(live.group.others.get('license') ?? []), ...(live.robots.global.get('license') ?? [])];
  return (others.get('license') ?? [])
    .filter((url) => !named.includes(url))
    .map((url) =>
      toDifference(crawlers, {
        about: 'License',
        intended: url,
        live: named[0] ?? null,
        effect: 'other',
        message: `${formatCrawlers(crawlers)} ${crawlers.length === 1 && crawlers[0] !== '*' ? 'does' : 'do'} not find the license ${url} here.`,
      }),
    );
}

async function compareUsage(crawlers: readonly string[], { one, other }: Omit<Pair, 'crawlers'>, budget: StepBudget) {
  const intended = usageRules(one.others.get('content-usage') ?? []);
  if (intended.length === 0) return { differences: [], isCut: false };
  const live = usageRules(other.others.get('content-usage') ?? []);
  const toSide = (rules: typeof intended): Side => ({
    rules: new Map(rules.map(({ text, value }) => [`${text} ${value}`, { pattern: text }])),
    at: (path) => findUsage(rules, (pattern) => matchesReadable(pattern, toReadable(path))),
  });
  const { differences, isCut } = await compare(toSide(intended), toSide(live), { budget });
  return {
    isCut,
    differences: differences.map((found) =>
      toDifference(crawlers, {
        about: `Content-Usage: ${shorten(found.pattern)}`,
        intended: found.intended,
        live: found.live,
        effect: 'other',
        message: `Content-Usage of ${shorten(found.pattern)} is ${found.live ?? 'missing'}; intended is ${found.intended ?? 'none'}.`,
      }),
    ),
  };
}
