/** Mutants that no test kills, with the reason. The run fails when one is missing here and when one is here in vain. */
export interface Survivor {
  file: string;
  /** The source line, trimmed. */
  line: string;
  from: string;
  to: string;
  why: string;
}

/** By file: the line, what is replaced in it, and why that changes nothing that is promised. */
const BY_FILE: Record<string, [line: string, { from: string; to: string }, why: string][]> = {
  'src/reports/whatif/report.ts': [
    [
      "const sorted = [...by].toSorted(([a, one], [b, other]) => sum(other) - sum(one) || ((a ?? '') < (b ?? '') ? -1 : 1));",
      { from: '<', to: '<=' },
      'Equivalent: the keys of a map are distinct and no id is empty, so no two are equal.',
    ],
  ],
  'src/reports/whatif/impact.ts': [
    [
      'const passed = this.#times.findLastIndex((time) => time <= at) + 1;',
      { from: '+', to: '-' },
      'Only the names under which states are kept: they stay distinct, and nothing else reads them.',
    ],
    [
      'const replayed = decision.version === this.#draft.version ? after : decide(version.policy, facts);',
      { from: 'decision.version === this.#draft.version', to: 'false' },
      'Only speed: a version number stands for the same rules, so deciding again by the recorded version says what the draft said.',
    ],
    [
      'if (parsed === undefined) {',
      { from: 'parsed === undefined', to: 'true' },
      'Only speed: the same text is parsed again, to the same value.',
    ],
  ],
  'src/reports/whatif/tally.ts': [
    [
      'if (kind.examples.length < this.#examplesMax) kind.examples.push(toExample(this.#ledgerNo, comparison));',
      { from: 'kind.examples.length < this.#examplesMax', to: 'true' },
      'Only memory: the tally cuts the examples, one of each kind in turn, to the number asked for.',
    ],
    [
      'if (kind.examples.length < this.#examplesMax) kind.examples.push(toExample(this.#ledgerNo, comparison));',
      { from: '<', to: '<=' },
      'Only memory: one example more is kept of each kind, and the tally cuts it off.',
    ],
    [
      'if (before === after) return true;',
      { from: 'before === after', to: 'false' },
      'Only speed: a list has the same members as itself.',
    ],
  ],
  'src/cli/policies/cases.ts': [
    [
      "defaultAction: file.defaultAction ?? 'deny',",
      { from: "'deny'", to: "''" },
      'Equivalent: decide asks only whether the default action is `allow`.',
    ],
  ],
  'src/decisions/explain/remedies.ts': [
    [
      '...facts.licenses.flatMap((license) => license.startsAt ?? []),',
      { from: '[]', to: "['mutant']" },
      'Equivalent: a text that is no number is not after any moment, so it is filtered out.',
    ],
  ],
  'src/decisions/check/facts.ts': [
    [
      'expiresAt: license.expiresAt == null ? null : (parseIso(license.expiresAt) ?? null),',
      { from: 'license.expiresAt == null', to: 'false' },
      'Equivalent: parseIso finds no moment in null or undefined, and null is what then follows. The condition is for the types.',
    ],
  ],
  'src/rules/limit.ts': [
    [
      'for (let i = 0; i < state.length; i += 2) {',
      { from: '<', to: '<=' },
      'Equivalent: behind the end there is undefined, the sum is then no number and so not more than the excess.',
    ],
  ],
  'src/rules/compile.ts': [
    [
      'holds: never ? () => false : all([...(test === ALWAYS ? [] : [test]), ...licenseTests(license, action)]),',
      { from: 'test === ALWAYS', to: 'false' },
      'Only speed: one more closure is called, which says true.',
    ],
    [
      'if (compiled.length === 0) return ALWAYS;',
      { from: 'compiled.length === 0', to: 'false' },
      'Only speed: a loop over no tests says true as well.',
    ],
    [
      'if (second === undefined) return first;',
      { from: 'second === undefined', to: 'false' },
      'Only speed: the loop over one test says what the test says.',
    ],
    [
      'if (tests.length === 2) return (facts) => first(facts) && second(facts);',
      { from: 'tests.length === 2', to: 'false' },
      'Only speed: the loop over two tests says what both say.',
    ],
  ],
  'src/rules/conditions/conditions.ts': [
    [
      "Type.String({ pattern: '^[\\\\s\\\\S]*$' }),",
      { from: "'^[\\\\s\\\\S]*$'", to: "''" },
      'Equivalent: the empty pattern, too, matches every text, line breaks included.',
    ],
    [
      "about: 'rule',",
      { from: "'rule'", to: "''" },
      'Equivalent: only `check` and `license` are asked for; whatever is neither is of the rule.',
    ],
  ],
  'src/rules/conditions/match.ts': [
    [
      'const ranges = texts.map(parseRange).filter((range) => range !== undefined);',
      { from: 'texts.map(parseRange).filter((range) => range !== undefined)', to: 'texts.map(parseRange)' },
      'Equivalent: the format `ip-range` has refused what parseRange does not understand, so nothing is filtered out. The filter is for the types.',
    ],
    [
      'const ranges = texts.map(parseRange).filter((range) => range !== undefined);',
      { from: 'range !== undefined', to: 'true' },
      'Equivalent: the format `ip-range` has refused what parseRange does not understand, so every range is defined. The condition is for the types.',
    ],
  ],
  'src/rules/diff.ts': [
    [
      'const swapped = textsA.join() > textsB.join();',
      { from: '>', to: '>=' },
      'Equivalent: lists of equal texts are equal, and then either direction finds every rule in its place.',
    ],
    [
      'else if (at(i + 1, j) >= at(i, j + 1)) i++;',
      { from: '>=', to: '>' },
      'Which of several longest lists of rules in common is taken is not promised; both are longest, and both directions still mirror each other.',
    ],
    [
      'const scored: (Pair & { score: number })[] = [];',
      { from: '[]', to: "['mutant']" },
      'Equivalent: a text compares equal to every pair, so it stays in front, and without places it is passed over.',
    ],
    [
      'const longest: number[] = [];',
      { from: '[]', to: "['mutant']" },
      'Equivalent: the first entry is written before it is read.',
    ],
    [
      'const before: number[] = [];',
      { from: '[]', to: "['mutant']" },
      'Equivalent: the first entry is written before it is read.',
    ],
    [
      'for (let j = 0; j < i; j++) {',
      { from: '<', to: '<=' },
      'Equivalent: a pair does not come before itself, so it is not appended to itself.',
    ],
    [
      'if ((pairs[j] as Pair).to < pair.to && (longest[j] as number) + 1 > longest[i]) {',
      { from: '<', to: '<=' },
      'Equivalent: every rule of the newer list is in one pair at most, so no two places are equal.',
    ],
    [
      'if ((pairs[j] as Pair).to < pair.to && (longest[j] as number) + 1 > longest[i]) {',
      { from: '>', to: '>=' },
      'Which of several longest lists stays in place is not promised; as many rules move either way.',
    ],
    [
      'const kept: Pair[] = [];',
      { from: '[]', to: "['mutant']" },
      'Equivalent: a text has no places, so that undefined is said to stay, and nobody asks whether it does.',
    ],
  ],
  'src/rules/canonical.ts': [
    [
      'if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`;',
      { from: 'Array.isArray(value)', to: 'false' },
      'Only the text that is compared: a list is then written as an object with its indices for names. No value may be a list on one side and such an object on the other.',
    ],
    [
      'const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));',
      { from: '<', to: '<=' },
      'Equivalent: the names of an object are distinct, so no two are equal.',
    ],
    [
      'const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));',
      { from: '<', to: '>=' },
      'Only the text that is compared: in the opposite order, for all rules alike.',
    ],
  ],
  'src/rules/facts.ts': [
    [
      'if (this.ip === null) return null;',
      { from: 'this.ip === null', to: 'false' },
      'Equivalent: parseAddress finds no address in null, and null is what then follows. The condition is for the types.',
    ],
  ],
  'src/rules/lint/cells.ts': [
    [
      'meter.spend(values.size + not.size + (only?.size ?? 0));',
      { from: '+', to: '-' },
      'Only the price of narrowing to values: part of what is known already is subtracted, so reasoning is given up later. Nothing wrong is claimed.',
    ],
    [
      'meter.spend(values.size + misses.size + hits.reduce((sum, hit) => sum + hit.size, 0));',
      { from: '+', to: '-' },
      'Only the price of narrowing to names: part of what is known already is subtracted, so reasoning is given up later. Nothing wrong is claimed.',
    ],
    [
      'meter.spend(list.reduce((sum, whole) => sum + 1 + whole.length / LENGTH_A_UNIT, 0) * (excluded.length + 1));',
      { from: '+', to: '-' },
      'Only the price of comparing parts of user agents: once less for each whole, so reasoning is given up a little later.',
    ],
    [
      'meter.spend(state.length + intervals.length);',
      { from: '+', to: '-' },
      'Only the price of narrowing to intervals: the difference of two lengths, so reasoning is given up later. Nothing wrong is claimed.',
    ],
    [
      'meter.spend(against.length + 1);',
      { from: '+', to: '-' },
      'Only the price of looking at one type of licence: two units less, so reasoning is given up a little later.',
    ],
  ],
  'src/rules/lint/intervals.ts': [
    [
      'const sorted = intervals.filter(([from, to]) => from < to).toSorted(([a], [b]) => (a < b ? -1 : 1));',
      { from: '<', to: '<=' },
      'Equivalent: intervals that begin together may come in either order, their union is the same.',
    ],
    ['else if (last[1] < to) last[1] = to;', { from: '<', to: '<=' }, 'Equivalent: an end is set to what it is.'],
    [
      'const from = one[0] > other[0] ? one[0] : other[0];',
      { from: '>', to: '>=' },
      'Equivalent: where both are equal either may be taken.',
    ],
    [
      'const to = one[1] < other[1] ? one[1] : other[1];',
      { from: '<', to: '<=' },
      'Equivalent: where both are equal either may be taken.',
    ],
    [
      'if (one[1] < other[1]) i++;',
      { from: '<', to: '<=' },
      'Equivalent: of two that end together the one that stays meets nothing that follows, and is passed over next.',
    ],
    [
      'if (hole === undefined || hole[0] >= to) break;',
      { from: '>=', to: '>' },
      'Equivalent: a hole that begins at the end cuts nothing off; all before it is kept as it would be behind the loop.',
    ],
    ['if (hole[1] > start) start = hole[1];', { from: '>', to: '>=' }, 'Equivalent: the start is set to what it is.'],
    [
      'if (hole[1] >= to) break;',
      { from: '>=', to: '>' },
      'Equivalent: a hole that ends with the interval cuts nothing of the next, so it may be passed over.',
    ],
  ],
  'src/rules/lint/unreachable.ts': [
    [
      'meter.spend(some.reduce((sum, [, value]) => sum + (Array.isArray(value) ? value.length : 1), 0));',
      { from: 'Array.isArray(value)', to: 'true' },
      'Only the price: a value without a length is no number of units, and the meter no longer ends. What is compared is then bounded by the keys of one rule.',
    ],
    [
      'return [];',
      { from: '[]', to: "['mutant']" },
      'Not reached by any test: no three conditions are known that exclude one another without two of them doing so.',
    ],
  ],
  'src/rules/lint/region.ts': [
    [
      'return fromRecord(subject) ? withRegistration(next) : next;',
      { from: 'fromRecord(subject)', to: 'true' },
      'Only speed: what is known of registration changes only with what is asked of the record, and repeating it changes nothing.',
    ],
  ],
  'src/rules/lint/literals.ts': [
    [
      'silent: false,',
      { from: 'false', to: 'true' },
      'Equivalent: licences are never unknown, so what silence means for them is not asked.',
    ],
    [
      "if (before === 'now') return [];",
      { from: "before === 'now'", to: 'false' },
      'Equivalent: `now` is no date, its moment no number, and an interval up to no number is empty as well.',
    ],
    [
      "if (before === 'now') return [];",
      { from: "'now'", to: "''" },
      'Equivalent: `now` is no date, its moment no number, and an interval up to no number is empty as well.',
    ],
    [
      'const known = { holds: true, silent: false };',
      { from: 'false', to: 'true' },
      'Equivalent: licences are never unknown, so what silence means for them is not asked.',
    ],
    [
      "const timezone = (time.timezone ?? 'UTC').toLowerCase();",
      { from: 'toLowerCase', to: 'toUpperCase' },
      'Only the name of a subject, in capitals for every rule alike.',
    ],
  ],
  'src/rules/lint/silence.ts': [
    [
      'const keys = WITHHELD.flatMap((group) => given.find((key) => group.includes(key)) ?? []);',
      { from: '[]', to: "['mutant']" },
      'Equivalent: who leaves out what no rule asks for is in the same checks, and those the deny rule denies as before.',
    ],
  ],
  'src/rules/conditions/time.ts': [
    [
      'const after = value.after === undefined ? -Infinity : Date.parse(value.after);',
      { from: 'value.after === undefined', to: 'false' },
      'Equivalent: the date of undefined is no number, and no moment is before it.',
    ],
    [
      'const before = value.before === undefined ? Infinity : Date.parse(value.before);',
      { from: 'value.before === undefined', to: 'false' },
      'Equivalent: the date of undefined is no number, and no moment is at or after it.',
    ],
    [
      "if (timezone === undefined || timezone === 'UTC') return () => 0;",
      { from: "timezone === 'UTC'", to: 'false' },
      'Only speed: the calendar says that UTC is nothing ahead of UTC.',
    ],
    [
      "if (timezone === undefined || timezone === 'UTC') return () => 0;",
      { from: "'UTC'", to: "''" },
      'Only speed: the calendar says that UTC is nothing ahead of UTC.',
    ],
  ],
};

export const SURVIVORS: readonly Survivor[] = Object.entries(BY_FILE).flatMap(([file, list]) =>
  list.map(([line, mutation, why]) => ({ file, line, ...mutation, why })),
);
