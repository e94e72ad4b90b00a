/** The focus is never lost with the element that has it. */
import { type RefObject, useEffect, useRef, useState } from 'react';

/** For a dialog: when it goes, the focus returns to what had it when the dialog came. */
export function useReturnedFocus(): void {
  const [opener] = useState(findOpener);
  useEffect(
    () => () => {
      // Once the dialog is gone; unless something else took the focus, as the next dialog does.
      setTimeout(() => {
        if (isLost()) opener?.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}

/** For a button that is disabled while its work runs: it has the focus again afterwards. */
export function useFocusAfter(busy: boolean): void {
  const [focused, setFocused] = useState<HTMLElement | null>(null);
  if (busy && focused === null) setFocused(findOpener());
  if (!busy && focused !== null) setFocused(null);
  useEffect(() => {
    if (!busy || focused === null) return undefined;
    return () => setTimeout(() => isLost() && focused.focus({ preventScroll: true })) as never;
  }, [busy, focused]);
}

/** For the button of a menu that replaced another while the menu loaded: the focus returns to the new one. */
export function useMenuButton<T extends HTMLElement>(opened: boolean | undefined): RefObject<T | null> {
  const button = useRef<T>(null);
  useEffect(() => {
    if (opened !== false) return;
    setTimeout(() => {
      if (isLost() || document.activeElement?.closest('[role="menu"]')) button.current?.focus({ preventScroll: true });
    });
  }, [opened]);
  return button;
}

const isLost = (): boolean => document.activeElement === document.body;

/** The item of a menu goes with its menu, whose button stays. */
function findOpener(): HTMLElement | null {
  const focused = document.activeElement;
  const button = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : focused;
  return opener instanceof HTMLElement ? opener : null;
}
