/**
 * Linear time in what is sent: eight times the size may take about eight times as long, never sixty-four times. For
 * every key of the table of conditions: reading, refusing, compiling, linting and deciding; and for texts made to be
 * slow. Times are the least of many, so a busy machine makes it slower and not wrong; still it is a proof of its own
 * and no unit test.
 */
import { Compile } from 'typebox/compile';
import { uncarriedIn } from '../src/api/http/json.ts';
import { findProblems, type Schema } from '../src/api/http/problems.ts';
import { CheckRequest } from '../src/decisions/check/schema.ts';
import { decide } from '../src/rules/decide.ts';
import '../src/api/http/validate.ts';
import { factsOf, policyOf } from '../kit/oracle.ts';
import { CreatePolicy } from '../src/policies/schema.ts';
import { CONDITION_SCHEMAS, getCondition } from '../src/rules/conditions/conditions.ts';
import { lint } from '../src/rules/lint/lint.ts';
import type { Rule } from '../src/rules/policy.ts';

export interface LinearFigures {
  measured: number;
  /** The largest ratio of the times for 8 n and n, and of what. */
  worst: string;
}

const TIMES = 8;
/** Between linear (8) and quadratic (64); lists that leave a cache behind cost a little more than 8. */
const RATIO_MAX = 28;
const ROUNDS = 15;
/** A pause of the machine can strike a whole measurement; what is quadratic is so every time. */
const ATTEMPTS = 5;
/** Shorter measurements are noise, and not slow. */
const MEASURABLE_MS = 0.5;

interface Measured {
  name: string;
  /** The smaller size. */
  n: number;
  /** Prepares the work on that size. */
  on(n: number): () => unknown;
}

const LIST = 125;
const BYTES = 12_500;

const compiledPolicy = Compile(CreatePolicy);
const compiledCheck = Compile(CheckRequest);

/** A body as it comes, up to its acceptance or the words of its refusal. */
function receive(text: string): void {
  const body = JSON.parse(text);
  if (uncarriedIn(body) === undefined && !compiledPolicy.Check(body))
    findProblems(CreatePolicy as Schema, body, 'body');
  JSON.stringify(body);
}

const bodyOf = (key: string, value: string): string =>
  `{"name":"p","rules":[{"action":"allow","conditions":{${JSON.stringify(key)}:${value}}}]}`;

/** Texts of maximum length that differ at their ends: comparing from the front takes longest. */
function longTexts(key: string, count: number): unknown {
  const { example } = getCondition(key).condition;
  const one = [example].flat()[0] as string;
  if (/^(country|contentType|ip|requesterId|permission|collection|crawler|requesterVerified|host)/.test(key))
    return Array.from({ length: count }, () => one);
  const begin = key.startsWith('path') ? '/' : 'a';
  return Array.from({ length: count }, (_, i) => begin + String(i).padStart(63, 'a'));
}

const content = {
  id: 'cnt_01jd3v0000000000000000000a',
  externalId: 'a',
  type: 'article',
  tags: Array.from({ length: 50 }, (_, i) => `${'a'.repeat(60)}${i}`),
  metadata: { a: 'x' },
  status: 'active' as const,
  policyId: 'pol_default',
};
const check = {
  at: Date.parse('2026-11-21T09:30:00Z'),
  content,
  requesterId: 'r',
  requester: { type: 'a'.repeat(64), tags: content.tags, metadata: { a: 'x' }, status: 'active' as const },
  licenses: [
    {
      type: 'a'.repeat(64),
      features: content.tags,
      startsAt: null,
      expiresAt: null,
      status: 'active',
      scope: {},
    } as const,
  ].map((one) => ({ ...one, features: [...one.features] })),
  permission: 'training',
  purpose: 'a'.repeat(64),
  context: { ip: '2001:db8::1', country: 'US', userAgent: 'a'.repeat(1024) },
};

const decides = (rule: Rule): (() => unknown) => {
  const policy = policyOf({ policy: { rules: [rule], defaultAction: 'deny' }, content });
  return () => {
    for (let i = 0; i < 20; i++) decide(policy, factsOf(check));
  };
};

function measurements(): Measured[] {
  const all: Measured[] = [];
  for (const key of Object.keys(CONDITION_SCHEMAS)) {
    const wrong: Record<string, (n: number) => string> = {
      'a long text': (n) => JSON.stringify('x'.repeat(n)),
      'a list of long texts': (n) => JSON.stringify(['x'.repeat(n), 'y'.repeat(n)]),
      'a long list': (n) => `[${'"a",'.repeat(n / 4)}"a"]`,
      'a list of lists': (n) => `[${'[],'.repeat(n / 4)}[]]`,
      'a long key': (n) => JSON.stringify({ ['x'.repeat(n)]: 1 }),
      'many keys': (n) => `{${Array.from({ length: n / 10 }, (_, i) => `"k${i}":1`).join(',')}}`,
      'many keys that are numbers': (n) => `{${Array.from({ length: n / 10 }, (_, i) => `"${i}":1`).join(',')}}`,
    };
    for (const [what, make] of Object.entries(wrong)) {
      all.push({
        name: `${key}: ${what}`,
        n: BYTES,
        on(n) {
          const text = bodyOf(key, make(n));
          return () => receive(text);
        },
      });
    }
    const { example } = getCondition(key).condition;
    const isMetadata = /Metadata/.test(key);
    if (!isMetadata && (typeof example !== 'object' || !Array.isArray(example)) && typeof example !== 'string')
      continue;
    const value = (n: number): unknown => (isMetadata ? { a: longTexts('purpose', n) } : longTexts(key, n));
    for (const action of ['allow', 'deny'] as const) {
      const rule = (n: number): Rule => ({ action, conditions: { [key]: value(n) } });
      all.push({ name: `${key}: decided, ${action}`, n: LIST, on: (n) => decides(rule(n)) });
      all.push({ name: `${key}: compiled, ${action}`, n: LIST, on: (n) => () => decides(rule(n)) });
      all.push({
        name: `${key}: linted, ${action}`,
        n: LIST,
        on: (n) => () => lint([rule(n), { action: 'allow', conditions: { [key]: value(LIST) } }], 'deny'),
      });
    }
  }
  const texts: Record<string, (n: number) => string> = {
    'white space': (n) => `{"a":[${' '.repeat(n)}"x"${' '.repeat(n)}],"1":{"2":0}}`,
    commas: (n) => `{"1":2,"a":"${', '.repeat(n / 2)}"}`,
    backslashes: (n) => `{"1":2,"a":"${'\\\\'.repeat(n / 2)}"}`,
    quotes: (n) => `{"1":2,"a":"${',\\"'.repeat(n / 3)}"}`,
    'short texts': (n) => `{"1":[${'",",'.repeat(n / 4)}1]}`,
  };
  for (const [what, make] of Object.entries(texts)) {
    all.push({
      name: `a body of ${what}`,
      n: BYTES,
      on(n) {
        const text = make(n);
        return () => receive(text);
      },
    });
  }
  const parts = (n: number) => Array.from({ length: n }, (_, i) => `${'a'.repeat(500)}${i}`);
  all.push({
    name: 'user agents that nearly match',
    n: LIST,
    on: (n) => decides({ action: 'allow', conditions: { userAgent: parts(n) } }),
  });
  for (const field of ['contentId', 'requesterId', 'permission', 'purpose'] as const) {
    all.push({
      name: `a check: ${field}`,
      n: BYTES,
      on(n) {
        const body = { contentId: 'x', [field]: 'a'.repeat(n) };
        return () => compiledCheck.Check(body) || findProblems(CheckRequest, body, 'check');
      },
    });
  }
  return all;
}

/** Milliseconds of the fastest of many runs. */
function leastTime(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ROUNDS; i++) {
    const startedAt = performance.now();
    work();
    least = Math.min(least, performance.now() - startedAt);
  }
  return least;
}

/** Throws with the first that is not linear. */
export function runLinear(tell: (line: string) => void = () => {}): LinearFigures {
  let worst = { name: 'nothing took long enough', ratio: 0 };
  const all = measurements();
  for (const [i, { name, n, on }] of all.entries()) {
    let ratio = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS && ratio > RATIO_MAX; attempt++) {
      const large = leastTime(on(TIMES * n));
      ratio = Math.min(ratio, large < MEASURABLE_MS ? 0 : large / leastTime(on(n)));
    }
    if (ratio > worst.ratio) worst = { name, ratio };
    if (ratio > RATIO_MAX) throw new Error(`${name}: ${TIMES} times the size took ${ratio.toFixed(1)} times as long`);
    if (i % 100 === 99) tell(`${i + 1} of ${all.length}`);
  }
  return { measured: all.length, worst: `${worst.name} (${worst.ratio.toFixed(1)})` };
}
