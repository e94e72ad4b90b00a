/** Filters live in the address, so that a view can be shared. */
import { useSearchParams } from 'wouter';

export interface Filters {
  values: Record<string, string | undefined>;
  /** Sets filters; undefined or '' removes one. Changing a filter returns to the first page. */
  set: (changes: Record<string, string | null | undefined>) => void;
}

export function useFilters(): Filters {
  const [params, setParams] = useSearchParams();
  return {
    values: Object.fromEntries(params),
    set: (changes) => {
      setParams((before) => {
        const next = new URLSearchParams(before);
        if (!('cursor' in changes)) next.delete('cursor');
        for (const [name, value] of Object.entries(changes)) {
          if (value === undefined || value === null || value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      });
    },
  };
}
