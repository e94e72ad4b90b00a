/**
 * Renews the crawler directory of this process from a file or a URL. Promise: a directory that is invalid or older than
 * the last one changes nothing; the last one is kept with the records, so that a restart without its source has it, and
 * every node reads it there. One node at a time looks at the source.
 */
import { hash } from 'node:crypto';
import { SYSTEM } from '../../api/changes/change.ts';
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { every } from '../../lib/every.ts';
import type { Getter } from '../../lib/outgoing/get.ts';
import { type Directory, PACKAGED } from '../../rules/crawlers/directory.ts';
import { nextFetchAt } from '../identities/list.ts';
import { readDirectory } from './directory-schema.ts';
import {
  type CrawlerDirectoryState,
  findTaken,
  findTakenText,
  putTaken,
  type TakenDirectory,
} from './directory-store.ts';
import { type DirectoryInForce, openInForce } from './in-force.ts';
import { type DirectorySource, fileMark, type Taken, takeDirectory } from './source.ts';

const LOOK_EVERY_MS = 1_000;
/** Failures of another node are not announced. */
const REFRESH_MS = 30_000;

export interface RenewedDirectory {
  state(): CrawlerDirectoryState;
  close(): Promise<void>;
}

export interface RenewalDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  getter: Getter;
  source: DirectorySource | null;
  /** Returns whether this node looks at the source. */
  isOurs(): boolean;
  onReplaced(directory: Directory): void;
  onProblem(problem: unknown): void;
}

const OF_THE_PACKAGE = { takenAt: null, attemptedAt: null, failures: 0, failingSince: null, error: null } as const;

export async function openRenewal(deps: RenewalDeps): Promise<RenewedDirectory> {
  const { source } = deps;
  let refresh: (() => Promise<void>) | undefined;
  const inForce = await openInForce(deps.db, deps.changes, () => void refresh?.());
  if (source === null) {
    return {
      state: () => ({ date: PACKAGED.date, source: 'package', ...OF_THE_PACKAGE }),
      close: async () => inForce.close(),
    };
  }
  const renewed = await renew({ ...deps, source }, inForce);
  refresh = renewed.refresh;
  return renewed;
}

/** Keeps the directory in force the newest that was taken. */
async function renew(
  deps: RenewalDeps & { source: DirectorySource },
  inForce: DirectoryInForce,
): Promise<RenewedDirectory & { refresh(): Promise<void> }> {
  const { source, db, onReplaced, onProblem } = deps;
  let taken = await findTaken(db);
  let stored: { hash: string; directory: Directory } | undefined;
  let reading = Promise.resolve();

  async function readStored(): Promise<void> {
    taken = await findTaken(db);
    const { hash: wanted } = taken;
    if (wanted !== null && wanted !== stored?.hash) {
      const directory = readDirectory((await findTakenText(db, wanted)) ?? '', Number.POSITIVE_INFINITY);
      if (typeof directory === 'string') throw new Error(`The crawler directory in the records: ${directory}`);
      stored = { hash: wanted, directory };
    }
    const newer = stored === undefined || stored.directory.date <= PACKAGED.date ? PACKAGED : stored.directory;
    if (newer === inForce.base()) return;
    inForce.use(newer);
    onReplaced(newer);
  }
  /** Reads one after the other: so the last to read is the last to replace. */
  const refresh = (): Promise<void> => (reading = reading.then(readStored).catch(onProblem));

  await refresh();
  const closed = new AbortController();
  const look = openLook({ ...deps, source, last: () => taken, closed: closed.signal }, refresh);
  // A file is in force before the first check, on each node; a URL is not waited for.
  if (!source.isUrl) await look({ isStart: true }).catch(onProblem);
  const stops = [every(LOOK_EVERY_MS, () => look({}), onProblem), every(REFRESH_MS, refresh, onProblem)];
  return {
    refresh,
    state() {
      const { date } = inForce.base();
      const { takenAt, failures, failingSince, error } = taken;
      const attemptedAt = taken.attemptedAt === 0 ? null : taken.attemptedAt;
      const from = source.isUrl ? 'url' : 'file';
      return {
        date,
        source: inForce.base() === PACKAGED ? 'package' : from,
        takenAt,
        attemptedAt,
        failures,
        failingSince,
        error,
      };
    },
    async close() {
      closed.abort();
      await deps.getter.close();
      await Promise.all(stops.map((stop) => stop()));
      await reading;
      inForce.close();
    },
  };
}

interface LookDeps extends RenewalDeps {
  source: DirectorySource;
  /** The last directory, and the attempts since. */
  last(): TakenDirectory;
  closed: AbortSignal;
}

/**
 * Returns a function that looks at the source: at first, whenever the file changed, and a URL once a day. A node whose
 * turn it is not looks at the start alone; there it takes what is newer, and reports no fault.
 */
function openLook(deps: LookDeps, refresh: () => Promise<void>): (when: { isStart?: boolean }) => Promise<void> {
  const { db, changes, clock, getter, source, last, closed, isOurs, onProblem } = deps;
  let mark: string | undefined;
  return async ({ isStart = false }) => {
    const isOurLook = isOurs();
    if (!isOurLook && !isStart) return;
    const now = source.isUrl ? source.place : await fileMark(source);
    const isDue = (source.isUrl || last().failures > 0) && nextFetchAt(last()) <= clock.now();
    if (now === mark && !isDue) return;
    if (isOurLook) mark = now;
    const found = await takeDirectory(source, getter);
    // A fetch that the end of the service cut off is no failure.
    if (closed.aborted) return;
    let fault: string | null = null;
    await changes.commit(SYSTEM, 'crawler_directory', async () => {
      const before = await findTaken(db);
      const { taken, text } = judge(before, found, clock.now());
      if (!isOurLook && text === undefined) return { steps: [], changes: [], status: 200, body: null };
      fault = taken.error !== before.error ? taken.error : null;
      return {
        steps: [putTaken(taken, text)],
        changes: text === undefined ? [] : [toChange(taken)],
        status: 200,
        body: null,
      };
    });
    if (fault !== null) onProblem(fault);
    await refresh();
  };
}

const toChange = ({ date, takenAt }: TakenDirectory) => ({
  kind: 'crawler_directory.replaced' as const,
  id: 'directory',
  object: { object: 'crawler_directory', date, takenAt },
});

/** Returns the state after an attempt, with the text of a directory that is newer than the last. */
function judge(before: TakenDirectory, found: Taken, now: number): { taken: TakenDirectory; text?: string } {
  const failed = (error: string) => ({
    taken: {
      ...before,
      attemptedAt: now,
      failures: before.failures + 1,
      failingSince: before.failures === 0 ? now : before.failingSince,
      error,
    },
  });
  if (found.fault !== undefined) return failed(found.fault);
  const fine = { ...before, attemptedAt: now, failures: 0, failingSince: null, error: null };
  const young = hash('sha256', found.text, 'base64url');
  if (young === before.hash) return { taken: fine };
  const directory = readDirectory(found.text, now);
  if (typeof directory === 'string') return failed(directory);
  const { date } = directory;
  if (before.date !== null && date < before.date)
    return failed(`Its date ${date} is before that of the last one, ${before.date}.`);
  if (date === before.date) return failed(`It has other rows than the last one, and the same date, ${date}.`);
  return { taken: { ...fine, hash: young, date, takenAt: now }, text: found.text };
}
