/**
 * Compares `decide` with other in-process engines: the same ten rules and checks, in turns. Before any timing, all
 * engines must give the same answer to every check. No engine records anything.
 */

import { seeded, skewed } from '../kit/random.ts';
import { decide } from '../src/access/decide.ts';
import type { ContentFacts } from '../src/policies/facts.ts';
import { median, medianRatio, type Part } from './figure.ts';
import { checksOf, compiled, contentAt, factsAt, type ItemCheck, itemAt, TEN_RULES } from './inputs.ts';
import { RATE_NOTE, rateOf } from './rate.ts';
import {
  type Engine,
  openCasbinLines,
  openCasbinMatcher,
  openCasl,
  openCedar,
  openJsonRulesEngine,
} from './rivals/engines.ts';

const ITEMS = 1_000;
const CHECKS = 4_096;
/** Checks between two looks at the clock. */
const AT_ONCE = 64;
/** A user agent that the first rule denies; the first crawlers of the list have none. */
const UNWELCOME = 'Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)';

interface Question {
  check: ItemCheck;
  item: ContentFacts;
}

interface Contender {
  engine: Engine;
  /** The next question; each round goes on where the last ended. */
  ask(): boolean | Promise<boolean>;
  perSecond: number[];
}

function contender(engine: Engine, questions: readonly Question[]): Contender {
  let next = 0;
  return {
    engine,
    ask() {
      const { check, item } = questions[next] as Question;
      next = next + 1 === questions.length ? 0 : next + 1;
      return engine.allows(check, item);
    },
    perSecond: [],
  };
}

export const enginesPart: Part = {
  name: 'engines',
  about: '`decide` and other engines inside the process, the same ten rules, in one thread',
  async run({ quick, say }) {
    const questions = makeQuestions();
    const postern = openPostern();
    const rivals = [openCedar(), await openCasbinMatcher(), await openCasbinLines(), openJsonRulesEngine(), openCasl()];
    const shares = await requireParity(postern, rivals, questions);
    const [ours, ...theirs] = [postern, ...rivals].map((engine) => contender(engine, questions));
    if (ours === undefined) throw new Error('nobody to compare with');
    for (let round = 0; round < (quick ? 3 : 15); round++) {
      for (const one of [ours, ...theirs]) one.perSecond.push(await rateOf(() => one.ask(), AT_ONCE));
      say(
        `round ${round + 1}: ${[ours, ...theirs].map(({ perSecond }) => Math.round(perSecond[round] as number)).join(', ')} /s`,
      );
    }
    return {
      figures: theirs.map(({ engine, perSecond }) => ({
        what: `Postern (${spread(ours.perSecond)}) and ${engine.name} (${spread(perSecond)})`,
        value: median(ours.perSecond),
        unit: '/s',
        against: { what: engine.name, value: median(perSecond), ratio: medianRatio(ours.perSecond, perSecond) },
      })),
      notes: [
        `All gave the same answers to ${CHECKS.toLocaleString('en')} checks, ${shares}; in brackets the slowest and the fastest of the rounds.`,
        'Each check counts from the request and the item as they are to allow or deny; nothing is recorded. Postern also finds the reason and the rule.',
        RATE_NOTE,
        ...rivals.map(({ note }) => note).filter((note) => note !== ''),
      ],
    };
  },
};

function makeQuestions(): Question[] {
  const items = new Map(Array.from({ length: ITEMS }, (_, i) => [itemAt(i).externalId, contentAt(i)]));
  const next = skewed(ITEMS, seeded(3));
  return checksOf(CHECKS, () => itemAt(next()).externalId).map((check, i) => ({
    check: i % 40 === 0 ? { ...check, context: { ...check.context, userAgent: UNWELCOME } } : check,
    item: items.get(check.contentId) as ContentFacts,
  }));
}

const POLICY = compiled(TEN_RULES);

const openPostern = (): Engine => ({
  name: 'Postern',
  note: '',
  allows: (check, item) => decide(POLICY, factsAt(check, item)).reason === null,
});

/** Throws unless all agree on every check and every rule decides some; says how many were allowed. */
async function requireParity(
  postern: Engine,
  rivals: readonly Engine[],
  questions: readonly Question[],
): Promise<string> {
  let allowed = 0;
  const rules = new Set<number | undefined>();
  for (const { check, item } of questions) {
    rules.add(decide(POLICY, factsAt(check, item)).rule?.index);
    const ours = await postern.allows(check, item);
    if (ours) allowed++;
    for (const rival of rivals) {
      const theirs = await rival.allows(check, item);
      if (theirs !== ours)
        throw new Error(`Postern: ${ours}, ${rival.name}: ${theirs} to ${JSON.stringify({ check, item })}`);
    }
  }
  if (rules.size !== TEN_RULES.length) throw new Error(`only the rules ${[...rules].join(', ')} decided`);
  return `${Math.round((allowed / questions.length) * 100)} % of them allowed, each of the ten rules deciding some`;
}

const spread = (values: readonly number[]): string =>
  `${Math.round(Math.min(...values)).toLocaleString('en')}–${Math.round(Math.max(...values)).toLocaleString('en')}`;
