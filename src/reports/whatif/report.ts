/** The impact preview's answer: counts with names, the most affected first. */
import type { Static } from 'typebox';
import { toIso } from '../../lib/clock.ts';
import type { PolicyVersion } from '../../rules/policy.ts';
import { requesterIds, toWho } from '../usage/who.ts';
import type { ImpactSource } from './impact-source.ts';
import type { ImpactAnswer } from './schema.ts';
import { type ImpactTally, sumTurns, type WhoTurns } from './tally.ts';

export type ImpactReport = Static<typeof ImpactAnswer>;

const TOP = 20;

export async function toReport(
  source: Pick<ImpactSource, 'names' | 'items' | 'collections'>,
  { draft, from, to }: { draft: PolicyVersion; from: number; to: number },
  { counts, byReason, examples, unknown, ...by }: ImpactTally,
): Promise<ImpactReport> {
  const requesters = top(by.byRequester);
  const contents = top(by.byContent);
  const visitors = top(by.byWho).map(([, turns]) => turns);
  const named = requesterIds([...visitors, ...examples].map(({ visitor }) => visitor));
  const ids = [...requesters.flatMap(([id]) => id ?? []), ...named];
  const names = await source.names([...new Set(ids)]);
  const collections = top(by.byCollection);
  const titles = await source.collections(collections.map(([id]) => id));
  const items = await source.items(
    contents.map(([no]) => no),
    draft.id,
  );
  return {
    object: 'policy_impact',
    policyId: draft.id,
    from: toIso(from),
    to: toIso(to),
    ...counts,
    byRequester: requesters.map(([id, turns]) => ({ id, name: names.get(id ?? '') ?? id, ...turns })),
    byWho: visitors.map(({ visitor, ...turns }) => ({ who: toWho(visitor, names), ...turns })),
    byContent: contents.flatMap(([no, turns]) => {
      const item = items.get(no);
      if (item === undefined) return [];
      return [{ id: item.facts.id, externalId: item.facts.externalId, title: item.title, ...turns }];
    }),
    byCollection: collections.map(([id, turns]) => ({ id, name: titles.get(id) ?? null, ...turns })),
    byReason,
    examples: examples.map(({ visitor, before, after, ...example }) => {
      return { ...example, who: toWho(visitor, names), before, after };
    }),
    unknown,
  };
}

type Turns = Omit<WhoTurns, 'visitor'>;

/** The most changes first, then in the order of the keys. */
function top<K extends string | number | null, T extends Turns>(by: ReadonlyMap<K, T>): [K, T][] {
  const sorted = [...by].toSorted(
    ([a, one], [b, other]) => sumTurns(other) - sumTurns(one) || ((a ?? '') < (b ?? '') ? -1 : 1),
  );
  return sorted.slice(0, TOP);
}
