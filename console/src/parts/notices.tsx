/** Notifications of results: visible for some seconds, and announced to screen readers. */
import { CloseButton } from '@mantine/core';
import { useSyncExternalStore } from 'react';

interface Notice {
  id: number;
  text: string;
  failed: boolean;
}

const SHOWN_MS = 5_000;
const FAILED_MS = 12_000;

let notices: readonly Notice[] = [];
let next = 1;
const listeners = new Set<() => void>();

function replace(changed: readonly Notice[]): void {
  notices = changed;
  for (const listener of listeners) listener();
}

const drop = (id: number): void => replace(notices.filter((one) => one.id !== id));

function show(text: string, failed: boolean): void {
  const id = next++;
  replace([...notices.slice(-3), { id, text, failed }]);
  setTimeout(() => drop(id), failed ? FAILED_MS : SHOWN_MS);
}

export const notify = (text: string): void => show(text, false);
export const notifyFailure = (error: unknown): void => show((error as Error).message, true);

/** Shows `done` when `work` has succeeded, or why it failed. */
export const tell = (work: Promise<unknown>, done: string): Promise<void> =>
  work.then(() => notify(done), notifyFailure);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map(({ id, text, failed }) => (
        <div key={id} className={failed ? 'notice failed' : 'notice'}>
          <span>{text}</span>
          <CloseButton size="sm" onClick={() => drop(id)} aria-label="Close notice" />
        </div>
      ))}
    </div>
  );
}
