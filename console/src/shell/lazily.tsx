/**
 * Parts of the console that load when first shown. After a deployment an open tab requests files that are gone: a newer
 * version exists. The tab then offers to reload; it never reloads by itself, because a form may hold input.
 */
import { Button } from '@mantine/core';
import { type ComponentType, type LazyExoticComponent, lazy, useSyncExternalStore } from 'react';

let newer = false;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The service responds but no longer has the file. */
export class Outdated extends Error {
  constructor(cause: unknown) {
    super('Postern was updated since you opened this tab. Reload it to see this page.', { cause });
  }
}

const reload = () => window.location.reload();

export function lazily<P>(load: () => Promise<{ default: ComponentType<P> }>): LazyExoticComponent<ComponentType<P>> {
  return lazy(() =>
    load().catch(async (cause: unknown) => {
      const answer = await fetch('/console/session', { headers: { 'x-postern-console': '1' } }).catch(() => undefined);
      if (answer === undefined) throw new Error('The service cannot be reached. Is it running?', { cause });
      newer = true;
      for (const listener of listeners) listener();
      throw new Outdated(cause);
    }),
  );
}

/** Offers the newer version on any page. */
export function NewVersion() {
  const shown = useSyncExternalStore(subscribe, () => newer);
  if (!shown) return null;
  return (
    <div className="newer" role="status">
      <span>A new version is available.</span>
      <Button size="compact-sm" variant="white" onClick={reload}>
        Reload
      </Button>
    </div>
  );
}
