/** When a dialog goes, the focus returns to what had it when the dialog came. */
import { useEffect, useState } from 'react';

export function useReturnedFocus(): void {
  const [opener] = useState(findOpener);
  useEffect(
    () => () => {
      // Once the dialog is gone; unless something else took the focus, as the next dialog does.
      setTimeout(() => {
        if (document.activeElement === document.body) opener?.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}

/** The item of a menu goes with its menu, whose button stays. */
function findOpener(): HTMLElement | null {
  const focused = document.activeElement;
  const button = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : focused;
  return opener instanceof HTMLElement ? opener : null;
}
