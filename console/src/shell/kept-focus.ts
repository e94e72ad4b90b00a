/**
 * The focus of an element that goes, as with the row that it removed, passes to what is nearest to its place in the
 * same part of the page or dialog. Where the whole page is another one, it passes to the page.
 */
import { useEffect } from 'react';

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), [tabindex="0"]';
const PAGE = '.main, [role="dialog"]';

interface Focused {
  element: Element;
  /** From the inside out, to the page or dialog. */
  parts: readonly Element[];
  place: DOMRect;
}

export function useKeptFocus(): void {
  useEffect(() => {
    let last: Focused | undefined;
    const remember = () => {
      last = toFocused(document.activeElement);
    };
    const observer = new MutationObserver(() => {
      if (last === undefined || last.element.isConnected || document.activeElement !== document.body) return;
      passOn(last);
    });
    document.addEventListener('focusin', remember);
    // Scrolled meanwhile.
    document.addEventListener('keydown', remember, true);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', remember);
      document.removeEventListener('keydown', remember, true);
      observer.disconnect();
    };
  }, []);
}

/** Menus and lists of choices return the focus themselves. */
function toFocused(element: Element | null): Focused | undefined {
  const page = element?.closest(PAGE);
  if (!element || !page || element.closest('#layers')) return undefined;
  const parts: Element[] = [];
  for (let part = element.parentElement; part !== null && part !== page; part = part.parentElement) parts.push(part);
  return { element, parts: [...parts, page], place: element.getBoundingClientRect() };
}

function passOn({ parts, place }: Focused): void {
  const distance = (one: Element): number => {
    const { left, top } = one.getBoundingClientRect();
    return Math.abs(top - place.top) + Math.abs(left - place.left);
  };
  const isShown = (one: Element): boolean => one.getClientRects().length > 0;
  for (const part of parts) {
    if (!part.isConnected) continue;
    const found = [...part.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(isShown);
    const nearest = part.matches('.main') ? part : found.toSorted((a, b) => distance(a) - distance(b))[0];
    if (nearest instanceof HTMLElement) return nearest.focus({ preventScroll: part.matches('.main') });
  }
}
