/** The pace at which deliveries start: callers wait for checks, while deliveries can wait a little. */

/** The node is busy while this many checks wait for the disk; one request then starts in each pause. */
const CHECKS_MANY = 16;
const PAUSE_MS = 50;

/** Returns a function that resolves for one caller in each turn of the event loop, slower while many checks wait. */
export function openPace(checksWaiting: () => number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const release = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) schedule();
  };
  const schedule = (): void => {
    if (checksWaiting() >= CHECKS_MANY) setTimeout(release, PAUSE_MS);
    else setImmediate(release);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) schedule();
    });
}
