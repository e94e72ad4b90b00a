/** Forms that fill a page: leaving one with unsaved changes asks first. The browser's back button does not ask. */
import { useEffect } from 'react';
import type { AroundNavHandler } from 'wouter';

let unsaved = 0;

const ask = (event: BeforeUnloadEvent): void => event.preventDefault();

export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    unsaved++;
    window.addEventListener('beforeunload', ask);
    return () => {
      unsaved--;
      window.removeEventListener('beforeunload', ask);
    };
  }, [isUnsaved]);
}

export const askBeforeLeaving: AroundNavHandler = (navigate, to, options) => {
  if (unsaved === 0 || window.confirm('Leave this page? Your changes are not saved.')) navigate(to, options);
};
