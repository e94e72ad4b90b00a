/** Remembers when each key was last used and writes it every second. */
import type { Db } from '../db/db.ts';
import { touchKey } from './store.ts';

const WRITE_EVERY_MS = 1_000;

export interface LastUses {
  set(keyId: string, at: number): void;
  /** Returns the last use where the store may not have it yet. */
  get(keyId: string): number | null;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

export function openLastUses(db: Db): LastUses {
  const used = new Map<string, number>();
  let written: ReadonlyMap<string, number> = new Map();

  async function write(): Promise<void> {
    if (used.size === 0) return;
    const uses = [...used];
    await db.atomic(uses.map(([id, at]) => touchKey(id, at)));
    for (const [id, at] of uses) if (used.get(id) === at) used.delete(id);
    // A key that was read just before this write still needs its last use.
    written = new Map(uses);
  }
  // After a failed write, the key's next use replaces it anyway.
  const timer = setInterval(() => void write().catch(() => {}), WRITE_EVERY_MS);
  timer.unref();

  return {
    set: (keyId, at) => used.set(keyId, at),
    get: (keyId) => used.get(keyId) ?? written.get(keyId) ?? null,
    async close() {
      clearInterval(timer);
      await write().catch(() => {});
    },
  };
}
