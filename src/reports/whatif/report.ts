/** The impact preview's answer: counts with names, the most affected first. */
import type { Static } from 'typebox';
import { toIso } from '../../lib/clock.ts';
import type { PolicyVersion } from '../../rules/policy.ts';

import type { ImpactSource } from './impact-source.ts';
import type { ImpactAnswer } from './schema.ts';
import type { ImpactTally } from './tally.ts';

export type ImpactReport = Static<typeof ImpactAnswer>;

const TOP = 20;

export async function toReport(
  source: Pick<ImpactSource, 'names' | 'items' | 'collections'>,
  { draft, from, to }: { draft: PolicyVersion; from: number; to: number },
  { counts, byRequester, byContent, byCollection, byReason, examples, unknown }: ImpactTally,
): Promise<ImpactReport> {
  const requesters = top(byRequester);
  const contents = top(byContent);
  const names: ReadonlyMap<string | null, string> = await source.names(requesters.flatMap(([id]) => id ?? []));
  const collections = top(byCollection);
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
    byRequester: requesters.map(([id, turns]) => ({ id, name: names.get(id) ?? id, ...turns })),
    byContent: contents.flatMap(([no, turns]) => {
      const item = items.get(no);
      if (item === undefined) return [];
      return [{ id: item.facts.id, externalId: item.facts.externalId, title: item.title, ...turns }];
    }),
    byCollection: collections.map(([id, turns]) => ({ id, name: titles.get(id) ?? null, ...turns })),
    byReason,
    examples,
    unknown,
  };
}

type Turns = { allowToDeny: number; denyToAllow: number };

/** The most changes first, then in the order of the keys. */
function top<K extends string | number | null>(by: ReadonlyMap<K, Turns>): [K, Turns][] {
  const sum = ({ allowToDeny, denyToAllow }: Turns): number => allowToDeny + denyToAllow;
  const sorted = [...by].toSorted(([a, one], [b, other]) => sum(other) - sum(one) || ((a ?? '') < (b ?? '') ? -1 : 1));
  return sorted.slice(0, TOP);
}
