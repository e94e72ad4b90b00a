/** Finds what would turn a denial, and at which price. */

import type { Caller } from '../../api/permissions.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Offered } from '../../requesters/offers/offer.ts';
import type { PriceList } from '../../requesters/offers/price-list.ts';
import type { Ask } from '../check/ask.ts';
import { type CheckDeps, check } from '../check/check.ts';
import { type Explainer, openExplainer } from '../explain/explain.ts';
import type { Decision, Remedy } from '../ledger/decision.ts';

const TELLS_NOTHING: Pick<Caller, 'permissions'> = { permissions: new Set() };

/** Returns what adds to a denial its remedies, of this price list, and no explanation of rules. */
export const openRemedier = (deps: CheckDeps, caller: Caller, list: PriceList): Explainer =>
  openExplainer({ ...caller, ...TELLS_NOTHING }, 'body', deps, list);

/** Decides as a dry run, with remedies. */
export const explained = (deps: CheckDeps, ask: Ask, caller: Caller, list: PriceList): Promise<Decision> =>
  check(
    deps,
    { ...ask, dryRun: true, explain: true },
    { caller, grounds: { readAt: monotonicMs() }, explainer: openRemedier(deps, caller, list) },
  );

/** Returns the offers of all remedies, each once. */
export const offeredIn = (remedies: readonly Remedy[]): Offered[] => [
  ...new Map(
    remedies.flatMap((remedy) =>
      remedy.kind === 'license' ? (remedy.offers ?? []).map((offer) => [offer.licenseType, offer] as const) : [],
    ),
  ).values(),
];

/** Returns the page about the first offer that has one. */
export const firstOfferUrl = (offered: readonly Offered[]): string | null =>
  offered.find(({ url }) => url !== undefined)?.url ?? null;
