/**
 * Fetches the published lists that requesters or the crawler directory name, once a day; a list that failed sooner.
 * Promise: no visitor's request leads to a fetch, and one node at a time fetches.
 */
import { hash } from 'node:crypto';
import { type Change, SYSTEM } from '../../api/changes/change.ts';
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { every } from '../../lib/every.ts';
import type { Getter } from '../../lib/outgoing/get.ts';
import type { KnownLists } from './known-lists.ts';
import { hasShrunk, type ListState, nextFetchAt, readList } from './list.ts';
import type { ProofsByName } from './proofs.ts';
import { listAnswer } from './schema.ts';
import { deleteList, findList, findRanges, putList } from './store.ts';

const CHECK_EVERY_MS = 1_000;
const AT_ONCE = 4;
/** Further lists are not fetched. */
const LISTS_MAX = 500;
const WANTED = { accept: 'application/json, text/csv, text/plain', maxBytes: 2 * 1024 * 1024, timeoutMs: 20_000 };

export interface FetcherDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  getter: Getter;
  lists: KnownLists;
  proofs: ProofsByName;
  /** Returns whether this node fetches. */
  isOurs(): boolean;
  onProblem(error: unknown): void;
}

export interface Fetcher {
  figures(): { fetches: number; failures: number };
  close(): Promise<void>;
}

export function openFetcher(deps: FetcherDeps): Fetcher {
  const { db, clock, lists, proofs, isOurs, onProblem } = deps;
  const figures = { fetches: 0, failures: 0 };

  async function fetchDue(): Promise<void> {
    if (!isOurs()) return;
    const urls = [...proofs.lists()].slice(0, LISTS_MAX);
    const wanted = new Set(urls);
    const gone = lists.states().filter(({ url }) => !wanted.has(url));
    const now = clock.now();
    const due = urls.filter((url) => {
      const state = lists.state(url);
      return state === undefined || nextFetchAt(state) <= now;
    });
    if (gone.length > 0) await db.atomic(gone.map(({ url }) => deleteList(url)));
    const batch = due.slice(0, AT_ONCE);
    await Promise.all(batch.map((url) => fetchOne(deps, url, figures)));
    if (gone.length + batch.length > 0) await lists.refresh();
  }

  const stop = every(CHECK_EVERY_MS, fetchDue, onProblem);
  return { figures: () => ({ ...figures }), close: stop };
}

async function fetchOne(deps: FetcherDeps, url: string, figures: { fetches: number; failures: number }): Promise<void> {
  const { db, changes, clock, getter, proofs } = deps;
  const fetched = await getter.get(url, WANTED);
  const found = fetched.error === undefined ? readList(fetched.body.toString()) : fetched.error;
  figures.fetches++;
  if (typeof found === 'string') figures.failures++;
  await changes.commit(SYSTEM, url, async () => {
    // No requester names it any more: its address may have been erased meanwhile.
    if (!proofs.lists().has(url)) return { steps: [], changes: [], status: 200, body: null };
    const now = clock.now();
    const before = (await findList(db, url)) ?? firstState(url);
    const { state, kind, ...texts }: Outcome =
      typeof found === 'string'
        ? { state: failed(before, found, now) }
        : await judge(db, { ...before, attemptedAt: now, failures: 0, failingSince: null, error: null }, found);
    const change: Change[] = kind === undefined ? [] : [{ kind, id: url, object: listAnswer(state, now) }];
    return { steps: [putList(state, texts)], changes: change, status: 200, body: null };
  });
}

interface Outcome {
  state: ListState;
  kind?: 'identity.list_changed' | 'identity.list_suspicious';
  texts?: readonly string[];
  heldTexts?: readonly string[] | null;
}

/** Holds back a list that shrank by more than half; announces it once. */
async function judge(db: Db, state: ListState, texts: readonly string[]): Promise<Outcome> {
  const { url, attemptedAt } = state;
  const young = hash('sha256', texts.join('\n'), 'base64url');
  if (state.hash !== null && state.hash !== young && hasShrunk(await findRanges(db, url), texts)) {
    const isNew = state.heldHash !== young;
    const heldSince = isNew ? attemptedAt : (state.heldSince ?? state.heldAt);
    const held = { ...state, heldAt: attemptedAt, heldSince, heldRanges: texts.length, heldHash: young };
    return { state: held, heldTexts: texts, ...(isNew ? { kind: 'identity.list_suspicious' } : {}) };
  }
  const accepted = {
    ...state,
    hash: young,
    fetchedAt: attemptedAt,
    ranges: texts.length,
    heldAt: null,
    heldSince: null,
    heldRanges: null,
    heldHash: null,
  };
  if (state.hash === young) return { state: accepted, heldTexts: null };
  return { state: accepted, texts, heldTexts: null, kind: 'identity.list_changed' };
}

const failed = (before: ListState, error: string, now: number): ListState => ({
  ...before,
  attemptedAt: now,
  failures: before.failures + 1,
  failingSince: before.failures === 0 ? now : before.failingSince,
  error,
});

const firstState = (url: string): ListState => ({
  url,
  hash: null,
  fetchedAt: null,
  attemptedAt: 0,
  failures: 0,
  failingSince: null,
  error: null,
  ranges: 0,
  heldRanges: null,
  heldHash: null,
  heldAt: null,
  heldSince: null,
});
