/**
 * Measures what the rooms that verify visitors add to a check without a signature: the look for a signature, and the
 * judgement of its address. With a requester that has as many ranges as one may have, and with a browser.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { SYSTEM } from '../src/api/changes/change.ts';
import { openChanges } from '../src/api/changes/changes.ts';
import type { Ask } from '../src/decisions/check/ask.ts';
import { type AddressDeps, judgeAddresses } from '../src/decisions/visitors/address.ts';
import { machineClock } from '../src/lib/clock.ts';
import { openGetter } from '../src/lib/outgoing/get.ts';
import { newRequester, planCreate } from '../src/requesters/edits.ts';
import { openIdentities } from '../src/requesters/identities/identities.ts';
import { judge } from '../src/requesters/signatures/judge.ts';
import { median } from './figure.ts';
import { openStore } from './history.ts';

const RANGES = 1_000;
const PASSES = 20_000;
const NO_AGENTS: ReadonlySet<string> = new Set();
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

export interface Added {
  /** Nanoseconds of processor time, by the visitor. */
  partner: number;
  browser: number;
}

export async function addedToUnsigned(quick: boolean): Promise<Added> {
  using dir = temporaryFolder();
  const clock = machineClock();
  const store = await openStore(join(dir.path, 'data'));
  const changes = openChanges(store.db, clock);
  const problems: unknown[] = [];
  const getter = openGetter({ userAgent: 'Postern/bench', allowPrivate: false });
  const identities = await openIdentities({
    db: store.db,
    changes,
    clock,
    getter,
    directoryLists: false,
    isOurs: () => false,
    onProblem: (problem) => problems.push(problem),
  });
  const ranges = Array.from({ length: RANGES }, (_, i) => `2a03:${(i + 1).toString(16)}::/48`);
  const partner = newRequester({ id: 'partner', identities: [{ kind: 'ip', ranges }] }, clock.now());
  await changes.commit(SYSTEM, 'partner', () => planCreate(store.db, partner));
  const deps: AddressDeps = { identities, visitors: { claims: () => false, named: () => undefined } };
  const asks: Record<keyof Added, Ask> = {
    partner: { contentId: 'a', requesterId: 'partner', context: { ip: '2a03:1f::12:9', userAgent: 'PartnerBot/1' } },
    browser: { contentId: 'a', context: { ip: '198.51.100.7', userAgent: BROWSER } },
  };
  const [proven] = await judgeAddresses(deps, [asks.partner]);
  if (!(proven !== undefined && 'context' in proven && proven.context?.verified === 'ip')) {
    throw new Error('the address of the partner is not proven');
  }
  const unsigned = { method: 'GET', authority: 'www.example.com', targetUri: 'https://www.example.com/', at: 0 };
  const timesOf = (ask: Ask): number[] =>
    Array.from({ length: quick ? 5 : 31 }, () =>
      nanoseconds(() => {
        judge({ ...unsigned, headers: { 'user-agent': BROWSER } }, NO_AGENTS, () => 'key_unknown');
        return judgeAddresses(deps, [ask]);
      }),
    );
  const added = { partner: median(timesOf(asks.partner)), browser: median(timesOf(asks.browser)) };
  await identities.close();
  await store.close();
  return added;
}

/** Kept, so that no compiler leaves the work out. */
let kept: unknown;

function nanoseconds(run: () => unknown): number {
  const begun = process.cpuUsage();
  for (let pass = 0; pass < PASSES; pass++) kept = run();
  const { user, system } = process.cpuUsage(begun);
  if (kept === undefined) throw new Error('nothing was judged');
  return ((user + system) * 1000) / PASSES;
}
