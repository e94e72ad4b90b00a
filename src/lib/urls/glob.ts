/** Texts with places for any characters, in parts of a pattern: matching, and what follows from it. Pure. */

/** Literal parts in order, any characters between two of them. */
export interface Glob {
  readonly parts: readonly string[];
  /** The last part ends the text; without it, anything may follow. */
  readonly ends: boolean;
}

/** Stands for any characters: no literal contains it. */
export const WILD = '\0';

export const toText = ({ parts, ends }: Glob): string => parts.join(WILD) + (ends ? '' : WILD);

/** The first place of each part leaves most for the others, so no other place needs a try. */
export function isMatch({ parts, ends }: Glob, text: string): boolean {
  const [first = ''] = parts;
  if (!text.startsWith(first)) return false;
  const count = parts.length - 1;
  if (count === 0) return !ends || text.length === first.length;
  let at = first.length;
  for (let i = 1; i < count; i++) {
    const part = parts[i] as string;
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  const last = parts[count] as string;
  return ends ? text.length - last.length >= at && text.endsWith(last) : text.includes(last, at);
}

/** Returns whether all that matches `one` provably matches `other` too. */
export const impliesGlob = (one: Glob, other: Glob): boolean => isMatch(other, toText(one));
