/** Whose turn it is to send: checks are what somebody waits for, deliveries can wait a little. */

/** While so many checks wait for the disk that the node is busy, one request begins in so many milliseconds. */
const CHECKS_MANY = 16;
const PAUSE_MS = 50;

/** Lets one go in each turn of the event loop, and pauses where many checks wait. */
export function turns(checksWaiting: () => number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const release = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) next();
  };
  const next = (): void => {
    if (checksWaiting() >= CHECKS_MANY) setTimeout(release, PAUSE_MS);
    else setImmediate(release);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) next();
    });
}
