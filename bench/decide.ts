/**
 * The decision alone: a compiled policy of ten rules and the facts of a check, no HTTP, no disk. Beside it, what only
 * reading the same check from JSON takes, as a measure of the machine.
 */

import { seeded, skewed } from '../kit/random.ts';
import type { CheckRequest } from '../src/decisions/check/schema.ts';
import { decide } from '../src/rules/decide.ts';
import type { ContentFacts, Facts } from '../src/rules/facts.ts';
import { median, medianRatio, type Part } from './figure.ts';
import { checksOf, compiled, contentAt, factsAt, type ItemCheck, itemAt, TEN_RULES } from './inputs.ts';
import { RATE_NOTE, rate } from './rate.ts';

const ITEMS = 1_000;
const CHECKS = 4_096;
const LEAST = 2_000_000;

const POLICY = compiled(TEN_RULES);

export const decidePart: Part = {
  name: 'decide',
  about: '`decide` alone, ten rules, in one thread',
  async run({ quick, say }) {
    const contents = new Map<string, ContentFacts>(
      Array.from({ length: ITEMS }, (_, i) => [itemAt(i).externalId, contentAt(i)]),
    );
    const next = skewed(ITEMS, seeded(3));
    const checks = checksOf(CHECKS, () => itemAt(next()).externalId);
    const texts = checks.map((check) => JSON.stringify(check));
    const facts = checks.map((check) => factsAt(check, contents.get(check.contentId) as ContentFacts));

    const alone: number[] = [];
    const withFacts: number[] = [];
    const parsing: number[] = [];
    for (let round = 0; round < (quick ? 3 : 11); round++) {
      alone.push(rate(CHECKS, (i) => decide(POLICY, facts[i] as Facts).reason === null));
      withFacts.push(
        rate(CHECKS, (i) => {
          const check = checks[i] as ItemCheck;
          return decide(POLICY, factsAt(check, contents.get(check.contentId) as ContentFacts)).reason === null;
        }),
      );
      parsing.push(rate(CHECKS, (i) => (JSON.parse(texts[i] as string) as CheckRequest).contentId === ''));
      say(`round ${round + 1}: ${Math.round(alone[round] as number)}/s`);
    }
    const against = (values: number[]) => ({
      what: 'JSON.parse of the check',
      value: median(parsing),
      ratio: medianRatio(values, parsing),
    });
    const met = median(withFacts) >= LEAST;
    return {
      figures: [
        {
          what: 'decide, facts at hand',
          value: median(alone),
          unit: '/s',
          against: against(alone),
          target: { text: `≥ ${LEAST.toLocaleString('en')}/s`, met: median(alone) >= LEAST },
        },
        {
          what: 'decide and making its facts',
          value: median(withFacts),
          unit: '/s',
          against: against(withFacts),
          target: { text: `≥ ${LEAST.toLocaleString('en')}/s`, met },
        },
      ],
      notes: [
        'Facts at hand: what a check computes once, such as the lowercase user agent, is computed before.',
        RATE_NOTE,
      ],
    };
  },
};
