/** Remembers when each key, or other credential, was last used and writes it every second. */
import type { Db, Step } from '../../db/db.ts';

const WRITE_EVERY_MS = 1_000;

export interface LastUses {
  set(id: string, at: number): void;
  /** Returns the last use where the store may not have it yet. */
  get(id: string): number | null;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

/** `touch` stores a last use. */
export function openLastUses(db: Db, touch: (id: string, at: number) => Step): LastUses {
  const used = new Map<string, number>();
  let written: ReadonlyMap<string, number> = new Map();

  async function write(): Promise<void> {
    if (used.size === 0) return;
    const uses = [...used];
    await db.atomic(uses.map(([id, at]) => touch(id, at)));
    for (const [id, at] of uses) if (used.get(id) === at) used.delete(id);
    // A key that was read just before this write still needs its last use.
    written = new Map(uses);
  }
  // After a failed write, the key's next use replaces it anyway.
  const timer = setInterval(() => void write().catch(() => {}), WRITE_EVERY_MS);
  timer.unref();

  return {
    set: (id, at) => used.set(id, at),
    get: (id) => used.get(id) ?? written.get(id) ?? null,
    async close() {
      clearInterval(timer);
      await write().catch(() => {});
    },
  };
}
