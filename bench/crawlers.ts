/**
 * Measures the look-up of the crawler that a user agent names: in directories of one crawler, of today's size and of a
 * hundred thousand, in turns; and of user agents that are remembered. The user agents are those of an access log.
 */
import { logLine } from '../kit/access-log.ts';
import { seeded } from '../kit/random.ts';
import { CRAWLERS, findCrawler } from '../src/rules/crawlers/directory.ts';
import { openIndex } from '../src/rules/crawlers/token.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';

const AGENTS = 2_000;
const LARGE = 100_000;
const SEED = 15;
const MOST_NS = 1_000;
const MOST_RATIO = 1.5;

type Find = (userAgent: string) => unknown;

export const crawlersPart: Part = {
  name: 'crawlers',
  about: 'Looking up the crawler that a user agent names, by the size of the directory',
  async run({ quick }) {
    const agents = listAgents();
    const large = Array.from({ length: LARGE }, (_, i) => ({ userAgents: [`made-up-crawler-${i}`] }));
    const finds: [string, Find][] = [
      ['in a directory of 1', openIndex(CRAWLERS.slice(0, 1))],
      [`in the directory of ${CRAWLERS.length.toLocaleString('en')}`, openIndex(CRAWLERS)],
      [`in a directory of ${(LARGE + CRAWLERS.length).toLocaleString('en')}`, openIndex([...CRAWLERS, ...large])],
      ['remembered', findCrawler],
    ];
    const times = finds.map((): number[] => []);
    for (let round = 0; round < (quick ? 3 : 31); round++) {
      for (const [i, [, find]] of finds.entries()) times[i]?.push(nanoseconds(find, agents));
    }
    const base = times[1] ?? [];
    const figures: Figure[] = finds.map(([what], i) => figureOf(what, times[i] ?? [], base, i));
    return { figures, notes: [`${agents.length} user agents of browsers and crawlers, on one core.`] };
  },
};

function figureOf(what: string, times: readonly number[], base: readonly number[], i: number): Figure {
  const value = median(times);
  const figure: Figure = { what, value, unit: 'ns' };
  if (i === 2) {
    const ratio = medianRatio(times, base);
    figure.against = { what: "today's directory", value: median(base), ratio };
    figure.target = { text: `≤ ${MOST_RATIO} ×`, met: ratio <= MOST_RATIO };
  }
  if (i === 3) figure.target = { text: `≤ ${MOST_NS} ns`, met: value <= MOST_NS };
  return figure;
}

function listAgents(): string[] {
  const random = seeded(SEED);
  const lines = Array.from({ length: AGENTS * 5 }, (_, i) => logLine(random, i, 1_000));
  return [...new Set(lines.map((line) => line.split('"')[5] ?? ''))].slice(0, AGENTS);
}

const PASSES = 20;

/** Processor time of one look-up. */
function nanoseconds(find: Find, agents: readonly string[]): number {
  const begun = process.cpuUsage();
  for (let pass = 0; pass < PASSES; pass++) for (const agent of agents) find(agent);
  const { user, system } = process.cpuUsage(begun);
  return ((user + system) * 1000) / (PASSES * agents.length);
}
