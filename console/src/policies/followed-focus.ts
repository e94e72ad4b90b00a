/** The focus follows a rule that moves, so that the same key moves the rule further. */
import { type RefObject, useEffect, useRef, useState } from 'react';

export type Control = 'handle' | 'title' | 'up' | 'down';

const UP = '[aria-label$=" up"]:enabled';
const DOWN = '[aria-label$=" down"]:enabled';
/** Selectors in order of preference: the first rule cannot move up, nor the last one down. */
const SELECTORS: Record<Control, readonly string[]> = {
  handle: ['.rule-head > button'],
  title: ['.rule-title'],
  up: [UP, DOWN],
  down: [DOWN, UP],
};

interface FollowedFocus {
  /** The element whose children are the rules. */
  list: RefObject<HTMLDivElement | null>;
  /** Focuses a control of the rule at an index, once the list shows its new order. */
  follow: (index: number, control: Control) => void;
}

export function useFollowedFocus(): FollowedFocus {
  const list = useRef<HTMLDivElement>(null);
  const [followed, setFollowed] = useState<{ index: number; control: Control }>();
  useEffect(() => {
    if (followed === undefined) return;
    const rule = list.current?.children[followed.index];
    const found = SELECTORS[followed.control].map((selector) => rule?.querySelector<HTMLElement>(selector));
    found.find((one) => one)?.focus();
  }, [followed]);
  return { list, follow: (index, control) => setFollowed({ index, control }) };
}
