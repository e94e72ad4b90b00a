/** Runs work periodically, one run at a time. Returns a function that stops it. */
export function every(ms: number, work: () => Promise<void>, onProblem: (error: unknown) => void): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch(onProblem)
      .finally(() => {
        running = undefined;
      });
  }, ms);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
