/** The work that a form or a button starts: whether it is running, and why it failed. */
import { type SyntheticEvent, useState } from 'react';

interface Work {
  /** Running, or done: then the form leaves the page. */
  busy: boolean;
  error: Error | undefined;
  start: (event?: SyntheticEvent) => Promise<void>;
}

export function useWork(work: () => Promise<unknown>): Work {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const start = async (event?: SyntheticEvent): Promise<void> => {
    event?.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failed) {
      setError(failed as Error);
      setBusy(false);
    }
  };
  return { busy, error, start };
}
