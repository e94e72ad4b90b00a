/** The table `agent_keys`; rows never leave this file. */
import type { Db, Row } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { keyed } from '../../lib/queue.ts';
import { KEPT_MS, type KeptKeys, type Saved } from './directories.ts';
import { readKeys, writeKeys } from './keys.ts';

interface KeysRow extends Row {
  agent: string;
  jwks: string;
  fetched_at: number;
  fresh_until: number;
  failing: number;
}

const PUT = `insert into agent_keys (agent, jwks, fetched_at, fresh_until, failing) values ($1, $2, $3, $4, $5)
  on conflict (agent) do update set jwks = excluded.jwks, fetched_at = excluded.fetched_at,
    fresh_until = excluded.fresh_until, failing = excluded.failing
  where agent_keys.fetched_at <= excluded.fetched_at`;

export interface KeptOptions {
  db: Db;
  clock: Clock;
  onProblem(error: unknown): void;
}

/** Reads the keys that were fetched before the start. Times are kept by the clock, ages are what the caller has. */
export async function openKeptKeys({ db, clock, onProblem }: KeptOptions): Promise<KeptKeys> {
  const inQueue = keyed();
  const now = clock.now();
  const rows = await db.read<KeysRow>(
    'select agent, jwks, fetched_at, fresh_until, failing from agent_keys where fetched_at > $1',
    [now - KEPT_MS],
  );
  await db.atomic([{ sql: 'delete from agent_keys where fetched_at <= $1', params: [now - KEPT_MS] }]);
  const saved = rows.flatMap((row): [string, Saved][] => {
    const keys = readKeys(JSON.parse(row.jwks));
    if (keys === undefined) return [];
    // The clock may have been set back since: keys of the future were fetched now.
    const ageMs = Math.max(0, now - row.fetched_at);
    const lifetimeMs = row.fresh_until - row.fetched_at;
    return [[row.agent, { keys, ageMs, lifetimeMs, isFailing: row.failing === 1 }]];
  });
  const write = (agent: string, sql: string, params: (string | number)[]): void =>
    void inQueue(agent, () => db.atomic([{ sql, params }])).catch(onProblem);
  return {
    saved: new Map(saved),
    save(agent, { keys, ageMs, lifetimeMs, isFailing }) {
      const fetchedAt = Math.round(clock.now() - ageMs);
      const freshUntil = Math.round(fetchedAt + lifetimeMs);
      write(agent, PUT, [agent, JSON.stringify(writeKeys(keys)), fetchedAt, freshUntil, Number(isFailing)]);
    },
    forget: (agent) => write(agent, 'delete from agent_keys where agent = $1', [agent]),
  };
}
