/**
 * Reads the rendered files back and compares what they say with the answers of `decide` in the table. Finds statements
 * that allow what a policy denies to some visitor of the audience; there must be none.
 */

import { Slices } from '../../lib/slices.ts';
import { examplePaths, mayFetch, readRobots, toReadable } from '../robots/robots-reader.ts';
import type { Published } from '../signals.ts';
import { crawlAnswer, groupAudiences, spellPattern, type Table, useAnswer } from '../table/table.ts';
import { FORMATS, USE_WORDS, USES } from '../table/words.ts';
import type { SignalKind } from './kinds.ts';
import {
  askedRow,
  type Contradiction,
  FOUND_MAX,
  type GroupOf,
  type ReadBack,
  readBackRsl,
  readBackTdmrep,
  readUsage,
  STEPS_MAX,
  STEPS_OF_ROW,
} from './read-back.ts';

const known = new WeakMap<Published, Promise<readonly Contradiction[]>>();

export function contradictionsIn(published: Published): Promise<readonly Contradiction[]> {
  const before = known.get(published);
  if (before !== undefined) return before;
  const begun = find(published);
  known.set(published, begun);
  return begun;
}

async function find({ table, files }: Published): Promise<Contradiction[]> {
  const found: Contradiction[] = [];
  for (const [kind, readBack] of READERS) {
    const file = files[kind];
    if (typeof file !== 'string') await readBack(table, file.body, found);
  }
  return found.slice(0, FOUND_MAX);
}

const READERS = [
  ['robots.txt', readBackRobots],
  ['license.xml', readBackRsl],
  ['tdmrep.json', readBackTdmrep],
] as const satisfies readonly (readonly [SignalKind, ReadBack])[];

async function readBackRobots(table: Table, text: string, found: Contradiction[]): Promise<void> {
  const robots = readRobots(text);
  const slices = new Slices();
  const patterns = table.rows.map(({ pattern }) => spellPattern(pattern));
  const groups = groupAudiences(table, USES).map(({ audience }) => {
    const crawler = table.audiences[audience]?.token ?? '*';
    return { audience, crawler, group: robots.groupOf(crawler.replace(/\/$/, '')) };
  });
  for (const one of groups) found.push(...readBackSignal(table, one));
  let steps = STEPS_MAX;
  for (const one of groups) {
    const { audience, crawler, group } = one;
    const usage = readUsage(one);
    const cost = group.rules.length + usage.texts.length + STEPS_OF_ROW;
    const texts = new Set([...patterns, ...group.rules.map((rule) => rule.text), ...usage.texts]);
    for (const pattern of texts) {
      for (const path of examplePaths(pattern)) {
        steps -= cost;
        const row = askedRow(table, path);
        if (row === undefined || !mayFetch(group, toReadable(path))) continue;
        const wrong = crawlAnswer(row, audience).allowed
          ? usage.wrongAt(row, path)
          : `robots.txt lets ${crawler} fetch ${path}`;
        if (wrong === undefined) continue;
        found.push({ pattern: spellPattern(row.pattern), crawler, message: `${wrong}, which a policy denies.` });
        break;
      }
      await slices.next();
      if (steps < 0 || found.length >= FOUND_MAX) return;
    }
  }
}

/** `yes` holds for every address that may be fetched. */
function readBackSignal(table: Table, { audience, crawler, group }: GroupOf): Contradiction[] {
  const lines = group.ours.get('content-signal') ?? [];
  const words = new Map(
    lines
      .join()
      .split(',')
      .map((part) => part.trim().split('=') as [string, string]),
  );
  return USES.flatMap((use) => {
    const word = USE_WORDS[use].contentSignal;
    if (word === null || words.get(word) !== FORMATS.contentSignal.values[1]) return [];
    const row = table.rows.find(
      (one) =>
        one.cell.policyId !== null && crawlAnswer(one, audience).allowed && !useAnswer(one, use, audience).allowed,
    );
    if (row === undefined) return [];
    const pattern = spellPattern(row.pattern);
    return [
      { pattern, crawler, message: `Content-Signal permits ${crawler} ${word}, which a policy denies at ${pattern}.` },
    ];
  });
}
