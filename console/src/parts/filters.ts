/** Filters live in the address: what one sees can be sent to somebody else. */
import { useSearchParams } from 'wouter';

export interface Filters {
  values: Record<string, string | undefined>;
  /** Sets some, undefined or '' takes away. Any other filter begins at the first page again. */
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
