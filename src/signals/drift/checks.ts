/**
 * Looks at the live files of sites: daily, and when an operator asks. Promise: a difference is announced once, when it
 * begins or changes; one node at a time does the daily work; a visitor's request leads to no fetch.
 */
import { type Author, type Change, SYSTEM } from '../../api/changes/change.ts';
import type { Changes } from '../../api/changes/changes.ts';
import { type Db, Unavailable } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { every } from '../../lib/every.ts';
import { openGetter } from '../../lib/outgoing/get.ts';
import { VERSION } from '../../lib/version.ts';
import { type DriftDeps, type DriftOutcome, lookAndCompare } from './drift.ts';
import { driftAnswer } from './schema.ts';
import { deleteStrayChecks, findCheck, findDue, putCheck, type SignalCheck } from './store.ts';

export interface ChecksDeps extends Omit<DriftDeps, 'getter'> {
  db: Db;
  changes: Changes;
  clock: Clock;
  /** Returns whether this node does the daily work. */
  isOurs(): boolean;
  onProblem(error: unknown): void;
}

export interface DriftChecks {
  /** Looks now, and keeps the result. Throws site_not_found, and Unavailable. */
  check(host: string, author: Author): ReturnType<Changes['commit']>;
  close(): Promise<void>;
}

const TICK_MS = 1_000;
const DAY_MS = 86_400_000;
const RETRY_AFTER_MS = 600_000;
/** Sites that are looked at together. */
const AT_ONCE = 4;

export function openDriftChecks(deps: ChecksDeps): DriftChecks {
  const { db, changes, clock, allowPrivate, isOurs, onProblem } = deps;
  const getter = openGetter({ userAgent: `Postern/${VERSION}`, allowPrivate });
  const looks = new Map<string, Promise<DriftOutcome>>();
  /** Sites whose comparison failed, until they are due again: others come first. */
  const resting = new Map<string, number>();

  /** Requests that come while a site is looked at share the result. */
  function look(host: string): Promise<DriftOutcome> {
    const running = looks.get(host);
    if (running !== undefined) return running;
    if (looks.size >= 2 * AT_ONCE) return Promise.reject(new Unavailable('too many sites are being looked at'));
    const begun = lookAndCompare({ ...deps, getter }, host).finally(() => looks.delete(host));
    looks.set(host, begun);
    return begun;
  }

  async function check(host: string, author: Author) {
    const outcome = await look(host);
    return changes.commit(author, `drift ${host}`, async () => {
      const before = await findCheck(db, host);
      const after = toCheck(host, outcome, { before, now: clock.now() });
      const object = driftAnswer(host, after);
      const isNew = outcome.digest !== null && outcome.digest !== before?.digest;
      const announced: Change[] = isNew ? [{ kind: 'signals.drifted', id: host, object }] : [];
      return { steps: [putCheck(after)], changes: announced, status: 200, body: object };
    });
  }

  async function checkDue(): Promise<void> {
    if (!isOurs()) return;
    const now = clock.now();
    for (const [host, until] of resting) if (until <= now) resting.delete(host);
    const found = await findDue(db, { before: now - DAY_MS, limit: AT_ONCE + resting.size });
    const due = found.filter((host) => !resting.has(host)).slice(0, AT_ONCE);
    if (due.length === 0) return;
    await db.atomic([deleteStrayChecks]);
    await Promise.all(
      due.map((host) =>
        check(host, SYSTEM).catch((error) => {
          resting.set(host, now + RETRY_AFTER_MS);
          onProblem(error);
        }),
      ),
    );
  }

  const stop = every(TICK_MS, checkDue, onProblem);
  return {
    check,
    async close() {
      await getter.close();
      await stop();
    },
  };
}

/** A site that could not be looked at differs as before. */
function toCheck(
  host: string,
  { state, files, digest }: DriftOutcome,
  { before, now }: { before: SignalCheck | undefined; now: number },
): SignalCheck {
  const common = { host, state, checkedAt: now, files };
  if (state === 'unreachable') return { ...common, since: before?.since ?? null, digest: before?.digest ?? null };
  const isAsBefore = digest !== null && digest === before?.digest;
  return { ...common, digest, since: digest === null ? null : isAsBefore ? (before?.since ?? now) : now };
}
