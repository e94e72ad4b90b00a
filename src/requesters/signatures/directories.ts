/**
 * The keys of agents in memory, fetched in the background: no request waits for a fetch. Promise: a document is fetched
 * only for agents that the caller permits; a fetch that fails evicts nothing, one that succeeds replaces all keys.
 */
import { every } from '../../lib/every.ts';
import type { Getter } from '../../lib/outgoing/get.ts';
import { type Resolved, resolve } from './document.ts';
import type { AgentKey, AgentKeys } from './keys.ts';
import type { Doubt } from './outcome.ts';

const ENTRIES_MAX = 2_000;
const FETCHES_MAX = 4;
const TICK_MS = 1_000;
/** Keys that could not be refreshed for this long verify nothing. */
export const KEPT_MS = 7 * 86_400_000;
/** A failed fetch is retried after the first, doubled each time, and at most the second (draft, Negative Caching). */
const RETRY_MS = { first: 5_000, most: 300_000 };
/** Unknown thumbprints cause at most one fetch per agent in this time: visitors choose them. */
const UNKNOWN_KEY_MS = 60_000;
/** Keys in use are refreshed before they expire, after this share of their lifetime and a random part of the rest. */
const AHEAD = { least: 0.7, random: 0.2 };
/** Keys that no request needed for this long are refreshed this often at most. */
const UNUSED_MS = 3_600_000;

/** The keys of an agent as they are kept over a restart. */
export interface Saved {
  keys: AgentKeys;
  /** Time since they were fetched. */
  ageMs: number;
  lifetimeMs: number;
  /** Fetches have failed since. */
  isFailing: boolean;
}

export interface KeptKeys {
  /** Keys that were fetched before the start, by agent. */
  readonly saved: ReadonlyMap<string, Saved>;
  save(agent: string, saved: Saved): void;
  forget(agent: string): void;
}

export interface DirectoriesOptions {
  getter: Getter;
  /** Keeps keys over a restart. Without it, each start fetches them. */
  kept?: KeptKeys | undefined;
  /** Monotonic milliseconds. */
  elapsed(): number;
}

/** The state of one agent's keys. */
export interface DirectoryState {
  agent: string;
  /** `fetching` until the first fetch ends; `failing` if there are no keys. */
  state: 'fetching' | 'fresh' | 'stale' | 'failing';
  isFetching: boolean;
  keys: number;
  /** Time since the last successful fetch; null without one. */
  ageMs: number | null;
  /** Failed fetches since the last successful one. */
  failures: number;
  /** Time since the first of these; null without one. */
  failingMs: number | null;
  error: string | null;
}

interface Entry {
  agent: string;
  keys: AgentKeys | undefined;
  fetchedAt: number;
  freshUntil: number;
  /** Time of the next fetch. */
  dueAt: number;
  failures: number;
  /** Time of the first of these; of the start, where it was before. */
  failingSince: number;
  error: string | null;
  isRunning: boolean;
  /** When a request last needed the keys. */
  usedAt: number;
}

export class Directories {
  readonly #getter: Getter;
  readonly #elapsed: () => number;
  readonly #kept: KeptKeys | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Set<Promise<void>>();
  readonly #figures = { fetches: 0, failures: 0 };
  readonly #stop: () => Promise<void>;
  #tracked: ReadonlySet<string> = new Set();
  #isClosed = false;

  constructor({ getter, elapsed, kept }: DirectoriesOptions) {
    this.#getter = getter;
    this.#elapsed = elapsed;
    this.#kept = kept;
    this.#stop = every(
      TICK_MS,
      async () => this.#refresh(),
      () => undefined,
    );
  }

  /** Returns a key from memory, or why there is none; then a fetch of the agent's keys starts if one is due. */
  find(agent: string, thumbprint: string): AgentKey | Doubt {
    const entry = this.#open(agent);
    if (entry === undefined) return 'keys_not_fetched';
    entry.usedAt = this.#elapsed();
    this.#start(entry);
    if (entry.keys === undefined) return 'keys_not_fetched';
    if (!isUsable(entry, this.#elapsed())) return 'keys_stale';
    const key = entry.keys.get(thumbprint);
    if (key !== undefined) return key;
    if (entry.failures === 0) {
      // The agent may have a new key.
      entry.dueAt = Math.min(entry.dueAt, entry.fetchedAt + UNKNOWN_KEY_MS);
      this.#start(entry);
    }
    return 'key_unknown';
  }

  /** Fetches the keys of these agents ahead of requests, and forgets those that are no longer among them. */
  track(agents: ReadonlySet<string>): void {
    for (const agent of this.#tracked) {
      if (agents.has(agent)) continue;
      this.#entries.delete(agent);
      this.#kept?.forget(agent);
    }
    this.#tracked = new Set(agents);
    for (const agent of agents) {
      const entry = this.#open(agent);
      if (entry !== undefined) this.#start(entry);
    }
  }

  list(): DirectoryState[] {
    return [...this.#entries.values()].map((entry) => describe(entry, this.#elapsed()));
  }

  figures() {
    return { ...this.#figures, directories: this.#entries.size };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
    await this.#getter.close();
    await Promise.all(this.#running);
  }

  #open(agent: string): Entry | undefined {
    const known = this.#entries.get(agent);
    if (known !== undefined || this.#entries.size >= ENTRIES_MAX) return known;
    const saved = this.#kept?.saved.get(agent);
    const entry = saved === undefined ? newEntry(agent) : restored(agent, saved, this.#elapsed());
    this.#entries.set(agent, entry);
    return entry;
  }

  #save({ agent, keys, fetchedAt, freshUntil, failures }: Entry): void {
    if (keys === undefined) return;
    const ageMs = this.#elapsed() - fetchedAt;
    this.#kept?.save(agent, { keys, ageMs, lifetimeMs: freshUntil - fetchedAt, isFailing: failures > 0 });
  }

  #refresh(): void {
    const now = this.#elapsed();
    for (const entry of this.#entries.values()) {
      const isUsed = now - entry.usedAt < UNUSED_MS;
      if (isUsed || entry.failures > 0 || now - entry.fetchedAt >= UNUSED_MS) this.#start(entry);
    }
  }

  /** Starts the fetch of an entry that is due, unless enough are running: then a later turn of `#refresh` starts it. */
  #start(entry: Entry): void {
    if (this.#isClosed || entry.isRunning || this.#running.size >= FETCHES_MAX) return;
    if (entry.dueAt > this.#elapsed()) return;
    entry.isRunning = true;
    this.#figures.fetches++;
    const fetching = resolve(this.#getter, entry.agent).then((resolved) => {
      this.#running.delete(fetching);
      entry.isRunning = false;
      if (this.#isClosed) return;
      if ('error' in resolved) this.#figures.failures++;
      const wasFailing = entry.failures > 0;
      settle(entry, resolved, this.#elapsed());
      if (this.#entries.get(entry.agent) !== entry) return;
      if (entry.failures === 0 || !wasFailing) this.#save(entry);
    });
    this.#running.add(fetching);
  }
}

/** Keys that were fetched before the start are judged as they would have been without it. */
const restored = (agent: string, { keys, ageMs, lifetimeMs, isFailing }: Saved, now: number): Entry => ({
  ...newEntry(agent),
  keys,
  fetchedAt: now - ageMs,
  freshUntil: now - ageMs + lifetimeMs,
  dueAt: now - ageMs + lifetimeMs * AHEAD.least,
  failures: isFailing ? 1 : 0,
  failingSince: now,
});

const newEntry = (agent: string): Entry => ({
  agent,
  keys: undefined,
  fetchedAt: Number.NEGATIVE_INFINITY,
  freshUntil: Number.NEGATIVE_INFINITY,
  dueAt: Number.NEGATIVE_INFINITY,
  failures: 0,
  failingSince: Number.NEGATIVE_INFINITY,
  error: null,
  isRunning: false,
  usedAt: Number.NEGATIVE_INFINITY,
});

/** Keys whose lifetime has passed remain usable while their server fails, or its outage would revoke them. */
const isUsable = ({ freshUntil, failures, fetchedAt }: Entry, now: number): boolean =>
  now < freshUntil || (failures > 0 && now < fetchedAt + KEPT_MS);

function settle(entry: Entry, resolved: Resolved, now: number): void {
  if ('error' in resolved) {
    const wait = Math.min(RETRY_MS.first * 2 ** entry.failures, RETRY_MS.most);
    const asked = Math.min(resolved.retryAfterMs ?? 0, RETRY_MS.most);
    if (entry.failures === 0) entry.failingSince = now;
    entry.failures++;
    entry.error = resolved.error;
    entry.dueAt = now + Math.max(wait * (0.5 + Math.random() / 2), asked);
    return;
  }
  entry.keys = resolved.keys;
  entry.fetchedAt = now;
  entry.freshUntil = now + resolved.lifetimeMs;
  entry.dueAt = now + resolved.lifetimeMs * (AHEAD.least + AHEAD.random * Math.random());
  entry.failures = 0;
  entry.error = null;
}

function describe(entry: Entry, now: number): DirectoryState {
  const { agent, keys, fetchedAt, failures, failingSince, error, isRunning } = entry;
  const isFresh = keys !== undefined && isUsable(entry, now);
  const without = failures > 0 ? 'failing' : 'fetching';
  const withKeys = isFresh ? 'fresh' : 'stale';
  return {
    agent,
    state: keys === undefined ? without : withKeys,
    isFetching: isRunning,
    keys: keys?.size ?? 0,
    ageMs: keys === undefined ? null : now - fetchedAt,
    failures,
    failingMs: failures === 0 ? null : now - failingSince,
    error,
  };
}
