/** Watches the event loop of this process, in which the services of tests run. */

/** A shorter work has no share to speak of. */
const SHORT_MS = 1_000;

/** Returns the longest time without a turn while `work` runs, as a share of the time that it takes. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  let [last, longest, hasEnded] = [begun, 0, false];
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!hasEnded) setImmediate(turn);
  };
  turn();
  await work();
  hasEnded = true;
  return longest / Math.max(SHORT_MS, performance.now() - begun);
}
