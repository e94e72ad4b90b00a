/** The work that a form or a button starts: whether it is running, and why it failed. */
import { type SyntheticEvent, useState } from 'react';
import { PosternError } from '../api/client.ts';
import { queries } from '../api/read.ts';
import { useFocusAfter } from './returned-focus.ts';

interface Work {
  /** Running, or done: then the form leaves the page. */
  busy: boolean;
  error: Error | undefined;
  start: (event?: SyntheticEvent) => Promise<void>;
}

export function useWork(work: () => Promise<unknown>): Work {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  useFocusAfter(busy);
  const start = async (event?: SyntheticEvent): Promise<void> => {
    event?.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failed) {
      setError(explain(failed as Error));
      setBusy(false);
    }
  };
  return { busy, error, start };
}

/** An edit of a stale state: shows the new one, and says how to go on. */
function explain(failed: Error): Error {
  if (!(failed instanceof PosternError && failed.status === 412)) return failed;
  void queries.invalidateQueries();
  return new Error('Another person changed this in the meantime. Close this, look at what is new, then edit again.');
}
