/**
 * Work on one key runs one at a time in the order it came; different keys do not wait for each other. Spares edits of
 * one record on one node from losing to each other; it is no lock between nodes (the store's expectations are).
 */
export function lanes(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key);
    const run = before === undefined ? work() : before.then(work, work);
    tails.set(key, run);
    try {
      return await run;
    } finally {
      if (tails.get(key) === run) tails.delete(key);
    }
  };
}
